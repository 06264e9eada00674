//! Lines gathered by PEXT, then the table of one side.
//!
//! The mask of a column or diagonal has a bit in every rank: where the line has left the board, the
//! bit of a square on none of the four lines. Those squares are cleared first, so that the pattern
//! is always eight bits by rank, with zeros beyond the edge.
//!
//! ```text
//!   F3, antidiagonal A8–H1        a diagonal C8–H3 … of six squares
//!   ranks 1–8 have one square     ranks 1 and 2 borrow one that was cleared
//! ```
//! Three PEXTs, a shift for the row, four look-ups: 28 instructions a side, 18 cycles for both. The
//! tables for both sides at once ([`both`]) do without the clearing.
//!
//! Source: `reversi-bitboard-techniques`, BMI2; TECHNIQUES D3.

pub(crate) mod both;
pub(crate) mod crossed;

use core::arch::x86_64::_pext_u64;

use super::COUNTS;
use crate::masks::RAYS;

/// What is gathered for a square.
#[repr(C, align(32))]
struct Masks {
    /// One square in each rank for the column, the diagonal and the antidiagonal.
    by_rank: [u64; 3],
    /// The squares of all four lines, without the square itself.
    lines: u64,
}

static MASKS: [Masks; 64] = {
    let mut masks = [const { Masks { by_rank: [0; 3], lines: 0 } }; 64];
    let mut square = 0;
    while square < 64 {
        let rays = &RAYS[square].0;
        let mut direction = 0;
        while direction < 8 {
            masks[square].lines |= rays[direction];
            direction += 1;
        }
        let mut line = 0;
        while line < 3 {
            let squares = rays[line + 1] | rays[line + 5] | 1 << square;
            masks[square].by_rank[line] = completed(squares, masks[square].lines);
            line += 1;
        }
        square += 1;
    }
    masks
};

/// Returns `squares` with one square that is not in `lines` for each rank that had none.
const fn completed(squares: u64, lines: u64) -> u64 {
    let (mut completed, mut rank) = (squares, 0);
    while rank < 8 {
        let squares_of_rank = 0xff << (8 * rank);
        if completed & squares_of_rank == 0 {
            let free = squares_of_rank & !lines;
            completed |= free & free.wrapping_neg();
        }
        rank += 1;
    }
    completed
}

/// Returns how many opponent discs turn when `square` is the only empty one and the player moves
/// there.
#[inline]
#[target_feature(enable = "bmi2")]
#[must_use]
pub(crate) fn last_flip(player: u64, square: u32) -> u32 {
    let Masks { by_rank, lines } = &MASKS[square as usize & 63];
    let player = player & lines;
    let row = (player >> (square & 0x38)) as u8;
    let by_file = &COUNTS[square as usize & 7];
    let ranks = &COUNTS[square as usize >> 3 & 7];
    let turned = |mask: u64| ranks[usize::from(_pext_u64(player, mask) as u8)];
    let sum =
        by_file[usize::from(row)] + turned(by_rank[0]) + turned(by_rank[1]) + turned(by_rank[2]);
    u32::from(sum)
}

/// Returns how many discs the player would turn, and how many the opponent would.
#[inline]
#[target_feature(enable = "bmi2")]
#[must_use]
pub(crate) fn last_flip_both(player: u64, square: u32) -> (u32, u32) {
    (last_flip(player, square), last_flip(!player, square))
}
