//! The parallel prefix of [`portable`](super::portable), with a direction in each lane: four
//! directions up by VPSLLVQ, four down by VPSRLVQ.
//!
//! 46 instructions in 48 cycles: it wins on AVX2.
//!
//! Source: `reversi-bitboard-techniques`, AVX2 variable shifts; TECHNIQUES B1.

use core::arch::x86_64::*;

use super::INNER;
use crate::lanes::union4;

/// Returns the squares where the player can move.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn moves(player: u64, opponent: u64) -> u64 {
    let one = _mm256_set_epi64x(7, 9, 8, 1);
    let two = _mm256_set_epi64x(14, 18, 16, 2);
    let inner = INNER.map(u64::cast_signed);
    let inner = _mm256_set_epi64x(inner[3], inner[2], inner[1], inner[0]);
    let players = _mm256_set1_epi64x(player.cast_signed());
    let opponents = _mm256_and_si256(_mm256_set1_epi64x(opponent.cast_signed()), inner);

    let mut up = _mm256_and_si256(opponents, _mm256_sllv_epi64(players, one));
    let mut down = _mm256_and_si256(opponents, _mm256_srlv_epi64(players, one));
    up = _mm256_or_si256(up, _mm256_and_si256(opponents, _mm256_sllv_epi64(up, one)));
    down = _mm256_or_si256(down, _mm256_and_si256(opponents, _mm256_srlv_epi64(down, one)));
    let pairs_up = _mm256_and_si256(opponents, _mm256_sllv_epi64(opponents, one));
    let pairs_down = _mm256_srlv_epi64(pairs_up, one);
    for _ in 0..2 {
        up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, two)));
        down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, two)));
    }
    let moves = _mm256_or_si256(_mm256_sllv_epi64(up, one), _mm256_srlv_epi64(down, one));
    union4(moves) & !(player | opponent)
}
