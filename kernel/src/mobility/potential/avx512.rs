//! Eight directions in one register by rotation; squares that a rotation would carry round the
//! board are masked off before it.
//!
//! 16 instructions in 30 cycles: no gain.
//!
//! Ours.

use core::arch::x86_64::*;

use crate::lanes::union8;

/// The squares that have a neighbour in the direction of each lane.
const HAVE: [u64; 8] = {
    let mut have = [0; 8];
    let mut direction = 0;
    while direction < 8 {
        have[direction] = !crate::masks::beyond_edge(direction, 1);
        direction += 1;
    }
    have
};

/// Returns the empty squares next to an opponent's disc.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl")]
pub(super) fn potential(player: u64, opponent: u64) -> u64 {
    let [a, b, c, d, e, f, g, h] = HAVE.map(u64::cast_signed);
    let have = _mm512_set_epi64(h, g, f, e, d, c, b, a);
    let opponents = _mm512_and_si512(_mm512_set1_epi64(opponent.cast_signed()), have);
    let steps = _mm512_set_epi64(-7, -9, -8, -1, 7, 9, 8, 1);
    union8(_mm512_rolv_epi64(opponents, steps)) & !(player | opponent)
}
