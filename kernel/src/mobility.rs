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

crate::catalogue::family! {
    /// Player, opponent → the squares where the player can move.
    Moves = fn(player: u64, opponent: u64) -> u64;
    chosen by MOBILITY or "OUTFLANK_KERNEL_MOBILITY";
    portable {
        "reference" "B1" [] scalar::moves,
        "parallel_prefix" "B1" [] portable::moves,
    }
    x86_64 {
        "avx2_four_directions" "B1" ["avx2"] avx2::moves,
        "avx512_eight_directions" "B1" ["avx2", "avx512f", "avx512vl"] avx512::moves,
    }
    aarch64 {}
}

/// The opponent's discs that can be turned along rows, columns and diagonals: those with a square
/// on either side. It also keeps the shifts from wrapping round the board.
const INNER: [u64; 4] =
    [0x7e7e_7e7e_7e7e_7e7e, 0x00ff_ffff_ffff_ff00, 0x007e_7e7e_7e7e_7e00, 0x007e_7e7e_7e7e_7e00];
