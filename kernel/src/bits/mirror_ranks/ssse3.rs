//! PSHUFB puts the bytes in the other order: for boards that are in vector registers already.
//!
//! 5 instructions in 12 cycles, one of them the kernel's own: it wins there only, for the way into
//! the register and back takes the other four.
//!
//! Source: `reversi-bitboard-techniques`, the byte swaps of the AVX2 flips.

use core::arch::x86_64::*;

/// Returns the board mirrored top-bottom.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn mirror_ranks(board: u64) -> u64 {
    let board = _mm_cvtsi64_si128(board.cast_signed());
    let swapped = _mm_shuffle_epi8(board, _mm_cvtsi64_si128(0x0001_0203_0405_0607));
    _mm_cvtsi128_si64(swapped).cast_unsigned()
}
