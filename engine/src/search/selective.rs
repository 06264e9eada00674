//! Searches to the end that cut by probability: what they find is believed, not proved.
//!
//! They make the exact search after them cheap: the hints they leave say which move to try first,
//! at the root they say around which value to ask. Where few squares are empty they are exact.
//!
//! A node is cut when a shallow search is so far outside the window that, by the spread measured
//! between shallow and exact values, the exact value is outside as well (Multi-ProbCut, M. Buro).

use super::board::Node;
use super::deep::{look_up_children, prefetch_children, search_moves};
use super::level::{Level, error_of};
use super::midgame::{INFINITE, glance};
use super::order::Candidates;
use super::principal::Task;
use super::searcher::{Searcher, Stopped};
use super::tally::Event;
use super::{SearchSet, stability};
use crate::evaluation::{LIMIT, UNIT, Weights};
use crate::table::{Entry, Hint};

/// Fewest empty squares at which a node is cut by probability.
const CUT_FROM: u32 = 13;

/// Returns what is believed of `node` in a null window.
#[inline(always)]
pub(super) fn body<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
    alpha: i32,
    level: Level,
) -> Result<i32, Stopped> {
    let &Node { board, empties, .. } = node;
    let (kernels, Some(weights)) = (searcher.kernels, searcher.weights()) else {
        return K::deep(searcher, node, alpha);
    };
    if empties < CUT_FROM || level == Level::EXACT {
        return K::deep(searcher, node, alpha);
    }
    searcher.tally.enter(empties);
    searcher.go_on()?;
    if let Some(upper) = stability::cut(kernels, board, empties, alpha) {
        searcher.tally.count(empties, Event::Stable);
        return Ok(upper);
    }
    let hash = kernels.hash(board.player, board.opponent);
    let moves = kernels.moves(board.player, board.opponent);
    if moves == 0 {
        if kernels.moves(board.opponent, board.player) == 0 {
            searcher.tally.count(empties, Event::Over);
            return Ok(board.final_score(kernels));
        }
        searcher.tally.count(empties, Event::Pass);
        return Ok(-K::selective(searcher, &node.pass(kernels), -alpha - 1, level)?);
    }
    let proved = searcher.table().get(hash, board.player, board.opponent).unwrap_or(Entry::UNKNOWN);
    if let Some(bound) = proved.answer(alpha) {
        searcher.tally.count(empties, Event::Proved);
        return Ok(bound);
    }
    let hint = searcher.hints().get(hash, board.player, board.opponent).unwrap_or(Hint::UNKNOWN);
    if hint.effort >= level.effort(empties) {
        if hint.lower > alpha * UNIT {
            searcher.tally.count(empties, Event::Believed);
            return Ok(hint.lower / UNIT);
        }
        if hint.upper <= alpha * UNIT {
            searcher.tally.count(empties, Event::Believed);
            return Ok(hint.upper / UNIT);
        }
    }
    if let Some(value) = improbable(searcher, node, weights, kernels.count(moves), alpha, level)? {
        searcher.tally.count(empties, Event::Improbable { above: value > alpha });
        return Ok(value);
    }
    let begin = searcher.total_nodes();
    let mut candidates = Candidates::new(kernels, board, moves);
    let children = prefetch_children(searcher, node, &candidates);
    if candidates.wipes_out(board) {
        searcher.tally.count(empties, Event::WipeOut);
        return Ok(64);
    }
    let mut task = Task::new(*node, alpha, alpha + 1, level);
    look_up_children(searcher, &mut candidates, &children, &mut task);
    if task.is_cut() || candidates.as_slice().is_empty() {
        searcher.tally.count(empties, Event::ChildrenKnown);
    }
    if task.best <= alpha {
        search_moves(searcher, &mut candidates, hint.moves, &mut task)?;
    }
    task.store(searcher, hash, begin);
    Ok(task.best)
}

/// Returns a value outside the window if a shallow search says that the exact one is probably
/// there. It is even, as all values are: what is believed to be at most 5 is at most 4, and so it
/// answers the window of 4 as well as that of 5.
#[inline(always)]
fn improbable<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
    weights: &Weights,
    moves: u32,
    alpha: i32,
    level: Level,
) -> Result<Option<i32>, Stopped> {
    let empties = node.empties;
    let plies = 2 * (empties / 8) + (empties & 1);
    let (mean, spread) = error_of(weights, empties, plies);
    let margin = (level.deviations(weights) * spread) as i32;
    let (low, high) = (alpha * UNIT, (alpha + 1) * UNIT);
    let at_a_glance = glance(searcher.kernels, weights, node, moves);
    // Only where a glance already points that way is the shallow search worth its time.
    let bound = high + margin - mean as i32;
    if bound < LIMIT && at_a_glance >= high {
        searcher.tally.count(empties, Event::Probe { above: true });
        let value = K::midgame(searcher, node, plies, bound - 1, bound)?;
        return Ok((value >= bound).then_some((alpha + 2) & !1));
    }
    let bound = low - margin - mean as i32;
    if bound > -LIMIT && at_a_glance <= low {
        searcher.tally.count(empties, Event::Probe { above: false });
        let value = K::midgame(searcher, node, plies, bound, bound + 1)?;
        return Ok((value <= bound).then_some(alpha & !1));
    }
    Ok(None)
}

/// Returns a first guess at the value of `node` in discs, by ever deeper searches that end within
/// a small part of what the exact search will take.
pub(super) fn guess<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
) -> Result<i32, Stopped> {
    let deepest = (node.empties / 3).min(8);
    let mut value = 0;
    for plies in (deepest % 2..=deepest).step_by(2) {
        value = K::midgame(searcher, node, plies, -INFINITE, INFINITE)?;
    }
    Ok((value as f32 / UNIT as f32).round() as i32)
}
