//! The transposition table that all threads share.
//!
//! One cache line holds three entries: the two boards of each (six words) and three packs of 40
//! bits (two words). There is no lock. Each board word is stored mixed with its entry's pack, so
//! that an entry whose words come from two different writes belongs to no position and reads as
//! absent; this is the idea of R. Hyatt's and T. Mann's lockless hashing.

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::memory::{Shared, SharedMemory};

/// Entries in a line.
const WAYS: usize = 3;
/// Bits of a pack.
const PACK_BITS: u32 = 40;
const PACK_MASK: u64 = (1 << PACK_BITS) - 1;
/// Stands for "no move" in six bits: D4 is occupied in every game.
const NO_MOVE: u8 = 27;

/// Three entries in 64 bytes.
#[repr(C, align(64))]
#[derive(Debug)]
struct Line {
    boards: [[AtomicU64; 2]; WAYS],
    packs: [AtomicU64; 2],
}

#[allow(unsafe_code, reason = "a promise about the layout of `Line`")]
// SAFETY: a line is eight atomics, without padding.
unsafe impl Shared for Line {}

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

    fn pack(self, generation: u8) -> u64 {
        let bound = |discs: i32| ((discs + 64) / 2) as u64;
        let square = |square: Option<u8>| u64::from(square.unwrap_or(NO_MOVE));
        bound(self.lower)
            | bound(self.upper) << 7
            | square(self.moves[0]) << 14
            | square(self.moves[1]) << 20
            | u64::from(self.cost) << 26
            | u64::from(generation) << 32
    }

    fn unpack(pack: u64) -> Self {
        let bound = |shift: u32| (pack >> shift & 0x7F) as i32 * 2 - 64;
        let square = |shift: u32| match (pack >> shift & 0x3F) as u8 {
            NO_MOVE => None,
            square => Some(square),
        };
        Self {
            lower: bound(0),
            upper: bound(7),
            moves: [square(14), square(20)],
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

/// The table.
///
/// Only a part of it is in use at first: touching memory for the first time is slow, and a small
/// problem is over before a large table is warm.
#[derive(Debug)]
pub(crate) struct Table {
    lines: SharedMemory<Line>,
    in_use: AtomicUsize,
}

impl Table {
    /// Makes an empty table of at most `bytes` bytes (at least one line of 64 bytes).
    ///
    /// # Errors
    /// What the system says when it has not got the memory.
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        let lines = (bytes / size_of::<Line>()).max(1);
        Ok(Self { lines: SharedMemory::zeroed(lines)?, in_use: AtomicUsize::new(1) })
    }

    /// Takes as much of the table into use as a search of a position with that many `empties` can
    /// fill. Growing makes most of the entries unreachable; they are lost, not wrong.
    pub(crate) fn prepare(&self, empties: u32) {
        let wanted = 1_usize << empties.saturating_sub(4).min(40);
        self.in_use.fetch_max(wanted.min(self.lines.len()), Ordering::Relaxed);
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        let in_use = self.in_use.swap(1, Ordering::Relaxed);
        for line in &self.lines[..in_use] {
            for word in line.boards.as_flattened().iter().chain(&line.packs) {
                word.store(0, Ordering::Relaxed);
            }
        }
    }

    fn line(&self, hash: u64) -> &Line {
        let in_use = self.in_use.load(Ordering::Relaxed);
        let index = (u128::from(hash) * in_use as u128) >> 64;
        &self.lines[index as usize]
    }

    /// Asks the CPU to load the line of `hash` into its cache.
    #[inline(always)]
    pub(crate) fn prefetch(&self, hash: u64) {
        prefetch(self.line(hash));
    }

    /// Returns what is known of the position.
    pub(crate) fn get(&self, hash: u64, player: u64, opponent: u64) -> Option<Entry> {
        let line = self.line(hash);
        let packs = Packs::load(line);
        (0..WAYS)
            .find(|&way| line.holds(way, packs.get(way), player, opponent))
            .map(|way| Entry::unpack(packs.get(way)))
    }

    /// Adds what a search found out; bounds of the same position are merged.
    pub(crate) fn put(&self, hash: u64, player: u64, opponent: u64, entry: Entry, generation: u8) {
        let line = self.line(hash);
        let packs = Packs::load(line);
        let (mut way, mut merged) = (0, entry);
        match (0..WAYS).find(|&way| line.holds(way, packs.get(way), player, opponent)) {
            Some(same) => {
                let old = Entry::unpack(packs.get(same));
                merged.lower = entry.lower.max(old.lower);
                merged.upper = entry.upper.min(old.upper);
                merged.cost = entry.cost.max(old.cost);
                way = same;
            }
            None => {
                for other in 1..WAYS {
                    if worth(packs.get(other), generation) < worth(packs.get(way), generation) {
                        way = other;
                    }
                }
            }
        }
        line.put(way, packs, merged.pack(generation), player, opponent);
    }
}

/// Spreads a pack over the second word, so that no two writes can be mixed up.
fn spread(pack: u64) -> u64 {
    pack.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Line {
    fn holds(&self, way: usize, pack: u64, player: u64, opponent: u64) -> bool {
        let [first, second] = &self.boards[way];
        // A zero line is "no disc at all", which no search asks for.
        first.load(Ordering::Relaxed) ^ pack == player
            && second.load(Ordering::Relaxed) ^ spread(pack) == opponent
    }

    fn put(&self, way: usize, packs: Packs, pack: u64, player: u64, opponent: u64) {
        packs.with(way, pack).store(self, way);
        let [first, second] = &self.boards[way];
        first.store(player ^ pack, Ordering::Relaxed);
        second.store(opponent ^ spread(pack), Ordering::Relaxed);
    }
}

/// The three packs of a line: 40 bits low in each word, and the third in the bits above them.
#[derive(Clone, Copy)]
struct Packs([u64; 2]);

impl Packs {
    /// Bits of the third pack in the first word.
    const SPLIT: u32 = 64 - PACK_BITS;

    fn load(line: &Line) -> Self {
        Self([0, 1].map(|word: usize| line.packs[word].load(Ordering::Relaxed)))
    }

    fn get(self, way: usize) -> u64 {
        let [first, second] = self.0;
        match way {
            0 => first & PACK_MASK,
            1 => second & PACK_MASK,
            _ => first >> PACK_BITS | (second >> PACK_BITS & 0xFFFF) << Self::SPLIT,
        }
    }

    fn with(self, way: usize, pack: u64) -> Self {
        let [first, second] = self.0;
        Self(match way {
            0 => [first & !PACK_MASK | pack, second],
            1 => [first, second & !PACK_MASK | pack],
            _ => {
                let low = first & PACK_MASK | pack << PACK_BITS;
                let high = second & PACK_MASK | pack >> Self::SPLIT << PACK_BITS;
                [low, high]
            }
        })
    }

    fn store(self, line: &Line, way: usize) {
        if way != 1 {
            line.packs[0].store(self.0[0], Ordering::Relaxed);
        }
        if way != 0 {
            line.packs[1].store(self.0[1], Ordering::Relaxed);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code, reason = "prefetching takes a pointer")]
fn prefetch<T>(place: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch of a valid reference reads nothing that the program sees; SSE is baseline.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn prefetch<T>(_place: &T) {}

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
        assert_eq!(table.get(7 << 40, 2, 1), None);
        table.clear();
        assert_eq!(table.get(7 << 40, 1, 2), None);
    }

    #[test]
    fn three_positions_share_a_line_and_the_cheapest_makes_room() {
        let table = Table::new(64).unwrap();
        for (player, cost) in [(1, 9), (2, 4), (4, 63)] {
            table.put(0, player, 8, entry(-64, 64, cost), 3);
        }
        table.put(0, 16, 8, entry(64, 64, 5), 3);
        let costs = [1, 2, 4, 16].map(|player| table.get(0, player, 8).map(|found| found.cost));
        assert_eq!(costs, [Some(9), None, Some(63), Some(5)]);
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

    #[test]
    fn a_larger_problem_takes_more_of_the_table_and_clearing_gives_it_back() {
        let table = Table::new(1 << 20).unwrap();
        table.prepare(10);
        assert_eq!(table.in_use.load(Ordering::Relaxed), 64);
        table.prepare(60);
        assert_eq!(table.in_use.load(Ordering::Relaxed), 1 << 14);
        table.put(u64::MAX, 1, 8, entry(0, 0, 1), 1);
        table.clear();
        table.prepare(60);
        assert_eq!(table.get(u64::MAX, 1, 8), None);
    }

    #[test]
    fn every_pack_survives_its_neighbours() {
        let packs =
            Packs([0; 2]).with(2, PACK_MASK).with(0, 0x12_3456_789A).with(1, 0xFE_DCBA_9876);
        assert_eq!(
            [0, 1, 2].map(|way| packs.get(way)),
            [0x12_3456_789A, 0xFE_DCBA_9876, PACK_MASK]
        );
        assert_eq!(packs.with(2, 0x55).get(2), 0x55);
    }

    #[test]
    fn a_torn_write_reads_as_absent() {
        let table = Table::new(64).unwrap();
        table.put(0, 1, 8, entry(-64, 6, 3), 1);
        let line = &table.lines[0];
        let torn = Packs::load(line).with(0, entry(8, 64, 3).pack(1));
        torn.store(line, 0);
        assert_eq!(table.get(0, 1, 8), None);
    }
}
