//! GFNI multiplies each byte by the matrix whose ones are on the other diagonal: one instruction,
//! between the two moves to the vector registers and back.
//!
//! 5 instructions in 13 cycles, against 21 in 10 for the delta swaps: it wins in throughput, and in
//! vectors.
//!
//! Ours.

use core::arch::x86_64::*;

/// Reverses the bits of each byte.
const ANTIDIAGONAL: i64 = 0x8040_2010_0804_0201_u64.cast_signed();

/// Returns the board mirrored left-right.
#[inline]
#[target_feature(enable = "sse2,gfni")]
pub(super) fn mirror_files(board: u64) -> u64 {
    let board = _mm_cvtsi64_si128(board.cast_signed());
    let mirrored = _mm_gf2p8affine_epi64_epi8::<0>(board, _mm_cvtsi64_si128(ANTIDIAGONAL));
    _mm_cvtsi128_si64(mirrored).cast_unsigned()
}
