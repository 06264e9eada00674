//! Full lines: squares whose whole row, column, diagonal or antidiagonal is occupied.
//!
//! Every variant takes the occupied squares and returns four boards in this order: row, column,
//! diagonal (the direction A1–H8), antidiagonal (the direction H1–A8).

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub mod portable;
pub mod scalar;

use crate::masks::beyond_edge;

crate::variants::variants! {
    /// Occupied squares → squares on full rows, columns, diagonals and antidiagonals.
    FullLines = fn(u64) -> [u64; 4], called with (discs);
    scalar: ["reference": scalar::full_lines, "C3 parallel prefix": portable::full_lines],
    avx2: ["C3 Kogge-Stone": avx2::full_lines],
    avx512: ["C3 eight directions": avx512::full_lines],
    neon: [],
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
