//! Obstruction difference: one subtraction for both directions of a line.
//!
//! ```text
//!   upper blockers    # . . # . . . . .      above the slider
//!   slider            . . . . . s . . .
//!   lower blocker     . . . . . . . . #      the highest one below, or the lowest square
//!   upper - lower     # . . . x x x x x      changed from the lower blocker to the upper
//!   difference        . . . x x x x x x      without the slider: the attacks
//! ```
//! Source: Michael Hoffmann, chess programming wiki, "Obstruction Difference"; TECHNIQUES G7.

use outflank_kernel::bits::highest;

use crate::attacks::Attacks;
use crate::geometry::{bit, diagonals, file, rank};

/// Obstruction difference in portable code; a table of 1 KiB.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObstructionDifference;

impl Attacks for ObstructionDifference {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        along(square, occupied, file(square)) | along(square, occupied, rank(square))
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        let lines = diagonals(square);
        along(square, occupied, lines.diagonal) | along(square, occupied, lines.antidiagonal)
    }
}

/// Returns the attacks along a line.
#[inline(always)]
fn along(square: u8, occupied: u64, line: u64) -> u64 {
    let below = bit(square).wrapping_sub(1);
    let upper = occupied & line & !below;
    let lower = highest(occupied & line & below | 1);
    (upper ^ upper.wrapping_sub(lower)) & line
}
