//! Three entries in a cache line: boards, and packs of 40 bits whose meaning the user knows.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::memory::{LargePages, Zeroed};

/// Entries in a line.
const WAYS: usize = 3;
/// Bits of a pack.
const PACK_BITS: u32 = 40;
const PACK_MASK: u64 = (1 << PACK_BITS) - 1;

/// Lines in use before any work is done, if a search can fill so many: half a large page.
const FIRST_LINES: usize = 1 << 14;
/// Nodes of a search that one line suffices for: with a third of it, FFO #20–#49 take 0.1 % fewer
/// nodes, and three times as much memory is touched for the first time.
const NODES_PER_LINE: u64 = 96;
/// Lines are taken into use so many at a time.
const PORTION: usize = 1 << 10;
/// The most lines that are taken into use before whoever does it looks at other things again.
const MOST_AT_ONCE: usize = 1 << 14;
/// So many lines, 8 MiB, fill a processor's own caches: they are cleared past these, in half of the time.
const LARGE: usize = 1 << 17;

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
/// Only a part of them is in use, which grows with the nodes searched: touching memory for the
/// first time is slow, and a small search is over before a large table is warm. The line of a
/// position among all lines never changes; its lowest bits say where among those in use it is kept,
/// as many as number these, or one less if that line is not in use yet (linear hashing, W. Litwin).
/// So one line more takes about half of the entries of one other.
///
/// Threads go on reading and writing while one of them moves entries. They may miss what is on its
/// way, and what they write to a line after it was moved may become unreachable; that is lost, not
/// wrong, since an entry answers for nothing but the position that it spells, wherever it lies.
#[derive(Debug)]
pub(super) struct Lines {
    lines: LargePages<Line>,
    /// The number of lines in use, at least one.
    in_use: AtomicUsize,
    /// So many lines may be taken into use.
    most: AtomicUsize,
    /// Nodes searched since everything was forgotten.
    nodes: AtomicU64,
    /// Held by the thread that moves entries.
    growing: Mutex<()>,
}

impl Lines {
    /// Makes empty lines of at most `bytes` bytes (at least one line of 64 bytes).
    ///
    /// # Errors
    /// What the system says when it has not got the memory.
    pub(super) fn new(bytes: usize) -> io::Result<Self> {
        let lines = (bytes / size_of::<Line>()).max(1);
        Ok(Self {
            lines: LargePages::zeroed(lines)?,
            in_use: AtomicUsize::new(1),
            most: AtomicUsize::new(1),
            nodes: AtomicU64::new(0),
            growing: Mutex::new(()),
        })
    }

    /// Lets searches take up to `wanted` lines into use, a power of two, if there are so many, and
    /// the first of them at once.
    pub(super) fn prepare(&self, wanted: usize) {
        let wanted = wanted.min(self.lines.len());
        self.most.fetch_max(wanted, Ordering::Relaxed);
        self.in_use.fetch_max(wanted.min(FIRST_LINES), Ordering::Relaxed);
    }

    /// Takes as many lines into use as all nodes searched can fill, of which `nodes` are new. `hash`
    /// is the one that entries are put by.
    pub(super) fn grow(&self, nodes: u64, hash: impl Fn(u64, u64) -> u64) {
        let nodes = self.nodes.fetch_add(nodes, Ordering::Relaxed).saturating_add(nodes);
        let filled = usize::try_from(nodes / NODES_PER_LINE).unwrap_or(usize::MAX);
        let most = self.most.load(Ordering::Relaxed);
        let (in_use, wanted) = (self.in_use(), filled.min(most));
        if in_use < wanted && (in_use + PORTION <= wanted || wanted == most) {
            self.take_into_use(wanted, hash);
        }
    }

    #[cold]
    fn take_into_use(&self, wanted: usize, hash: impl Fn(u64, u64) -> u64) {
        let Ok(_only_one) = self.growing.try_lock() else { return };
        let in_use = self.in_use();
        let wanted = wanted.min(in_use + MOST_AT_ONCE);
        for new in in_use..wanted {
            let half = 1 << new.ilog2();
            self.lines[new - half].give(&self.lines[new], |player, opponent| {
                self.number(hash(player, opponent)) & half != 0
            });
        }
        self.in_use.fetch_max(wanted, Ordering::Relaxed);
    }

    /// Returns how many lines are in use.
    #[inline(always)]
    fn in_use(&self) -> usize {
        self.in_use.load(Ordering::Relaxed)
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        let in_use = self.in_use.swap(1, Ordering::Relaxed);
        self.most.store(1, Ordering::Relaxed);
        self.nodes.store(0, Ordering::Relaxed);
        let in_use = &self.lines[..in_use];
        if in_use.len() < LARGE {
            in_use.iter().for_each(Line::clear);
        } else {
            in_use.iter().for_each(Line::stream);
            fence();
        }
    }

