//! The reference: files are gathered bit by bit, lines come from the reference, and each disc is
//! looked at alone until nothing is added.

use crate::bits::transpose;
use crate::lines::scalar::full_lines;

/// Returns the player's discs that are certainly stable.
#[must_use]
pub fn stable(player: u64, opponent: u64) -> u64 {
    let mut stable = rank_edges(player, opponent)
        | transpose(rank_edges(transpose(player), transpose(opponent)));
    let full = full_lines(player | opponent);
    loop {
        let found = (0..64)
            .filter(|&square| player >> square & 1 != 0 && safe(square, stable, full))
            .fold(stable, |found, square| found | 1 << square);
        if found == stable {
            return stable;
        }
        stable = found;
    }
}

/// Returns the stable discs of the first and the last rank.
fn rank_edges(player: u64, opponent: u64) -> u64 {
    super::edge(player, opponent) | super::edge(player >> 56, opponent >> 56) << 56
}

/// Returns whether each line through an inner square is full or has a stable disc next to it.
fn safe(square: i32, stable: u64, full: [u64; 4]) -> bool {
    super::INSIDE >> square & 1 != 0
        && full.into_iter().zip([1, 8, 9, 7]).all(|(full, distance)| {
            let at = |board: u64, square: i32| board >> square & 1 != 0;
            at(full, square) || at(stable, square + distance) || at(stable, square - distance)
        })
}
