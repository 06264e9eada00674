//! The numbers 0 to 63 lie in a register; VPCOMPRESSB with the board as mask moves those of its
//! squares to the front.
//!
//! ```text
//!   numbers   0 1 2 3 4 5 6 7 …
//!   board     . # # . . # . .
//!   list      1 2 5
//! ```
//!
//! 9 instructions in 29 cycles whatever the board, against 55 in 18 for the loop on positions of
//! one to twenty empty squares: it wins where a list is wanted and something else is to be done
//! meanwhile.
//!
//! Ours.

use core::arch::x86_64::*;

/// The numbers of all squares.
static NUMBERS: [u8; 64] = {
    let mut numbers = [0; 64];
    let mut square = 0;
    while square < 64 {
        numbers[square] = square as u8;
        square += 1;
    }
    numbers
};

/// Writes the squares of the board into the list and returns how many there are.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
pub(super) fn squares(board: u64, list: &mut [u8; 64]) -> u32 {
    // SAFETY: the array has 64 bytes, and the load needs no alignment.
    let numbers = unsafe { _mm512_loadu_si512(NUMBERS.as_ptr().cast()) };
    let found = _mm512_maskz_compress_epi8(board, numbers);
    // SAFETY: the list has 64 bytes, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(list.as_mut_ptr().cast(), found) };
    board.count_ones()
}
