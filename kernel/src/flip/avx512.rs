//! Four directions in each of two 256-bit registers, with VPLZCNTQ and three-way logic.
//!
//! Towards lower squares the nearest square without an opponent is the highest bit of
//! `ray & !opponent`, found by counting leading zeros; towards higher squares it is the lowest one.
//!
//! ```text
//!   ray       # # # # # . . .      (the move is at the sixth place)
//!   others    # # . . . . . .      ray & !opponent
//!   nearest   . # . . . . . .      highest bit >> leading zeros
//!   turned    . . # # # . . .      (x ^ -x) & ray: the bits above x, if x is the player's
//! ```
//! Source: `reversi-bitboard-techniques`, AVX512CD/VL, the form with minima; TECHNIQUES E10.

use core::arch::x86_64::*;

use super::avx2::union;
use crate::masks::RAYS;

/// `a ^ b`, restricted to `c`.
const XOR_AND: i32 = 0x28;
/// `a & b & c`.
const AND_AND: i32 = 0x80;
/// `a | b & c`.
const OR_AND: i32 = 0xf8;

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512cd,avx512vl")]
#[must_use]
pub(crate) fn flip(player: u64, opponent: u64, square: u32) -> u64 {
    let rays: *const __m256i = RAYS[square as usize & 63].0.as_ptr().cast();
    // SAFETY: the entry has 64 bytes and is aligned to 64; this is its first half.
    let up = unsafe { _mm256_load_si256(rays) };
    // SAFETY: as above, the second half.
    let down = unsafe { _mm256_load_si256(rays.wrapping_add(1)) };
    let player = _mm256_set1_epi64x(player.cast_signed());
    let opponent = _mm256_set1_epi64x(opponent.cast_signed());
    let zero = _mm256_setzero_si256();

    let others = _mm256_andnot_si256(opponent, down);
    let nearest = _mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(others));
    let outflank = _mm256_and_si256(nearest, player);
    let lower =
        _mm256_ternarylogic_epi64::<XOR_AND>(_mm256_sub_epi64(zero, outflank), outflank, down);

    let others = _mm256_andnot_si256(opponent, up);
    let outflank =
        _mm256_ternarylogic_epi64::<AND_AND>(_mm256_sub_epi64(zero, others), others, player);
    // outflank - 1 where there is one, and 0 where there is none
    let below = _mm256_sub_epi64(outflank, _mm256_min_epu64(outflank, _mm256_set1_epi64x(1)));
    union(_mm256_ternarylogic_epi64::<OR_AND>(lower, below, up))
}
