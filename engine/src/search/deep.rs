//! Eleven and more empty squares in a null window: the shared table, cut-offs by the children's
//! bounds, the full move order, and younger brothers given to idle threads.

use super::board::Board;
use super::order::{Candidate, Candidates};
use super::principal::Task;
use super::searcher::{Searcher, Stopped};
use super::{SearchSet, crew, last, middle, shallow, stability};
use crate::table::Entry;

/// Fewest empty squares at which the children's bounds are looked up before any is searched
/// (enhanced transposition cut-off, J. Schaeffer and A. Plaat).
const CHILDREN_BOUNDS_FROM: u32 = 12;

/// Solves `board` in a null window.
#[inline(always)]
pub(super) fn body<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    board: Board,
    empties: u32,
    alpha: i32,
) -> Result<i32, Stopped> {
    let kernels = searcher.kernels;
    match empties {
        0..4 => return Ok(last::few(kernels, &mut searcher.nodes, board, alpha)),
        4 => return Ok(kernels.four(&mut searcher.nodes, board, alpha)),
        5..=shallow::MOST_EMPTIES => {
            return Ok(kernels.shallow(&mut searcher.nodes, board, empties, alpha));
        }
        _ if empties <= middle::MOST_EMPTIES => {
            return Ok(K::middle(searcher, board, empties, alpha));
        }
        _ => {}
    }
    searcher.nodes += 1;
    searcher.go_on()?;
    if let Some(upper) = stability::cut(kernels, board, empties, alpha) {
        return Ok(upper);
    }
    let hash = kernels.hash(board.player, board.opponent);
    searcher.table().prefetch(hash);
    let moves = kernels.moves(board.player, board.opponent);
    if moves == 0 {
        if kernels.moves(board.opponent, board.player) == 0 {
            return Ok(board.final_score(kernels));
        }
        return Ok(-K::deep(searcher, board.pass(), empties, -alpha - 1)?);
    }
    let known = searcher.table().get(hash, board.player, board.opponent).unwrap_or(Entry::UNKNOWN);
    if known.lower > alpha {
        return Ok(known.lower);
    }
    if known.upper <= alpha {
        return Ok(known.upper);
    }
    let begin = searcher.total_nodes();
    let mut candidates = Candidates::new(kernels, board, moves);
    if candidates.as_slice().iter().any(|candidate| candidate.flipped == board.opponent) {
        return Ok(64); // A wipe-out: nothing can be better.
    }
    let mut task = Task::new(board, empties, alpha, alpha + 1);
    if empties >= CHILDREN_BOUNDS_FROM {
        look_up_children(searcher, &mut candidates, &mut task);
    }
    if task.best <= alpha {
        candidates.sort(kernels, board, &known);
        search_moves(searcher, candidates.as_slice(), &mut task)?;
    }
    task.store(searcher, hash, begin);
    Ok(task.best)
}

/// Looks up what is known of the children: one of them may cut off at once, and those that are
/// known to fail need no search. Both are taken into `task`; the failing ones are dropped.
#[inline(always)]
fn look_up_children<K: SearchSet>(
    searcher: &Searcher<'_, K>,
    candidates: &mut Candidates,
    task: &mut Task,
) {
    let (kernels, table) = (searcher.kernels, searcher.table());
    candidates.retain(|&Candidate { flipped, square, .. }| {
        let after = task.board.after(square, flipped);
        let hash = kernels.hash(after.player, after.opponent);
        let Some(known) = table.get(hash, after.player, after.opponent) else {
            return true;
        };
        if -known.upper > task.alpha {
            task.improve(-known.upper, square);
            return true;
        }
        if -known.lower <= task.alpha {
            task.improve(-known.lower, square);
            return false;
        }
        true
    });
}

/// Searches the moves until one is above the window: the first here, the others with the help of
/// idle threads.
#[inline(always)]
fn search_moves<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    candidates: &[Candidate],
    task: &mut Task,
) -> Result<(), Stopped> {
    for (index, &Candidate { flipped, square, .. }) in candidates.iter().enumerate() {
        if index > 0 && crew::worth_splitting(searcher, task.empties, candidates.len() - index) {
            return crew::split(searcher, &candidates[index..], task);
        }
        let after = task.board.after(square, flipped);
        let value = -K::deep(searcher, after, task.empties - 1, -task.alpha - 1)?;
        task.improve(value, square);
        if task.best > task.alpha {
            break;
        }
    }
    Ok(())
}
