//! All 64 lanes in two registers; an update is two additions for each disc that changes.
//!
//! Source: Edax's vector features (`edax-avx-optimizations`), made symmetric: the second vector of
//! occupied squares replaces the tables for two colours.
#![allow(unsafe_code, reason = "loads and stores of vectors")]

use core::arch::x86_64::*;

use super::features::Features;
use super::patterns::{DIGITS, LANES};

/// The lanes as two registers.
type Pair = [__m512i; 2];

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(lanes: &[u16; LANES]) -> Pair {
    let start: *const __m512i = lanes.as_ptr().cast();
    // SAFETY: the array has 128 bytes; this reads the first half.
    let low = unsafe { _mm512_loadu_si512(start) };
    // SAFETY: as above, the second half.
    let high = unsafe { _mm512_loadu_si512(start.wrapping_add(1)) };
    [low, high]
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(contents: Pair, occupied: Pair) -> Features {
    let mut features = Features::EMPTY;
    for (lanes, pair) in [(&mut features.contents, contents), (&mut features.occupied, occupied)] {
        let start: *mut __m512i = lanes.as_mut_ptr().cast();
        // SAFETY: the array has 128 bytes; this writes the first half.
        unsafe { _mm512_storeu_si512(start, pair[0]) };
        // SAFETY: as above, the second half.
        unsafe { _mm512_storeu_si512(start.wrapping_add(1), pair[1]) };
    }
    features
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn other_view(contents: Pair, occupied: Pair) -> Pair {
    let mut view = contents;
    for half in 0..2 {
        let twice = _mm512_add_epi16(occupied[half], occupied[half]);
        view[half] = _mm512_add_epi16(twice, _mm512_sub_epi16(occupied[half], contents[half]));
    }
    view
}

/// Returns the other player's contents, and the occupied squares, after a move.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi1")]
fn moved(features: &Features, square: u32, flipped: u64) -> (Pair, Pair) {
    let (mut contents, mut occupied) = (load(&features.contents), load(&features.occupied));
    let placed = load(&DIGITS[square as usize & 63].0);
    for half in 0..2 {
        contents[half] = _mm512_add_epi16(contents[half], placed[half]);
        occupied[half] = _mm512_add_epi16(occupied[half], placed[half]);
    }
    let mut rest = flipped;
    while rest != 0 {
        let turned = load(&DIGITS[rest.trailing_zeros() as usize & 63].0);
        rest &= rest - 1;
        for half in 0..2 {
            contents[half] = _mm512_sub_epi16(contents[half], turned[half]);
        }
    }
    (other_view(contents, occupied), occupied)
}

/// Returns the features after a move on `square` that turns `flipped`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi1")]
#[must_use]
pub(crate) fn after_move(features: &Features, square: u32, flipped: u64) -> Features {
    let (contents, occupied) = moved(features, square, flipped);
    store(contents, occupied)
}

/// Returns the features of the same board, seen by the other player.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
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

/// Returns the sum of the patterns' weights.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
#[must_use]
pub(crate) fn pattern_sum(stage: &super::weights::Stage, features: &Features) -> i32 {
    sum(stage, load(&features.contents))
}

/// Returns the sum of the patterns' weights after a move, for the other player. The features stay
/// in registers, which saves a round trip through memory for each move that is only looked at.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi1")]
#[must_use]
pub(crate) fn pattern_sum_after(
    stage: &super::weights::Stage,
    features: &Features,
    square: u32,
    flipped: u64,
) -> i32 {
    sum(stage, moved(features, square, flipped).0)
}

/// Returns the sum of the weights of `contents`, by four gathers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn sum(stage: &super::weights::Stage, contents: Pair) -> i32 {
    let base: *const i32 = stage.raw().as_ptr().cast();
    let mut sums = _mm512_setzero_si512();
    for (group, offsets) in GATHER_OFFSETS.as_chunks::<16>().0.iter().enumerate() {
        let half = contents[group / 2];
        let quarter = match group % 2 {
            0 => _mm512_castsi512_si256(half),
            _ => _mm512_extracti64x4_epi64::<1>(half),
        };
        // SAFETY: sixteen offsets of 32 bits fill the register.
        let offsets = unsafe { _mm512_loadu_si512(offsets.as_ptr().cast()) };
        let indices = _mm512_add_epi32(_mm512_cvtepu16_epi32(quarter), offsets);
        // SAFETY: `RAW` leaves room for every 16-bit index of every lane, and the weight before it.
        let gathered = unsafe { _mm512_i32gather_epi32::<2>(indices, base) };
        sums = _mm512_add_epi32(sums, _mm512_srai_epi32::<16>(gathered));
    }
    _mm512_reduce_add_epi32(sums)
}
