//! Each direction is a mask; the nearest disc that is not the opponent's is found by arithmetic.
//!
//! Towards higher squares the lowest bit of `ray & !opponent` is isolated by `x & -x`; towards
//! lower squares the highest one is found by counting leading zeros. If that disc is the player's,
//! everything on the ray between it and the square turns.
//!
//! ```text
//!   ray        . . . # # # # #      (the move is at the third place)
//!   opponent   . . . # # . . .
//!   nearest    . . . . . # . .      lowest bit of ray & !opponent
//!   turned     . . . # # . . .      (nearest - 1) & ray, if nearest is the player's
//! ```
//!
//! 78 instructions in 42 cycles with LZCNT, 80 on aarch64. It wins below AVX2 in throughput, with
//! the carry form.
//!
//! Source: `reversi-bitboard-techniques`, LS1B and LZCNT forms; TECHNIQUES E2.

use crate::masks::RAYS;

pub mod carry;
pub mod shifts;
pub mod tables;

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
#[inline]
#[must_use]
pub fn flip(player: u64, opponent: u64, square: u32) -> u64 {
    let rays = &RAYS[square as usize & 63].0;
    let mut flipped = 0;
    for &ray in &rays[..4] {
        let others = ray & !opponent;
        let outflank = others & others.wrapping_neg() & player;
        flipped |= outflank.wrapping_sub(u64::from(outflank != 0)) & ray;
    }
    for &ray in &rays[4..] {
        let others = ray & !opponent;
        let nearest = 0x8000_0000_0000_0000_u64.checked_shr(others.leading_zeros()).unwrap_or(0);
        let outflank = nearest & player;
        flipped |= (outflank << 1).wrapping_neg() & ray;
    }
    flipped
}
