//! SSE2 compares no lanes of 64 bits, but of a single bit one half is always empty: halves that
//! equal their neighbours are both empty. For rows PSUBUSB stops at nothing by itself.
//!
//! ```text
//!   outflank          low . # . . . . . .   high . . . . . . . .
//!   halves exchanged      . . . . . . . .        . # . . . . . .
//!   equal             no                    no        -> 0, else -1 in both
//!   outflank - 1 - equal
//! ```
//!
//! 8 instructions in 18 cycles, in rows 4 in 12: no gain unless the masks are in vector registers
//! already, as in the flips of SSE2, where they win.
//!
//! Source: `reversi-bitboard-techniques`, `flipmask` and saturating subtraction.

use core::arch::x86_64::*;

/// Returns the squares below the one of `outflank`, none if it is empty.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn below(outflank: u64) -> u64 {
    let outflank = _mm_cvtsi64_si128(outflank.cast_signed());
    let none = _mm_cmpeq_epi32(_mm_shuffle_epi32::<0b1011_0001>(outflank), outflank);
    let less = _mm_add_epi64(outflank, _mm_set1_epi64x(-1));
    _mm_cvtsi128_si64(_mm_sub_epi64(less, none)).cast_unsigned()
}

/// Returns, in each row, the squares to the left of the one of `outflank`.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn below_in_rows(outflank: u64) -> u64 {
    let outflank = _mm_cvtsi64_si128(outflank.cast_signed());
    _mm_cvtsi128_si64(_mm_subs_epu8(outflank, _mm_set1_epi8(1))).cast_unsigned()
}
