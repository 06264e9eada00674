//! The squares of a board as a list of numbers, lowest first.
//!
//! The loop costs a step for each square; VPCOMPRESSB writes the whole list at once, whatever its
//! length. A search that handles moves as it finds them needs no list at all.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod bmi1;
pub mod scalar;

crate::catalogue::family! {
    /// Board, list → number of squares, which are the list's first; the rest of it is undefined.
    Squares = fn(board: u64, list: &mut [u8; 64]) -> u32;
    portable {
        "reference" "A1" [] scalar::squares,
    }
    x86_64 {
        "bmi1_loop" "A1" ["bmi1", "popcnt"] bmi1::squares,
        "avx512_vpcompressb" "A1" ["avx512f", "avx512bw", "avx512vbmi2", "popcnt"] avx512::squares,
    }
    aarch64 {}
}
