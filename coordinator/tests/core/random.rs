//! A small seeded generator: the same seed gives the same run on every machine.

use outflank_engine::{Position, Square};

/// The generator SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns the next 64 bits, of which a fuzzer chooses the lowest eight and no others.
    pub(crate) fn bits(&mut self) -> u64 {
        #[cfg(fuzzing)]
        if let Some(choice) = crate::choices::next() {
            return choice;
        }
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// Returns `true` in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// Returns a position with `empties` empty squares where the game is not over, from random play.
pub(crate) fn position(random: &mut Random, empties: u32) -> Position {
    loop {
        let mut position = Position::START;
        while position.empties() > empties && !position.is_over() {
            if position.must_pass() {
                position = position.pass();
            }
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            let square = moves[random.below(moves.len() as u64) as usize];
            position = position.play(square).unwrap();
        }
        if position.empties() == empties && !position.is_over() {
            return position;
        }
    }
}
