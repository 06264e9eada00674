//! Discs turned by a move.
//!
//! Every variant takes the player's discs, the opponent's discs and an empty square (0–63), and
//! returns the opponent's discs that are turned; none if the move is not legal.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
pub mod portable;
pub mod scalar;

crate::catalogue::family! {
    /// Player, opponent, square (0–63, empty) → discs turned; none if the move is not legal.
    Flip = fn(player: u64, opponent: u64, square: u32) -> u64;
    chosen by FLIP or "OUTFLANK_KERNEL_FLIP";
    portable {
        "reference" "E2" [] scalar::flip,
        "lowest_and_lzcnt" "E2" [] portable::flip,
    }
    x86_64 {
        "avx2_smart_clear" "E9" ["avx2"] avx2::flip,
        "avx512_minima" "E10" ["avx2", "avx512f", "avx512cd", "avx512vl"] avx512::flip,
    }
    aarch64 {
        "neon_rbit" "E11 A8" ["neon"] neon::flip,
    }
}
