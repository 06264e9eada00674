//! Moves between boards and the lanes of vector registers, and unions of lanes.

use core::arch::x86_64::*;

/// Returns the four lanes as boards.
///
/// # Safety
/// The CPU has the features; a caller that has them enabled needs no `unsafe`.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub fn boards(lanes: __m256i) -> [u64; 4] {
    let mut boards = [0; 4];
    // SAFETY: the array has 32 bytes, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(boards.as_mut_ptr().cast(), lanes) };
    boards
}

/// Returns the eight lanes as boards.
///
/// # Safety
/// The CPU has the features; a caller that has them enabled needs no `unsafe`.
#[inline]
#[target_feature(enable = "avx512f")]
#[must_use]
pub fn boards8(lanes: __m512i) -> [u64; 8] {
    let mut boards = [0; 8];
    // SAFETY: the array has 64 bytes, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(boards.as_mut_ptr().cast(), lanes) };
    boards
}

/// Returns a register with these two boards in its lanes, the first in the lowest.
///
/// # Safety
/// The CPU has the features; a caller that has them enabled needs no `unsafe`.
#[inline]
#[target_feature(enable = "sse2")]
#[must_use]
pub fn lanes2(boards: &[u64; 2]) -> __m128i {
    // SAFETY: the array has 16 bytes, and the load needs no alignment.
    unsafe { _mm_loadu_si128(boards.as_ptr().cast()) }
}

/// Returns a register with these four boards in its lanes.
///
/// # Safety
/// The CPU has the features; a caller that has them enabled needs no `unsafe`.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub fn lanes4(boards: &[u64; 4]) -> __m256i {
    // SAFETY: the array has 32 bytes, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(boards.as_ptr().cast()) }
}

/// Returns a register with these eight boards in its lanes.
///
/// # Safety
/// The CPU has the features; a caller that has them enabled needs no `unsafe`.
#[inline]
#[target_feature(enable = "avx512f")]
#[must_use]
pub fn lanes8(boards: &[u64; 8]) -> __m512i {
    // SAFETY: the array has 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(boards.as_ptr().cast()) }
}

/// Returns the union of the two lanes.
///
/// # Safety
/// The CPU has the features; a caller that has them enabled needs no `unsafe`.
#[inline]
#[target_feature(enable = "sse2")]
#[must_use]
pub fn union2(lanes: __m128i) -> u64 {
    let union = _mm_or_si128(lanes, _mm_unpackhi_epi64(lanes, lanes));
    _mm_cvtsi128_si64(union).cast_unsigned()
}

/// Returns the union of the four lanes.
///
/// # Safety
/// The CPU has the features; a caller that has them enabled needs no `unsafe`.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub fn union4(lanes: __m256i) -> u64 {
    union2(_mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes)))
}

/// Returns the union of the four lanes, in each of them.
///
/// # Safety
/// The CPU has the features; a caller that has them enabled needs no `unsafe`.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub fn union4_in_all(lanes: __m256i) -> __m256i {
    let union = _mm256_or_si256(lanes, _mm256_permute2x128_si256::<1>(lanes, lanes));
    _mm256_or_si256(union, _mm256_shuffle_epi32::<0x4e>(union))
}

/// Returns the union of the eight lanes.
///
/// # Safety
/// The CPU has the features; a caller that has them enabled needs no `unsafe`.
#[inline]
#[target_feature(enable = "avx2,avx512f")]
#[must_use]
pub fn union8(lanes: __m512i) -> u64 {
    let high = _mm512_extracti64x4_epi64::<1>(lanes);
    union4(_mm256_or_si256(_mm512_castsi512_si256(lanes), high))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARDS: [u64; 8] = [1, 2, 4, 8, 16, 32, 64, 1 << 63];

    #[target_feature(enable = "avx2")]
    fn check_four() {
        let [.., a, b] = BOARDS;
        assert_eq!(union2(lanes2(&[a, b])), a | b);
        let four = [BOARDS[2], BOARDS[3], a, b];
        assert_eq!(boards(lanes4(&four)), four);
        assert_eq!(union4(lanes4(&four)), 0x8000_0000_0000_004c);
    }

    #[target_feature(enable = "avx2,avx512f")]
    fn check_eight() {
        assert_eq!(boards8(lanes8(&BOARDS)), BOARDS);
        assert_eq!(union8(lanes8(&BOARDS)), 0x8000_0000_0000_007f);
    }

    #[test]
    fn lanes_keep_the_order_of_the_boards_and_unite() {
        if crate::Avx2::detect().is_some() {
            // SAFETY: the CPU has AVX2.
            unsafe { check_four() };
        }
        if crate::Avx512::detect().is_some() {
            // SAFETY: the CPU has AVX-512.
            unsafe { check_eight() };
        }
    }
}
