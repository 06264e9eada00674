//! The reference: move every square.

/// Returns the board with files and ranks exchanged.
#[must_use]
pub fn transpose(board: u64) -> u64 {
    (0..64).fold(0, |image, square| image | (board >> square & 1) << (square % 8 * 8 + square / 8))
}
