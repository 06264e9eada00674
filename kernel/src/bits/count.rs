//! The number of squares in a board, and in each of eight boards.
//!
//! POPCNT needs one instruction and beats everything that handles one board. Where it is missing
//! (x86-64 before 2008) the multiplication wins; eight boards at once belong into vectors.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse;

crate::catalogue::family! {
    /// Board → number of squares.
    Count = fn(board: u64) -> u32;
    chosen by COUNT or "OUTFLANK_KERNEL_COUNT";
    portable {
        "reference" "A1" [] scalar::count,
        "count_ones" "A1" [] portable::count_ones,
        "multiplication" "A1" [] portable::multiplication,
        "table_of_words" "A1" [] portable::table_of_words,
    }
    x86_64 {
        "popcnt" "A1" ["popcnt"] sse::popcnt,
        "ssse3_nibbles" "A1" ["ssse3"] sse::nibbles,
        "vpopcntq" "A1" ["avx512f", "avx512vl", "avx512vpopcntdq"] avx512::count,
    }
    aarch64 {
        "neon_cnt" "A1" ["neon"] neon::count,
    }
}

/// Eight boards.
pub mod eight {
    use super::*;

    crate::catalogue::family! {
        /// Eight boards → number of squares of each.
        CountEight = fn(boards: [u64; 8]) -> [u64; 8];
        portable {
            "reference" "A1" [] scalar::count8,
            "multiplication" "A1" [] portable::multiplication8,
        }
        x86_64 {
            "popcnt" "A1" ["popcnt"] sse::popcnt8,
            "avx2_nibbles" "A1" ["avx2"] avx2::count8,
            "vpopcntq" "A1" ["avx512f", "avx512vpopcntdq"] avx512::count8,
        }
        aarch64 {}
    }
}
