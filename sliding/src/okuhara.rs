//! Okuhara's generators: rays upwards by the lowest blocker, rays downwards by the highest.
//!
//! ```text
//!   a ray upwards     . . # . . # . s        x = o & ray
//!                     . . . . . x x .        x ^ (x - 1), the lowest blocker and all below it, & ray
//!   a ray downwards   s . . # . . # .        shadows of the blockers, or the highest blocker's
//!                     . x x x . . . .        number: it and all above it, & ray
//! ```
//! An empty ray has no lowest square; `0 - 1` sets all bits, and the whole ray is attacked.
//!
//! Source: Toshihiko Okuhara, `reversi-bitboard-techniques`, sliding attacks by AVX2; TECHNIQUES
//! G1–G3.

mod avx2;
mod avx512;

pub use avx2::OkuharaAvx2;
pub use avx512::OkuharaAvx512;

use core::arch::x86_64::*;

use crate::geometry::rays;

/// Returns the first four rays from `square` and the last four, which lead to lower squares.
#[inline]
#[target_feature(enable = "avx2")]
fn ray_lanes(square: u8) -> (__m256i, __m256i) {
    let rays: *const __m256i = core::ptr::from_ref(rays(square)).cast();
    // SAFETY: `Rays` is 64 bytes, aligned to 64; this is the first half.
    let upper = unsafe { _mm256_load_si256(rays) };
    // SAFETY: this is the second half.
    let lower = unsafe { _mm256_load_si256(rays.wrapping_add(1)) };
    (upper, lower)
}
