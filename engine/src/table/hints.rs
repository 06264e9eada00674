//! What selective and depth-limited searches believe.
//!
//! A hint is another type than a proved entry, lies in another table, and has no conversion: proof
//! code reads nothing of it but moves to try first.

use std::io;

use super::lines::{Lines, Place};
use super::{square_of, square_pack};
use crate::Position;
use crate::evaluation::LIMIT;

/// How much of a search stands behind a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Effort {
    /// Plies searched, 0 to 63; the number of empty squares for a search to the end.
    pub(crate) plies: u8,
    /// Step of the selectivity ladder, 0 to 7, higher is surer.
    pub(crate) level: u8,
}

/// What is believed of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hint {
    /// The value is believed to be at least this, in units of the evaluation.
    pub(crate) lower: i32,
    /// The value is believed to be at most this, in units of the evaluation.
    pub(crate) upper: i32,
    pub(crate) effort: Effort,
    /// The moves to try first, best first.
    pub(crate) moves: [Option<u8>; 2],
}

/// Stands for the lowest and for the highest value.
const OPEN: i32 = 2048;

/// Which bounds a pack has.
const LOWER: u64 = 1;
const UPPER: u64 = 2;

impl Hint {
    /// Nothing is believed.
    pub(crate) const UNKNOWN: Self =
        Self { lower: -OPEN, upper: OPEN, effort: Effort { plies: 0, level: 0 }, moves: [None; 2] };

    /// Bits of a pack without the generation, which means nothing elsewhere.
    const SHARED_BITS: u32 = 36;

    /// Thirteen bits for the value, two say which bound it is, nine for the effort, six for each
    /// move, and four for the generation. A hint has one value: with two different bounds the
    /// lower one is kept.
    fn pack(self, generation: u8) -> u64 {
        let (value, kind) = match (self.lower > -OPEN, self.upper < OPEN) {
            (false, false) => (0, 0),
            (false, true) => (self.upper, UPPER),
            (true, true) if self.lower == self.upper => (self.lower, LOWER | UPPER),
            (true, _) => (self.lower, LOWER),
        };
        let Effort { plies, level } = self.effort;
        (value + OPEN) as u64
            | kind << 13
            | u64::from(plies & 63) << 15
            | u64::from(level & 7) << 21
            | square_pack(self.moves[0]) << 24
            | square_pack(self.moves[1]) << 30
            | u64::from(generation & 15) << Self::SHARED_BITS
    }

    fn unpack(pack: u64) -> Self {
        let value = (pack & 0x1FFF) as i32 - OPEN;
        let kind = pack >> 13;
        Self {
            lower: if kind & LOWER != 0 { value } else { -OPEN },
            upper: if kind & UPPER != 0 { value } else { OPEN },
            effort: Effort { plies: (pack >> 15 & 63) as u8, level: (pack >> 21 & 7) as u8 },
            moves: [square_of(pack >> 24), square_of(pack >> 30)],
        }
    }
}

/// What a search believes of a position, on its way to another engine. It proves nothing.
///
/// The word holds, from its lowest bit on: 13 bits for the value in 32nds of a disc, plus 2048; a
/// bit each for "at least that" and "at most that"; 6 bits for the plies searched and 3 for the
/// step of the selectivity ladder; 6 bits each for the two moves to try first, 27 for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedHint {
    position: Position,
    word: u64,
}

impl SharedHint {
    /// Returns the hint that `word` says of `position`, or `None` if it makes no sense: no search
    /// writes such a word.
    #[must_use]
    pub fn new(position: Position, word: u64) -> Option<Self> {
        let hint = Hint::unpack(word);
        let value = (word & 0x1FFF) as i32 - OPEN;
        let is_free = |square: u8| position.empty() >> square & 1 == 1;
        let makes_sense = word >> Hint::SHARED_BITS == 0
            && position.walls() == 0
            && value.abs() <= LIMIT
            && u32::from(hint.effort.plies) <= position.empties()
            && hint.moves.into_iter().flatten().all(is_free);
        makes_sense.then_some(Self { position, word })
    }

    /// Returns what `hint` says of the position of these boards.
    pub(crate) fn of(player: u64, opponent: u64, hint: Hint) -> Option<Self> {
        Self::new(Position::new(player, opponent)?, hint.pack(0))
    }

    /// Returns the position.
    #[must_use]
    pub const fn position(self) -> Position {
        self.position
    }

    /// Returns the word.
    #[must_use]
    pub const fn word(self) -> u64 {
        self.word
    }
}

/// The table of hints, shared by all threads.
#[derive(Debug)]
pub(crate) struct Hints(Lines);

