//! The board turned by 180 degrees: the order of all 64 bits is reversed.
//!
//! On aarch64 it is one instruction; on x86-64 the byte swap does half of the work, and the rest is
//! a mirror of each byte, for which GFNI has an instruction.

#[cfg(target_arch = "x86_64")]
mod gfni;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
mod ssse3;

crate::catalogue::family! {
    /// Board → board turned by 180 degrees.
    Reverse = fn(board: u64) -> u64;
    portable {
        "reference" "A5" [] scalar::reverse,
        "reverse_bits" "A5" [] crate::bits::reverse,
        "both_mirrors" "A2 A3 A5" [] portable::both_mirrors,
    }
    x86_64 {
        "ssse3_nibbles" "A5" ["ssse3"] ssse3::reverse,
        "gfni" "A5" ["sse2", "gfni"] gfni::reverse,
    }
    aarch64 {
        "neon_rbit" "A5" ["neon"] neon::reverse,
    }
}
