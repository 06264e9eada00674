//! The parallel prefix of [`portable`](super::portable), eight directions in one 512-bit register.
//!
//! A rotation by 64 - n is a shift down by n, so that one VPROLVQ serves all eight. What it wraps
//! round the board falls on squares beyond whose edge everything counts as occupied anyway.
//!
//! 19 instructions in 44 cycles: it wins where there is AVX-512.
//!
//! Ours; TECHNIQUES C3.

use core::arch::x86_64::*;

use super::EDGES;
use crate::lanes::boards;

/// `a & (b | c)`.
const AND_OR: i32 = 0xe0;

/// Returns the squares whose row, column, diagonal and antidiagonal are full.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl")]
#[must_use]
pub(crate) fn full_lines(discs: u64) -> [u64; 4] {
    let steps = [
        _mm512_set_epi64(-7, -9, -8, -1, 7, 9, 8, 1),
        _mm512_set_epi64(-14, -18, -16, -2, 14, 18, 16, 2),
        _mm512_set_epi64(-28, -36, -32, -4, 28, 36, 32, 4),
    ];
    let mut full = _mm512_set1_epi64(discs.cast_signed());
    for (step, edges) in steps.into_iter().zip(&EDGES.0) {
        // SAFETY: each row of the table has 64 bytes and is aligned to 64.
        let edges = unsafe { _mm512_load_si512(edges.as_ptr().cast()) };
        full = _mm512_ternarylogic_epi64::<AND_OR>(full, edges, _mm512_rolv_epi64(full, step));
    }
    boards(_mm256_and_si256(_mm512_castsi512_si256(full), _mm512_extracti64x4_epi64::<1>(full)))
}
