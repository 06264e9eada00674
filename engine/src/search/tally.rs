//! What a thread counts: the positions that it visits, and with the feature `statistics` what becomes of them.
//!
//! Without the feature a tally is one number, and all but that is empty.

#[cfg(not(feature = "statistics"))]
use super::level::Level;
#[cfg(feature = "statistics")]
use super::statistics::{Kind, Statistics};

/// What one thread has counted.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Positions visited and not yet reported.
    pub(crate) nodes: u64,
    #[cfg(feature = "statistics")]
    pub(super) statistics: Statistics,
    /// The kind of the search that goes on.
    #[cfg(feature = "statistics")]
    pub(super) kind: Kind,
}

/// What happens at a node of a search to the end. All but the last few end it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(feature = "statistics"),
    expect(dead_code, reason = "statistics read what is in it")
)]
pub(crate) enum Event {
    /// Stable discs answer the window.
    Stable,
    /// The thread's own table does.
    OwnTable,
    /// The table of proofs does.
    Proved,
    /// The table of hints does.
    Believed,
    /// What is known of the positions after the moves does.
    ChildrenKnown,
    /// The player must pass, and the search goes on with another node.
    Pass,
    /// Nobody has a move.
    Over,
    /// A move takes the last disc of the opponent.
    WipeOut,
    /// A shallow search says that the value is probably outside the window.
    Improbable { above: bool },
    /// A move was searched: one of so many, counted from 1. It ends the node if it cuts off, or if none is left.
    Tried { number: usize, of: usize, cuts: bool },
    /// None of so many moves has cut off; with none the node is not at its end.
    Failed { moves: usize },
    /// The last of so many moves were searched by several threads.
    Shared { moves: usize, cuts: bool },
    /// A shallow search was asked whether the value is probably outside the window.
    Probe { above: bool },
    /// The costs of moves were compared by so many pairs, in the end; by none if there were no two to compare.
    Compared { pairs: usize, changed: bool },
    /// A move was searched again, in a wider window.
    Research,
    /// The value of the root is not in the window.
    Missed { above: bool },
    /// The rest of the moves was offered to other threads.
    Split,
    /// A move of a split was taken, by the thread that had opened it or by another one.
    Taken { by_other: bool },
}

impl Event {
    /// Returns that the move of that `number`, counted from 1, was searched, and whether it cuts off.
    #[inline(always)]
    pub(super) const fn tried(number: usize, of: usize, cuts: bool) -> Self {
        Self::Tried { number, of, cuts }
    }
}

/// Counts the moves tried at a node, where nothing else does.
#[derive(Debug, Default)]
pub(super) struct Tries {
    #[cfg(feature = "statistics")]
    pub(super) count: usize,
}

#[cfg(not(feature = "statistics"))]
impl Tries {
    /// Counts a move.
    #[inline(always)]
    pub(super) const fn add(&mut self) {}

    /// Returns that the last move has cut off.
    #[inline(always)]
    pub(super) const fn cut_off(&self) -> Event {
        Event::tried(1, 1, true)
    }

    /// Returns that none of the moves has.
    #[inline(always)]
    pub(super) const fn failed(&self) -> Event {
        Event::Failed { moves: 0 }
    }
}

#[cfg(not(feature = "statistics"))]
impl Tally {
    /// Counts a node of a search to the end.
    #[inline(always)]
    pub(super) const fn enter(&mut self, _empties: u32) {
        self.nodes += 1;
    }

    /// Counts a node of a search of a few plies.
    #[inline(always)]
    pub(super) const fn look_ahead(&mut self, _empties: u32) {
        self.nodes += 1;
    }

    /// Notes at which level the thread searches from here on.
    #[inline(always)]
    pub(super) const fn begin(&mut self, _level: Level) {}

    /// Counts what happens at a node.
    #[inline(always)]
    pub(super) const fn count(&mut self, _empties: u32, _event: Event) {}
}
