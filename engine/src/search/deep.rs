//! Eleven and more empty squares in a null window, unless a plain search suffices: the shared table, cut-offs by the
//! children's bounds, the full move order, and younger brothers given to idle threads.

use super::board::{Board, Node};
use super::cost::{Comparison, CostModel, Scrutiny};
use super::level::Level;
use super::order::{Candidate, Candidates, Hurry, MOST_MOVES, Outlook};
use super::principal::{Task, narrow};
use super::probe::Probe;
use super::searcher::{Searcher, Stopped};
use super::tally::Event;
use super::{SearchSet, cost, crew, last, middle, plain, shallow, stability};
use crate::table::Entry;

/// Fewest empty squares at which the children's bounds are looked up before any is searched
/// (enhanced transposition cut-off, J. Schaeffer and A. Plaat).
pub(super) const CHILDREN_BOUNDS_FROM: u32 = 12;

/// Fewest empty squares at which a selective search may have left a hint.
pub(super) const HINTS_FROM: u32 = 13;

/// Solves `node` in a null window.
#[inline(always)]
pub(super) fn body<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
    alpha: i32,
) -> Result<i32, Stopped> {
    let &Node { board, empties, .. } = node;
    let kernels = searcher.kernels;
    if empties <= middle::MOST_EMPTIES || plain::suffices(searcher, empties, node.estimate, alpha) {
        return Ok(low(searcher, board, empties, alpha));
    }
    searcher.tally.enter(empties);
    searcher.go_on()?;
    let hash = kernels.hash(board.player, board.opponent);
    searcher.table().prefetch(hash);
    if empties >= HINTS_FROM {
        searcher.hints().prefetch(hash);
    }
    if let Some(upper) = stability::cut(kernels, board, empties, alpha) {
        searcher.tally.count(empties, Event::Stable);
        return Ok(upper);
    }
    let moves = kernels.moves(board.player, board.opponent);
    if moves == 0 {
        if kernels.moves(board.opponent, board.player) == 0 {
            searcher.tally.count(empties, Event::Over);
            return Ok(board.final_score(kernels));
        }
        searcher.tally.count(empties, Event::Pass);
        return Ok(-K::deep(searcher, &node.pass(kernels), -alpha - 1)?);
    }
    let known = searcher.table().get(hash, board.player, board.opponent).unwrap_or(Entry::UNKNOWN);
    if let Some(bound) = known.answer(alpha) {
        searcher.tally.count(empties, Event::Proved);
        return Ok(bound);
    }
    if stability::may_answer_after_a_move(empties, alpha)
        && let Some(lower) = kernels.after_a_move(board, moves, alpha)
    {
        searcher.tally.count(empties, Event::Stable);
        return Ok(lower);
    }
    let begin = searcher.total_nodes();
    let mut candidates = Candidates::new(kernels, board, moves);
    let children = prefetch_children(searcher, node, &candidates);
    if candidates.wipes_out(board) {
        searcher.tally.count(empties, Event::WipeOut);
        return Ok(64);
    }
    let mut task = Task::new(*node, alpha, alpha + 1, Level::EXACT);
    let first = moves_to_try_first(searcher, hash, node, &known);
    if empties >= CHILDREN_BOUNDS_FROM {
        look_up_children(searcher, &mut candidates, &children, &mut task);
    }
    if task.is_cut() || candidates.as_slice().is_empty() {
        searcher.tally.count(empties, Event::ChildrenKnown);
    }
    if task.best <= alpha {
        search_moves(searcher, &mut candidates, first, &mut task)?;
    }
    task.store(searcher, hash, begin);
    Ok(task.best)
}

/// Solves a position below this layer.
#[inline(always)]
pub(super) fn low<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    board: Board,
    empties: u32,
    alpha: i32,
) -> i32 {
    match empties {
        0..4 => last::few(searcher.kernels, &mut searcher.tally, board, alpha),
        4 => searcher.kernels.four(&mut searcher.tally, board, board.empty(), alpha),
        shallow::EMPTIES => {
            let moves = searcher.kernels.moves(board.player, board.opponent);
            searcher.kernels.shallow(&mut searcher.tally, board, moves, alpha)
        }
        _ => {
            let moves = searcher.kernels.moves(board.player, board.opponent);
            if empties <= middle::MOST_EMPTIES {
                K::middle(searcher, board, moves, empties, alpha)
            } else {
                K::plain(searcher, board, moves, empties, alpha)
            }
        }
    }
}

