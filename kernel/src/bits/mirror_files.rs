//! The board mirrored left-right: file A becomes file H.
//!
//! ```text
//!   8  a b c d e f g h        8  h g f e d c b a
//!   …  . . . . . . . .   ->   …  . . . . . . . .
//!   1  A B C D E F G H        1  H G F E D C B A
//! ```

#[cfg(target_arch = "x86_64")]
mod gfni;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
mod ssse3;

crate::catalogue::family! {
    /// Board → board mirrored left-right.
    MirrorFiles = fn(board: u64) -> u64;
    portable {
        "reference" "A2" [] scalar::mirror_files,
        "delta_swaps" "A2" [] crate::bits::mirror_files,
        "bytes_by_multiplication" "A2" [] portable::bytes_by_multiplication,
        "reverse_and_swap" "A2 A3" [] portable::reverse_and_swap,
    }
    x86_64 {
        "ssse3_nibbles" "A2" ["ssse3"] ssse3::mirror_files,
        "gfni" "A2" ["sse2", "gfni"] gfni::mirror_files,
    }
    aarch64 {
        "neon_rbit" "A2" ["neon"] neon::mirror_files,
    }
}
