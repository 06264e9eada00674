//! The eight symmetries of a board and the canonical form of a position: the smallest of its eight
//! images, compared as (player, opponent).

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod gfni;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
pub mod portable;
pub mod scalar;
mod set;
pub mod smallest;

pub use set::Symmetry;

crate::catalogue::family! {
    /// Player, opponent → the smallest of the eight symmetric positions.
    Canonical = fn(player: u64, opponent: u64) -> (u64, u64);
    chosen by SYMMETRY or "OUTFLANK_KERNEL_SYMMETRY";
    portable {
        "reference" "A6" [] scalar::canonical,
        "delta_swaps" "A2 A4 A6" [] portable::canonical,
    }
    x86_64 {
        "avx2_transpositions" "A6" ["avx2"] avx2::canonical,
        "avx2_lanes" "A5 A6" ["avx2"] avx2::canonical_lanes,
        "avx512_eight_images" "A6" ["avx2", "avx512f", "avx512vl"] avx512::canonical,
        "avx512_vptestmb" "A4 A6" ["avx2", "avx512f", "avx512bw", "avx512vl"]
            avx512::canonical_tests,
        "gfni" "A4 A6" ["avx2", "avx512f", "avx512vl", "gfni"] gfni::canonical,
    }
    aarch64 {
        "neon_two_boards" "A2 A6" ["neon"] neon::canonical,
    }
}

/// Returns the image under the four symmetries without transposition, in the order of
/// [`scalar::transform`].
#[inline(always)]
fn mirrored(board: u64) -> [u64; 4] {
    use crate::bits::{mirror_files, mirror_ranks};
    let mirror = mirror_files(board);
    [board, mirror, mirror_ranks(board), mirror_ranks(mirror)]
}
