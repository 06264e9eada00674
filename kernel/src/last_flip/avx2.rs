//! Lines gathered by VPMOVMSKB, then a table.
//!
//! A column or diagonal has at most one square in each row, so "is any masked bit of this byte
//! set?" is the pattern by rank. One comparison answers for four lines, and VPMOVMSKB brings the
//! 32 answers to a register. PEXT would do as well, but is very slow on some CPUs with AVX2.
//!
//! ```text
//!   lane      row      diagonal column   antidiagonal
//!   bytes     ........ 1..1.1.1 .11....1 1.......     player & line == 0, by rank
//! ```
//! The row is a shift; its lane is not used. The way through the vector registers takes longer than
//! the three multiplications of [`portable`](super::portable), which the AVX2 set therefore
//! prefers.
//!
//! 37 instructions for one side, 60 in 31 cycles for both.
//!
//! Source: `reversi-bitboard-techniques`, PMOVMSKB in its AVX2 form; TECHNIQUES D4.

use core::arch::x86_64::*;

use super::{COUNTS, LINES};

pub(crate) mod packed;

/// Returns how many opponent discs turn when `square` is the only empty one and the player moves
/// there.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn last_flip(player: u64, square: u32) -> u32 {
    let player_lines = _mm256_and_si256(_mm256_set1_epi64x(player.cast_signed()), lines(square));
    count(player, player_lines, square)
}

/// Returns how many discs the player would turn, and how many the opponent would.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn last_flip_both(player: u64, square: u32) -> (u32, u32) {
    let lines = lines(square);
    let player_lines = _mm256_and_si256(_mm256_set1_epi64x(player.cast_signed()), lines);
    let opponent_lines = _mm256_andnot_si256(player_lines, lines);
    (count(player, player_lines, square), count(!player, opponent_lines, square))
}

/// Returns the four lines through the square.
#[inline]
#[target_feature(enable = "avx2")]
fn lines(square: u32) -> __m256i {
    let lines: *const __m256i = LINES[square as usize & 63].squares.as_ptr().cast();
    // SAFETY: `Lines` is aligned to 64 and begins with these 32 bytes.
    unsafe { _mm256_load_si256(lines) }
}

/// Returns the sum of the lines' counts for one side's discs on the four lines.
#[inline]
#[target_feature(enable = "avx2")]
fn count(board: u64, board_lines: __m256i, square: u32) -> u32 {
    let absent = _mm256_cmpeq_epi8(board_lines, _mm256_setzero_si256());
    let patterns = !_mm256_movemask_epi8(absent).cast_unsigned();
    let [_, diagonal, column, antidiagonal] = patterns.to_le_bytes();
    let row = (board >> (square & 0x38)) as u8;
    let by_rank = &COUNTS[square as usize >> 3 & 7];
    let turned = COUNTS[square as usize & 7][usize::from(row)]
        + by_rank[usize::from(column)]
        + by_rank[usize::from(diagonal)]
        + by_rank[usize::from(antidiagonal)];
    u32::from(turned)
}
