//! Potential mobility: the empty squares next to an opponent's disc.
//!
//! ```text
//!   opponent   . . # . .      next to it   # # #
//!              . . . . .                   # . #
//!                                          # # #
//! ```
//! The portable form widens rows first, so that columns and diagonals are one more step of rows:
//! two shifts for three directions. The engine's move order counts this; [`frontier`](super::frontier)
//! is the narrower count of Edax.
//!
//! 19 instructions in 10 cycles: it wins on every level.
//!
//! Source: `edax-avx-optimizations`, move ordering; the form with rows is ours.

#[cfg(target_arch = "x86_64")]
mod avx512;

use crate::bits::neighbours;

crate::catalogue::family! {
    /// Player, opponent → the empty squares next to an opponent's disc.
    Potential = fn(player: u64, opponent: u64) -> u64;
    chosen by POTENTIAL or "OUTFLANK_KERNEL_POTENTIAL";
    portable {
        "reference" "B2" [] reference,
        "rows_first" "B2" [] rows_first,
    }
    x86_64 {
        "avx512_eight_directions" "B2" ["avx2", "avx512f", "avx512vl"] avx512::potential,
    }
    aarch64 {}
}

/// Looks at the eight neighbours of every empty square.
fn reference(player: u64, opponent: u64) -> u64 {
    let near = |square: i32, other: i32| {
        (square % 8 - other % 8).abs().max((square / 8 - other / 8).abs()) == 1
    };
    let touches = |square| (0..64).any(|other| opponent >> other & 1 != 0 && near(square, other));
    let empty = !(player | opponent);
    (0..64)
        .filter(|&square| empty >> square & 1 != 0 && touches(square))
        .fold(0, |squares, square| squares | 1 << square)
}

#[inline(always)]
fn rows_first(player: u64, opponent: u64) -> u64 {
    neighbours(opponent) & !(player | opponent)
}