    /// Returns all that is kept, as player, opponent and pack, in the order of the lines. While a
    /// search writes, an entry may be made up of two.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        self.lines[..self.in_use()].iter().flat_map(Line::entries).map(|(_, entry)| entry)
    }

    /// Returns the line of `hash` among all of them.
    #[inline(always)]
    fn number(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.lines.len() as u128) >> 64) as usize
    }

    #[inline(always)]
    fn line(&self, hash: u64) -> &Line {
        let in_use = self.in_use();
        let mask = usize::MAX >> ((in_use - 1) | 1).leading_zeros();
        let place = self.number(hash) & mask;
        &self.lines[if place < in_use { place } else { place & mask >> 1 }]
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

/// Returns what the second word is mixed with, so that no two writes can be mixed up: not the first words and packs of
/// different writes, whichever of them are equal. Turned, the pack cannot be made up for by the first word.
fn spread(player: u64, pack: u64) -> u64 {
    (player ^ pack.rotate_left(u64::BITS - PACK_BITS)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Line {
    /// Returns the ways that hold something, each with player, opponent and pack.
    fn entries(&self) -> impl Iterator<Item = (usize, (u64, u64, u64))> {
        let packs = Packs::load(self);
        self.boards.iter().enumerate().filter_map(move |(way, [first, second])| {
            let pack = packs.get(way);
            let player = first.load(Ordering::Relaxed) ^ pack;
            let opponent = second.load(Ordering::Relaxed) ^ spread(player, pack);
            (player | opponent != 0).then_some((way, (player, opponent, pack)))
        })
    }

    fn clear(&self) {
        self.boards
            .as_flattened()
            .iter()
            .chain(&self.packs)
            .for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// Clears the line without a place in the caches. Other threads may see that late: until [`fence`].
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "a streaming store of an atomic is none of Rust's")]
    fn stream(&self) {
        // SAFETY: a line is 64 bytes of atomics, aligned to its size. Each eight bytes are written as one, as by a relaxed
        // store.
        unsafe {
            std::arch::asm!(
                "pxor {zero}, {zero}",
                "movntdq [{line}], {zero}",
                "movntdq [{line} + 16], {zero}",
                "movntdq [{line} + 32], {zero}",
                "movntdq [{line} + 48], {zero}",
                line = in(reg) std::ptr::from_ref(self),
                zero = out(xmm_reg) _,
                options(nostack, preserves_flags),
            );
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn stream(&self) {
        self.clear();
    }

    /// Moves the entries of which `wanted` says so to `other`, each into the same way.
    fn give(&self, other: &Self, wanted: impl Fn(u64, u64) -> bool) {
        for (way, (player, opponent, pack)) in self.entries() {
            if wanted(player, opponent) {
                other.put(way, Packs::load(other), pack, player, opponent);
                self.put(way, Packs::load(self), 0, 0, 0);
            }
        }
    }

    fn holds(&self, way: usize, pack: u64, player: u64, opponent: u64) -> bool {
        let [first, second] = &self.boards[way];
        // A zero line is "no disc at all", whose bounds no search asks for: the game is over.
        first.load(Ordering::Relaxed) ^ pack == player
            && second.load(Ordering::Relaxed) ^ spread(player, pack) == opponent
    }

    fn put(&self, way: usize, packs: Packs, pack: u64, player: u64, opponent: u64) {
        packs.with(way, pack).store(self, way);
        let [first, second] = &self.boards[way];
        first.store(player ^ pack, Ordering::Relaxed);
        second.store(opponent ^ spread(player, pack), Ordering::Relaxed);
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

/// Has all see what was streamed.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "an instruction of the processor")]
fn fence() {
    // SAFETY: every x86-64 processor has it.
    unsafe { std::arch::x86_64::_mm_sfence() }
}

#[cfg(not(target_arch = "x86_64"))]
fn fence() {}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code, reason = "prefetching takes a pointer")]
fn prefetch<T>(place: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch of a valid reference reads nothing that the program sees; SSE is baseline.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
#[allow(unsafe_code, reason = "stable Rust has no function for the instruction")]
fn prefetch<T>(place: &T) {
    // SAFETY: a hint, which never faults and changes nothing that the program sees; every aarch64 processor has it.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{place}]",
            place = in(reg) std::ptr::from_ref(place),
            options(nostack, preserves_flags, readonly),
        );
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline(always)]
fn prefetch<T>(_place: &T) {}

#[cfg(test)]
mod tests;
