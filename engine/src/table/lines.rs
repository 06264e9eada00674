//! Three entries in a cache line: boards, and packs of 40 bits whose meaning the user knows.

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::memory::{LargePages, Zeroed};

/// Entries in a line.
const WAYS: usize = 3;
/// Bits of a pack.
pub(super) const PACK_BITS: u32 = 40;
const PACK_MASK: u64 = (1 << PACK_BITS) - 1;

/// Three entries in 64 bytes.
#[repr(C, align(64))]
#[derive(Debug)]
struct Line {
    boards: [[AtomicU64; 2]; WAYS],
    packs: [AtomicU64; 2],
}

#[allow(unsafe_code, reason = "a promise about the layout of `Line`")]
// SAFETY: a line is eight atomics, which may be zero.
unsafe impl Zeroed for Line {}

/// The position that an entry is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) hash: u64,
    pub(super) player: u64,
    pub(super) opponent: u64,
}

/// Lines of entries.
///
/// Only a part of them is in use at first: touching memory for the first time is slow, and a small
/// problem is over before a large table is warm.
#[derive(Debug)]
pub(super) struct Lines {
    lines: LargePages<Line>,
    in_use: AtomicUsize,
}

impl Lines {
    /// Makes empty lines of at most `bytes` bytes (at least one line of 64 bytes).
    ///
    /// # Errors
    /// What the system says when it has not got the memory.
    pub(super) fn new(bytes: usize) -> io::Result<Self> {
        let lines = (bytes / size_of::<Line>()).max(1);
        Ok(Self { lines: LargePages::zeroed(lines)?, in_use: AtomicUsize::new(1) })
    }

    /// Takes at least `wanted` lines into use, if there are so many. Growing makes most of the
    /// entries unreachable; they are lost, not wrong.
    pub(super) fn prepare(&self, wanted: usize) {
        self.in_use.fetch_max(wanted.min(self.lines.len()), Ordering::Relaxed);
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        let in_use = self.in_use.swap(1, Ordering::Relaxed);
        for line in &self.lines[..in_use] {
            for word in line.boards.as_flattened().iter().chain(&line.packs) {
                word.store(0, Ordering::Relaxed);
            }
        }
    }

    /// Returns all that is kept, as player, opponent and pack, in the order of the lines. While a
    /// search writes, an entry may be made up of two.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let in_use = self.in_use.load(Ordering::Relaxed);
        self.lines[..in_use].iter().flat_map(Line::entries)
    }

    #[inline(always)]
    fn line(&self, hash: u64) -> &Line {
        let in_use = self.in_use.load(Ordering::Relaxed);
        let index = (u128::from(hash) * in_use as u128) >> 64;
        &self.lines[index as usize]
    }

    /// Asks the CPU to load the line of `hash` into its cache.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch(self.line(hash));
    }

    /// Returns the pack kept for a position.
    #[inline]
    pub(super) fn get(&self, place: Place) -> Option<u64> {
        let line = self.line(place.hash);
        let packs = Packs::load(line);
        (0..WAYS).map(|way| (way, packs.get(way))).find_map(|(way, pack)| {
            line.holds(way, pack, place.player, place.opponent).then_some(pack)
        })
    }

    /// Keeps `merge(old)` for a position, where `old` is what was kept for it. If nothing was, it
    /// takes the place of the entry that is worth least.
    #[inline]
    pub(super) fn put(
        &self,
        place: Place,
        merge: impl Fn(Option<u64>) -> u64,
        worth: impl Fn(u64) -> i32,
    ) {
        let Place { hash, player, opponent } = place;
        let line = self.line(hash);
        let packs = Packs::load(line);
        let same = (0..WAYS).find(|&way| line.holds(way, packs.get(way), player, opponent));
        let way = same.unwrap_or_else(|| {
            let cheaper = |best, other| {
                if worth(packs.get(other)) < worth(packs.get(best)) { other } else { best }
            };
            (1..WAYS).fold(0, cheaper)
        });
        line.put(way, packs, merge(same.map(|way| packs.get(way))), player, opponent);
    }
}

/// Spreads a pack over the second word, so that no two writes can be mixed up.
fn spread(pack: u64) -> u64 {
    pack.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Line {
    /// Returns what the ways hold, as player, opponent and pack.
    fn entries(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let packs = Packs::load(self);
        self.boards.iter().enumerate().filter_map(move |(way, [first, second])| {
            let pack = packs.get(way);
            let player = first.load(Ordering::Relaxed) ^ pack;
            let opponent = second.load(Ordering::Relaxed) ^ spread(pack);
            (player | opponent != 0).then_some((player, opponent, pack))
        })
    }

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

    fn place(hash: u64, player: u64) -> Place {
        Place { hash, player, opponent: 1 << 63 }
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
    fn three_positions_share_a_line_and_the_cheapest_makes_room() {
        let lines = Lines::new(64).unwrap();
        for (player, pack) in [(1, 9), (2, 4), (4, 63)] {
            lines.put(place(0, player), |_| pack, |pack| pack as i32);
        }
        lines.put(place(0, 16), |_| 5, |pack| pack as i32);
        let packs = [1, 2, 4, 16].map(|player| lines.get(place(0, player)));
        assert_eq!(packs, [Some(9), None, Some(63), Some(5)]);
    }

    #[test]
    fn all_that_is_kept_can_be_listed() {
        let lines = Lines::new(1 << 12).unwrap();
        lines.prepare(8);
        for player in [1, 4, 16] {
            lines.put(place(u64::MAX / player, player), |_| player + 7, |_| 0);
        }
        let mut found: Vec<_> = lines.iter().map(|(player, _, pack)| (player, pack)).collect();
        found.sort_unstable();
        assert_eq!(found, [(1, 8), (4, 11), (16, 23)]);
        lines.clear();
        assert_eq!(lines.iter().count(), 0);
    }

    #[test]
    fn a_torn_write_reads_as_absent() {
        let lines = Lines::new(64).unwrap();
        lines.put(place(0, 1), |_| 7, |_| 0);
        let line = &lines.lines[0];
        for way in 0..WAYS {
            Packs::load(line).with(way, 9).store(line, way);
        }
        assert_eq!(lines.get(place(0, 1)), None);
    }

    #[test]
    fn a_larger_problem_takes_more_into_use_and_clearing_gives_it_back() {
        let lines = Lines::new(1 << 20).unwrap();
        lines.prepare(64);
        assert_eq!(lines.in_use.load(Ordering::Relaxed), 64);
        lines.prepare(1 << 40);
        assert_eq!(lines.in_use.load(Ordering::Relaxed), 1 << 14);
        lines.put(place(u64::MAX, 1), |_| 3, |_| 0);
        lines.clear();
        lines.prepare(1 << 40);
        assert_eq!(lines.get(place(u64::MAX, 1)), None);
    }
}
