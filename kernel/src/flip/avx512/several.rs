//! Two flips in each 512-bit register: two squares, or both sides.
//!
//! The lower 256 bits have the first flip's four rays, the upper ones the second's; one register
//! leads up, one down, as in the form with 256 bits, and the boards are in all lanes. The lanes of
//! several flips are joined together: interleaving two registers costs as much as folding one.
//!
//! ```text
//!   first register     a0 a1 a2 a3 | c0 c1 c2 c3
//!   second register    b0 b1 b2 b3 | d0 d1 d2 d3
//!   low, high, union   a01 b01 a23 b23 | c01 d01 c23 d23
//!   chunks in order    a01 b01 c01 d01 | a23 b23 c23 d23
//!   halves, union      a b c d
//! ```
//! Four flips are ready 10 cycles after a single one would be, with three fifths of the work of
//! four. For the search that wants the flips of all moves of a position with three or four empty
//! squares; where it can begin with the first, four single flips that are all made before the first
//! is tried did better on Zen 5, since the first is there sooner.
//!
//! 44 instructions for two squares and 42 for both sides, against 56 and 53 one after the other; 76
//! against 115 for four. In nanoseconds it loses all the same on Zen 5 (3.9, 3.8 and 23.9 against
//! 3.3, 3.3 and 22.9): there 256-bit instructions are as wide as needed to keep every unit busy.
//!
//! Source: ours, after AVX512CD/VL in `reversi-bitboard-techniques`; TECHNIQUES E10.

use core::arch::x86_64::*;

use super::{OR_AND, XOR_AND};

/// Two registers of four rays for each of two squares.
struct Rays {
    up: __m512i,
    down: __m512i,
}

impl Rays {
    /// The rays of `low` in the lower halves, of `high` in the upper ones.
    #[inline]
    #[target_feature(enable = "avx2,avx512f")]
    fn of(low: u32, high: u32) -> Self {
        let (low_up, low_down) = super::rays(low);
        let (high_up, high_down) = super::rays(high);
        Self { up: joined(low_up, high_up), down: joined(low_down, high_down) }
    }
}

/// Returns the discs turned by a move of the player to each of two empty squares.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512cd")]
#[must_use]
pub(crate) fn pair(player: u64, opponent: u64, [a, b]: [u32; 2]) -> [u64; 2] {
    let player = _mm512_set1_epi64(player.cast_signed());
    let opponent = _mm512_set1_epi64(opponent.cast_signed());
    unions(turned(player, opponent, &Rays::of(a, b)))
}

/// Returns the discs turned by a move of the player to each of four empty squares.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512cd")]
#[must_use]
pub(crate) fn four(player: u64, opponent: u64, [a, b, c, d]: [u32; 4]) -> [u64; 4] {
    let player = _mm512_set1_epi64(player.cast_signed());
    let opponent = _mm512_set1_epi64(opponent.cast_signed());
    let first = turned(player, opponent, &Rays::of(a, c));
    let second = turned(player, opponent, &Rays::of(b, d));
    let pairs =
        _mm512_or_si512(_mm512_unpacklo_epi64(first, second), _mm512_unpackhi_epi64(first, second));
    let chunks = _mm512_shuffle_i64x2::<0b11_01_10_00>(pairs, pairs);
    let high = _mm512_extracti64x4_epi64::<1>(chunks);
    crate::lanes::boards(_mm256_or_si256(_mm512_castsi512_si256(chunks), high))
}

/// Returns the discs turned by a move to `square` (0–63, empty) of the player and of the opponent.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512cd")]
#[must_use]
pub(crate) fn sides(player: u64, opponent: u64, square: u32) -> [u64; 2] {
    let player = _mm512_set1_epi64(player.cast_signed());
    let opponent = _mm512_set1_epi64(opponent.cast_signed());
    let movers = _mm512_mask_mov_epi64(player, 0xf0, opponent);
    let others = _mm512_mask_mov_epi64(opponent, 0xf0, player);
    unions(turned(movers, others, &Rays::of(square, square)))
}

/// Returns a register with these halves.
#[inline]
#[target_feature(enable = "avx512f")]
fn joined(low: __m256i, high: __m256i) -> __m512i {
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// Returns the discs turned in each pair of opposite directions.
#[inline]
#[target_feature(enable = "avx512f,avx512cd")]
fn turned(player: __m512i, opponent: __m512i, rays: &Rays) -> __m512i {
    let others = _mm512_andnot_si512(opponent, rays.down);
    let nearest = _mm512_rorv_epi64(_mm512_set1_epi64(i64::MIN), _mm512_lzcnt_epi64(others));
    let outflank = _mm512_and_si512(nearest, player);
    let above = _mm512_sub_epi64(_mm512_setzero_si512(), outflank);
    let lower = _mm512_ternarylogic_epi64::<XOR_AND>(above, outflank, rays.down);

    let others = _mm512_andnot_si512(opponent, rays.up);
    let below = _mm512_add_epi64(others, _mm512_set1_epi64(-1));
    let run = _mm512_ternarylogic_epi64::<XOR_AND>(others, below, rays.up);
    let turns = _mm512_test_epi64_mask(run, player);
    _mm512_mask_ternarylogic_epi64::<OR_AND>(lower, turns, run, opponent)
}

/// Returns the union of the lower four lanes and that of the upper four.
#[inline]
#[target_feature(enable = "avx2,avx512f")]
fn unions(lanes: __m512i) -> [u64; 2] {
    let (low, high) = (_mm512_castsi512_si256(lanes), _mm512_extracti64x4_epi64::<1>(lanes));
    let pairs = _mm256_or_si256(_mm256_unpacklo_epi64(low, high), _mm256_unpackhi_epi64(low, high));
    let both = _mm_or_si128(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs));
    let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both));
    [_mm_cvtsi128_si64(both).cast_unsigned(), high.cast_unsigned()]
}
