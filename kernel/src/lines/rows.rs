//! Full rows.
//!
//! ```text
//!   bits of a row     h g f e d c b a
//!   & >> 1            . . . . . . ba .     only the lowest bit matters in the end
//!   & >> 2, & >> 4    h & g & f & e & d & c & b & a
//!   * 255             all bits of the row
//! ```
//! The addition form lets a carry run through seven bits: it reaches the eighth only if all are set.
//! SSE2 compares bytes with 255 in one instruction.
//!
//! 14 instructions in 11 cycles, with the addition 11 in 10, by SSE2 5 in 11: no form wins by much.
//!
//! Source: `reversi-bitboard-techniques`, full rows; the addition is ours.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
pub(super) mod sse2;

crate::catalogue::family! {
    /// Occupied squares → squares on full rows.
    FullRows = fn(discs: u64) -> u64;
    portable {
        "reference" "C1" [] reference,
        "prefix" "C1" [] prefix,
        "addition" "C1" [] addition,
    }
    x86_64 {
        "sse2_pcmpeqb" "C1" ["sse2"] sse2::full_rows,
    }
    aarch64 {
        "neon_cmeq" "C1" ["neon"] neon::full_rows,
    }
}

fn reference(discs: u64) -> u64 {
    super::scalar::full_lines(discs)[0]
}

#[inline]
pub(super) fn prefix(discs: u64) -> u64 {
    let full = discs & discs >> 1;
    let full = full & full >> 2;
    let full = full & full >> 4;
    (full & 0x0101_0101_0101_0101).wrapping_mul(0xff)
}

#[inline]
fn addition(discs: u64) -> u64 {
    let seven = discs & 0x7f7f_7f7f_7f7f_7f7f;
    let carried = (seven + 0x0101_0101_0101_0101) & discs & 0x8080_8080_8080_8080;
    (carried >> 7).wrapping_mul(0xff)
}
