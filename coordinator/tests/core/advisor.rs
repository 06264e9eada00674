//! A simple heuristic advisor.

use outflank_coordinator::core::Advisor;
use outflank_engine::{Position, Window};

/// Estimates by mobility and corners, predicts by empties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heuristic;

const CORNERS: u64 = 0x8100_0000_0000_0081;

impl Advisor for Heuristic {
    fn estimate(&self, position: Position) -> i32 {
        let count = |squares: u64| squares.count_ones() as i32;
        if position.is_over() {
            return position.final_score().discs();
        }
        let mobility = count(position.moves()) - count(position.pass().moves());
        let corners = count(position.player() & CORNERS) - count(position.opponent() & CORNERS);
        2 * mobility + 8 * corners
    }

    fn predicted_nodes(&self, position: Position, window: Window, _estimate: i32) -> f64 {
        let factor = if window.is_null() { 1.0 } else { 2.0 };
        factor * 2_f64.powi(position.empties() as i32)
    }
}
