//! The final disc difference of a game.

use std::fmt;
use std::ops::Neg;

/// Final disc difference for the player to move, in discs: even, from −64 to +64.
///
/// Empty squares count for the winner, so that every score is even.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i8);

impl Score {
    /// The worst score: all 64 squares are the opponent's.
    pub const MIN: Self = Self(-64);
    /// The best score: all 64 squares are the player's.
    pub const MAX: Self = Self(64);
    /// A draw.
    pub const DRAW: Self = Self(0);

    /// Returns the score of `discs`, or `None` if that is odd or outside −64..=64.
    #[must_use]
    pub const fn new(discs: i32) -> Option<Self> {
        if discs % 2 == 0 && -64 <= discs && discs <= 64 { Some(Self(discs as i8)) } else { None }
    }

    /// Returns the even score nearest to `discs` towards −∞, kept inside −64..=64.
    #[must_use]
    pub fn floor(discs: i32) -> Self {
        Self((discs.clamp(-64, 64) & !1) as i8)
    }

    /// Returns the number of discs.
    #[must_use]
    pub const fn discs(self) -> i32 {
        self.0 as i32
    }

    /// Returns the next higher score, kept at +64.
    #[must_use]
    pub fn up(self) -> Self {
        Self((self.0 + 2).min(64))
    }

    /// Returns the next lower score, kept at −64.
    #[must_use]
    pub fn down(self) -> Self {
        Self((self.0 - 2).max(-64))
    }
}

impl Neg for Score {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:+}", self.0))
    }
}
