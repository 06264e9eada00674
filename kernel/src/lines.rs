//! Full lines: squares whose whole row, column, diagonal or antidiagonal is occupied.
//!
//! Every variant takes the occupied squares and returns four boards in this order: row, column,
//! diagonal (the direction A1–H8), antidiagonal (the direction H1–A8). [`rows`], [`columns`] and
//! [`diagonals`] are the parts that the mixed variants are made of.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub mod columns;
pub mod diagonals;
pub mod portable;
pub mod rows;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sse2;

use crate::masks::beyond_edge;

crate::catalogue::family! {
    /// Occupied squares → squares on full rows, columns, diagonals and antidiagonals.
    FullLines = fn(discs: u64) -> [u64; 4];
    chosen by LINES or "OUTFLANK_KERNEL_LINES";
    portable {
        "reference" "C1 C2 C3" [] scalar::full_lines,
        "parallel_prefix" "C1 C3" [] portable::full_lines,
        "rotations_and_prefix" "C1 C2 C3" [] portable::mixed,
    }
    x86_64 {
        "sse2_mixed" "C1 C2 C3" ["sse2"] sse2::full_lines,
        "avx2_kogge_stone" "C3" ["avx2"] avx2::full_lines,
        "avx2_mixed" "C1 C2 C3" ["avx2"] avx2::mixed,
        "avx2_comparisons" "C1 C2 C3" ["avx2"] avx2::comparisons,
        "avx512_eight_directions" "C3" ["avx2", "avx512f", "avx512vl"] avx512::full_lines,
    }
    aarch64 {}
}

/// For one, two and four steps in each of the eight directions: the squares from which that many
/// steps leave the board. Beyond the edge everything counts as occupied.
///
/// A step here looks *against* the shift: lane 0 moves boards up by one square, so that each square
/// sees its neighbour below.
#[repr(C, align(64))]
struct Edges([[u64; 8]; 3]);

static EDGES: Edges = {
    let mut edges = [[0; 8]; 3];
    let mut doubling = 0;
    while doubling < 3 {
        let mut direction = 0;
        while direction < 8 {
            edges[doubling][direction] = beyond_edge((direction + 4) % 8, 1 << doubling);
            direction += 1;
        }
        doubling += 1;
    }
    Edges(edges)
};
