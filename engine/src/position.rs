//! Positions: the player to move and the opponent.

use std::sync::LazyLock;

use outflank_kernel::{Isa, flip, mobility, symmetry};

use crate::{BoardSize, Score, Square};

/// The canonical form by the variant for this CPU, or for the lower set that the environment names;
/// whoever starts the search reports a name that is wrong.
static CANONICAL: LazyLock<symmetry::Canonical> =
    LazyLock::new(|| symmetry::engine_function(Isa::chosen_or_best()));

/// A position, seen by the player to move: the discs of two sides.
///
/// The two boards share no square, unless the board is smaller than 8x8: then both have all the
/// walls around it, and no other square (see [`BoardSize`]). So a position says by itself on which
/// board it is, positions of different boards are never equal, and moves, passes and symmetries
/// keep the board.
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

    /// Returns the position, or `None` if the squares that belong to both sides are not the walls
    /// of a small board.
    #[must_use]
    pub const fn new(player: u64, opponent: u64) -> Option<Self> {
        match BoardSize::within(player & opponent) {
            Some(_) => Some(Self { player, opponent }),
            None => None,
        }
    }

    /// Returns the board that the position is on. A board that is turned by a symmetry may have
    /// columns and rows exchanged.
    #[must_use]
    pub const fn board_size(self) -> BoardSize {
        match BoardSize::within(self.walls()) {
            Some(size) => size,
            None => BoardSize::STANDARD, // `new` has excluded it
        }
    }

    /// Returns the squares that are not on the board: none if it is 8x8.
    #[must_use]
    pub const fn walls(self) -> u64 {
        self.player & self.opponent
    }

    /// Returns the discs of the player to move, and the walls.
    #[must_use]
    pub const fn player(self) -> u64 {
        self.player
    }

    /// Returns the discs of the opponent, and the walls.
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
        // To the kernels a wall is an empty square: no row of discs goes on behind it.
        let walls = self.walls();
        mobility::portable::moves(self.player ^ walls, self.opponent ^ walls) & self.empty()
    }

    /// Returns the position after the player has moved to `square`, or `None` if that is no legal
    /// move.
    #[must_use]
    pub fn play(self, square: Square) -> Option<Self> {
        if self.empty() & square.bit() == 0 {
            return None;
        }
        let walls = self.walls();
        let (player, opponent) = (self.player ^ walls, self.opponent ^ walls);
        let flipped = flip::portable::flip(player, opponent, square.index());
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
        let walls = self.walls();
        let player = (self.player ^ walls).count_ones() as i32;
        let opponent = (self.opponent ^ walls).count_ones() as i32;
        let squares = walls.count_zeros() as i32;
        let discs = match player.cmp(&opponent) {
            std::cmp::Ordering::Less => 2 * player - squares,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => squares - 2 * opponent,
        };
        Score::floor(discs)
    }

    /// Returns the canonical form: the smallest of the eight symmetric positions, compared as
    /// (player, opponent).
    #[must_use]
    pub fn canonical(self) -> Self {
        let (player, opponent) = CANONICAL(self.player, self.opponent);
        Self { player, opponent }
    }
}
