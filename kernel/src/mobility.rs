//! Legal moves, and what move ordering counts of them.
//!
//! Every variant takes the player's and the opponent's discs and returns the squares where the
//! player can move. The families for move ordering are in [`both`], [`potential`], [`frontier`],
//! [`weighted`] and [`corners`].

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub mod both;
pub mod corners;
pub mod frontier;
#[cfg(target_arch = "aarch64")]
mod neon;
pub mod portable;
pub mod potential;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;
pub mod weighted;

crate::catalogue::family! {
    /// Player, opponent → the squares where the player can move.
    Moves = fn(player: u64, opponent: u64) -> u64;
    chosen by MOBILITY or "OUTFLANK_KERNEL_MOBILITY";
    portable {
        "reference" "B1" [] scalar::moves,
        "parallel_prefix" "B1" [] portable::moves,
        "shift_loop" "B1" [] portable::shift_loop,
    }
    x86_64 {
        "sse2_diagonals" "B1" ["sse2"] sse2::diagonals,
        "sse2_six_directions" "B1" ["sse2"] sse2::six_directions,
        "avx2_four_directions" "B1" ["avx2"] avx2::moves,
        "avx512_four_directions" "B1" ["avx2", "avx512f", "avx512vl"] avx512::four_directions,
        "avx512_eight_directions" "B1" ["avx2", "avx512f", "avx512vl"] avx512::moves,
    }
    aarch64 {
        "neon_two_directions" "B1" ["neon"] neon::moves,
    }
}

/// The opponent's discs that can be turned along rows, columns and diagonals: those with a square
/// on either side. It also keeps the shifts from wrapping round the board.
const INNER: [u64; 4] =
    [0x7e7e_7e7e_7e7e_7e7e, 0x00ff_ffff_ffff_ff00, 0x007e_7e7e_7e7e_7e00, 0x007e_7e7e_7e7e_7e00];

/// The four corners.
pub const CORNERS: u64 = 0x8100_0000_0000_0081;
