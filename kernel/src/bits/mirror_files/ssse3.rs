//! PSHUFB looks up the mirrored nibbles, and the two nibbles of each byte change places.
//!
//! ```text
//!   byte      hgfe dcba
//!   table     of the high nibble, at the bottom:        efgh
//!             of the low nibble, already at the top:    abcd0000
//!   together  abcd efgh
//! ```
//!
//! 15 instructions in 16 cycles: fewer instructions than delta swaps and more latency. It wins
//! where boards are in vector registers.
//!
//! Source: `reversi-bitboard-techniques`, mirroring by PSHUFB.

use core::arch::x86_64::*;

/// Returns the board mirrored left-right.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn mirror_files(board: u64) -> u64 {
    let low = _mm_set1_epi8(0x0f);
    let mirrored = _mm_set_epi8(15, 7, 11, 3, 13, 5, 9, 1, 14, 6, 10, 2, 12, 4, 8, 0);
    let board = _mm_cvtsi64_si128(board.cast_signed());
    let upper = _mm_shuffle_epi8(mirrored, _mm_and_si128(_mm_srli_epi64::<4>(board), low));
    let lower = _mm_shuffle_epi8(_mm_slli_epi64::<4>(mirrored), _mm_and_si128(board, low));
    _mm_cvtsi128_si64(_mm_or_si128(upper, lower)).cast_unsigned()
}
