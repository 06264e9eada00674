//! Six to ten empty squares: the thread's own tables, and moves ordered by what they leave the
//! opponent to do.

use super::SearchSet;
use super::board::{Board, CORNERS, odd_squares};
use super::searcher::Searcher;
use super::{shallow, stability};

/// Most empty squares for which this search is the right one.
pub(super) const MOST_EMPTIES: u32 = 10;

/// A move, the opponent's replies to it, and what speaks for it.
#[derive(Clone, Copy, Default)]
struct Candidate {
    flipped: u64,
    replies: u64,
    square: u32,
    key: i32,
}

/// Solves `board`, in which the player has `moves`, in a null window.
#[inline(always)]
pub(super) fn body<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    board: Board,
    moves: u64,
    empties: u32,
    alpha: i32,
) -> i32 {
    let kernels = searcher.kernels;
    searcher.nodes += 1;
    if let Some(upper) = stability::cut(kernels, board, empties, alpha) {
        return upper;
    }
    let hash = kernels.hash(board.player, board.opponent);
    let mut hash_move = 64;
    if let Some(known) = searcher.local.get(hash, board) {
        if i32::from(known.lower) > alpha {
            return known.lower.into();
        }
        if i32::from(known.upper) <= alpha {
            return known.upper.into();
        }
        hash_move = known.best;
    }
    if moves == 0 {
        let moves = kernels.moves(board.opponent, board.player);
        if moves == 0 {
            return board.final_score(kernels);
        }
        return -K::middle(searcher, board.pass(), moves, empties, -alpha - 1);
    }
    let mut list = [Candidate::default(); MOST_EMPTIES as usize];
    let count = candidates(kernels, board, moves, hash_move, &mut list);
    if count == 0 {
        return 64; // A wipe-out: nothing can be better.
    }
    let (mut best, mut best_move) = (-128, 64);
    for next in 0..count {
        bring_best_forward(&mut list[next..count]);
        let Candidate { flipped, replies, square, .. } = list[next];
        let after = board.after(square, flipped);
        let value = if empties - 1 <= shallow::MOST_EMPTIES {
            -five(searcher, after, -alpha - 1)
        } else {
            -K::middle(searcher, after, replies, empties - 1, -alpha - 1)
        };
        if value > best {
            (best, best_move) = (value, square);
            if best > alpha {
                break;
            }
        }
    }
    searcher.local.put(hash, board, best, alpha, best_move as u8);
    best
}

/// Solves `board`, which has five empty squares, unless the thread has done so a moment ago.
#[inline(always)]
fn five<K: SearchSet>(searcher: &mut Searcher<'_, K>, board: Board, alpha: i32) -> i32 {
    let kernels = searcher.kernels;
    let hash = kernels.hash(board.player, board.opponent);
    if let Some(known) = searcher.last.get(hash, board) {
        if i32::from(known.lower) > alpha {
            return known.lower.into();
        }
        if i32::from(known.upper) <= alpha {
            return known.upper.into();
        }
    }
    let value = kernels.shallow(&mut searcher.nodes, board, shallow::MOST_EMPTIES, alpha);
    searcher.last.put(hash, board, value, alpha, 64);
    value
}

/// Lists the moves with their keys and returns their number, or 0 if one of them takes the
/// opponent's last disc.
#[inline(always)]
fn candidates<K: SearchSet>(
    kernels: K,
    board: Board,
    moves: u64,
    hash_move: u8,
    list: &mut [Candidate],
) -> usize {
    let odd = odd_squares(board.empty());
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
        let mut key = -16 * (kernels.count(replies) + kernels.count(replies & CORNERS)) as i32;
        key += (odd >> square & 1) as i32 * 8;
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
fn bring_best_forward(list: &mut [Candidate]) {
    let mut best = 0;
    for other in 1..list.len() {
        if list[other].key > list[best].key {
            best = other;
        }
    }
    list.swap(0, best);
}
