//! Discs turned by a move.
//!
//! Every variant takes the player's discs, the opponent's discs and an empty square (0–63), and
//! returns the opponent's discs that are turned; none if the move is not legal.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
#[cfg(target_arch = "aarch64")]
pub mod neon;
pub mod portable;
pub mod scalar;
