//! Move order in the upper part of the search.

use super::SearchSet;
use super::board::{Board, CORNERS, odd_squares};
use crate::table::Entry;

/// The most moves a position can have; 33 occur in constructed positions.
const MOST_MOVES: usize = 40;

/// A move and what speaks for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Candidate {
    pub(crate) flipped: u64,
    pub(crate) square: u32,
    pub(crate) key: i32,
}

/// The moves of a position.
#[derive(Debug)]
pub(crate) struct Candidates {
    list: [Candidate; MOST_MOVES],
    count: usize,
}

impl Candidates {
    /// Lists the moves of `board`, unordered.
    #[inline(always)]
    pub(crate) fn new<K: SearchSet>(kernels: K, board: Board, moves: u64) -> Self {
        let mut list = [Candidate::default(); MOST_MOVES];
        let mut count = 0;
        let mut rest = moves;
        while rest != 0 {
            let square = rest.trailing_zeros();
            rest &= rest - 1;
            let flipped = kernels.flip(board.player, board.opponent, square);
            list[count] = Candidate { flipped, square, key: 0 };
            count += 1;
        }
        Self { list, count }
    }

    pub(crate) fn as_slice(&self) -> &[Candidate] {
        &self.list[..self.count]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Candidate] {
        &mut self.list[..self.count]
    }

    /// Drops the moves for which `keep` says no.
    #[inline(always)]
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&Candidate) -> bool) {
        let mut kept = 0;
        for index in 0..self.count {
            if keep(&self.list[index]) {
                self.list[kept] = self.list[index];
                kept += 1;
            }
        }
        self.count = kept;
    }

    /// Orders the moves, the most promising first.
    #[inline(always)]
    pub(crate) fn sort<K: SearchSet>(&mut self, kernels: K, board: Board, known: &Entry) {
        let odd = odd_squares(board.empty());
        for candidate in self.as_mut_slice() {
            candidate.key = key(kernels, board, *candidate, odd, known);
        }
        // Insertion sort: the lists are short, and equal keys must keep their order on every CPU.
        for index in 1..self.count {
            let moving = self.list[index];
            let mut place = index;
            while place > 0 && self.list[place - 1].key < moving.key {
                self.list[place] = self.list[place - 1];
                place -= 1;
            }
            self.list[place] = moving;
        }
    }
}

/// Returns how promising a move is: few replies for the opponent, few empty squares for later
/// replies, corners that stay ours, the last move in a region.
#[inline(always)]
fn key<K: SearchSet>(
    kernels: K,
    board: Board,
    candidate: Candidate,
    odd: u64,
    known: &Entry,
) -> i32 {
    let Candidate { flipped, square, .. } = candidate;
    if known.moves[0] == Some(square as u8) {
        return i32::MAX;
    }
    if known.moves[1] == Some(square as u8) {
        return i32::MAX - 1;
    }
    let after = board.after(square, flipped);
    let replies = kernels.moves(after.player, after.opponent);
    let mobility = kernels.count(replies) + kernels.count(replies & CORNERS);
    let potential = kernels.count(kernels.potential_moves(after.player, after.opponent));
    let corners = kernels.count(corner_stable(after.opponent));
    -(mobility as i32 * 32) - potential as i32 * 4
        + corners as i32 * 12
        + (odd >> square & 1) as i32 * 8
}

/// Returns the corners of `player` and the squares beside them that a corner makes safe.
#[inline(always)]
fn corner_stable(player: u64) -> u64 {
    let corners = player & CORNERS;
    let beside = (corners & 0x0101_0101_0101_0101) << 1
        | (corners & 0x8080_8080_8080_8080) >> 1
        | corners << 8
        | corners >> 8;
    corners | beside & player
}
