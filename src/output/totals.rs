//! What the positions of one command have cost together.

use std::time::Duration;

use super::{Answered, line};
use crate::numbers;

/// What the positions of one command have cost together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    positions: u64,
    disagreeing: u64,
    nodes: u64,
    reused: u64,
}

impl Totals {
    /// Adds one position.
    pub(crate) fn add(&mut self, answered: &Answered<'_>) {
        self.positions += 1;
        self.disagreeing += u64::from(answered.agrees() == Some(false));
        self.nodes += answered.solution.nodes;
        self.reused += answered.solution.reused;
    }

    /// Returns the number of positions that disagree with the scores given.
    pub(crate) const fn disagreeing(&self) -> u64 {
        self.disagreeing
    }

    /// Prints the totals, which have taken so much time.
    pub(crate) fn print(&self, time: Duration) -> anyhow::Result<()> {
        line(&format!(
            "{}, {} nodes, {}, {}/s, {} reused, {} disagree",
            numbers::counted(self.positions, "position"),
            numbers::grouped(self.nodes),
            numbers::span(time),
            numbers::short(numbers::rate(self.nodes, time)),
            numbers::counted(self.reused, "bound"),
            self.disagreeing,
        ))
    }
}
