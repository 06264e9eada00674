//! Two directions in each 128-bit register, with what every x86-64 has.
//!
//! Towards higher squares the nearest square without an opponent is the lowest bit of
//! `ray & !opponent`. SSE2 counts no leading zeros, so that towards lower squares the highest bit
//! is found by a conversion to floating point ([`bits::highest`](crate::bits::highest())).
//!
//! ```text
//!   register       low lane            high lane
//!   up, first      right               up
//!   up, second     up-right            up-left
//!   down, first    left                down
//!   down, second   down-left           down-right
//! ```
//! 76 instructions in 48 cycles, 18 of them for the two conversions of 64 bits. The special
//! functions of [`squares`] need half as many.
//!
//! Source: `reversi-bitboard-techniques`, float conversion (MS1B) and `flipmask`; TECHNIQUES E3,
//! A7, A8.

use core::arch::x86_64::*;

use crate::bits::highest::sse2::highest_64;
use crate::lanes::union2;
use crate::masks::RAYS;

pub(crate) mod squares;
pub(crate) mod tables;
mod tricks;

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
#[inline]
#[target_feature(enable = "sse2")]
#[must_use]
pub(crate) fn float(player: u64, opponent: u64, square: u32) -> u64 {
    let rays = &RAYS[square as usize & 63].0;
    let (player, opponent) = (both_lanes(player), both_lanes(opponent));
    let up = _mm_or_si128(
        upwards(player, opponent, pair(rays[0], rays[1])),
        upwards(player, opponent, pair(rays[2], rays[3])),
    );
    let down = _mm_or_si128(
        downwards(player, opponent, pair(rays[4], rays[5])),
        downwards(player, opponent, pair(rays[6], rays[7])),
    );
    union2(_mm_or_si128(up, down))
}

/// Returns the discs turned on two rays towards higher squares.
#[inline]
#[target_feature(enable = "sse2")]
fn upwards(player: __m128i, opponent: __m128i, rays: __m128i) -> __m128i {
    let others = _mm_andnot_si128(opponent, rays);
    let nearest = _mm_and_si128(others, _mm_sub_epi64(_mm_setzero_si128(), others));
    _mm_and_si128(below(_mm_and_si128(nearest, player)), rays)
}

/// Returns the discs turned on two rays towards lower squares.
#[inline]
#[target_feature(enable = "sse2")]
fn downwards(player: __m128i, opponent: __m128i, rays: __m128i) -> __m128i {
    let others = _mm_andnot_si128(opponent, rays);
    let outflank = _mm_and_si128(highest_64(others), player);
    _mm_and_si128(above(outflank), rays)
}

/// Returns, for lanes of one bit or none, all bits below it, or none.
///
/// The two halves of a lane are equal only if both are zero; there, all ones are taken back.
#[inline]
#[target_feature(enable = "sse2")]
fn below(outflank: __m128i) -> __m128i {
    let swapped = _mm_shuffle_epi32::<0b10_11_00_01>(outflank);
    let none = _mm_cmpeq_epi32(swapped, outflank);
    _mm_sub_epi64(_mm_add_epi64(outflank, _mm_set1_epi64x(-1)), none)
}

/// Returns, for lanes of one bit or none, all bits above it, or none: `-2 * x`.
#[inline]
#[target_feature(enable = "sse2")]
fn above(outflank: __m128i) -> __m128i {
    _mm_sub_epi64(_mm_setzero_si128(), _mm_add_epi64(outflank, outflank))
}

/// Returns the board in both lanes.
#[inline]
#[target_feature(enable = "sse2")]
fn both_lanes(board: u64) -> __m128i {
    _mm_set1_epi64x(board.cast_signed())
}

/// Returns a register with two boards.
#[inline]
#[target_feature(enable = "sse2")]
fn pair(low: u64, high: u64) -> __m128i {
    _mm_set_epi64x(high.cast_signed(), low.cast_signed())
}
