//! A small table of one thread's own for positions near the leaves.
//!
//! There the shared table would be slow (a cache miss a node) and soon full of trifles. This one
//! fits the second-level cache, needs no care for other threads, and always replaces. The idea is
//! acepck's (Egaroucid 7.3; TECHNIQUES F8).

use super::board::Board;

/// Entries of a table: 2^13 entries of 24 bytes are 192 KiB.
const ENTRIES: usize = 1 << 13;

/// What the table knows of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalEntry {
    player: u64,
    opponent: u64,
    pub(crate) lower: i8,
    pub(crate) upper: i8,
    /// The move that was best, or 64 if there is none.
    pub(crate) best: u8,
}

impl LocalEntry {
    const EMPTY: Self = Self { player: 0, opponent: 0, lower: -64, upper: 64, best: 64 };
}

/// The table.
#[derive(Debug)]
pub(crate) struct LocalTable(Box<[LocalEntry]>);

impl LocalTable {
    pub(crate) fn new() -> Self {
        Self(vec![LocalEntry::EMPTY; ENTRIES].into_boxed_slice())
    }

    /// Returns what is known of `board`.
    #[inline(always)]
    pub(crate) fn get(&self, hash: u64, board: Board) -> Option<LocalEntry> {
        let entry = self.0[hash as usize % ENTRIES];
        (entry.player == board.player && entry.opponent == board.opponent).then_some(entry)
    }

    /// Keeps the bound that a fail-soft search of `board` in the null window of `alpha` has proved.
    #[inline(always)]
    pub(crate) fn put(&mut self, hash: u64, board: Board, value: i32, alpha: i32, best: u8) {
        let entry = &mut self.0[hash as usize % ENTRIES];
        if entry.player != board.player || entry.opponent != board.opponent {
            *entry =
                LocalEntry { player: board.player, opponent: board.opponent, ..LocalEntry::EMPTY };
        }
        if value > alpha {
            entry.lower = entry.lower.max(value as i8);
        } else {
            entry.upper = entry.upper.min(value as i8);
        }
        entry.best = best;
    }
}
