//! File and both diagonals in one AVX2 register, the rank from a table of 512 bytes.
//!
//! ```text
//!   lane      0           1               2        3
//!   line      diagonal    antidiagonal    file     the slider alone
//! ```
//! The last lane comes out empty: a slider on a line of one square attacks nothing.
//! Rook and bishop come out together, and the compiler drops the half that is not used.
//! Source: the SSSE3 form, widened; TECHNIQUES G4, G5.

use core::arch::x86_64::*;

use outflank_kernel::Avx2;
use outflank_kernel::lanes::{union2, union4};

use crate::attacks::Attacks;
use crate::geometry::{along_rank, lines, loaded_bits};

/// Hyperbola Quintessence with three lines in one AVX2 register, and a rank table: 3 KiB.
#[derive(Clone, Copy, Debug)]
pub struct HyperbolaAvx2(Avx2);

impl HyperbolaAvx2 {
    /// Returns the back-end; the token proves that the CPU has the instructions.
    #[must_use]
    pub const fn new(token: Avx2) -> Self {
        Self(token)
    }
}

impl Attacks for HyperbolaAvx2 {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        self.both(square, occupied).0
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        self.both(square, occupied).1
    }

    #[inline(always)]
    fn queen(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { queen(square, occupied) }
    }

    #[inline(always)]
    fn both(self, square: u8, occupied: u64) -> (u64, u64) {
        // SAFETY: the token proves the features.
        unsafe { both(square, occupied) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn queen(square: u8, occupied: u64) -> u64 {
    union4(three_lines(square, occupied)) | along_rank(square, occupied)
}

#[inline]
#[target_feature(enable = "avx2")]
fn both(square: u8, occupied: u64) -> (u64, u64) {
    let lines = three_lines(square, occupied);
    let file = _mm_cvtsi128_si64(_mm256_extracti128_si256::<1>(lines)).cast_unsigned();
    (file | along_rank(square, occupied), union2(_mm256_castsi256_si128(lines)))
}

/// Returns the attacks along diagonal, antidiagonal and file; the fourth lane is empty.
#[inline]
#[target_feature(enable = "avx2")]
fn three_lines(square: u8, occupied: u64) -> __m256i {
    let [slider, mirrored] = loaded_bits(square);
    let (slider, mirrored) =
        (_mm256_set1_epi64x(slider.cast_signed()), _mm256_set1_epi64x(mirrored.cast_signed()));
    let lines: *const __m256i = core::ptr::from_ref(lines(square)).cast();
    // SAFETY: `Lines` is 32 bytes, aligned to 32.
    let lines = unsafe { _mm256_load_si256(lines) };
    let blockers = _mm256_and_si256(_mm256_set1_epi64x(occupied.cast_signed()), lines);
    let above = _mm256_sub_epi64(blockers, slider);
    let below = reversed(_mm256_sub_epi64(reversed(blockers), mirrored));
    _mm256_and_si256(_mm256_xor_si256(above, below), lines)
}

/// Returns each lane with its bytes in reverse order.
#[inline]
#[target_feature(enable = "avx2")]
fn reversed(lanes: __m256i) -> __m256i {
    let order = _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);
    _mm256_shuffle_epi8(lanes, _mm256_broadcastsi128_si256(order))
}
