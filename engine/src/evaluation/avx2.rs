//! All 64 lanes in four registers of 16, as in the AVX-512 variant.
#![allow(unsafe_code, reason = "loads and stores of vectors")]

use core::arch::x86_64::*;

use super::features::Features;
use super::patterns::{DIGITS, LANES};

/// The lanes as four registers.
type Quad = [__m256i; 4];

#[inline]
#[target_feature(enable = "avx2")]
fn load(lanes: &[u16; LANES]) -> Quad {
    let start: *const __m256i = lanes.as_ptr().cast();
    let mut quad = [_mm256_setzero_si256(); 4];
    for (quarter, register) in quad.iter_mut().enumerate() {
        // SAFETY: the array has four times 32 bytes; each is read once.
        *register = unsafe { _mm256_loadu_si256(start.wrapping_add(quarter)) };
    }
    quad
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(contents: Quad, occupied: Quad) -> Features {
    let mut features = Features::EMPTY;
    for (lanes, quad) in [(&mut features.contents, contents), (&mut features.occupied, occupied)] {
        let start: *mut __m256i = lanes.as_mut_ptr().cast();
        for (quarter, register) in quad.into_iter().enumerate() {
            // SAFETY: the array has four times 32 bytes; each is written once.
            unsafe { _mm256_storeu_si256(start.wrapping_add(quarter), register) };
        }
    }
    features
}

#[inline]
#[target_feature(enable = "avx2")]
fn other_view(contents: Quad, occupied: Quad) -> Quad {
    let mut view = contents;
    for quarter in 0..4 {
        let twice = _mm256_add_epi16(occupied[quarter], occupied[quarter]);
        let less = _mm256_sub_epi16(occupied[quarter], contents[quarter]);
        view[quarter] = _mm256_add_epi16(twice, less);
    }
    view
}

/// Returns the features after a move on `square` that turns `flipped`.
#[inline]
#[target_feature(enable = "avx2,bmi1")]
#[must_use]
pub(crate) fn after_move(features: &Features, square: u32, flipped: u64) -> Features {
    let (mut contents, mut occupied) = (load(&features.contents), load(&features.occupied));
    let placed = load(&DIGITS[square as usize & 63].0);
    for quarter in 0..4 {
        contents[quarter] = _mm256_add_epi16(contents[quarter], placed[quarter]);
        occupied[quarter] = _mm256_add_epi16(occupied[quarter], placed[quarter]);
    }
    let mut rest = flipped;
    while rest != 0 {
        let turned = load(&DIGITS[rest.trailing_zeros() as usize & 63].0);
        rest &= rest - 1;
        for quarter in 0..4 {
            contents[quarter] = _mm256_sub_epi16(contents[quarter], turned[quarter]);
        }
    }
    store(other_view(contents, occupied), occupied)
}

/// Returns the features of the same board, seen by the other player.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn after_pass(features: &Features) -> Features {
    let (contents, occupied) = (load(&features.contents), load(&features.occupied));
    store(other_view(contents, occupied), occupied)
}

/// Where each lane's weights begin, less one: the weight is the upper half of what is gathered.
static GATHER_OFFSETS: [i32; LANES] = {
    let mut offsets = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        offsets[lane] = super::patterns::OFFSETS[lane] as i32 - 1;
        lane += 1;
    }
    offsets
};

/// Returns the sum of the patterns' weights by eight gathers.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn pattern_sum(stage: &super::weights::Stage, features: &Features) -> i32 {
    let base: *const i32 = stage.raw().as_ptr().cast();
    let mut sums = _mm256_setzero_si256();
    for group in 0..LANES / 8 {
        let start: *const __m128i = features.contents[8 * group..].as_ptr().cast();
        // SAFETY: eight lanes of 16 bits are left from there on.
        let contents = _mm256_cvtepu16_epi32(unsafe { _mm_loadu_si128(start) });
        let start: *const __m256i = GATHER_OFFSETS[8 * group..].as_ptr().cast();
        // SAFETY: eight offsets of 32 bits are left from there on.
        let indices = _mm256_add_epi32(contents, unsafe { _mm256_loadu_si256(start) });
        // SAFETY: `RAW` leaves room for every 16-bit index of every lane, and the weight before it.
        let gathered = unsafe { _mm256_i32gather_epi32::<2>(base, indices) };
        sums = _mm256_add_epi32(sums, _mm256_srai_epi32::<16>(gathered));
    }
    let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
    _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32::<0b10_11_00_01>(sums)))
}