/// Returns the moves that searches of this position found best: proved ones, else believed ones.
#[inline(always)]
pub(super) fn moves_to_try_first<K: SearchSet>(
    searcher: &Searcher<'_, K>,
    hash: u64,
    node: &Node,
    known: &Entry,
) -> [Option<u8>; 2] {
    if known.moves[0].is_some() || node.empties < HINTS_FROM {
        return known.moves;
    }
    let Board { player, opponent } = node.board;
    searcher.hints().get(hash, player, opponent).map_or([None; 2], |hint| hint.moves)
}

/// The hashes of the positions after the moves of a node.
pub(super) type Children = [u64; MOST_MOVES];

/// Asks the CPU for what the table holds of the children, and returns their hashes. By the time
/// they are looked up all lines are on their way.
#[inline(always)]
pub(super) fn prefetch_children<K: SearchSet>(
    searcher: &Searcher<'_, K>,
    node: &Node,
    candidates: &Candidates,
) -> Children {
    let mut hashes = [0; MOST_MOVES];
    if node.empties >= CHILDREN_BOUNDS_FROM {
        for (hash, candidate) in hashes.iter_mut().zip(candidates.as_slice()) {
            let after = node.board.after(candidate.square, candidate.flipped);
            *hash = searcher.kernels.hash(after.player, after.opponent);
            searcher.table().prefetch(*hash);
        }
    }
    hashes
}

/// Looks up what is known of the children: one of them may cut off at once, and those that are
/// known to fail need no search. Both are taken into `task`; the failing ones are dropped.
#[inline(always)]
pub(super) fn look_up_children<K: SearchSet>(
    searcher: &Searcher<'_, K>,
    candidates: &mut Candidates,
    children: &Children,
    task: &mut Task,
) {
    let (table, board) = (searcher.table(), task.node.board);
    let mut hashes = children.iter();
    candidates.retain(|&Candidate { flipped, square, .. }| {
        let after = board.after(square, flipped);
        let Some(&hash) = hashes.next() else { return true };
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

/// Searches the moves until one is above the window, the younger ones with the help of idle threads.
///
/// The `first` move most often suffices. Where a look at the costs would take long in comparison with
/// its search, it is searched before the others are even put in order.
#[inline(always)]
pub(super) fn search_moves<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    candidates: &mut Candidates,
    first: [Option<u8>; 2],
    task: &mut Task,
) -> Result<(), Stopped> {
    let node = task.node;
    let outlook = Outlook::new(node.estimate, task.alpha);
    let model = searcher.weights().and_then(|weights| CostModel::new(weights, task.alpha));
    let probe = Probe { table: searcher.table(), hints: searcher.hints() };
    let model = model.map(|model| {
        model.probing(probe).seen_by(searcher.crew.witness).ended_by(searcher.crew.control)
    });
    let scrutiny = Scrutiny::for_node(node.empties, node.estimate, task.alpha);
    let comparison = model.zip(scrutiny);
    let doubted = comparison.is_some() && node.empties >= cost::DOUBT_KNOWN_FROM;
    let eldest = if doubted { None } else { candidates.take(first[0]) };
    let moves = candidates.as_slice().len() + usize::from(eldest.is_some());
    if let Some(eldest) = eldest {
        let eldest = Candidate { estimate: node.estimate, ..eldest };
        task.improve(narrow(searcher, task, eldest)?, eldest.square);
        searcher.tally.count(node.empties, Event::tried(1, moves, task.is_cut()));
        if task.is_cut() {
            return Ok(());
        }
    }
    candidates.sort(searcher, &node, first, Hurry::for_empties(node.empties, outlook))?;
    if let Some((model, scrutiny)) = comparison {
        let comparison = Comparison { kernels: searcher.kernels, model, node: &node };
        let (pairs, changed) = comparison.cheapest_first(candidates.as_mut_slice(), scrutiny);
        searcher.tally.count(node.empties, Event::Compared { pairs, changed });
    }
    let candidates = candidates.as_slice();
    for (index, &candidate) in candidates.iter().enumerate() {
        let tried = index + usize::from(eldest.is_some());
        if crew::worth_splitting(searcher, node.empties, candidates.len() - index)
            && tried >= crew::elders(searcher, &node, task.alpha)
        {
            let shared = crew::split(searcher, &candidates[index..], task);
            if shared.is_ok() {
                let cuts = task.is_cut();
                searcher.tally.count(node.empties, Event::Shared { moves, cuts });
            }
            return shared;
        }
        task.improve(narrow(searcher, task, candidate)?, candidate.square);
        searcher.tally.count(node.empties, Event::tried(tried + 1, moves, task.is_cut()));
        if task.is_cut() {
            break;
        }
    }
    Ok(())
}
