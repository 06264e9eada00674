//! A line in each lane, moved up and down by variable shifts. Ours.
//!
//! 18 instructions in 26 cycles.

use core::arch::x86_64::*;

use crate::lanes::union4;
use crate::mobility::INNER;

/// Returns the empty squares next to an opponent's disc that could be turned.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn frontier(player: u64, opponent: u64) -> u64 {
    let one = _mm256_set_epi64x(7, 9, 8, 1);
    let [a, b, c, d] = INNER.map(u64::cast_signed);
    let opponents = _mm256_set1_epi64x(opponent.cast_signed());
    let turnable = _mm256_and_si256(opponents, _mm256_set_epi64x(d, c, b, a));
    let beside =
        _mm256_or_si256(_mm256_sllv_epi64(turnable, one), _mm256_srlv_epi64(turnable, one));
    union4(beside) & !(player | opponent)
}
