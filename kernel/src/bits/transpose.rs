//! The board mirrored at the diagonal A1–H8: files become ranks.
//!
//! ```text
//!   8  . . . . . . . h        8  h g f e d c b a
//!   …  . . . . . . . .   ->   …  . . . . . . . .
//!   1  a b c d e f g h        1  . . . . . . . a
//! ```
//! AVX-512 tests all 64 bits at once, and the mask is the answer; GFNI, the natural instruction for
//! matrices of bits, needs as many instructions. Before both, four bits of each row move to the
//! sign bits of bytes and VPMOVMSKB takes 32 of them.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
mod bmi2;
#[cfg(target_arch = "x86_64")]
mod gfni;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;

crate::catalogue::family! {
    /// Board → board with files and ranks exchanged.
    Transpose = fn(board: u64) -> u64;
    portable {
        "reference" "A4" [] scalar::transpose,
        "delta_swaps" "A4" [] crate::bits::transpose,
    }
    x86_64 {
        "sse2_pmovmskb" "A4" ["sse2"] sse2::transpose,
        "bmi2_pext" "A4" ["bmi2"] bmi2::transpose,
        "avx2_vpmovmskb" "A4" ["avx2"] avx2::transpose,
        "gfni" "A4" ["sse2", "gfni"] gfni::transpose,
        "avx512_vptestmb" "A4" ["avx512f", "avx512bw"] avx512::transpose,
    }
    aarch64 {}
}
