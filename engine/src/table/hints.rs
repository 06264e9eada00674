//! What selective and depth-limited searches believe.
//!
//! A hint is another type than a proved entry, lies in another table, and has no conversion: proof
//! code reads nothing of it but moves to try first.

use std::io;

use super::lines::{Lines, Place};
use super::{square_of, square_pack};

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
            | u64::from(generation & 15) << 36
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

    /// Takes as much of the table into use as a search of a position with that many `empties` can
    /// fill.
    pub(crate) fn prepare(&self, empties: u32) {
        self.0.prepare(1_usize << empties.saturating_sub(7).min(40));
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.0.clear();
    }

    /// Returns what is believed of the position.
    pub(crate) fn get(&self, hash: u64, player: u64, opponent: u64) -> Option<Hint> {
        self.0.get(Place { hash, player, opponent }).map(Hint::unpack)
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
}
