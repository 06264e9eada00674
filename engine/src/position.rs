//! Positions: the player to move and the opponent.

use outflank_kernel::{flip, mobility, symmetry};

use crate::{Score, Square};

/// A position, seen by the player to move: two boards that share no square.
///
/// The order compares (player, opponent), as the canonical form does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    player: u64,
    opponent: u64,
}

impl Position {
    /// The start position of a game, black to move.
    pub const START: Self = Self { player: 0x0000_0008_1000_0000, opponent: 0x0000_0010_0800_0000 };

    /// Returns the position, or `None` if a square belongs to both sides.
    #[must_use]
    pub const fn new(player: u64, opponent: u64) -> Option<Self> {
        if player & opponent == 0 { Some(Self { player, opponent }) } else { None }
    }

    /// Returns the discs of the player to move.
    #[must_use]
    pub const fn player(self) -> u64 {
        self.player
    }

    /// Returns the discs of the opponent.
    #[must_use]
    pub const fn opponent(self) -> u64 {
        self.opponent
    }

    /// Returns the empty squares.
    #[must_use]
    pub const fn empty(self) -> u64 {
        !(self.player | self.opponent)
    }

    /// Returns the number of empty squares.
    #[must_use]
    pub const fn empties(self) -> u32 {
        self.empty().count_ones()
    }

    /// Returns the squares where the player can move.
    #[must_use]
    pub fn moves(self) -> u64 {
        mobility::portable::moves(self.player, self.opponent)
    }

    /// Returns the position after the player has moved to `square`, or `None` if that is no legal
    /// move.
    #[must_use]
    pub fn play(self, square: Square) -> Option<Self> {
        if self.empty() & square.bit() == 0 {
            return None;
        }
        let flipped = flip::portable::flip(self.player, self.opponent, square.index());
        (flipped != 0).then_some(Self {
            player: self.opponent ^ flipped,
            opponent: self.player ^ flipped ^ square.bit(),
        })
    }

    /// Returns the position with the other player to move.
    #[must_use]
    pub const fn pass(self) -> Self {
        Self { player: self.opponent, opponent: self.player }
    }

    /// Returns whether neither side can move.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.moves() == 0 && self.pass().moves() == 0
    }

    /// Returns whether the player has to pass: there is no move, but the opponent has one.
    #[must_use]
    pub fn must_pass(self) -> bool {
        self.moves() == 0 && self.pass().moves() != 0
    }

    /// Returns the score if the game ended here: disc difference, empty squares to the winner.
    #[must_use]
    pub fn final_score(self) -> Score {
        let player = self.player.count_ones() as i32;
        let opponent = self.opponent.count_ones() as i32;
        let discs = match player.cmp(&opponent) {
            std::cmp::Ordering::Less => 2 * player - 64,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => 64 - 2 * opponent,
        };
        Score::floor(discs)
    }

    /// Returns the canonical form: the smallest of the eight symmetric positions, compared as
    /// (player, opponent).
    #[must_use]
    pub fn canonical(self) -> Self {
        let (player, opponent) = symmetry::portable::canonical(self.player, self.opponent);
        Self { player, opponent }
    }
}
