//! The reference: a square is a move if it is empty and a disc there turns something.

use crate::flip::scalar::flip;

/// Returns the squares where the player can move.
#[must_use]
pub fn moves(player: u64, opponent: u64) -> u64 {
    let empty = !(player | opponent);
    (0..64)
        .filter(|&square| empty >> square & 1 != 0 && flip(player, opponent, square) != 0)
        .fold(0, |moves, square| moves | 1 << square)
}
