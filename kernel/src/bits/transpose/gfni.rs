//! GFNI multiplies the unit matrix by the board: the product is the board transposed, but for the
//! order in which the instruction reads the rows of its matrix, which a byte swap corrects.
//!
//! 7 instructions in 14 cycles: it wins in latency.
//!
//! Ours; the `symmetry` family has all eight images by this instruction.

use core::arch::x86_64::*;

/// The unit matrix, as data: byte `i` is `128 >> i`.
const DIAGONAL: i64 = 0x0102_0408_1020_4080;

/// Returns the board with files and ranks exchanged.
#[inline]
#[target_feature(enable = "sse2,gfni")]
pub(super) fn transpose(board: u64) -> u64 {
    let matrix = _mm_cvtsi64_si128(board.swap_bytes().cast_signed());
    let columns = _mm_gf2p8affine_epi64_epi8::<0>(_mm_cvtsi64_si128(DIAGONAL.swap_bytes()), matrix);
    _mm_cvtsi128_si64(columns).cast_unsigned()
}
