//! Keeps some of the positions whose answers a comparison of [costs](super::cost) looked at, for training.

use std::sync::{Mutex, PoisonError};

use super::board::Board;
use crate::position::Position;

/// At most twice as many positions are kept for a number of empty squares.
const LEAST: usize = 512;

/// A fair sample of what was looked at, for each number of empty squares.
#[derive(Debug)]
pub(crate) struct Witness {
    kept: Mutex<[Kept; 65]>,
}

impl Default for Witness {
    fn default() -> Self {
        Self { kept: Mutex::new(std::array::from_fn(|_| Kept::default())) }
    }
}

/// Every so many-th of what was seen.
#[derive(Debug)]
struct Kept {
    seen: usize,
    /// One of so many is kept: a power of two.
    stride: usize,
    list: Vec<(Board, i32)>,
}

impl Default for Kept {
    fn default() -> Self {
        Self { seen: 0, stride: 1, list: Vec::new() }
    }
}

impl Kept {
    /// Keeps the positions at the multiples of the stride, which doubles when there are too many.
    fn see(&mut self, board: Board, alpha: i32) {
        if self.list.len() == 2 * LEAST {
            let mut stays = false;
            self.list.retain(|_| {
                stays = !stays;
                stays
            });
            self.stride *= 2;
        }
        if self.seen.is_multiple_of(self.stride) {
            self.list.push((board, alpha));
        }
        self.seen += 1;
    }
}

impl Witness {
    /// Takes note of a position with a move to make, to the player of which a value above `alpha` is to be
    /// proved.
    #[cold]
    pub(super) fn see(&self, board: Board, empties: u32, alpha: i32) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept[empties as usize].see(board, alpha);
    }

    /// Returns what is kept, the fewest empty squares first, and in the order in which it was seen.
    pub(crate) fn into_questions(self) -> Vec<(Position, i32)> {
        let kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        let seen = kept.into_iter().flat_map(|kept| kept.list);
        seen.filter_map(|(board, alpha)| {
            Some((Position::new(board.player, board.opponent)?, alpha))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_spread_evenly_over_what_was_seen() {
        for seen in [1, LEAST, 2 * LEAST, 2 * LEAST + 1, 100_000] {
            let mut kept = Kept::default();
            for number in 0..seen {
                kept.see(Board { player: 1, opponent: 2 }, number as i32);
            }
            let numbers: Vec<usize> =
                kept.list.iter().map(|&(_, number)| number as usize).collect();
            assert!(numbers.len() >= seen.min(LEAST) && numbers.len() <= 2 * LEAST, "{seen}");
            let stride = seen.div_ceil(2 * LEAST).next_power_of_two();
            let expected: Vec<usize> = (0..seen).step_by(stride).collect();
            assert_eq!(numbers, expected);
        }
    }
}
