//! The AVX-512VL form: VPLZCNTQ finds the highest blocker of a ray downwards, VPSRAVQ sets it and
//! all above it; VPTERNLOGQ joins three operations in one. A shift by 64, for an empty ray, sets
//! all bits.

use core::arch::asm;
use core::arch::x86_64::*;

use outflank_kernel::Avx512;
use outflank_kernel::lanes::{union2, union4};

use super::ray_lanes;
use crate::attacks::Attacks;
use crate::geometry::rays;

/// Okuhara's generators with AVX-512VL and CD: on Zen 4 the fastest single queen, tables included; a
/// table of 4 KiB.
#[derive(Clone, Copy, Debug)]
pub struct OkuharaAvx512(Avx512);

impl OkuharaAvx512 {
    /// Returns the back-end; the token proves that the CPU has the instructions.
    #[must_use]
    pub const fn new(token: Avx512) -> Self {
        Self(token)
    }
}

impl Attacks for OkuharaAvx512 {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { pair::<0>(square, occupied) }
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { pair::<1>(square, occupied) }
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

/// Returns the lanes of `highest`, each with only the highest bit set, with that bit and so many
/// copies below it: VPSRAVQ. Written as assembly, since it shifts by 64 as the rays need it, while
/// the compiler guards the intrinsic against such counts by an operation of its own (2 % of a queen).
macro_rules! all_from_above {
    ($register:ident, $highest:expr, $counts:expr) => {{
        let (highest, mut lanes) = ($highest, $counts);
        // SAFETY: callers have AVX-512VL; only registers that are named are read and written.
        unsafe {
            asm!(
                "vpsravq {lanes}, {highest}, {lanes}",
                lanes = inout($register) lanes, highest = in($register) highest,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        lanes
    }};
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512cd")]
fn queen(square: u8, occupied: u64) -> u64 {
    union4(four_lines(square, occupied))
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512cd")]
fn both(square: u8, occupied: u64) -> (u64, u64) {
    let lines = four_lines(square, occupied);
    (union2(_mm256_castsi256_si128(lines)), union2(_mm256_extracti128_si256::<1>(lines)))
}

/// Returns the attacks along rank, file, diagonal and antidiagonal.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512cd")]
fn four_lines(square: u8, occupied: u64) -> __m256i {
    let occupied = _mm256_set1_epi64x(occupied.cast_signed());
    let (upper, lower) = ray_lanes(square);
    let blockers = _mm256_and_si256(occupied, upper);
    let less = _mm256_add_epi64(blockers, _mm256_set1_epi64x(-1));
    let up = _mm256_ternarylogic_epi64::<0x28>(blockers, less, upper); // (a ^ b) & c
    let empty = _mm256_lzcnt_epi64(_mm256_and_si256(occupied, lower));
    let down = all_from_above!(ymm_reg, _mm256_set1_epi64x(i64::MIN), empty);
    _mm256_ternarylogic_epi64::<0xf8>(up, down, lower) // a | (b & c)
}

/// Returns the attacks along two lines: rank and file of pair 0, the diagonals of pair 1.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512cd")]
fn pair<const PAIR: usize>(square: u8, occupied: u64) -> u64 {
    const { assert!(PAIR < 2, "a square has two pairs of lines") };
    let rays: *const __m128i = core::ptr::from_ref(rays(square)).cast();
    // SAFETY: `Rays` is 64 bytes, aligned to 64: four pairs of rays, upper before lower.
    let upper = unsafe { _mm_load_si128(rays.wrapping_add(PAIR)) };
    // SAFETY: as above.
    let lower = unsafe { _mm_load_si128(rays.wrapping_add(PAIR + 2)) };
    let occupied = _mm_set1_epi64x(occupied.cast_signed());
    let blockers = _mm_and_si128(occupied, upper);
    let less = _mm_add_epi64(blockers, _mm_set1_epi64x(-1));
    let up = _mm_ternarylogic_epi64::<0x28>(blockers, less, upper);
    let empty = _mm_lzcnt_epi64(_mm_and_si128(occupied, lower));
    let down = all_from_above!(xmm_reg, _mm_set1_epi64x(i64::MIN), empty);
    union2(_mm_ternarylogic_epi64::<0xf8>(up, down, lower))
}
