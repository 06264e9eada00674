//! Potential mobility as Edax counts it: empty squares next to an opponent's disc that could be
//! turned in that direction, which discs on the edge cannot be across the board's border.
//!
//! ```text
//!   edge  | # . . .       the disc can be turned along the edge, so that the squares above and below
//!         | . . . .       it count, but not those beside it
//! ```
//!
//! 30 instructions in 11 cycles: the portable form wins, for vectors cost their way in and out.
//!
//! Source: `edax-avx-optimizations`, move ordering.

#[cfg(target_arch = "x86_64")]
mod avx2;

use super::INNER;
use crate::masks::DISTANCES;

crate::catalogue::family! {
    /// Player, opponent → the empty squares next to an opponent's disc that could be turned.
    Frontier = fn(player: u64, opponent: u64) -> u64;
    portable {
        "reference" "B2" [] reference,
        "four_lines" "B2" [] four_lines,
    }
    x86_64 {
        "avx2_four_directions" "B2" ["avx2"] avx2::frontier,
    }
    aarch64 {}
}

/// Looks from every empty square at its neighbours, and beyond them.
fn reference(player: u64, opponent: u64) -> u64 {
    let on_board = |x: i32, y: i32| (0..8).contains(&x) && (0..8).contains(&y);
    let empty = !(player | opponent);
    let counts = |square: i32| {
        let (x, y) = (square % 8, square / 8);
        (-1..=1).flat_map(|right| (-1..=1).map(move |up| (right, up))).any(|(right, up)| {
            (right, up) != (0, 0)
                && on_board(x + 2 * right, y + 2 * up)
                && opponent >> (8 * (y + up) + x + right) & 1 != 0
        })
    };
    (0..64)
        .filter(|&square| empty >> square & 1 != 0 && counts(square))
        .fold(0, |squares, square| squares | 1 << square)
}

#[inline]
fn four_lines(player: u64, opponent: u64) -> u64 {
    let mut beside = 0;
    for (distance, inner) in DISTANCES.into_iter().zip(INNER) {
        let turnable = opponent & inner;
        beside |= turnable << distance | turnable >> distance;
    }
    beside & !(player | opponent)
}
