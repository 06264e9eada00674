//! Canonical forms: the smallest of the eight symmetric images of a board, or of a position of two
//! boards.
//!
//! The code is that of the kernel crate, which the Othello engine uses too; here are the forms for
//! the instruction set that the crate is compiled for. [`Symmetry`] has the same methods for each
//! set.
//!
//! ```
//! // A corner's eight images are the four corners, each twice; the smallest is a1.
//! assert_eq!(sliding::canonical::smallest(1 << 63), 1);
//! // A position of two boards: the player decides first, then the opponent.
//! let (a1, b1, h8, h7) = (1 << 0, 1 << 1, 1 << 63, 1 << 55);
//! assert_eq!(sliding::canonical::position(h8, h7), (a1, b1));
//! ```

pub use outflank_kernel::symmetry::Symmetry;

use crate::Native;
use crate::best::native;

impl Symmetry for Native {
    #[inline(always)]
    fn smallest(self, board: u64) -> u64 {
        native!(set => set.smallest(board))
    }

    #[inline(always)]
    fn canonical(self, player: u64, opponent: u64) -> (u64, u64) {
        native!(set => set.canonical(player, opponent))
    }

    #[inline(always)]
    fn smallest8(self, boards: [u64; 8]) -> [u64; 8] {
        native!(set => set.smallest8(boards))
    }

    #[inline(always)]
    fn canonical8(self, players: [u64; 8], opponents: [u64; 8]) -> ([u64; 8], [u64; 8]) {
        native!(set => set.canonical8(players, opponents))
    }
}

/// Returns the eight images of a board, itself first.
#[inline]
#[must_use]
pub fn images(board: u64) -> [u64; 8] {
    Native.images(board)
}

/// Returns the smallest of the eight images of a board.
#[inline]
#[must_use]
pub fn smallest(board: u64) -> u64 {
    Native.smallest(board)
}

/// Returns the smallest of the eight images of a position of two boards, compared in this order.
#[inline]
#[must_use]
pub fn position(player: u64, opponent: u64) -> (u64, u64) {
    Native.canonical(player, opponent)
}

/// Returns the smallest image of each of eight boards.
#[inline]
#[must_use]
pub fn smallest8(boards: [u64; 8]) -> [u64; 8] {
    Native.smallest8(boards)
}

/// Returns the smallest image of each of eight positions, as the first boards and the second.
///
/// ```
/// use sliding::canonical::{images, position, positions8};
///
/// // The eight images of one position, in which the player has b1, and the opponent a1 and c4.
/// let (player, opponent) = (1 << 1, 1 << 0 | 1 << 26);
/// let (players, opponents) = positions8(images(player), images(opponent));
/// let smallest = position(player, opponent);
/// assert!(players.into_iter().zip(opponents).all(|image| image == smallest));
/// ```
#[inline]
#[must_use]
pub fn positions8(players: [u64; 8], opponents: [u64; 8]) -> ([u64; 8], [u64; 8]) {
    Native.canonical8(players, opponents)
}
