//! Lines gathered by comparison and horizontal addition, then a table.
//!
//! A column or diagonal has at most one square in each row, so "is any masked bit of this byte
//! set?" is the pattern by rank. Each byte that passes keeps the bit of its rank, and ADDV adds the
//! eight bytes of a line up to its pattern.
//!
//! ```text
//!   bytes by rank    1   2   3   4   5   6   7   8
//!   player & line    .   4   .  16   .   .   .   .      any value but 0 counts
//!   bit of the rank  .   2   .   8   .   .   .   .      sum 10: ranks 2 and 4
//! ```
//!
//! 43 instructions for one side, 70 for both.
//!
//! Source: `reversi-bitboard-techniques`, NEON ADDV; TECHNIQUES D5.

use core::arch::aarch64::*;

use super::{COUNTS, LINES};

pub(crate) mod interleaved;

/// Returns how many opponent discs turn when `square` is the only empty one and the player moves
/// there.
#[inline]
#[target_feature(enable = "neon")]
#[must_use]
pub(crate) fn last_flip(player: u64, square: u32) -> u32 {
    count(gather(player, square), square)
}

/// Returns how many discs the player would turn, and how many the opponent would.
#[inline]
#[target_feature(enable = "neon")]
#[must_use]
pub(crate) fn last_flip_both(player: u64, square: u32) -> (u32, u32) {
    (count(gather(player, square), square), count(gather(!player, square), square))
}

/// Returns the patterns of row (by file), column and diagonals (by rank).
#[inline]
#[target_feature(enable = "neon")]
fn gather(player: u64, square: u32) -> [u8; 4] {
    let bits = vcreate_u8(0x8040_2010_0804_0201);
    let player_bytes = vcreate_u8(player);
    let lines = &LINES[square as usize & 63].squares;
    let pattern = |line: u64| vaddv_u8(vand_u8(vtst_u8(player_bytes, vcreate_u8(line)), bits));
    let row = (player >> (square & 0x38)) as u8;
    [row, pattern(lines[1]), pattern(lines[2]), pattern(lines[3])]
}

/// Returns the sum of the lines' counts.
#[inline]
fn count(patterns: [u8; 4], square: u32) -> u32 {
    let by_rank = &COUNTS[square as usize >> 3 & 7];
    let turned = COUNTS[square as usize & 7][usize::from(patterns[0])]
        + by_rank[usize::from(patterns[1])]
        + by_rank[usize::from(patterns[2])]
        + by_rank[usize::from(patterns[3])];
    u32::from(turned)
}
