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

crate::variants::variants! {
    /// Player, opponent, square (0–63, empty) → discs turned; none if the move is not legal.
    Flip = fn(u64, u64, u32) -> u64, called with (player, opponent, square);
    scalar: ["reference": scalar::flip, "E2 LS1B and LZCNT": portable::flip],
    avx2: ["E9 smart clear": avx2::flip],
    avx512: ["E10 VPLZCNTQ, minima": avx512::flip],
    neon: ["E11 RBIT": neon::flip],
}
