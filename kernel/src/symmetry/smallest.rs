//! The canonical form of a single board: the smallest of its eight images.

#[cfg(target_arch = "aarch64")]
use super::neon;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, gfni};
use super::{portable, scalar};

crate::catalogue::family! {
    /// Board → the smallest of its eight images.
    Smallest = fn(board: u64) -> u64;
    portable {
        "reference" "A6" [] scalar::smallest,
        "delta_swaps" "A2 A4 A6" [] portable::smallest,
    }
    x86_64 {
        "avx2_transpositions" "A6" ["avx2"] avx2::smallest,
        "avx2_lanes" "A5 A6" ["avx2"] avx2::smallest_lanes,
        "avx512_eight_images" "A6" ["avx2", "avx512f", "avx512vl"] avx512::smallest,
        "avx512_vptestmb" "A4 A6" ["avx2", "avx512f", "avx512bw", "avx512vl"]
            avx512::smallest_tests,
        "gfni" "A4 A6" ["avx2", "avx512f", "avx512vl", "gfni"] gfni::smallest,
    }
    aarch64 {
        "neon_two_boards" "A2 A6" ["neon"] neon::smallest,
    }
}
