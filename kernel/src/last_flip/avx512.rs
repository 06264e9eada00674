//! Lines gathered by PEXT, then one table for both sides.
//!
//! The pattern of a line leaves out the empty square, so that a line of `n` squares has 2^(n-1)
//! patterns; each entry counts for the player in its low byte and for the opponent in its high one,
//! and the four entries are added at once. Every CPU with AVX-512 has a fast PEXT.
//!
//! ```text
//!   player    1 0 1 1 _ 0 1 1       the move is at _
//!   PEXT      1 0 1 1 0 1 1         index into the part for length 8, place 4
//!   entry     player 1 (the disc at 5), opponent 0 + 0
//! ```
//! Source: `reversi-bitboard-techniques` PEXT, `edax-avx-optimizations` for 16-bit entries and
//! tables by length; TECHNIQUES D3, D7.

use core::arch::x86_64::_pext_u64;

use super::{BOTH, LINES};

/// Returns how many opponent discs turn when `square` is the only empty one and the player moves
/// there.
#[inline]
#[target_feature(enable = "bmi2")]
#[must_use]
pub fn last_flip(player: u64, square: u32) -> u32 {
    sums(player, square) & 0xff
}

/// Returns how many discs the player would turn, and how many the opponent would.
#[inline]
#[target_feature(enable = "bmi2")]
#[must_use]
pub fn last_flip_both(player: u64, square: u32) -> (u32, u32) {
    let sums = sums(player, square);
    (sums & 0xff, sums >> 8)
}

/// Returns the player's count and, times 256, the opponent's.
#[inline]
#[target_feature(enable = "bmi2")]
fn sums(player: u64, square: u32) -> u32 {
    let lines = &LINES[square as usize & 63];
    let entry = |line: usize| {
        let pattern = _pext_u64(player, lines.squares[line]) as usize;
        let entry = usize::from(lines.first[line]) + pattern;
        // SAFETY: a line of n squares begins at most at the last of n parts of 2^(n-1) entries,
        // and PEXT by a mask of n - 1 squares is below 2^(n-1).
        u32::from(unsafe { *BOTH.get_unchecked(entry) })
    };
    entry(0) + entry(1) + entry(2) + entry(3)
}
