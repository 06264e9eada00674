//! One side of a bound: what a row of a proof says.

use std::cmp::Reverse;
use std::fmt;

use outflank_engine::{Position, Score, Square};

use super::writer;

/// On which side of a value a position lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// "The value is this or less."
    AtMost,
    /// "The value is this or more."
    AtLeast,
}

impl Side {
    /// Returns the side that the opponent sees.
    pub(super) const fn other(self) -> Self {
        match self {
            Self::AtMost => Self::AtLeast,
            Self::AtLeast => Self::AtMost,
        }
    }

    /// Returns the value that says nothing.
    pub(super) const fn weakest(self) -> Score {
        match self {
            Self::AtMost => Score::MAX,
            Self::AtLeast => Score::MIN,
        }
    }

    /// Returns the value that says more.
    pub(super) fn stronger(self, one: Score, other: Score) -> Score {
        match self {
            Self::AtMost => one.min(other),
            Self::AtLeast => one.max(other),
        }
    }

    /// Returns whether `value` says at least as much as `other`.
    pub(super) fn implies(self, value: Score, other: Score) -> bool {
        self.stronger(value, other) == value
    }

    /// Returns the words of the file.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::AtMost => "<=",
            Self::AtLeast => ">=",
        }
    }
}

/// The place of a claim in the file: positions with more empty squares first.
pub(super) type Place = (Reverse<u32>, Position, Side);

/// "The value of `position` is at most (or at least) `value`", for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The position.
    pub(super) position: Position,
    /// The side.
    pub(super) side: Side,
    /// The value.
    pub(super) value: Score,
}

/// A claim after the rules have been asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduced {
    /// The game is over, with this score for the player of the claim.
    Over(Score),
    /// The same claim about a canonical position in which the player has a move.
    Open(Claim),
}

impl Claim {
    /// Returns the claim at `place`.
    pub(super) const fn at((_, position, side): Place, value: Score) -> Self {
        Self { position, side, value }
    }

    /// Returns the claim's place.
    pub(super) const fn place(self) -> Place {
        (Reverse(self.position.empties()), self.position, self.side)
    }

    /// Returns what must hold after the move to `square` so that this claim follows, if that is a
    /// legal move.
    pub(super) fn after(self, square: Square) -> Option<Self> {
        self.position.play(square).map(|next| self.seen_from(next))
    }

    /// Returns what must hold after each move.
    pub(super) fn after_all(self) -> impl Iterator<Item = Self> {
        Square::all(self.position.moves()).filter_map(move |square| self.after(square))
    }

    /// Returns the same claim about `position`, which the opponent sees.
    pub(super) fn seen_from(self, position: Position) -> Self {
        Self { position, side: self.side.other(), value: -self.value }
    }

    /// Returns the claim with what the rules say about ends, passes and symmetries.
    pub(super) fn reduced(self) -> Reduced {
        let position = self.position;
        if position.is_over() {
            return Reduced::Over(position.final_score());
        }
        let claim = if position.must_pass() { self.seen_from(position.pass()) } else { self };
        Reduced::Open(Self { position: claim.position.canonical(), ..claim })
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, side, value } = self;
        write!(f, "{} {} {}", writer::board(*position), side.text(), value.discs())
    }
}
