//! Eight copies of the board; byte `x` of copy `y` is rank `x`, and testing its bit `y` gives the
//! square of file `y` and rank `x`. VPTESTMB does that for all 64 at once, and its mask is the
//! board with files and ranks exchanged: three instructions.
//!
//! ```text
//!   copy y, byte x   rank x          tested with 1 << y
//!   mask bit 8y + x  square 8x + y
//! ```
//!
//! 6 instructions in 16 cycles, the fewest of all; GFNI is as quick.
//!
//! Ours.

use core::arch::x86_64::*;

/// Returns the board with files and ranks exchanged.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn transpose(board: u64) -> u64 {
    let bits = _mm512_set_epi64(
        0x8080_8080_8080_8080_u64.cast_signed(),
        0x4040_4040_4040_4040,
        0x2020_2020_2020_2020,
        0x1010_1010_1010_1010,
        0x0808_0808_0808_0808,
        0x0404_0404_0404_0404,
        0x0202_0202_0202_0202,
        0x0101_0101_0101_0101,
    );
    _mm512_test_epi8_mask(_mm512_set1_epi64(board.cast_signed()), bits)
}
