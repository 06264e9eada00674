//! Edges by table, the files gathered by PMOVMSKB for both sides at once; then contact.
//!
//! ```text
//!   player and opponent in one register   PMOVMSKB  ->  16 bits: file H of both, a table's index
//!   shifted left by seven                 PMOVMSKB  ->  16 bits: file A of both
//! ```
//! Source: `edax-avx-optimizations`, edge stability; TECHNIQUES C4.

use core::arch::x86_64::*;

use super::portable::files;
use super::{EDGES, edge, spread};

/// Returns the stable discs of the player on the four edges.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn edges(player: u64, opponent: u64) -> u64 {
    let both = _mm_set_epi64x(opponent.cast_signed(), player.cast_signed());
    let entry = |index: i32| u64::from(EDGES[index as usize & 0xffff]);
    let right = entry(_mm_movemask_epi8(both));
    let left = entry(_mm_movemask_epi8(_mm_slli_epi64::<7>(both)));
    let rows = edge(player, opponent) | edge(player >> 56, opponent >> 56) << 56;
    rows | files(left, right)
}

/// Returns the player's discs that are certainly stable.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn stable(player: u64, opponent: u64) -> u64 {
    let full = crate::lines::avx2::full_lines(player | opponent);
    spread(player, edges(player, opponent), full)
}
