//! Both sides in one register; see [`both`](super).
//!
//! 49 instructions in 52 cycles, against 50 in 48 for one side after the other.

use core::arch::x86_64::*;

use crate::lanes::union4;
use crate::mobility::INNER;

/// `a | b & c`.
const OR_AND: i32 = 0xf8;

/// Returns the squares where the player could move and where the opponent could.
#[inline]
#[target_feature(enable = "avx2,avx512f")]
pub(super) fn both_sides(player: u64, opponent: u64) -> (u64, u64) {
    let one = _mm512_set_epi64(7, 9, 8, 1, 7, 9, 8, 1);
    let two = _mm512_set_epi64(14, 18, 16, 2, 14, 18, 16, 2);
    let [a, b, c, d] = INNER.map(u64::cast_signed);
    let inner = _mm512_set_epi64(d, c, b, a, d, c, b, a);
    let (low, high) = (player.cast_signed(), opponent.cast_signed());
    let movers = _mm512_mask_set1_epi64(_mm512_set1_epi64(low), 0xf0, high);
    let others = _mm512_mask_set1_epi64(_mm512_set1_epi64(high), 0xf0, low);
    let others = _mm512_and_si512(others, inner);

    let mut up = _mm512_and_si512(others, _mm512_sllv_epi64(movers, one));
    let mut down = _mm512_and_si512(others, _mm512_srlv_epi64(movers, one));
    let pairs_up = _mm512_and_si512(others, _mm512_sllv_epi64(others, one));
    let pairs_down = _mm512_srlv_epi64(pairs_up, one);
    up = _mm512_ternarylogic_epi64::<OR_AND>(up, others, _mm512_sllv_epi64(up, one));
    down = _mm512_ternarylogic_epi64::<OR_AND>(down, others, _mm512_srlv_epi64(down, one));
    for _ in 0..2 {
        up = _mm512_ternarylogic_epi64::<OR_AND>(up, pairs_up, _mm512_sllv_epi64(up, two));
        down = _mm512_ternarylogic_epi64::<OR_AND>(down, pairs_down, _mm512_srlv_epi64(down, two));
    }
    let moves = _mm512_or_si512(_mm512_sllv_epi64(up, one), _mm512_srlv_epi64(down, one));
    let empty = !(player | opponent);
    (
        union4(_mm512_castsi512_si256(moves)) & empty,
        union4(_mm512_extracti64x4_epi64::<1>(moves)) & empty,
    )
}
