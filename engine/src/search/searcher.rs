//! What one thread carries through its search.

use std::sync::Arc;

use super::SearchSet;
use super::ahead::Prospect;
use super::crew::Crew;
use super::local_table::LocalTable;
use super::split_point::SplitPoint;
use super::tally::Tally;
use super::turns::Pace;
use crate::evaluation::Weights;
use crate::table::{Hints, Table};

/// The search was asked to stop, ran into its limit, has become pointless, was begun ahead and is dropped, or was told
/// what is false; there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// Nodes that a thread counts by itself before it adds them to the common count.
const NODES_PER_REPORT: u64 = 1 << 12;

/// One thread of a search.
#[derive(Debug)]
pub(crate) struct Searcher<'a, K> {
    pub(crate) kernels: K,
    pub(crate) crew: &'a Crew<'a>,
    /// Which of the crew's threads this is.
    pub(crate) thread: usize,
    /// Bounds of positions with six to ten empty squares: 192 KiB.
    pub(crate) local: LocalTable<{ 1 << 13 }>,
    /// Bounds of positions with five empty squares: 96 KiB. Most hits are on recent entries.
    pub(crate) last: LocalTable<{ 1 << 12 }>,
    /// What this thread counts.
    pub(crate) tally: Tally,
    /// Positions visited and reported.
    reported: u64,
    /// The innermost split that this thread works for.
    pub(crate) split: Option<Arc<SplitPoint>>,
    /// What this thread begins ahead, if it has nothing better to do.
    pub(super) ahead: Option<Arc<Prospect>>,
}

impl<'a, K: SearchSet> Searcher<'a, K> {
    pub(crate) fn new(kernels: K, crew: &'a Crew<'a>) -> Self {
        Self {
            kernels,
            crew,
            thread: 0,
            local: LocalTable::new(),
            last: LocalTable::new(),
            tally: Tally::default(),
            reported: 0,
            split: None,
            ahead: None,
        }
    }

    /// Returns the table that all threads share.
    #[inline(always)]
    pub(crate) fn table(&self) -> &'a Table {
        self.crew.table
    }

    /// Returns the table of what is believed, for move orders and selective searches.
    #[inline(always)]
    pub(crate) fn hints(&self) -> &'a Hints {
        self.crew.hints
    }

    /// Returns the weights of the evaluation, if the engine has any.
    #[inline(always)]
    pub(crate) fn weights(&self) -> Option<&'a Weights> {
        self.crew.weights
    }

    /// Adds the nodes counted here to the common count and returns that. The tables grow with them.
    pub(crate) fn report_nodes(&mut self) -> u64 {
        self.report_nodes_at(Pace::Loose)
    }

    fn report_nodes_at(&mut self, pace: Pace) -> u64 {
        let nodes = std::mem::take(&mut self.tally.nodes);
        self.reported += nodes;
        let kernels = self.kernels;
        let hash = |player, opponent| kernels.hash(player, opponent);
        self.table().grow(nodes, hash);
        self.hints().grow(nodes, hash);
        if let Some(turns) = self.crew.turns {
            turns.spend(self.thread, nodes, pace);
        }
        self.crew.control.count(nodes)
    }

    /// Comes to where threads meet, which in a rehearsal waits for those that are behind.
    pub(crate) fn meet(&mut self) {
        if self.crew.turns.is_some() {
            self.report_nodes_at(Pace::Strict);
        }
    }

    /// Comes to where threads meet, and spends as much as that many `nodes` on handing work over.
    pub(crate) fn hand_over(&mut self, nodes: u64) {
        if let Some(turns) = self.crew.turns {
            self.report_nodes_at(Pace::Loose);
            turns.hand_over(self.thread, nodes);
        }
    }

    /// Returns the number of positions that this thread has visited.
    #[inline(always)]
    pub(crate) fn total_nodes(&self) -> u64 {
        self.reported + self.tally.nodes
    }

    /// Finds out whether to go on.
    ///
    /// # Errors
    /// [`Stopped`] if not.
    #[inline(always)]
    pub(crate) fn go_on(&mut self) -> Result<(), Stopped> {
        if self.tally.nodes >= NODES_PER_REPORT && self.report_nodes() >= self.crew.node_limit() {
            self.crew.control.stop();
        }
        let pointless = self.split.as_ref().is_some_and(|split| split.is_pointless());
        let dropped =
            self.ahead.as_ref().is_some_and(|ahead| ahead.is_past() || self.crew.has_work());
        if pointless || dropped || self.crew.control.is_stopped() { Err(Stopped) } else { Ok(()) }
    }
}
