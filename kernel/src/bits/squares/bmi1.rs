//! TZCNT finds the lowest square, BLSR removes it. Ours.
//!
//! 55 instructions in 18 cycles on positions of one to twenty empty squares. It wins for few
//! squares.

use crate::bits::take_lowest;

/// Writes the squares of the board into the list and returns how many there are.
#[inline]
#[target_feature(enable = "bmi1,popcnt")]
pub(super) fn squares(board: u64, list: &mut [u8; 64]) -> u32 {
    let count = board.count_ones();
    let mut rest = board;
    for place in &mut list[..count as usize] {
        *place = take_lowest(&mut rest);
    }
    count
}
