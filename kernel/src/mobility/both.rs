//! The moves of both sides: what an evaluation of mobility needs.
//!
//! The AVX-512 form has four directions of the player in the lower half of each register and the
//! opponent's in the upper half, so that both cost as many instructions as one with AVX2.
//!
//! ```text
//!   lanes   0–3: player in four directions   4–7: opponent in four directions
//! ```
//! Ours.

#[cfg(target_arch = "x86_64")]
mod avx512;

crate::catalogue::family! {
    /// Player, opponent → the squares where the player could move and where the opponent could.
    MovesOfBoth = fn(player: u64, opponent: u64) -> (u64, u64);
    portable {
        "reference" "B1" [] reference,
        "twice_parallel_prefix" "B1" [] twice_parallel_prefix,
    }
    x86_64 {
        "twice_avx2" "B1" ["avx2"] twice_avx2,
        "twice_avx512" "B1" ["avx2", "avx512f", "avx512vl"] twice_avx512,
        "avx512_both_sides" "B1" ["avx2", "avx512f"] avx512::both_sides,
    }
    aarch64 {}
}

fn reference(player: u64, opponent: u64) -> (u64, u64) {
    (super::scalar::moves(player, opponent), super::scalar::moves(opponent, player))
}

#[inline]
fn twice_parallel_prefix(player: u64, opponent: u64) -> (u64, u64) {
    (super::portable::moves(player, opponent), super::portable::moves(opponent, player))
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn twice_avx2(player: u64, opponent: u64) -> (u64, u64) {
    (super::avx2::moves(player, opponent), super::avx2::moves(opponent, player))
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl")]
fn twice_avx512(player: u64, opponent: u64) -> (u64, u64) {
    (super::avx512::moves(player, opponent), super::avx512::moves(opponent, player))
}
