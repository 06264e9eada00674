//! The reference: look at every square.

/// Writes the squares of the board into the list and returns how many there are.
pub fn squares(board: u64, list: &mut [u8; 64]) -> u32 {
    let mut count = 0;
    for square in 0..64 {
        if board >> square & 1 != 0 {
            list[count] = square;
            count += 1;
        }
    }
    count as u32
}
