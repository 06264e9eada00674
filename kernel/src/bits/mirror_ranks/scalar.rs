//! The reference: move every square.

/// Returns the board mirrored top-bottom.
#[must_use]
pub fn mirror_ranks(board: u64) -> u64 {
    (0..64).fold(0, |mirrored, square| mirrored | (board >> square & 1) << (square ^ 0x38))
}
