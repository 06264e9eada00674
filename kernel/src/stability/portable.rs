//! Edges by table, the files gathered and spread by multiplication; then contact.
//!
//! ```text
//!   file A of the board  * 0x0102040810204080 >> 56  ->  eight bits, rank 1 in bit 0
//!   bits of ranks 2–7    * 0x0002040810204080 & file A  ->  the board again
//! ```
//! The corners come from the rows. Source: TECHNIQUES C4.

use super::{edge, spread};
use crate::lines::portable::full_lines;

const FILE_A: u64 = 0x0101_0101_0101_0101;

/// Returns the player's discs that are certainly stable.
#[inline]
#[must_use]
pub fn stable(player: u64, opponent: u64) -> u64 {
    let file = |board: u64| (board & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let left = edge(file(player), file(opponent));
    let right = edge(file(player >> 7), file(opponent >> 7));
    let rows = edge(player, opponent) | edge(player >> 56, opponent >> 56) << 56;
    spread(player, rows | files(left, right), full_lines(player | opponent))
}

/// Returns ranks 2–7 of files A and H with the bits of `left` and `right`.
#[inline(always)]
pub(super) const fn files(left: u64, right: u64) -> u64 {
    /// The places of ranks 2–7: the partial products of six bits do not overlap, of eight they do.
    const INNER: u64 = 0x7e;
    const SPREAD: u64 = 0x0002_0408_1020_4080;
    let left = ((left & INNER) * SPREAD) & FILE_A;
    let right = ((right & INNER) * SPREAD) & FILE_A;
    left | right << 7
}