impl Hints {
    /// Makes an empty table of at most `bytes` bytes (at least one line of 64 bytes).
    ///
    /// # Errors
    /// What the system says when it has not got the memory.
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        Lines::new(bytes).map(Self)
    }

    /// Lets searches of positions with that many `empties` take as much of the table into use as they
    /// can fill.
    pub(crate) fn prepare(&self, empties: u32) {
        self.0.prepare(1_usize << empties.saturating_sub(7).min(40));
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

    /// Returns what is believed of the position.
    pub(crate) fn get(&self, hash: u64, player: u64, opponent: u64) -> Option<Hint> {
        self.0.get(Place { hash, player, opponent }).map(Hint::unpack)
    }

    /// Returns the boards, player first, of which a lower bound is believed.
    pub(crate) fn bounded_below(&self) -> impl Iterator<Item = (u64, u64)> {
        let is_bounded = |pack| Hint::unpack(pack).lower > Hint::UNKNOWN.lower;
        self.0.iter().filter(move |&(.., pack)| is_bounded(pack)).map(|entry| (entry.0, entry.1))
    }

    /// Keeps what a search believes, in place of what was believed before.
    pub(crate) fn put(&self, hash: u64, player: u64, opponent: u64, hint: Hint, generation: u8) {
        let merge = |old: Option<u64>| {
            let former = old.map(Hint::unpack).and_then(|old| old.moves[0]);
            let second = former.filter(|_| former != hint.moves[0]);
            let moves = match hint.moves[0] {
                Some(best) => [Some(best), second],
                None => [former, None],
            };
            Hint { moves, ..hint }.pack(generation)
        };
        let worth = |pack: u64| {
            let age = i32::from(generation.wrapping_sub((pack >> 36) as u8) & 15);
            (pack >> 15 & 63) as i32 + (pack >> 21 & 7) as i32 - 8 * age
        };
        self.0.put(Place { hash, player, opponent }, merge, worth);
    }

    /// Keeps what another engine believes, unless more effort is behind what is here.
    pub(crate) fn hear(&self, hash: u64, shared: SharedHint, generation: u8) {
        let (player, opponent) = (shared.position.player(), shared.position.opponent());
        let hint = Hint::unpack(shared.word);
        let is_better = |held: Hint| held.effort > hint.effort;
        if !self.get(hash, player, opponent).is_some_and(is_better) {
            self.put(hash, player, opponent, hint, generation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_come_back_and_the_former_move_stays_second() {
        let hints = Hints::new(1 << 12).unwrap();
        let effort = Effort { plies: 20, level: 3 };
        let low = Hint { lower: -70, upper: OPEN, effort, moves: [Some(19), None] };
        hints.put(1, 1, 2, low, 1);
        assert_eq!(hints.get(1, 1, 2), Some(low));
        let high = Hint { lower: -OPEN, upper: 2000, effort, moves: [Some(63), None] };
        hints.put(1, 1, 2, high, 1);
        assert_eq!(hints.get(1, 1, 2), Some(Hint { moves: [Some(63), Some(19)], ..high }));
    }

    /// A hint on the start position, whose moves are free squares.
    fn heard(plies: u8, value: i32) -> SharedHint {
        let (player, opponent) = (Position::START.player(), Position::START.opponent());
        let effort = Effort { plies, level: 2 };
        let hint = Hint { lower: value, effort, moves: [Some(19), None], ..Hint::UNKNOWN };
        SharedHint::of(player, opponent, hint).unwrap()
    }

    #[test]
    fn what_another_engine_believes_counts_unless_more_effort_is_behind_what_is_here() {
        let hints = Hints::new(1 << 12).unwrap();
        let lower = |plies, value| {
            hints.hear(7, heard(plies, value), 1);
            let (player, opponent) = (Position::START.player(), Position::START.opponent());
            hints.get(7, player, opponent).unwrap().lower
        };
        assert_eq!(lower(20, 64), 64);
        assert_eq!(lower(19, 32), 64);
        assert_eq!(lower(20, -64), -64);
        assert_eq!(lower(21, 96), 96);
    }

    #[test]
    fn words_without_a_sense_are_no_hints() {
        let word = heard(60, 64).word();
        let start = Position::START;
        assert_eq!(SharedHint::new(start, word), Some(heard(60, 64)));
        let wrong = [word | 1 << 36, word | 63 << 15, word | 0x1FFF];
        let occupied = word & !(63 << 24) | 28 << 24;
        for word in wrong.into_iter().chain([occupied, u64::MAX]) {
            assert_eq!(SharedHint::new(start, word), None, "{word:#x}");
        }
    }
}
