//! Four boards in a register are transposed at once. The variants differ in where the mirrors come
//! from and in how the smallest image is found.

mod batch;
mod lanes;
mod transpositions;

pub(crate) use batch::{canonical4, smallest4};
pub(crate) use lanes::{canonical as canonical_lanes, smallest as smallest_lanes};
pub(crate) use transpositions::{canonical, smallest};

use core::arch::x86_64::*;

/// Returns the four boards transposed: three delta swaps.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(boards: __m256i) -> __m256i {
    let ones = delta_swap::<7>(boards, 0x00aa_00aa_00aa_00aa);
    let twos = delta_swap::<14>(ones, 0x0000_cccc_0000_cccc);
    delta_swap::<28>(twos, 0x0000_0000_f0f0_f0f0)
}

/// Exchanges the squares of `mask` with those `DISTANCE` above.
#[inline]
#[target_feature(enable = "avx2")]
fn delta_swap<const DISTANCE: i32>(boards: __m256i, mask: i64) -> __m256i {
    let differ = _mm256_xor_si256(boards, _mm256_srli_epi64::<DISTANCE>(boards));
    let differ = _mm256_and_si256(differ, _mm256_set1_epi64x(mask));
    _mm256_xor_si256(boards, _mm256_xor_si256(differ, _mm256_slli_epi64::<DISTANCE>(differ)))
}
