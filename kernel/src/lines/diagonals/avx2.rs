//! Kogge-Stone with the four directions in lanes that all shift down, and the comparison with every
//! diagonal.
//!
//! ```text
//!   Kogge-Stone   board >> 9, board >> 7, mirrored board >> 7, mirrored board >> 9
//!   comparison    board & line == line, four lines a register, eight of 32 bits in the first
//! ```
//! Diagonals of one to four squares lie in half a board, so that the first register holds eight of
//! them; lines in its lanes never share a square with their neighbours.
//!
//! 27 instructions in 44 cycles, by comparison 44 in 34.
//!
//! Source: `reversi-bitboard-techniques`, full diagonals by AVX2.

use core::arch::x86_64::*;

use crate::lanes::{boards, lanes4};

/// The directions of the lanes, as distances down.
const STEPS: [i64; 4] = [9, 7, 7, 9];
/// For one, two and four steps, the squares of each lane from which they leave the board.
const EDGES: [[u64; 4]; 3] = [
    by_direction(0xff80_8080_8080_8080, 0xff01_0101_0101_0101),
    by_direction(0xffff_c0c0_c0c0_c0c0, 0xffff_0303_0303_0303),
    by_direction(0xffff_ffff_f0f0_f0f0, 0xffff_ffff_0f0f_0f0f),
];

const fn by_direction(nine: u64, seven: u64) -> [u64; 4] {
    [nine, seven, seven, nine]
}

/// Returns the squares on full diagonals and antidiagonals, by runs from the edges.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn kogge_stone(discs: u64) -> [u64; 2] {
    let (board, mirrored) = (discs.cast_signed(), discs.swap_bytes().cast_signed());
    let mut full = _mm256_set_epi64x(mirrored, mirrored, board, board);
    let [a, b, c, d] = STEPS;
    let mut steps = _mm256_set_epi64x(d, c, b, a);
    for edges in &EDGES {
        let moved = _mm256_srlv_epi64(full, steps);
        full = _mm256_and_si256(full, _mm256_or_si256(lanes4(edges), moved));
        steps = _mm256_add_epi64(steps, steps);
    }
    let [diagonal, antidiagonal, mirrored_diagonal, mirrored_antidiagonal] = boards(full);
    // mirrored, the other direction of a diagonal is an antidiagonal's
    [diagonal & mirrored_diagonal.swap_bytes(), antidiagonal & mirrored_antidiagonal.swap_bytes()]
}

/// Diagonals of three and four squares, two a lane: one in each half.
const HALVES: [u64; 4] =
    [0x0402_0100_0080_4020, 0x2040_8000_0001_0204, 0x0804_0201_8040_2010, 0x1020_4080_0102_0408];
/// Diagonals of five, six and seven squares, a lane each; even lanes have diagonals, odd ones
/// antidiagonals.
const WHOLE: [[u64; 4]; 3] = [
    [0x0000_0080_4020_1008, 0x0000_0001_0204_0810, 0x1008_0402_0100_0000, 0x0810_2040_8000_0000],
    [0x0000_8040_2010_0804, 0x0000_0102_0408_1020, 0x2010_0804_0201_0000, 0x0408_1020_4080_0000],
    [0x0080_4020_1008_0402, 0x0001_0204_0810_2040, 0x4020_1008_0402_0100, 0x0204_0810_2040_8000],
];
/// The diagonals of eight squares.
const LONGEST: [u64; 2] = [0x8040_2010_0804_0201, 0x0102_0408_1020_4080];
/// Diagonals of two squares, two a lane.
const SHORTEST: [u64; 2] = [0x0201_0000_0000_8040, 0x4080_0000_0000_0102];
/// Diagonals of one square, which are full if it is occupied.
const CORNERS: [u64; 2] = [0x0100_0000_0000_0080, 0x8000_0000_0000_0001];

/// Returns the squares on full diagonals and antidiagonals, by comparison with each.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn comparisons(discs: u64) -> [u64; 2] {
    let board = _mm256_set1_epi64x(discs.cast_signed());
    let halves = lanes4(&HALVES);
    let equal = _mm256_cmpeq_epi32(_mm256_and_si256(board, halves), halves);
    let mut found = _mm256_and_si256(equal, halves);
    for lines in &WHOLE {
        let lines = lanes4(lines);
        let equal = _mm256_cmpeq_epi64(_mm256_and_si256(board, lines), lines);
        found = _mm256_or_si256(found, _mm256_and_si256(equal, lines));
    }
    let board = _mm256_castsi256_si128(board);
    let longest = crate::lanes::lanes2(&LONGEST);
    let equal = _mm_cmpeq_epi64(_mm_and_si128(board, longest), longest);
    let shortest = crate::lanes::lanes2(&SHORTEST);
    let short_equal = _mm_cmpeq_epi16(_mm_and_si128(board, shortest), shortest);
    let rest = _mm_or_si128(_mm_and_si128(equal, longest), _mm_and_si128(short_equal, shortest));
    let corners = _mm_and_si128(board, crate::lanes::lanes2(&CORNERS));
    let four = _mm_or_si128(_mm256_castsi256_si128(found), _mm256_extracti128_si256::<1>(found));
    let all = _mm_or_si128(_mm_or_si128(rest, corners), four);
    [
        _mm_cvtsi128_si64(all).cast_unsigned(),
        _mm_cvtsi128_si64(_mm_unpackhi_epi64(all, all)).cast_unsigned(),
    ]
}
