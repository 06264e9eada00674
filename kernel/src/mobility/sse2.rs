//! Two directions in a register although SSE2 shifts both lanes alike: the second lane has the
//! board mirrored top-bottom, where a shift up by 7 is a shift down by 9 of the board itself.
//!
//! ```text
//!   lane              board            board mirrored (BSWAP)
//!   shift up by 7     up-left          down-left
//!   shift up by 9     up-right         down-right
//!   shift up by 8     up               down
//! ```
//! `diagonals` leaves rows and columns to the general registers, which work at the same time; the
//! other form leaves only the rows there.
//!
//! Six directions in vectors: 113 instructions in 52 cycles; diagonals only: 128 in 47. The first
//! wins below AVX2.
//!
//! Source: `reversi-bitboard-techniques`, mobility with SSE2.

use core::arch::x86_64::*;

use crate::bits::mirror_ranks;

/// The files B to G: discs there can be turned along rows and diagonals.
const INNER_FILES: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// Returns the squares where the player can move: diagonals in vectors.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn diagonals(player: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER_FILES;
    let (players, inners) = (with_mirror(player), with_mirror(inner));
    let found = _mm_or_si128(run::<7, 14>(players, inners), run::<9, 18>(players, inners));
    let moves = without_mirror(found) | line(player, inner, 1) | line(player, opponent, 8);
    moves & !(player | opponent)
}

/// Returns the squares where the player can move: diagonals and columns in vectors.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn six_directions(player: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER_FILES;
    let (players, inners) = (with_mirror(player), with_mirror(inner));
    let diagonals = _mm_or_si128(run::<7, 14>(players, inners), run::<9, 18>(players, inners));
    let found = _mm_or_si128(diagonals, run::<8, 16>(players, with_mirror(opponent)));
    (without_mirror(found) | line(player, inner, 1)) & !(player | opponent)
}

/// Returns a register with the board and its mirror.
#[inline]
#[target_feature(enable = "sse2")]
fn with_mirror(board: u64) -> __m128i {
    _mm_set_epi64x(mirror_ranks(board).cast_signed(), board.cast_signed())
}

/// Returns the union of the first lane and the second one mirrored back.
#[inline]
#[target_feature(enable = "sse2")]
fn without_mirror(lanes: __m128i) -> u64 {
    let mirrored = _mm_cvtsi128_si64(_mm_unpackhi_epi64(lanes, lanes)).cast_unsigned();
    _mm_cvtsi128_si64(lanes).cast_unsigned() | mirror_ranks(mirrored)
}

/// Returns the squares behind runs of opponents, going up by `STEP`.
#[inline]
#[target_feature(enable = "sse2")]
fn run<const STEP: i32, const TWO_STEPS: i32>(players: __m128i, opponents: __m128i) -> __m128i {
    let pairs = _mm_and_si128(opponents, _mm_slli_epi64::<STEP>(opponents));
    let mut run = _mm_and_si128(opponents, _mm_slli_epi64::<STEP>(players));
    run = _mm_or_si128(run, _mm_and_si128(opponents, _mm_slli_epi64::<STEP>(run)));
    run = _mm_or_si128(run, _mm_and_si128(pairs, _mm_slli_epi64::<TWO_STEPS>(run)));
    run = _mm_or_si128(run, _mm_and_si128(pairs, _mm_slli_epi64::<TWO_STEPS>(run)));
    _mm_slli_epi64::<STEP>(run)
}

/// Returns the squares behind runs of opponents, going up and down by `step`.
#[inline]
fn line(player: u64, opponent: u64, step: u32) -> u64 {
    let pairs = opponent & opponent << step;
    let mut up = opponent & player << step;
    let mut down = opponent & player >> step;
    up |= opponent & up << step;
    down |= opponent & down >> step;
    for _ in 0..2 {
        up |= pairs & up << (2 * step);
        down |= pairs >> step & down >> (2 * step);
    }
    up << step | down >> step
}
