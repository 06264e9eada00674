//! What a row of a proof says.

use std::fmt;

use crate::rules::{Position, Turn};

/// On which side of a value a position lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// "The value is this or less."
    AtMost,
    /// "The value is this or more."
    AtLeast,
}

impl Side {
    /// Returns the side that the opponent sees.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::AtMost => Self::AtLeast,
            Self::AtLeast => Self::AtMost,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AtMost => "<=",
            Self::AtLeast => ">=",
        })
    }
}

/// "The value of `position` is at most (or at least) `value`", for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The position.
    pub position: Position,
    /// The side.
    pub side: Side,
    /// Discs, even, from −64 to 64.
    pub value: i32,
}

/// A claim after the rules have been asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduced {
    /// The game is over and the claim is true or not.
    Decided(bool),
    /// The same claim about a canonical position in which the player has a move.
    Open(Claim),
}

impl Claim {
    /// Returns whether every position satisfies the claim.
    #[must_use]
    pub const fn is_trivial(self) -> bool {
        self.is_satisfied_by(match self.side {
            Side::AtMost => 64,
            Side::AtLeast => -64,
        })
    }

    /// Returns whether a position of the value `value` satisfies the claim.
    const fn is_satisfied_by(self, value: i32) -> bool {
        match self.side {
            Side::AtMost => value <= self.value,
            Side::AtLeast => value >= self.value,
        }
    }

    /// Returns a number that is the smaller, the more the claim says of its position.
    #[must_use]
    pub const fn weakness(self) -> i32 {
        match self.side {
            Side::AtMost => self.value,
            Side::AtLeast => -self.value,
        }
    }

    /// Returns whether no value satisfies both claims about the same position.
    #[must_use]
    pub fn contradicts(self, other: Self) -> bool {
        let is_apart = self.side != other.side && !self.is_satisfied_by(other.value);
        self.position == other.position && is_apart
    }

    /// Returns the same claim about `position`, which the opponent sees.
    #[must_use]
    pub const fn seen_from(self, position: Position) -> Self {
        Self { position, side: self.side.other(), value: -self.value }
    }

    /// Returns the claim with what the rules say about ends, passes and symmetries.
    #[must_use]
    pub fn reduced(self) -> Reduced {
        let claim = match self.position.turn() {
            Turn::Over(score) => return Reduced::Decided(self.is_satisfied_by(score)),
            Turn::Pass(next) => self.seen_from(next),
            Turn::Move(_) => self,
        };
        Reduced::Open(Self { position: claim.position.canonical(), ..claim })
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.position, self.side, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forced_pass_turns_the_claim_and_an_end_decides_it() {
        // X at a1, O at b1 and nothing else: O is to move and must pass; X takes c1.
        let passing = Position { player: 0b10, opponent: 0b01 };
        let claim = Claim { position: passing, side: Side::AtLeast, value: 4 };
        let Reduced::Open(open) = claim.reduced() else { panic!("the game is not over") };
        assert_eq!((open.side, open.value), (Side::AtMost, -4));
        assert_eq!(open.position, passing.pass().canonical());
        let over = Position { player: 0b11, opponent: 0 };
        let claim = |value| Claim { position: over, side: Side::AtMost, value };
        assert_eq!(claim(62).reduced(), Reduced::Decided(false));
        assert_eq!(claim(64).reduced(), Reduced::Decided(true));
        assert!(claim(64).is_trivial() && !claim(62).is_trivial());
    }

    #[test]
    fn only_what_every_position_satisfies_is_trivial() {
        let position = Position { player: 0b01, opponent: 0b10 };
        for value in (-64..=64).step_by(2) {
            let [most, least] =
                [Side::AtMost, Side::AtLeast].map(|side| Claim { position, side, value });
            assert_eq!((most.is_trivial(), least.is_trivial()), (value == 64, value == -64));
            let satisfied_by =
                |claim: Claim| [-2, 0, 2].map(|more| claim.is_satisfied_by(value + more));
            assert_eq!(satisfied_by(most), [true, true, false]);
            assert_eq!(satisfied_by(least), [false, true, true]);
            let contradicts = |claim: Claim, other: Claim| {
                [-2, 0, 2].map(|more| claim.contradicts(Claim { value: value + more, ..other }))
            };
            assert_eq!(contradicts(most, least), [false, false, true]);
            assert_eq!(contradicts(least, most), [true, false, false]);
            assert_eq!([contradicts(most, most), contradicts(least, least)], [[false; 3]; 2]);
            let elsewhere = Claim { position: Position { player: 0b01, opponent: 0b100 }, ..least };
            assert_eq!(contradicts(most, elsewhere), [false; 3]);
        }
    }
}
