//! The last flips of eight positions at once.
//!
//! For a search that collects its leaves: no branch waits for a single one. Each position has its
//! own empty square.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod bmi2;

use super::{portable, scalar};

crate::catalogue::family! {
    /// Players, squares (0–63, the only empty ones) → discs turned by the players and by the
    /// opponents.
    LastFlipLeaves = fn(players: [u64; 8], squares: [u32; 8]) -> [[u64; 8]; 2];
    chosen by LAST_FLIP_EIGHT or "OUTFLANK_KERNEL_LAST_FLIP_EIGHT";
    portable {
        "reference" "D1" [] reference,
        "kindergarten" "D1" [] kindergarten,
    }
    x86_64 {
        "pext_both" "D3 D7" ["bmi2"] bmi2::pext_both,
        "pext_crossed" "D3 D7" ["bmi2"] bmi2::pext_crossed,
        "avx512_lanes" "D6" ["avx512f", "avx512cd", "avx512vpopcntdq"] avx512::lanes,
    }
    aarch64 {}
}

/// Asks the reference for one position after the other.
fn reference(players: [u64; 8], squares: [u32; 8]) -> [[u64; 8]; 2] {
    one_by_one(players, squares, scalar::last_flip_both)
}

/// Asks the tables for one position after the other.
fn kindergarten(players: [u64; 8], squares: [u32; 8]) -> [[u64; 8]; 2] {
    one_by_one(players, squares, portable::last_flip_both)
}

/// Calls `last_flip_both` for each position.
#[inline(always)]
fn one_by_one(
    players: [u64; 8],
    squares: [u32; 8],
    last_flip_both: impl Fn(u64, u32) -> (u32, u32),
) -> [[u64; 8]; 2] {
    let mut turned = [[0; 8]; 2];
    for leaf in 0..8 {
        let (mine, theirs) = last_flip_both(players[leaf], squares[leaf]);
        (turned[0][leaf], turned[1][leaf]) = (u64::from(mine), u64::from(theirs));
    }
    turned
}
