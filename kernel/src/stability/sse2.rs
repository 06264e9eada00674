//! Edges by table, the files gathered by PMOVMSKB; full lines by SSE2; then contact.
//!
//! 130 instructions in 41 cycles: the least latency alone, and the best throughput below AVX2.
//!
//! Source: `edax-avx-optimizations`, edge stability.

use super::edges::sse2::edges;
use super::spread;

/// Returns the player's discs that are certainly stable.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn stable(player: u64, opponent: u64) -> u64 {
    let full = crate::lines::sse2::full_lines(player | opponent);
    spread(player, edges(player, opponent), full)
}
