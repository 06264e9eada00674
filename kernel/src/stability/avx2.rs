//! Edges by table, the files gathered by PMOVMSKB for both sides at once (see
//! [`edges`](super::edges)); full lines by AVX2; then contact.
//!
//! 95 instructions in 54 cycles, with mixed lines 126 in 47.
//!
//! Source: `edax-avx-optimizations`, edge stability.

use super::edges::sse2::edges;
use super::spread;

/// Returns the player's discs that are certainly stable.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn stable(player: u64, opponent: u64) -> u64 {
    let full = crate::lines::avx2::full_lines(player | opponent);
    spread(player, edges(player, opponent), full)
}

/// Returns the same with rows and columns in general registers.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn stable_mixed(player: u64, opponent: u64) -> u64 {
    let full = crate::lines::avx2::mixed(player | opponent);
    spread(player, edges(player, opponent), full)
}
