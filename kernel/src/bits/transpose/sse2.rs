//! PMOVMSKB takes the file H of two boards; the second is the first moved by one file.
//!
//! ```text
//!   lanes             board << 1, board     PMOVMSKB -> files H and G: ranks 8 and 7
//!   both moved by 2   files F and E, and so on, four times
//! ```
//!
//! 20 instructions in 20 cycles; the 27 of the delta swaps take as long, so that it
//! wins in size only.
//!
//! Ours, after the AVX2 form of `reversi-bitboard-techniques`.

use core::arch::x86_64::*;

/// Returns the board with files and ranks exchanged.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn transpose(board: u64) -> u64 {
    let board = board.cast_signed();
    let two = _mm_set_epi64x(board, board << 1);
    let files = |pair: __m128i| u64::from(_mm_movemask_epi8(pair).cast_unsigned());
    files(two) << 48
        | files(_mm_slli_epi64::<2>(two)) << 32
        | files(_mm_slli_epi64::<4>(two)) << 16
        | files(_mm_slli_epi64::<6>(two))
}
