//! Two look-ups a line: where could it be outflanked, and what turns then.
//!
//! The pattern of the opponent's inner discs gives the squares that would end a run on both sides;
//! those that the player owns give the discs that turn. Both directions of a line in one go.
//!
//! ```text
//!   line       . P O O @ O P .      (@ is the move, at the fourth place)
//!   opponent     . # # . # .        the inner six squares
//!   OUTFLANK   . # . . . . # .      for that pattern and place
//!   & player   . # . . . . # .
//!   FLIPPED    . . # # . # . .      for those discs and that place
//! ```
//! Rows are a shift; columns and diagonals are gathered, and what turns is spread again, by
//! multiplication ("kindergarten"), as in [`last_flip`](crate::last_flip). Six bits spread over a
//! column without meeting, and no more than six can turn.
//!
//! 89 instructions with 9 multiplications in 28 cycles; rotating makes it 124 and 31 for a quarter
//! of the second table. The best of the portable forms without leading zeros; most programs before
//! SSE2 did this.
//!
//! Source: `reversi-bitboard-techniques`, outflank and flipped tables (after Edax); TECHNIQUES E1.

use super::super::tables::{FILE_A, FLIPPED, OUTFLANK, rotation};
use crate::masks::RAYS;

/// Gathers a file in the highest byte; bits of different ranks do not meet.
const COLUMN_TO_BYTE: u64 = 0x0102_0408_1020_4080;
/// Spreads bits 1 to 6 of a byte over the file A.
const BYTE_TO_COLUMN: u64 = 0x0002_0408_1020_4081;

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
#[inline]
#[must_use]
pub fn kindergarten(player: u64, opponent: u64, square: u32) -> u64 {
    lines(player, opponent, square, |player, opponent, place| {
        let outflank = OUTFLANK[place][usize::from(opponent >> 1 & 0x3f)] & player;
        FLIPPED[place][usize::from(outflank)]
    })
}

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
///
/// The move and its neighbours never outflank. Rotated so that those three are the highest bits,
/// the discs that do need a table of 64 entries instead of 256.
#[inline]
#[must_use]
pub fn rotated(player: u64, opponent: u64, square: u32) -> u64 {
    lines(player, opponent, square, |player, opponent, place| {
        let candidates = ROTATED_OUTFLANK[place][usize::from(opponent >> 1 & 0x3f)];
        let outflank = player.rotate_right(rotation(place)) & candidates;
        ROTATED_FLIPPED[place][usize::from(outflank & 0x3f)]
    })
}

/// Gathers the four lines, asks `line` for the discs that turn from the patterns of player and
/// opponent and the place of the move, and spreads them.
#[inline(always)]
fn lines(player: u64, opponent: u64, square: u32, line: impl Fn(u8, u8, usize) -> u8) -> u64 {
    let (file, rank) = (square & 7, square >> 3 & 7);
    let (x, y) = (file as usize, rank as usize);
    let rays = &RAYS[square as usize & 63].0;
    let row = line((player >> (8 * rank)) as u8, (opponent >> (8 * rank)) as u8, x);
    let column = |board: u64| ((board >> file & FILE_A).wrapping_mul(COLUMN_TO_BYTE) >> 56) as u8;
    let column = u64::from(line(column(player), column(opponent), y));
    let diagonal = |squares: u64| {
        let byte = |board: u64| ((board & squares).wrapping_mul(FILE_A) >> 56) as u8;
        u64::from(line(byte(player), byte(opponent), x)).wrapping_mul(FILE_A) & squares
    };
    u64::from(row) << (8 * rank)
        | (column.wrapping_mul(BYTE_TO_COLUMN) & FILE_A) << file
        | diagonal(rays[2] | rays[6])
        | diagonal(rays[3] | rays[7])
}

/// [`OUTFLANK`], each entry rotated.
static ROTATED_OUTFLANK: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut place = 0;
    while place < 8 {
        let mut pattern = 0;
        while pattern < 64 {
            table[place][pattern] = OUTFLANK[place][pattern].rotate_right(rotation(place));
            pattern += 1;
        }
        place += 1;
    }
    table
};

/// [`FLIPPED`] by the rotated outflanking discs.
static ROTATED_FLIPPED: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut place = 0;
    while place < 8 {
        let mut outflank = 0;
        while outflank < 64 {
            let straight = (outflank as u8).rotate_left(rotation(place));
            table[place][outflank] = FLIPPED[place][straight as usize];
            outflank += 1;
        }
        place += 1;
    }
    table
};
