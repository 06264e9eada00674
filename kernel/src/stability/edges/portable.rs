//! Files by multiplication; see [`edges`](super).
//!
//! 53 instructions in 22 cycles, with two multiplications 62 in 24. It wins where there is neither
//! BMI2 nor SSE2; its latency is shorter than that of SSE2, its throughput a third lower.

use super::edge;

pub(super) const FILE_A: u64 = 0x0101_0101_0101_0101;

/// Returns the stable discs of the player on the four edges.
#[inline]
pub(crate) fn multiplication(player: u64, opponent: u64) -> u64 {
    let left = edge(file(player), file(opponent));
    let right = edge(file(player >> 7), file(opponent >> 7));
    let rows = edge(player, opponent) | edge(player >> 56, opponent >> 56) << 56;
    rows | files(left, right)
}

/// Returns the same, spreading whole files by two multiplications of four bits each.
#[inline]
pub(super) fn two_multiplications(player: u64, opponent: u64) -> u64 {
    let left = edge(file(player), file(opponent));
    let right = edge(file(player >> 7), file(opponent >> 7));
    let rows = edge(player, opponent) | edge(player >> 56, opponent >> 56) << 56;
    rows | whole_file(left) | whole_file(right) << 7
}

/// Returns file A as eight bits, rank 1 in the lowest.
#[inline]
pub(crate) const fn file(board: u64) -> u64 {
    (board & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Returns ranks 2–7 of files A and H with the bits of `left` and `right`.
#[inline(always)]
pub(crate) const fn files(left: u64, right: u64) -> u64 {
    /// The places of ranks 2–7: the partial products of six bits do not overlap, of eight they do.
    const INNER: u64 = 0x7e;
    const SPREAD: u64 = 0x0002_0408_1020_4080;
    let left = ((left & INNER) * SPREAD) & FILE_A;
    let right = ((right & INNER) * SPREAD) & FILE_A;
    left | right << 7
}

/// Returns file A with the eight bits of `edge`.
#[inline]
fn whole_file(edge: u64) -> u64 {
    const SPREAD: u64 = 0x0020_4081;
    const HALF: u64 = 0x0101_0101;
    let spread = |four: u64| (four * SPREAD) & HALF;
    spread(edge >> 4) << 32 | spread(edge & 0x0f)
}
