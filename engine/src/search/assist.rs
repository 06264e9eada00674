//! Helping another engine with its selective searches, each with a table of its own.
//!
//! The one that leads goes down the principal variation and then through the younger brothers, from
//! below. An assistant goes ahead of it from above: it asks the younger brothers whether they are
//! better than what is expected, the last ones first, at the root, then below the eldest, and so on
//! until the two meet. What either has found reaches the other as hints, so that each passes over
//! what the other has done. Nobody waits: a hint that comes late, or not at all, costs time only.

use super::SearchSet;
use super::board::Node;
use super::deep::moves_to_try_first;
use super::level::Level;
use super::order::{Candidate, Candidates, Hurry};
use super::principal::{Task, narrow};
use super::searcher::{Searcher, Stopped};
use crate::evaluation::UNIT;
use crate::table::{Entry, Hint};

/// Fewest empty squares at which going ahead is worth it: what is below is over before a hint
/// arrives.
const LEAST_EMPTIES: u32 = 18;

/// Assistants that begin at different brothers.
const STARTS: usize = 4;

/// Asks the younger brothers along the principal variation below `node` whether they are better than
/// the `expected` value.
///
/// # Errors
/// [`Stopped`] if the search was asked to stop.
pub(super) fn go_ahead<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
    expected: i32,
    level: Level,
    number: u32,
) -> Result<(), Stopped> {
    let (kernels, board) = (searcher.kernels, node.board);
    if node.empties < LEAST_EMPTIES || level == Level::EXACT {
        return Ok(());
    }
    let moves = kernels.moves(board.player, board.opponent);
    if moves == 0 {
        if kernels.moves(board.opponent, board.player) == 0 {
            return Ok(());
        }
        return go_ahead(searcher, &node.pass(kernels), -expected, level, number);
    }
    let hash = kernels.hash(board.player, board.opponent);
    let known = searcher.table().get(hash, board.player, board.opponent).unwrap_or(Entry::UNKNOWN);
    let mut candidates = Candidates::new(kernels, board, moves);
    let first = moves_to_try_first(searcher, hash, node, &known);
    candidates.sort(searcher, node, first, Hurry::for_principal(node.empties))?;
    let Some((eldest, younger)) = candidates.as_slice().split_first() else { return Ok(()) };
    let start = younger.len() * (number as usize % STARTS) / STARTS;
    for index in 0..younger.len() {
        let Hint { lower, upper, effort, .. } =
            searcher.hints().get(hash, board.player, board.opponent).unwrap_or(Hint::UNKNOWN);
        let is_other = lower > expected * UNIT || upper < expected * UNIT;
        if effort >= level.effort(node.empties) && (lower == upper || is_other) {
            return Ok(()); // The lead has finished here, or found out that something else is to be expected.
        }
        // A lead whose eldest is worse than expected asks whether a brother is as good as that.
        let floor = expected - i32::from(is_worse(searcher, node, eldest, expected, level));
        let task = Task::new(*node, floor, floor + 1, level);
        let last = younger.len() - 1;
        let candidate = younger[last - (start + index) % younger.len()];
        // It is for the hints that this leaves.
        let _value = narrow(searcher, &task, candidate)?;
    }
    let after = node.after_candidate(kernels, eldest);
    go_ahead(searcher, &after, -expected, level, number)
}

/// Returns whether the lead is known to have found the eldest move worse than `expected`.
fn is_worse<K: SearchSet>(
    searcher: &Searcher<'_, K>,
    node: &Node,
    &Candidate { flipped, square, .. }: &Candidate,
    expected: i32,
    level: Level,
) -> bool {
    let after = node.board.after(square, flipped);
    let hash = searcher.kernels.hash(after.player, after.opponent);
    let hint = searcher.hints().get(hash, after.player, after.opponent).unwrap_or(Hint::UNKNOWN);
    hint.effort >= level.effort(node.empties - 1) && -hint.lower < expected * UNIT
}
