//! Proved bounds.

use std::io;

use super::lines::{Lines, Place};
use super::{square_of, square_pack};

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Proved lower bound in discs, even.
    pub(crate) lower: i32,
    /// Proved upper bound in discs, even.
    pub(crate) upper: i32,
    /// The moves to try first, best first.
    pub(crate) moves: [Option<u8>; 2],
    /// Logarithm of the work behind the bounds, 0 to 63; costly entries stay longer.
    pub(crate) cost: u8,
}

impl Entry {
    /// Nothing is known.
    pub(crate) const UNKNOWN: Self = Self { lower: -64, upper: 64, moves: [None; 2], cost: 0 };

    /// Returns what is known of a position whose bounds were proved elsewhere: as dear as can be.
    pub(crate) const fn told(lower: i32, upper: i32) -> Self {
        Self { lower, upper, cost: 63, ..Self::UNKNOWN }
    }

    /// Returns the bound that answers the null window of `alpha`, if one does.
    #[inline(always)]
    pub(crate) fn answer(&self, alpha: i32) -> Option<i32> {
        if self.lower > alpha {
            Some(self.lower)
        } else {
            (self.upper <= alpha).then_some(self.upper)
        }
    }

    /// Returns the cost to note for a search of that many nodes.
    #[inline(always)]
    pub(crate) fn cost_of(nodes: u64) -> u8 {
        (2 * nodes.max(1).ilog2()).min(63) as u8
    }

    /// Seven bits for each bound, six for each move and for the cost, eight for the generation.
    fn pack(self, generation: u8) -> u64 {
        let bound = |discs: i32| ((discs + 64) / 2) as u64;
        bound(self.lower)
            | bound(self.upper) << 7
            | square_pack(self.moves[0]) << 14
            | square_pack(self.moves[1]) << 20
            | u64::from(self.cost) << 26
            | u64::from(generation) << 32
    }

    fn unpack(pack: u64) -> Self {
        let bound = |shift: u32| (pack >> shift & 0x7F) as i32 * 2 - 64;
        Self {
            lower: bound(0),
            upper: bound(7),
            moves: [square_of(pack >> 14), square_of(pack >> 20)],
            cost: (pack >> 26 & 0x3F) as u8,
        }
    }
}

/// Value of a pack to the replacement: the work behind it, less what has passed since; each search
/// of another position halves an entry's worth.
fn worth(pack: u64, generation: u8) -> i32 {
    let age = generation.wrapping_sub((pack >> 32) as u8);
    let cost = (pack >> 26 & 0x3F) as i32;
    cost - 2 * i32::from(age)
}

/// The table of proved bounds, shared by all threads.
#[derive(Debug)]
pub(crate) struct Table(Lines);

impl Table {
    /// Makes an empty table of at most `bytes` bytes (at least one line of 64 bytes).
    ///
    /// # Errors
    /// What the system says when it has not got the memory.
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        Lines::new(bytes).map(Self)
    }

    /// Lets searches of positions with that many `empties` take as much of the table into use as the
    /// largest of them fill: with four times as much, trees of 22 to 24 empties were not smaller, and
    /// 3 to 9 % slower.
    pub(crate) fn prepare(&self, empties: u32) {
        self.0.prepare(1_usize << empties.saturating_sub(6).min(40));
    }

    /// Takes more of the table into use if all nodes searched, of which `nodes` are new, need it.
    /// `hash` is the one that entries are put by.
    pub(crate) fn grow(&self, nodes: u64, hash: impl Fn(u64, u64) -> u64) {
        self.0.grow(nodes, hash);
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.0.clear();
    }

    /// Asks the CPU to load the line of `hash` into its cache.
    #[inline(always)]
    pub(crate) fn prefetch(&self, hash: u64) {
        self.0.prefetch(hash);
    }

    /// Returns what is known of the position.
    pub(crate) fn get(&self, hash: u64, player: u64, opponent: u64) -> Option<Entry> {
        self.0.get(Place { hash, player, opponent }).map(Entry::unpack)
    }

    /// Returns the boards, player first, of which a lower bound is known.
    pub(crate) fn bounded_below(&self) -> impl Iterator<Item = (u64, u64)> {
        let is_bounded = |pack| Entry::unpack(pack).lower > Entry::UNKNOWN.lower;
        self.0.iter().filter(move |&(.., pack)| is_bounded(pack)).map(|entry| (entry.0, entry.1))
    }

    /// Adds what a search found out; bounds of the same position are merged.
    pub(crate) fn put(&self, hash: u64, player: u64, opponent: u64, entry: Entry, generation: u8) {
        let merge = |old: Option<u64>| {
            let old = old.map_or(Entry::UNKNOWN, Entry::unpack);
            let merged = Entry {
                lower: entry.lower.max(old.lower),
                upper: entry.upper.min(old.upper),
                cost: entry.cost.max(old.cost),
                // Who is told a bound is told no move.
                moves: if entry.moves[0].is_some() { entry.moves } else { old.moves },
            };
            merged.pack(generation)
        };
        self.0.put(Place { hash, player, opponent }, merge, |pack| worth(pack, generation));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(lower: i32, upper: i32, cost: u8) -> Entry {
        Entry { lower, upper, moves: [Some(19), None], cost }
    }

    #[test]
    fn an_entry_comes_back_and_bounds_merge() {
        let table = Table::new(1 << 12).unwrap();
        table.put(7 << 40, 1, 2, entry(-64, 6, 3), 1);
        table.put(7 << 40, 1, 2, entry(-2, 64, 5), 1);
        assert_eq!(table.get(7 << 40, 1, 2), Some(entry(-2, 6, 5)));
        // What is known already, later and with less work behind it.
        table.put(7 << 40, 1, 2, entry(-4, 8, 1), 1);
        assert_eq!(table.get(7 << 40, 1, 2), Some(entry(-2, 6, 5)));
        // What others have proved leaves the moves.
        table.put(7 << 40, 1, 2, Entry::told(0, 64), 1);
        assert_eq!(table.get(7 << 40, 1, 2), Some(entry(0, 6, 63)));
        assert_eq!(table.get(7 << 40, 2, 1), None);
        table.clear();
        assert_eq!(table.get(7 << 40, 1, 2), None);
    }

    #[test]
    fn entries_of_older_searches_make_room() {
        let table = Table::new(64).unwrap();
        table.put(0, 1, 8, entry(0, 0, 60), 1);
        for player in [2, 4, 16] {
            table.put(0, player, 8, entry(0, 0, 10), 40);
        }
        assert_eq!(table.get(0, 1, 8), None);
    }
}
