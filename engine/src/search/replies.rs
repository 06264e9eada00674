//! Orders of moves without evaluation: by what a move leaves the players to do.

use outflank_kernel::bits::NEIGHBOURS;
use outflank_kernel::mobility::CORNERS;

use super::SearchSet;
use super::board::{Board, odd_squares};

/// A move, the opponent's replies to it, and what speaks for it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Candidate {
    pub(super) flipped: u64,
    pub(super) replies: u64,
    pub(super) square: u32,
    pub(super) key: i32,
}

/// What the order of moves looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// The opponent's replies.
    Replies,
    /// These, and the moves that the player would have next: trees of eleven to thirteen empty
    /// squares become 1.5 % smaller.
    BothSides,
}

/// What a reply counts against a move.
const REPLY: i32 = 16;

/// What a reply into a corner counts against it besides.
const CORNER_REPLY: i32 = 12;

/// What an empty square beside it counts against a move: it opens that square to the opponent.
const EMPTY_NEIGHBOUR: i32 = 3;

/// What a next move of the player counts for a move.
const NEXT_MOVE: i32 = 2;

/// What a square of a region with an odd number of empty squares counts for a move.
const ODD: i32 = 5;

/// Lists the moves with their keys and returns their number, or 0 if one of them takes the
/// opponent's last disc.
#[inline(always)]
pub(super) fn candidates<K: SearchSet>(
    kernels: K,
    board: Board,
    moves: u64,
    hash_move: u8,
    care: Care,
    list: &mut [Candidate],
) -> usize {
    let empty = board.empty();
    let odd = odd_squares(empty);
    let mut count = 0;
    let mut rest = moves;
    while rest != 0 {
        let square = rest.trailing_zeros();
        rest &= rest - 1;
        let flipped = kernels.flip(board.player, board.opponent, square);
        if flipped == board.opponent {
            return 0;
        }
        let after = board.after(square, flipped);
        let replies = kernels.moves(after.player, after.opponent);
        let mut key = -REPLY * kernels.count(replies) as i32;
        key -= CORNER_REPLY * kernels.count(replies & CORNERS) as i32;
        key -= EMPTY_NEIGHBOUR * kernels.count(empty & NEIGHBOURS[square as usize]) as i32;
        if care == Care::BothSides {
            let next = kernels.moves(after.opponent, after.player);
            key += NEXT_MOVE * kernels.count(next) as i32;
        }
        key += (odd >> square & 1) as i32 * ODD;
        if square == u32::from(hash_move) {
            key = i32::MAX;
        }
        list[count] = Candidate { flipped, replies, square, key };
        count += 1;
    }
    count
}

/// Exchanges the first candidate with the best one.
#[inline(always)]
pub(super) fn bring_best_forward(list: &mut [Candidate]) {
    let mut best = 0;
    for other in 1..list.len() {
        if list[other].key > list[best].key {
            best = other;
        }
    }
    list.swap(0, best);
}
