//! Weighted mobility: the number of moves, corners counted twice.
//!
//! 7 instructions in 7 cycles with POPCNT, 23 in 39 without.
//!
//! Source: `edax-avx-optimizations`, move ordering.

use super::CORNERS;
use crate::KernelSet;

crate::catalogue::family! {
    /// Squares → their number, corners counted twice.
    WeightedCount = fn(moves: u64) -> u32;
    portable {
        "reference" "B2" [] reference,
        "two_counts" "B2" [] two_counts,
    }
    x86_64 {
        "popcnt" "B2" ["popcnt"] popcnt,
    }
    aarch64 {}
}

fn reference(moves: u64) -> u32 {
    let weight = |square: u32| if [0, 7, 56, 63].contains(&square) { 2 } else { 1 };
    (0..64).filter(|square| moves >> square & 1 != 0).map(weight).sum()
}

#[inline]
fn two_counts(moves: u64) -> u32 {
    moves.count_ones() + (moves & CORNERS).count_ones()
}

/// Returns the number of `moves` as `kernels` counts, corners counted twice: `two_counts` for code that is compiled once
/// a set.
#[inline(always)]
pub fn corners_twice<K: KernelSet>(kernels: K, moves: u64) -> u32 {
    kernels.count(moves) + kernels.count(moves & CORNERS)
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "popcnt")]
fn popcnt(moves: u64) -> u32 {
    two_counts(moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;

    #[test]
    fn a_set_counts_as_the_reference() {
        for moves in [0, u64::MAX, CORNERS, 1, 0x0000_1020_0408_0000, 1 << 63 | 1 << 62] {
            assert_eq!(corners_twice(Scalar::new(), moves), reference(moves), "{moves:016x}");
        }
    }
}
