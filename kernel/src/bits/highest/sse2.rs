//! The conversions of [`highest`](super): 31 bits in three instructions, 32 in six, 52 in five and
//! 64 in nine (constants not counted).
//!
//! ```text
//!   31   CVTDQ2PS, AND exponent, CVTPS2DQ
//!   32   … and, where the result is negative, all but the sign cleared
//!   52   OR 2^52, SUB 2^52, AND exponent, ADD 2^52, XOR 2^52: no conversion instruction at all
//!   64   … 32, and the low word cleared where the high word is not empty
//! ```
//!
//! With the ways in and out 7 instructions in 48 cycles for words of 31 bits, 11 in 54 for 32; for
//! boards 10 in 40 for 52 bits, 16 in 46 for 64. They win in vector kernels below AVX2.
//!
//! Source: `reversi-bitboard-techniques`, floating point conversion.

use core::arch::x86_64::*;

use crate::lanes::lanes2;

/// The exponent and sign of a double.
const EXPONENT_64: i64 = 0xfff0_0000_0000_0000_u64.cast_signed();
/// 2^52 as a double: its mantissa holds integers below 2^52.
const TWO_TO_52: i64 = 0x4330_0000_0000_0000;

/// Returns the highest bit of each word below 2^31.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn words_31(words: [u32; 4]) -> [u32; 4] {
    store(highest_31(load(words)))
}

/// Returns the highest bit of each word.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn words_32(words: [u32; 4]) -> [u32; 4] {
    store(highest_32(load(words)))
}

/// Returns the highest bit of each board below 2^52.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn boards_52(boards: [u64; 2]) -> [u64; 2] {
    store2(highest_52(lanes2(&boards)))
}

/// Returns the highest bit of each board.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn boards_64(boards: [u64; 2]) -> [u64; 2] {
    store2(highest_64(lanes2(&boards)))
}

/// Returns the highest bit of each word below 2^31.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn highest_31(words: __m128i) -> __m128i {
    let exponent = _mm_castsi128_ps(_mm_set1_epi32(0xff80_0000_u32.cast_signed()));
    _mm_cvtps_epi32(_mm_and_ps(_mm_cvtepi32_ps(words), exponent))
}

/// Returns the highest bit of each word.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn highest_32(words: __m128i) -> __m128i {
    let highest = highest_31(words);
    _mm_andnot_si128(_mm_srli_epi32::<1>(_mm_srai_epi32::<31>(highest)), highest)
}

/// Returns the highest bit of each board below 2^52.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn highest_52(boards: __m128i) -> __m128i {
    let base = _mm_castsi128_pd(_mm_set1_epi64x(TWO_TO_52));
    let exponent = _mm_castsi128_pd(_mm_set1_epi64x(EXPONENT_64));
    let number = _mm_sub_pd(_mm_or_pd(_mm_castsi128_pd(boards), base), base);
    let power = _mm_add_pd(_mm_and_pd(number, exponent), base);
    _mm_castpd_si128(_mm_xor_pd(power, base))
}

/// Returns the highest bit of each board.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn highest_64(boards: __m128i) -> __m128i {
    let halves = highest_32(boards);
    let no_upper = _mm_cmpeq_epi32(_mm_srli_epi64::<32>(halves), _mm_setzero_si128());
    _mm_and_si128(halves, no_upper)
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(words: [u32; 4]) -> __m128i {
    let [a, b, c, d] = words.map(u32::cast_signed);
    _mm_set_epi32(d, c, b, a)
}

#[inline]
#[target_feature(enable = "sse2")]
fn store(words: __m128i) -> [u32; 4] {
    let [low, high] = store2(words);
    [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]
}

#[inline]
#[target_feature(enable = "sse2")]
fn store2(boards: __m128i) -> [u64; 2] {
    let high = _mm_unpackhi_epi64(boards, boards);
    [_mm_cvtsi128_si64(boards).cast_unsigned(), _mm_cvtsi128_si64(high).cast_unsigned()]
}
