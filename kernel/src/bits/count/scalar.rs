//! The reference: look at every square.

/// Returns the number of squares in the board.
#[must_use]
pub fn count(board: u64) -> u32 {
    (0..64).map(|square| (board >> square & 1) as u32).sum()
}

/// Returns the number of squares in each board.
#[must_use]
pub fn count8(boards: [u64; 8]) -> [u64; 8] {
    boards.map(|board| u64::from(count(board)))
}
