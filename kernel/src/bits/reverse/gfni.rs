//! GFNI mirrors each byte, BSWAP their order.
//!
//! 6 instructions in 14 cycles, against 21 in 12 for delta swaps: it wins in throughput.
//!
//! Ours.

use core::arch::x86_64::*;

/// Reverses the bits of each byte.
const ANTIDIAGONAL: i64 = 0x8040_2010_0804_0201_u64.cast_signed();

/// Returns the board turned by 180 degrees.
#[inline]
#[target_feature(enable = "sse2,gfni")]
pub(super) fn reverse(board: u64) -> u64 {
    let swapped = _mm_cvtsi64_si128(board.swap_bytes().cast_signed());
    let turned = _mm_gf2p8affine_epi64_epi8::<0>(swapped, _mm_cvtsi64_si128(ANTIDIAGONAL));
    _mm_cvtsi128_si64(turned).cast_unsigned()
}
