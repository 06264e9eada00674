//! Legal moves.
//!
//! Every variant takes the player's and the opponent's discs and returns the squares where the
//! player can move.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub mod portable;
pub mod scalar;

crate::variants::variants! {
    /// Player, opponent → the squares where the player can move.
    Moves = fn(u64, u64) -> u64, called with (player, opponent);
    scalar: ["reference": scalar::moves, "B1 parallel prefix": portable::moves],
    avx2: ["B1 four directions": avx2::moves],
    avx512: ["B1 eight directions": avx512::moves],
    neon: [],
}

/// The opponent's discs that can be turned along rows, columns and diagonals: those with a square
/// on either side. It also keeps the shifts from wrapping round the board.
const INNER: [u64; 4] =
    [0x7e7e_7e7e_7e7e_7e7e, 0x00ff_ffff_ffff_ff00, 0x007e_7e7e_7e7e_7e00, 0x007e_7e7e_7e7e_7e00];
