//! The parallel prefix of [`portable`](super::portable), eight directions in one 512-bit register.
//!
//! A rotation by 64 - n is a shift down by n, so that one VPROLVQ serves all eight; what it wraps
//! round the board falls on squares that are not inner ones and is masked off with the opponents.
//! Three-way logic joins each step's AND and OR.
//!
//! Ours; TECHNIQUES B1.

use core::arch::x86_64::*;

use super::INNER;
use crate::flip::avx2::union;

/// `a | b & c`.
const OR_AND: i32 = 0xf8;

/// Returns the squares where the player can move.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl")]
#[must_use]
pub(crate) fn moves(player: u64, opponent: u64) -> u64 {
    let one = _mm512_set_epi64(-7, -9, -8, -1, 7, 9, 8, 1);
    let two = _mm512_set_epi64(-14, -18, -16, -2, 14, 18, 16, 2);
    let inner = INNER.map(u64::cast_signed);
    let inner = _mm256_set_epi64x(inner[3], inner[2], inner[1], inner[0]);
    let players = _mm512_set1_epi64(player.cast_signed());
    let opponents =
        _mm512_and_si512(_mm512_set1_epi64(opponent.cast_signed()), _mm512_broadcast_i64x4(inner));

    let pairs = _mm512_and_si512(opponents, _mm512_rolv_epi64(opponents, one));
    let run = _mm512_and_si512(opponents, _mm512_rolv_epi64(players, one));
    let run = _mm512_ternarylogic_epi64::<OR_AND>(run, opponents, _mm512_rolv_epi64(run, one));
    let run = _mm512_ternarylogic_epi64::<OR_AND>(run, pairs, _mm512_rolv_epi64(run, two));
    let run = _mm512_ternarylogic_epi64::<OR_AND>(run, pairs, _mm512_rolv_epi64(run, two));
    let moves = _mm512_rolv_epi64(run, one);
    let moves =
        _mm256_or_si256(_mm512_castsi512_si256(moves), _mm512_extracti64x4_epi64::<1>(moves));
    union(moves) & !(player | opponent)
}
