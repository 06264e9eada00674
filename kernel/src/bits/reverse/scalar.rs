//! The reference: move every square.

/// Returns the board turned by 180 degrees.
#[must_use]
pub fn reverse(board: u64) -> u64 {
    (0..64).fold(0, |turned, square| turned | (board >> square & 1) << (63 - square))
}
