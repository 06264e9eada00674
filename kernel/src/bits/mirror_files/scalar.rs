//! The reference: move every square.

/// Returns the board mirrored left-right.
#[must_use]
pub fn mirror_files(board: u64) -> u64 {
    (0..64).fold(0, |mirrored, square| mirrored | (board >> square & 1) << (square ^ 7))
}
