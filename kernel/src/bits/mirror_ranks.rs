//! The board mirrored top-bottom: rank 1 becomes rank 8.
//!
//! ```text
//!   8  h h h h h h h h        8  a a a a a a a a
//!   …  . . . . . . . .   ->   …  . . . . . . . .
//!   1  a a a a a a a a        1  h h h h h h h h
//! ```
//! The byte swap is one instruction (BSWAP, REV); no other form comes near.

mod portable;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
mod ssse3;

crate::catalogue::family! {
    /// Board → board mirrored top-bottom.
    MirrorRanks = fn(board: u64) -> u64;
    portable {
        "reference" "A3" [] scalar::mirror_ranks,
        "byte_swap" "A3" [] crate::bits::mirror_ranks,
        "delta_swaps" "A3" [] portable::delta_swaps,
    }
    x86_64 {
        "ssse3_pshufb" "A3" ["ssse3"] ssse3::mirror_ranks,
    }
    aarch64 {}
}
