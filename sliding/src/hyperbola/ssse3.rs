//! Both diagonals of a bishop in one register; PSHUFB reverses the bytes.
//!
//! ```text
//!   lane      0                   1
//!   line      diagonal            antidiagonal
//!   o         occ & line          occ & line
//!   o'        bytes of each lane in reverse order
//!   attacks   (o - s) ^ reverse(o' - s')  & line, then the union of the lanes
//! ```
//! Source: "Hyperbola Quintessence", SSSE3; TECHNIQUES G5.

use core::arch::x86_64::*;

use outflank_kernel::Ssse3;
use outflank_kernel::lanes::union2;

use crate::attacks::Attacks;
use crate::constant;
use crate::geometry::{diagonals, loaded_bits};

/// Hyperbola Quintessence with both diagonals in one SSSE3 register; rooks as in
/// [`Hyperbola`](super::Hyperbola).
#[derive(Clone, Copy, Debug)]
pub struct HyperbolaSsse3(Ssse3);

impl HyperbolaSsse3 {
    /// Returns the back-end; the token proves that the CPU has the instructions.
    #[must_use]
    pub const fn new(token: Ssse3) -> Self {
        Self(token)
    }
}

impl Attacks for HyperbolaSsse3 {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        constant::rook(square, occupied)
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { bishop(square, occupied) }
    }
}

/// Returns the squares that a bishop attacks.
#[inline]
#[target_feature(enable = "ssse3")]
fn bishop(square: u8, occupied: u64) -> u64 {
    let [slider, mirrored] = loaded_bits(square);
    let (slider, mirrored) =
        (_mm_set1_epi64x(slider.cast_signed()), _mm_set1_epi64x(mirrored.cast_signed()));
    let lines: *const __m128i = core::ptr::from_ref(diagonals(square)).cast();
    // SAFETY: `Diagonals` is 16 bytes, aligned to 16.
    let lines = unsafe { _mm_load_si128(lines) };
    let blockers = _mm_and_si128(_mm_set1_epi64x(occupied.cast_signed()), lines);
    let above = _mm_sub_epi64(blockers, slider);
    let below = reversed(_mm_sub_epi64(reversed(blockers), mirrored));
    union2(_mm_and_si128(_mm_xor_si128(above, below), lines))
}

/// Returns each lane with its bytes in reverse order.
#[inline]
#[target_feature(enable = "ssse3")]
fn reversed(lanes: __m128i) -> __m128i {
    let order = _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);
    _mm_shuffle_epi8(lanes, order)
}
