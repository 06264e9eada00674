//! Lines gathered by PSADBW and PMOVMSKB, then a table.
//!
//! PSADBW adds the bytes of each lane up: rows and one diagonal, by file. PMOVMSKB takes the sign of
//! each byte, which `0 - x` sets where the byte has a square: columns and the other diagonal, by
//! rank. Four lines in two registers.
//!
//! ```text
//!   lane          low            high
//!   added         row            diagonal          PSADBW -> patterns by file
//!   tested        column         antidiagonal      PMOVMSKB -> patterns by rank
//! ```
//! 23 instructions for one side, 17 cycles deep: almost as good as PEXT where the board is in a
//! vector register already, and on every x86-64.
//!
//! Source: `reversi-bitboard-techniques`, PMOVMSKB and PSADBW; TECHNIQUES D4.

use core::arch::x86_64::*;

use super::{COUNTS, LINES};

/// Returns how many opponent discs turn when `square` is the only empty one and the player moves
/// there.
#[inline]
#[target_feature(enable = "sse2")]
#[must_use]
pub(crate) fn last_flip(player: u64, square: u32) -> u32 {
    let (added, tested) = lines(square);
    let player = _mm_set1_epi64x(player.cast_signed());
    count(_mm_and_si128(player, added), _mm_and_si128(player, tested), square)
}

/// Returns how many discs the player would turn, and how many the opponent would.
#[inline]
#[target_feature(enable = "sse2")]
#[must_use]
pub(crate) fn last_flip_both(player: u64, square: u32) -> (u32, u32) {
    let (added, tested) = lines(square);
    let player = _mm_set1_epi64x(player.cast_signed());
    let mine = count(_mm_and_si128(player, added), _mm_and_si128(player, tested), square);
    let theirs = count(_mm_andnot_si128(player, added), _mm_andnot_si128(player, tested), square);
    (mine, theirs)
}

/// Returns row and diagonal, column and antidiagonal.
#[inline]
#[target_feature(enable = "sse2")]
fn lines(square: u32) -> (__m128i, __m128i) {
    let [row, column, diagonal, antidiagonal] =
        LINES[square as usize & 63].squares.map(u64::cast_signed);
    (_mm_set_epi64x(diagonal, row), _mm_set_epi64x(antidiagonal, column))
}

/// Returns the sum of the lines' counts.
#[inline]
#[target_feature(enable = "sse2")]
fn count(added: __m128i, tested: __m128i, square: u32) -> u32 {
    let sums = _mm_sad_epu8(added, _mm_setzero_si128());
    let signs = _mm_movemask_epi8(_mm_sub_epi8(_mm_setzero_si128(), tested));
    let [column, antidiagonal, ..] = signs.to_le_bytes();
    sum_of_counts(sums, [column, antidiagonal], square)
}

/// Returns the sum of the counts of two lines by file, which are sums, and two by rank.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn sum_of_counts(sums: __m128i, ranks: [u8; 2], square: u32) -> u32 {
    let by_file = &COUNTS[square as usize & 7];
    let by_rank = &COUNTS[square as usize >> 3 & 7];
    let (row, diagonal) = (_mm_cvtsi128_si32(sums) as u8, _mm_extract_epi16::<4>(sums) as u8);
    let turned = by_file[usize::from(row)]
        + by_file[usize::from(diagonal)]
        + by_rank[usize::from(ranks[0])]
        + by_rank[usize::from(ranks[1])];
    u32::from(turned)
}
