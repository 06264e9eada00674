//! Searches of a fixed depth whose leaves are evaluated: for the order of moves, for cuts by
//! probability, and for a first guess at the root.

use super::SearchSet;
use super::board::Node;
use super::order::{Candidate, Candidates, Hurry, after_at_a_glance};
use super::searcher::{Searcher, Stopped};
use crate::evaluation::{LIMIT, UNIT, Weights};
use crate::table::{Effort, Hint};

/// More than every value.
pub(crate) const INFINITE: i32 = 2 * LIMIT;

/// Fewest plies for which the table of hints is worth its time.
const HINTS_FROM: u32 = 3;

/// Returns what `plies` plies say of `node`, fail-soft in the window.
#[inline(always)]
pub(super) fn body<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
    plies: u32,
    alpha: i32,
    beta: i32,
) -> Result<i32, Stopped> {
    let (kernels, board) = (searcher.kernels, node.board);
    searcher.tally.look_ahead(node.empties);
    let moves = kernels.moves(board.player, board.opponent);
    if moves == 0 {
        if kernels.moves(board.opponent, board.player) == 0 {
            return Ok(board.final_score(kernels) * UNIT);
        }
        return Ok(-K::midgame(searcher, &node.pass(kernels), plies, -beta, -alpha)?);
    }
    let Some(weights) = searcher.weights() else { return Ok(0) };
    if plies == 0 {
        return Ok(glance(kernels, weights, node, kernels.count(moves)));
    }
    if plies < HINTS_FROM {
        return Ok(search(searcher, node, moves, [None; 2], plies, alpha, beta)?.0);
    }
    searcher.go_on()?;
    let hash = kernels.hash(board.player, board.opponent);
    let known = searcher.hints().get(hash, board.player, board.opponent).unwrap_or(Hint::UNKNOWN);
    if u32::from(known.effort.plies) >= plies {
        if known.lower >= beta || known.lower == known.upper {
            return Ok(known.lower);
        }
        if known.upper <= alpha {
            return Ok(known.upper);
        }
    }
    let (best, best_move) = search(searcher, node, moves, known.moves, plies, alpha, beta)?;
    if u32::from(known.effort.plies) <= plies {
        let hint = Hint {
            lower: if best > alpha { best } else { Hint::UNKNOWN.lower },
            upper: if best < beta { best } else { Hint::UNKNOWN.upper },
            effort: Effort { plies: plies as u8, level: 0 },
            moves: [best_move, None],
        };
        let Node { board, .. } = node;
        let generation = searcher.crew.generation;
        searcher.hints().put(hash, board.player, board.opponent, hint, generation);
    }
    Ok(best)
}

/// Returns the evaluation of a node whose player has that many `moves`.
#[inline(always)]
pub(super) fn glance<K: SearchSet>(kernels: K, weights: &Weights, node: &Node, moves: u32) -> i32 {
    let replies = kernels.count(kernels.moves(node.board.opponent, node.board.player));
    kernels.evaluate(weights, &node.features, node.empties, (moves, replies))
}

/// Searches the moves of a node and returns the best value with its move.
#[inline(always)]
fn search<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
    moves: u64,
    first: [Option<u8>; 2],
    plies: u32,
    alpha: i32,
    beta: i32,
) -> Result<(i32, Option<u8>), Stopped> {
    let kernels = searcher.kernels;
    let mut candidates = Candidates::new(kernels, node.board, moves);
    if plies > 1 {
        let hurry = if plies < HINTS_FROM { Hurry::Mobility } else { Hurry::Glance };
        candidates.sort(searcher, node, first, hurry)?;
    }
    let (mut best, mut best_move) = (-INFINITE, None);
    for &candidate in candidates.as_slice() {
        let square = candidate.square;
        let value = if plies == 1 {
            leaf(searcher, node, candidate)?
        } else {
            let window = (alpha.max(best), beta, best_move.is_some());
            inner(searcher, node, candidate, plies, window)?
        };
        if value > best {
            (best, best_move) = (value, Some(square as u8));
            if best >= beta {
                break;
            }
        }
    }
    Ok((best, best_move))
}

/// Returns what a move is worth by a search of the position after it. Younger brothers are first
/// asked in a null window whether they are better at all.
#[inline(always)]
fn inner<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
    Candidate { flipped, square, .. }: Candidate,
    plies: u32,
    (alpha, beta, younger): (i32, i32, bool),
) -> Result<i32, Stopped> {
    let after = node.after(searcher.kernels, square, flipped);
    if younger && alpha + 1 < beta {
        let value = -K::midgame(searcher, &after, plies - 1, -alpha - 1, -alpha)?;
        if value <= alpha || value >= beta {
            return Ok(value);
        }
    }
    Ok(-K::midgame(searcher, &after, plies - 1, -beta, -alpha)?)
}

/// Returns what the last move of the search is worth.
#[inline(always)]
fn leaf<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
    candidate: Candidate,
) -> Result<i32, Stopped> {
    let (kernels, Candidate { flipped, square, .. }) = (searcher.kernels, candidate);
    let board = node.board.after(square, flipped);
    let moves = kernels.moves(board.player, board.opponent);
    if let (1.., Some(weights)) = (moves, searcher.weights()) {
        searcher.tally.look_ahead(node.empties - 1);
        return Ok(after_at_a_glance(kernels, weights, node, candidate, moves));
    }
    let after = node.after(kernels, square, flipped);
    Ok(-K::midgame(searcher, &after, 0, -INFINITE, INFINITE)?)
}
