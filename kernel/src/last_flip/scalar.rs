//! The reference: the number of discs that the reference of [`flip`](crate::flip) turns.

use crate::flip::scalar::flip;

/// Returns how many opponent discs turn when `square` is the only empty one and the player moves
/// there.
#[must_use]
pub fn last_flip(player: u64, square: u32) -> u32 {
    let empty = 1_u64 << square;
    flip(player & !empty, !(player | empty), square).count_ones()
}

/// Returns how many discs the player would turn, and how many the opponent would.
#[must_use]
pub fn last_flip_both(player: u64, square: u32) -> (u32, u32) {
    (last_flip(player, square), last_flip(!player, square))
}
