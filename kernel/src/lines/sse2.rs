//! Rows by PCMPEQB, diagonals in mirrored lanes, columns by rotation in the general registers.
//!
//! 48 instructions in 65 cycles, four results through memory included.
//!
//! Source: `reversi-bitboard-techniques`, full lines by SSE2.

/// Returns the squares whose row, column, diagonal and antidiagonal are full.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn full_lines(discs: u64) -> [u64; 4] {
    let [diagonal, antidiagonal] = super::diagonals::sse2::full_diagonals(discs);
    let rows = super::rows::sse2::full_rows(discs);
    [rows, super::columns::rotations(discs), diagonal, antidiagonal]
}
