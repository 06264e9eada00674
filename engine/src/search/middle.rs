//! Six to ten empty squares: the thread's own tables, and moves ordered by the replies to them.

use super::SearchSet;
use super::board::Board;
use super::replies::{Candidate, Care, bring_best_forward, candidates};
use super::searcher::Searcher;
use super::tally::Event;
use super::{shallow, stability};

/// Most empty squares for which this search is the right one.
pub(super) const MOST_EMPTIES: u32 = 10;

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
    searcher.tally.enter(empties);
    if let Some(upper) = stability::cut(kernels, board, empties, alpha) {
        searcher.tally.count(empties, Event::Stable);
        return upper;
    }
    let hash = kernels.hash(board.player, board.opponent);
    let mut hash_move = 64;
    if let Some(known) = searcher.local.get(hash, board) {
        if let Some(bound) = known.answer(alpha) {
            searcher.tally.count(empties, Event::OwnTable);
            return bound;
        }
        hash_move = known.best;
    }
    if moves == 0 {
        let moves = kernels.moves(board.opponent, board.player);
        if moves == 0 {
            searcher.tally.count(empties, Event::Over);
            return board.final_score(kernels);
        }
        searcher.tally.count(empties, Event::Pass);
        return -K::middle(searcher, board.pass(), moves, empties, -alpha - 1);
    }
    if stability::may_answer_after_a_move(empties, alpha)
        && let Some(lower) = kernels.after_a_move(board, moves, alpha)
    {
        searcher.tally.count(empties, Event::Stable);
        return lower;
    }
    let mut list = [Candidate::default(); MOST_EMPTIES as usize];
    let count = candidates(kernels, board, moves, hash_move, Care::Replies, &mut list);
    if count == 0 {
        searcher.tally.count(empties, Event::WipeOut);
        return 64; // A wipe-out: nothing can be better.
    }
    let (mut best, mut best_move) = (-128, 64);
    for next in 0..count {
        bring_best_forward(&mut list[next..count]);
        let Candidate { flipped, replies, square, .. } = list[next];
        let after = board.after(square, flipped);
        let value = if empties - 1 == shallow::EMPTIES {
            -five(searcher, after, replies, -alpha - 1)
        } else {
            -K::middle(searcher, after, replies, empties - 1, -alpha - 1)
        };
        searcher.tally.count(empties, Event::tried(next + 1, count, value > alpha));
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
fn five<K: SearchSet>(searcher: &mut Searcher<'_, K>, board: Board, moves: u64, alpha: i32) -> i32 {
    let kernels = searcher.kernels;
    let hash = kernels.hash(board.player, board.opponent);
    if let Some(bound) = searcher.last.get(hash, board).and_then(|known| known.answer(alpha)) {
        searcher.tally.count(shallow::EMPTIES, Event::OwnTable);
        return bound;
    }
    let value = kernels.shallow(&mut searcher.tally, board, moves, alpha);
    searcher.last.put(hash, board, value, alpha, 64);
    value
}
