//! Eleven to thirteen empty squares where the window is far from what is expected: moves ordered by
//! mobility, the shared table, and nothing that an evaluation would need.
//!
//! Most positions are of this kind, and their trees are small whatever the order; an evaluation of
//! every move would cost more than it saves. The few positions near the window have trees ten times
//! as large and stay with [`deep`](super::deep).

use super::board::Board;
use super::deep::CHILDREN_BOUNDS_FROM;
use super::order::Outlook;
use super::replies::{Candidate, Care, bring_best_forward, candidates};
use super::searcher::Searcher;
use super::tally::Event;
use super::{SearchSet, middle, stability};
use crate::table::Entry;

/// Most empty squares for which this search may be the right one.
const MOST_EMPTIES: u32 = 13;

/// The best of the moves so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    value: i32,
    square: u32,
}

impl Best {
    #[inline(always)]
    fn improve(&mut self, value: i32, square: u32) {
        if value > self.value {
            *self = Self { value, square };
        }
    }
}

/// Returns whether this search is the right one for a position that is expected to be worth
/// `estimate`, in units of the evaluation.
#[inline(always)]
pub(super) fn suffices<K: SearchSet>(
    searcher: &Searcher<'_, K>,
    empties: u32,
    estimate: i32,
    alpha: i32,
) -> bool {
    let near = Outlook::new(estimate, alpha) == Outlook::Near;
    empties <= MOST_EMPTIES && (!near || searcher.weights().is_none())
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
    searcher.tally.enter(empties);
    if let Some(upper) = stability::cut(kernels, board, empties, alpha) {
        searcher.tally.count(empties, Event::Stable);
        return upper;
    }
    let hash = kernels.hash(board.player, board.opponent);
    let known = searcher.table().get(hash, board.player, board.opponent).unwrap_or(Entry::UNKNOWN);
    if let Some(bound) = known.answer(alpha) {
        searcher.tally.count(empties, Event::Proved);
        return bound;
    }
    if moves == 0 {
        let moves = kernels.moves(board.opponent, board.player);
        if moves == 0 {
            searcher.tally.count(empties, Event::Over);
            return board.final_score(kernels);
        }
        searcher.tally.count(empties, Event::Pass);
        return -K::plain(searcher, board.pass(), moves, empties, -alpha - 1);
    }
    if stability::may_answer_after_a_move(empties, alpha)
        && let Some(lower) = kernels.after_a_move(board, moves, alpha)
    {
        searcher.tally.count(empties, Event::Stable);
        return lower;
    }
    let begin = searcher.total_nodes();
    let mut list = [Candidate::default(); MOST_EMPTIES as usize];
    let hash_move = known.moves[0].unwrap_or(64);
    let count = candidates(kernels, board, moves, hash_move, Care::BothSides, &mut list);
    if count == 0 {
        searcher.tally.count(empties, Event::WipeOut);
        return 64; // A wipe-out: nothing can be better.
    }
    let mut best = Best { value: -128, square: 64 };
    let mut left = &mut list[..count];
    if empties >= CHILDREN_BOUNDS_FROM {
        left = look_up_children(searcher, board, left, alpha, &mut best);
    }
    if best.value > alpha || left.is_empty() {
        searcher.tally.count(empties, Event::ChildrenKnown);
    }
    if best.value <= alpha {
        search_moves(searcher, board, left, alpha, &mut best);
    }
    let entry = Entry {
        lower: if best.value > alpha { best.value } else { -64 },
        upper: if best.value > alpha { 64 } else { best.value },
        moves: [Some(best.square as u8), None],
        cost: Entry::cost_of(searcher.total_nodes() - begin),
    };
    searcher.table().put(hash, board.player, board.opponent, entry, searcher.crew.generation);
    best.value
}

/// Looks up what is known of the children and returns the moves that remain to be searched: none
/// is needed when `best` has come above the window.
#[inline(always)]
fn look_up_children<'a, K: SearchSet>(
    searcher: &Searcher<'_, K>,
    board: Board,
    list: &'a mut [Candidate],
    alpha: i32,
    best: &mut Best,
) -> &'a mut [Candidate] {
    let (kernels, table) = (searcher.kernels, searcher.table());
    // All lines are on their way before the first is needed.
    for &Candidate { flipped, square, .. } in list.iter() {
        let after = board.after(square, flipped);
        table.prefetch(kernels.hash(after.player, after.opponent));
    }
    let mut done = 0;
    for index in 0..list.len() {
        let Candidate { flipped, square, .. } = list[index];
        let after = board.after(square, flipped);
        let hash = kernels.hash(after.player, after.opponent);
        let Some(known) = table.get(hash, after.player, after.opponent) else { continue };
        if -known.upper > alpha {
            best.improve(-known.upper, square);
            break;
        }
        if -known.lower <= alpha {
            best.improve(-known.lower, square);
            list[index] = list[done];
            done += 1;
        }
    }
    &mut list[done..]
}

/// Searches the moves, the most promising first, until one is above the window.
#[inline(always)]
fn search_moves<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    board: Board,
    mut list: &mut [Candidate],
    alpha: i32,
    best: &mut Best,
) {
    let empties = searcher.kernels.count(board.empty()) - 1;
    let moves = list.len();
    while !list.is_empty() && best.value <= alpha {
        bring_best_forward(list);
        let Candidate { flipped, replies, square, .. } = list[0];
        let after = board.after(square, flipped);
        let value = if empties <= middle::MOST_EMPTIES {
            -K::middle(searcher, after, replies, empties, -alpha - 1)
        } else {
            -K::plain(searcher, after, replies, empties, -alpha - 1)
        };
        best.improve(value, square);
        list = &mut list[1..];
        let tried = Event::tried(moves - list.len(), moves, value > alpha);
        searcher.tally.count(empties + 1, tried);
    }
}
