//! The highest square towards lower ones that is not the opponent's, found outright.
//!
//! Three ways to the highest bit of `x = ray & !opponent` in each lane, after which all are alike:
//! if it is the player's, the squares of the ray above it turn.
//!
//! **Floating point**: by the exponent as in [`bits::highest`](crate::bits::highest()), with both
//! halves of 32 bits. 39 instructions in 50 cycles.
//!
//! **Bytes swapped**: upside down, the highest rank of a column or diagonal is the lowest, and
//! `x & -x` finds it; only a row stays as it is, and goes through LZCNT. 42
//! instructions in 43 cycles.
//!
//! **Nibbles**: VPSHUFB looks the highest bit of each nibble up, VPMAXUB takes the higher of the
//! two in a byte, and comparisons erase all bytes below the highest that has any. 47 instructions
//! in 43 cycles.
//!
//! ```text
//!   bytes           00 00 2a 00 05 00 00 00      (high rank first)
//!   highest bits    00 00 20 00 04 00 00 00      by two tables and a maximum
//!   above is empty  ff ff ff 00 00 00 00 00      comparisons of bytes, words and halves
//!   both            00 00 20 00 00 00 00 00
//! ```
//! None of them beats the smears on the CPUs that the document measured: the conversions take four
//! or five cycles each, the swaps pass through memory or another unit.
//!
//! Source: `reversi-bitboard-techniques`, AVX2 "CVTPD2PS", "PSHUFB, LZCNT" and "PSHUFB, PMAXUB";
//! TECHNIQUES E5, E6, E7, A7.

use core::arch::x86_64::*;

use super::{Boards, upwards};
use crate::lanes::union4;

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn float(player: u64, opponent: u64, square: u32) -> u64 {
    let boards = Boards::new(player, opponent, square);
    let others = _mm256_andnot_si256(boards.opponent, boards.down);
    let exponents = _mm256_castsi256_ps(_mm256_set1_epi32(0xff80_0000_u32.cast_signed()));
    let powers = _mm256_and_ps(_mm256_cvtepi32_ps(others), exponents);
    let bits = _mm256_cvtps_epi32(powers);
    // a negative number keeps its sign only
    let signs = _mm256_srai_epi32::<31>(bits);
    let bits = _mm256_andnot_si256(_mm256_srli_epi32::<1>(signs), bits);
    // the low half has no say if the high one is not zero
    let high = _mm256_srli_epi64::<32>(bits);
    let nearest = _mm256_and_si256(bits, _mm256_cmpeq_epi32(high, _mm256_setzero_si256()));
    finish(&boards, nearest)
}

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
#[inline]
#[target_feature(enable = "avx2,lzcnt")]
#[must_use]
pub(crate) fn swapped(player: u64, opponent: u64, square: u32) -> u64 {
    let boards = Boards::new(player, opponent, square);
    let others = _mm256_andnot_si256(boards.opponent, boards.down);
    let row = _mm_cvtsi128_si64(_mm256_castsi256_si128(others)).cast_unsigned();
    let row = 0x8000_0000_0000_0000_u64.checked_shr(row.leading_zeros()).unwrap_or(0);
    let row = _mm256_castsi128_si256(_mm_cvtsi64_si128(row.cast_signed()));

    let order = _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);
    let swap = _mm256_broadcastsi128_si256(order);
    let turned = _mm256_shuffle_epi8(others, swap);
    let lowest = _mm256_and_si256(turned, _mm256_sub_epi64(_mm256_setzero_si256(), turned));
    let nearest = _mm256_shuffle_epi8(lowest, swap);
    finish(&boards, _mm256_blend_epi32::<0b11>(nearest, row))
}

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn nibbles(player: u64, opponent: u64, square: u32) -> u64 {
    let boards = Boards::new(player, opponent, square);
    let others = _mm256_andnot_si256(boards.opponent, boards.down);
    let zero = _mm256_setzero_si256();
    let bytes = _mm256_cmpeq_epi8(_mm256_srli_epi16::<8>(others), zero);
    let words = _mm256_cmpeq_epi16(_mm256_srli_epi32::<16>(others), zero);
    let halves = _mm256_cmpeq_epi32(_mm256_srli_epi64::<32>(others), zero);
    let highest_byte = _mm256_and_si256(_mm256_and_si256(bytes, words), halves);

    let low_table = _mm_set_epi64x(0x0808_0808_0808_0808, 0x0404_0404_0202_0100);
    let low_table = _mm256_broadcastsi128_si256(low_table);
    let high_table = _mm256_slli_epi64::<4>(low_table);
    let nibble = _mm256_set1_epi8(0x0f);
    let low = _mm256_shuffle_epi8(low_table, _mm256_and_si256(others, nibble));
    let high = _mm256_and_si256(_mm256_srli_epi64::<4>(others), nibble);
    let highest_bits = _mm256_max_epu8(low, _mm256_shuffle_epi8(high_table, high));
    finish(&boards, _mm256_and_si256(highest_bits, highest_byte))
}

/// Returns the discs turned in all directions, given the nearest others towards lower squares.
#[inline]
#[target_feature(enable = "avx2")]
fn finish(boards: &Boards, nearest: __m256i) -> u64 {
    let outflank = _mm256_and_si256(nearest, boards.player);
    let double = _mm256_add_epi64(outflank, outflank);
    let above = _mm256_sub_epi64(_mm256_setzero_si256(), double);
    union4(_mm256_or_si256(upwards(boards), _mm256_and_si256(above, boards.down)))
}
