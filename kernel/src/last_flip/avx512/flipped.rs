//! The discs that turn themselves, by VPLZCNTQ, and their number.
//!
//! Without other empty squares the flip is simpler than in [`flip`](crate::flip): all that is not
//! the player's is the opponent's, so that the player's nearest disc on each ray decides.
//!
//! ```text
//!   ray up        . . . # # # # #      (the move is at the third place)
//!   player        . . . . . # . #
//!   x - 1, & !x   # # # # # . . .      below the lowest bit of player & ray
//!   & ray         . . . # # . . .      if the ray has a disc of the player's (VPTESTMQ)
//! ```
//! Downwards the bits above the highest one, found by leading zeros, that are not the player's: if
//! there is none, the whole ray is left of a "bit" that was shifted out, and nothing is above it.
//!
//! 24 instructions for one side, 44 in 37 cycles for both, or 34 in 40 cycles with both in one
//! register of 512 bits. No tables but the rays, which other kernels use as well; still slower than
//! PEXT and small tables.
//!
//! Source: `reversi-bitboard-techniques`, AVX512CD/VL last flip; `edax-avx-optimizations`,
//! simultaneous evaluation; TECHNIQUES D6, D8.

use core::arch::x86_64::*;

use crate::lanes::union4;
use crate::masks::RAYS;

/// `!a & b & c`.
const NOT_AND_AND: i32 = 0x08;
/// `a | !b & c`.
const OR_NOT_AND: i32 = 0xf2;

/// Returns how many opponent discs turn when `square` is the only empty one and the player moves
/// there.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512cd,avx512vl,popcnt")]
#[must_use]
pub(crate) fn last_flip(player: u64, square: u32) -> u32 {
    let rays: *const __m256i = RAYS[square as usize & 63].0.as_ptr().cast();
    // SAFETY: the entry has 64 bytes and is aligned to 64; this is its first half.
    let up = unsafe { _mm256_load_si256(rays) };
    // SAFETY: as above, the second half.
    let down = unsafe { _mm256_load_si256(rays.wrapping_add(1)) };
    let player = _mm256_set1_epi64x(player.cast_signed());
    let ones = _mm256_set1_epi64x(-1);

    let discs = _mm256_and_si256(player, up);
    let turns = _mm256_test_epi64_mask(player, up);
    let below = _mm256_add_epi64(discs, ones);
    let upper = _mm256_maskz_ternarylogic_epi64::<NOT_AND_AND>(turns, discs, below, up);

    let zeros = _mm256_lzcnt_epi64(_mm256_and_si256(player, down));
    // Without a disc the top bit stays, which is no square of a ray towards lower ones.
    let nearest = _mm256_rorv_epi64(_mm256_set1_epi64x(i64::MIN), zeros);
    let below = _mm256_add_epi64(nearest, ones);
    let others = _mm256_andnot_si256(player, down);
    union4(_mm256_ternarylogic_epi64::<OR_NOT_AND>(upper, below, others)).count_ones()
}

/// Returns how many discs the player would turn, and how many the opponent would, one after the
/// other.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512cd,avx512vl,popcnt")]
#[must_use]
pub(crate) fn one_by_one(player: u64, square: u32) -> (u32, u32) {
    (last_flip(player, square), last_flip(!player, square))
}

/// Returns how many discs the player would turn, and how many the opponent would: the lower half of
/// a register for the player, the upper half for the opponent.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512cd,popcnt")]
#[must_use]
pub(crate) fn at_once(player: u64, square: u32) -> (u32, u32) {
    let rays = RAYS[square as usize & 63].0.as_ptr();
    // SAFETY: the entry has 64 bytes and is aligned to 64; this is its first half.
    let up = _mm512_broadcast_i64x4(unsafe { _mm256_load_si256(rays.cast()) });
    // SAFETY: as above, the second half.
    let down = _mm512_broadcast_i64x4(unsafe { _mm256_load_si256(rays.wrapping_add(4).cast()) });
    let upper_half = _mm512_inserti64x4::<1>(_mm512_setzero_si512(), _mm256_set1_epi64x(-1));
    let sides = _mm512_xor_si512(_mm512_set1_epi64(player.cast_signed()), upper_half);
    let ones = _mm512_set1_epi64(-1);

    let discs = _mm512_and_si512(sides, up);
    let turns = _mm512_test_epi64_mask(sides, up);
    let below = _mm512_add_epi64(discs, ones);
    let upper = _mm512_maskz_ternarylogic_epi64::<NOT_AND_AND>(turns, discs, below, up);

    let zeros = _mm512_lzcnt_epi64(_mm512_and_si512(sides, down));
    let nearest = _mm512_rorv_epi64(_mm512_set1_epi64(i64::MIN), zeros);
    let below = _mm512_add_epi64(nearest, ones);
    let others = _mm512_andnot_si512(sides, down);
    let turned = _mm512_ternarylogic_epi64::<OR_NOT_AND>(upper, below, others);
    let theirs = union4(_mm512_extracti64x4_epi64::<1>(turned));
    (union4(_mm512_castsi512_si256(turned)).count_ones(), theirs.count_ones())
}
