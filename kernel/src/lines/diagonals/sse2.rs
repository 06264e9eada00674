//! Both diagonals in one register: the second lane has the board mirrored top-bottom, where the
//! antidiagonals are diagonals. De Morgan's law turns OR and AND into two ANDNOTs, and the inverted
//! mask of the second step serves both directions.
//!
//! ```text
//!   lanes   board: diagonals     board mirrored: antidiagonals
//! ```
//!
//! 34 instructions in 40 cycles, with the best throughput of all diagonals: it wins in stability,
//! whose other work goes on meanwhile.
//!
//! Source: `reversi-bitboard-techniques`, full diagonals by SSE2.

use core::arch::x86_64::*;

use crate::bits::mirror_ranks;

/// Returns the squares on full diagonals and antidiagonals.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn full_diagonals(discs: u64) -> [u64; 2] {
    let edges_down = _mm_set1_epi64x(0xff80_8080_8080_8080_u64.cast_signed());
    let edges_up = _mm_set1_epi64x(0x0101_0101_0101_01ff);
    let inside_two = _mm_set1_epi64x(0x0000_3f3f_3f3f_3f3f);
    let edges_four = _mm_set1_epi64x(0x0f0f_0f0f_f0f0_f0f0);

    let discs = _mm_set_epi64x(mirror_ranks(discs).cast_signed(), discs.cast_signed());
    let down = _mm_and_si128(discs, _mm_or_si128(edges_down, _mm_srli_epi64::<9>(discs)));
    let up = _mm_and_si128(discs, _mm_or_si128(edges_up, _mm_slli_epi64::<9>(discs)));
    let down = _mm_andnot_si128(_mm_andnot_si128(_mm_srli_epi64::<18>(down), inside_two), down);
    let up = _mm_andnot_si128(_mm_slli_epi64::<18>(_mm_andnot_si128(up, inside_two)), up);
    let four = _mm_or_si128(_mm_srli_epi64::<36>(down), _mm_slli_epi64::<36>(up));
    let full = _mm_and_si128(_mm_and_si128(down, up), _mm_or_si128(edges_four, four));

    let mirrored = _mm_cvtsi128_si64(_mm_unpackhi_epi64(full, full)).cast_unsigned();
    [_mm_cvtsi128_si64(full).cast_unsigned(), mirror_ranks(mirrored)]
}
