//! Two look-ups a line, the lines gathered by PSADBW and PMOVMSKB.
//!
//! PSADBW adds the eight bytes of a lane: a line with one square in each file adds up to its
//! pattern by file. PMOVMSKB takes the highest bit of each byte, set by `0 - x` if the byte has a
//! square at all: the pattern by rank. Rows can only be added, columns only be tested; a diagonal
//! goes with each.
//!
//! ```text
//!   low lane    row       -> PSADBW -> by file       high lane   diagonal
//!   low lane    column    -> PMOVMSKB -> by rank     high lane   antidiagonal
//!   FLIPPED_BY_FILE   a byte of what turns, in all ranks     & line
//!   FLIPPED_BY_RANK   a byte of ones for each rank that turns   & line
//! ```
//! The answers are spread by tables with 64 bits an entry; two of them fill a register (MOVQ and
//! MOVHPS) and are masked at once. 107 instructions in 48 cycles, tables of 10 KiB.
//!
//! Source: `reversi-bitboard-techniques`, PMOVMSKB and PSADBW, table look-up with SSE2 and the
//! 64 × 2 loads; TECHNIQUES E1, E3.

use core::arch::x86_64::*;

use super::super::tables::{FILE_A, FLIPPED, OUTFLANK, rotation};
use super::both_lanes;
use crate::lanes::union2;
use crate::masks::RAYS;

/// The lines through a square: row and diagonal, column and antidiagonal.
#[repr(C, align(32))]
struct Lines([u64; 4]);

/// The lines through each square, without the square itself.
static LINES: [Lines; 64] = {
    let mut lines = [const { Lines([0; 4]) }; 64];
    let mut square = 0;
    while square < 64 {
        let rays = &RAYS[square].0;
        lines[square] =
            Lines([rays[0] | rays[4], rays[2] | rays[6], rays[1] | rays[5], rays[3] | rays[7]]);
        square += 1;
    }
    lines
};

/// Discs that turn by place and outflanking discs, rotated so that an index has six bits.
type Spread = [[u64; 64]; 8];

/// [`FLIPPED`], the byte copied to all ranks.
static FLIPPED_BY_FILE: Spread = {
    let mut table = [[0; 64]; 8];
    let mut index = 0;
    while index < 8 * 64 {
        let (place, outflank) = (index / 64, index % 64);
        table[place][outflank] = flipped(place, outflank) as u64 * FILE_A;
        index += 1;
    }
    table
};

/// [`FLIPPED`], each bit spread over a rank.
static FLIPPED_BY_RANK: Spread = {
    let mut table = [[0; 64]; 8];
    let mut index = 0;
    while index < 8 * 64 {
        let (place, outflank) = (index / 64, index % 64);
        let mut rank = 0;
        while rank < 8 {
            if flipped(place, outflank) >> rank & 1 != 0 {
                table[place][outflank] |= 0xff << (8 * rank);
            }
            rank += 1;
        }
        index += 1;
    }
    table
};

/// Returns what turns for rotated outflanking discs.
const fn flipped(place: usize, rotated: usize) -> u8 {
    FLIPPED[place][(rotated as u8).rotate_left(rotation(place)) as usize]
}

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
#[inline]
#[target_feature(enable = "sse2")]
#[must_use]
pub(crate) fn movemask(player: u64, opponent: u64, square: u32) -> u64 {
    let (file, rank) = (square as usize & 7, square as usize >> 3 & 7);
    let lines: *const __m128i = LINES[square as usize & 63].0.as_ptr().cast();
    // SAFETY: the entry has 32 bytes and is aligned to 32; these are the first 16.
    let added = unsafe { _mm_load_si128(lines) };
    // SAFETY: as above, the next 16.
    let tested = unsafe { _mm_load_si128(lines.wrapping_add(1)) };
    let (player, opponent) = (both_lanes(player), both_lanes(opponent));

    let [p_row, p_diagonal] = add(player, added);
    let [o_row, o_diagonal] = add(opponent, added);
    let [p_column, p_antidiagonal] = test(player, tested);
    let [o_column, o_antidiagonal] = test(opponent, tested);

    let by_file = |player, opponent| &FLIPPED_BY_FILE[file][outflank(player, opponent, file)];
    let by_rank = |player, opponent| &FLIPPED_BY_RANK[rank][outflank(player, opponent, rank)];
    let files = load(by_file(p_row, o_row), by_file(p_diagonal, o_diagonal));
    let ranks = load(by_rank(p_column, o_column), by_rank(p_antidiagonal, o_antidiagonal));
    union2(_mm_or_si128(_mm_and_si128(files, added), _mm_and_si128(ranks, tested)))
}

/// Returns the patterns of two lines with one square in each file.
#[inline]
#[target_feature(enable = "sse2")]
fn add(board: __m128i, lines: __m128i) -> [u32; 2] {
    let sums = _mm_sad_epu8(_mm_and_si128(board, lines), _mm_setzero_si128());
    [_mm_cvtsi128_si32(sums), _mm_extract_epi16::<4>(sums)].map(i32::cast_unsigned)
}

/// Returns the patterns of two lines with one square in each rank.
#[inline]
#[target_feature(enable = "sse2")]
fn test(board: __m128i, lines: __m128i) -> [u32; 2] {
    let signs = _mm_sub_epi8(_mm_setzero_si128(), _mm_and_si128(board, lines));
    let patterns = _mm_movemask_epi8(signs).cast_unsigned();
    [patterns & 0xff, patterns >> 8]
}

/// Returns the outflanking discs of a line, rotated.
#[inline]
fn outflank(player: u32, opponent: u32, place: usize) -> usize {
    let outflank = u32::from(OUTFLANK[place][opponent as usize >> 1 & 0x3f]) & player;
    ((outflank * 0x0101) >> rotation(place) & 0x3f) as usize
}

/// Returns a register with two words from different places: MOVQ and MOVHPS.
#[inline]
#[target_feature(enable = "sse2")]
fn load(low: &u64, high: &u64) -> __m128i {
    let low = _mm_cvtsi64_si128(low.cast_signed());
    _mm_unpacklo_epi64(low, _mm_cvtsi64_si128(high.cast_signed()))
}
