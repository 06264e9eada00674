//! The highest bit of each lane of a vector, alone: what finds the nearest disc towards lower
//! squares. An empty lane stays empty.
//!
//! x86-64 had no instruction for it before AVX-512. SSE2 converts to floating point: the leading
//! one of a number is hidden in the exponent, so that a number without its mantissa is its highest
//! bit. Exact where no rounding can carry into the exponent.
//!
//! ```text
//!   integer   0 0 0 1 0 1 1 0        22
//!   float     2^4 * 1.0110           exponent 4, mantissa 0110
//!   masked    2^4 * 1.0000           mantissa cleared
//!   integer   0 0 0 1 0 0 0 0        16
//! ```

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sse2;

/// Four lanes of 32 bits.
pub mod words {
    use super::*;

    crate::catalogue::family! {
        /// Four words → the highest bit of each.
        ///
        /// The 31-bit form is right for words without the top bit; after 24 equal leading bits the
        /// conversion rounds, which masks of lines never have.
        HighestWords = fn(words: [u32; 4]) -> [u32; 4];
        portable {
            "reference" "A7" [] scalar::words,
            "leading_zeros" "A7" [] portable::words,
        }
        x86_64 {
            "sse2_float_31" "A7" ["sse2"] sse2::words_31,
            "sse2_float_32" "A7" ["sse2"] sse2::words_32,
            "avx512_vplzcntd" "A7" ["avx512f", "avx512cd", "avx512vl"] avx512::words,
        }
        aarch64 {
            "neon_clz" "A7" ["neon"] neon::words,
        }
    }
}

/// Two lanes of 64 bits.
pub mod boards {
    use super::*;

    crate::catalogue::family! {
        /// Two boards → the highest bit of each.
        ///
        /// The 52-bit form is right for boards below 2^52; the 64-bit form joins two 32-bit ones
        /// and rounds as these do.
        HighestBoards = fn(boards: [u64; 2]) -> [u64; 2];
        portable {
            "reference" "A7" [] scalar::boards,
            "leading_zeros" "A7" [] portable::boards,
        }
        x86_64 {
            "sse2_float_52" "A7" ["sse2"] sse2::boards_52,
            "sse2_float_64" "A7" ["sse2"] sse2::boards_64,
            "avx512_vplzcntq" "A7" ["avx512f", "avx512cd", "avx512vl"] avx512::boards,
        }
        aarch64 {
            "neon_clz" "A7" ["neon"] neon::boards,
        }
    }
}
