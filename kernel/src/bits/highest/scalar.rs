//! The reference: take the lowest bit away until one is left.

/// Returns the highest bit of each word.
#[must_use]
pub fn words(words: [u32; 4]) -> [u32; 4] {
    words.map(|word| highest(u64::from(word)) as u32)
}

/// Returns the highest bit of each board.
#[must_use]
pub fn boards(boards: [u64; 2]) -> [u64; 2] {
    boards.map(highest)
}

fn highest(mut board: u64) -> u64 {
    while board & board.wrapping_sub(1) != 0 {
        board &= board.wrapping_sub(1);
    }
    board
}
