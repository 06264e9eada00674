//! Four copies of the board, moved by no to three files; VPMOVMSKB takes their file H.
//!
//! ```text
//!   lanes        board << 3   board << 2   board << 1   board
//!   file H       file E       file F       file G       file H     ranks 5 to 8
//!   moved by 4   file A       file B       file C       file D     ranks 1 to 4
//! ```
//!
//! 11 instructions in 17 cycles: it wins on AVX2.
//!
//! Source: `reversi-bitboard-techniques`, exchange of the axes by AVX2.

use core::arch::x86_64::*;

/// Returns the board with files and ranks exchanged.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn transpose(board: u64) -> u64 {
    let boards = _mm256_set1_epi64x(board.cast_signed());
    let boards = _mm256_sllv_epi64(boards, _mm256_set_epi64x(0, 1, 2, 3));
    let upper = u64::from(_mm256_movemask_epi8(boards).cast_unsigned());
    let lower = _mm256_movemask_epi8(_mm256_slli_epi64::<4>(boards)).cast_unsigned();
    upper << 32 | u64::from(lower)
}
