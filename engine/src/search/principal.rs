//! Windows wider than a null window: principal variation search.
//!
//! The first move is searched with the whole window, each later one in a null window above the
//! best so far, and again with the whole window if it turns out better (NegaScout, A. Reinefeld).

use std::ops::Neg;

use super::board::{Board, Node};
use super::deep::{low, moves_to_try_first};
use super::level::Level;
use super::order::{Candidate, Candidates, Hurry};
use super::searcher::{Searcher, Stopped};
use super::tally::Event;
use super::{SearchSet, ahead, crew, middle, plain};
use crate::evaluation::UNIT;
use crate::table::{Entry, Hint, SharedHint};
use crate::{Bound, Control, FoundBound, Position, Score};

/// From so many nodes on, what a selective search has found is told to who wants hints.
const DEAR: u64 = 1 << 13;

/// A window, and the value that is expected in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aspiration {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
    pub(crate) expected: i32,
}

impl Aspiration {
    /// Every value, and nothing expected.
    pub(crate) const FULL: Self = Self { alpha: -64, beta: 64, expected: 0 };

    /// Returns the null window above `alpha`.
    pub(crate) fn null(alpha: i32) -> Self {
        Self { alpha, beta: alpha + 1, expected: alpha }
    }
}

impl Neg for Aspiration {
    type Output = Self;

    /// Returns what the opponent sees of it.
    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha, expected: -self.expected }
    }
}

/// A position in a window, and the best that its moves have reached so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) node: Node,
    /// Lower end of the window; it rises with the best.
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
    pub(crate) best: i32,
    pub(crate) best_move: Option<u8>,
    /// How sure the values of the moves are: only at [`Level::EXACT`] they are proved.
    pub(crate) level: Level,
    first_alpha: i32,
}

impl Task {
    pub(crate) fn new(node: Node, alpha: i32, beta: i32, level: Level) -> Self {
        Self { node, alpha, beta, best: -128, best_move: None, level, first_alpha: alpha }
    }

    /// Takes the value of a move into account. In a null window `alpha` does not rise: a value
    /// above it ends the search.
    #[inline(always)]
    pub(crate) fn improve(&mut self, value: i32, square: u32) {
        if value > self.best {
            self.best = value;
            self.best_move = Some(square as u8);
            if value < self.beta {
                self.alpha = self.alpha.max(value);
            }
        }
    }

    /// Returns whether the window only separates two values.
    #[inline(always)]
    fn is_null(&self) -> bool {
        self.alpha + 1 == self.beta
    }

    /// Returns whether the values of the moves are proved.
    pub(super) fn is_proof(&self) -> bool {
        self.level == Level::EXACT
    }

    /// Returns whether the best is above the window, so that no other move matters.
    #[inline(always)]
    pub(crate) fn is_cut(&self) -> bool {
        self.best >= self.beta
    }

    /// Keeps what was proved for who wants to know.
    #[cold]
    fn tell(&self, control: &Control, entry: &Entry, nodes: u64) {
        let Board { player, opponent } = self.node.board;
        let ends = Score::new(entry.lower).zip(Score::new(entry.upper));
        if let Some(position) = Position::new(player, opponent)
            && let Some(bound) = ends.and_then(|(lower, upper)| Bound::new(lower, upper))
        {
            control.found(FoundBound { position, bound, nodes });
        }
    }

    /// Keeps what was found: in the table of proofs at the exact level, otherwise among the hints.
    /// `begin` is the node count before the search.
    #[inline(always)]
    pub(crate) fn store<K: SearchSet>(&self, searcher: &Searcher<'_, K>, hash: u64, begin: u64) {
        let Board { player, opponent } = self.node.board;
        let generation = searcher.crew.generation;
        let work = searcher.total_nodes() - begin;
        if self.level == Level::EXACT {
            let entry = Entry {
                lower: if self.best > self.first_alpha { self.best } else { -64 },
                upper: if self.best < self.beta { self.best } else { 64 },
                moves: [self.best_move, None],
                cost: Entry::cost_of(work),
            };
            searcher.table().put(hash, player, opponent, entry, generation);
            if searcher.crew.control.is_dear(work) {
                self.tell(searcher.crew.control, &entry, work);
            }
        } else {
            let Hint { lower, upper, .. } = Hint::UNKNOWN;
            let hint = Hint {
                lower: if self.best > self.first_alpha { self.best * UNIT } else { lower },
                upper: if self.best < self.beta { self.best * UNIT } else { upper },
                effort: self.level.effort(self.node.empties),
                moves: [self.best_move, None],
            };
            searcher.hints().put(hash, player, opponent, hint, generation);
            let control = searcher.crew.control;
            if work >= DEAR
                && control.wants_hints()
                && let Some(shared) = SharedHint::of(player, opponent, hint)
            {
                control.hint(shared);
            }
        }
    }
}

/// Solves `node` in a window; the value is exact between its ends, at a selective level it is believed. Returns the
/// best move too, if one was looked for.
///
/// # Errors
/// [`Stopped`] if the search was asked to stop, or was told bounds that contradict each other.
pub(crate) fn principal<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
    aspiration: Aspiration,
    level: Level,
) -> Result<(i32, Option<u8>), Stopped> {
    let Aspiration { alpha, beta, expected } = aspiration;
    let (kernels, board) = (searcher.kernels, node.board);
    searcher.tally.begin(level);
    searcher.tally.enter(node.empties);
    searcher.go_on()?;
    let moves = kernels.moves(board.player, board.opponent);
    if moves == 0 {
        if kernels.moves(board.opponent, board.player) == 0 {
            searcher.tally.count(node.empties, Event::Over);
            return Ok((board.final_score(kernels), None));
        }
        searcher.tally.count(node.empties, Event::Pass);
        let after = principal(searcher, &node.pass(kernels), -aspiration, level)?;
        return Ok((-after.0, None));
    }
    let hash = kernels.hash(board.player, board.opponent);
    let known = searcher.table().get(hash, board.player, board.opponent).unwrap_or(Entry::UNKNOWN);
    if known.lower > known.upper {
        return Err(Stopped); // What was told is false: no window is left.
    }
    if let Some(value) = settled(&known, alpha, beta) {
        searcher.tally.count(node.empties, Event::Proved);
        return Ok((value, known.moves[0]));
    }
    let begin = searcher.total_nodes();
    let mut candidates = Candidates::new(kernels, board, moves);
    let first = moves_to_try_first(searcher, hash, node, &known);
    let hurry = Hurry::for_principal(node.empties);
    let estimates = ahead::post_estimates(searcher, node, candidates.as_slice(), first, hurry);
    candidates.sort(searcher, node, first, hurry)?;
    drop(estimates);
    let (alpha, beta) = (alpha.max(known.lower - 1), beta.min(known.upper + 1));
    let mut task = Task::new(*node, alpha, beta, level);
    try_moves(searcher, candidates.as_slice(), &mut task, expected)?;
    task.store(searcher, hash, begin);
    Ok((task.best, task.best_move))
}

/// Returns the value if what is `known` answers the window, or leaves only one.
#[inline(always)]
fn settled(known: &Entry, alpha: i32, beta: i32) -> Option<i32> {
    if known.lower >= beta || known.lower == known.upper {
        return Some(known.lower);
    }
    (known.upper <= alpha).then_some(known.upper)
}

/// Searches the moves of the position of `task` in this order, the eldest in the whole window, until one cuts off or idle
/// threads share the rest.
///
/// # Errors
/// [`Stopped`] if the search was asked to stop, or was told bounds that contradict each other.
#[inline(always)]
fn try_moves<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    candidates: &[Candidate],
    task: &mut Task,
    expected: i32,
) -> Result<(), Stopped> {
    let (empties, moves) = (task.node.empties, candidates.len());
    for (index, &candidate) in candidates.iter().enumerate() {
        let rest = &candidates[index..];
        if index > 0 && crew::worth_splitting(searcher, empties, rest.len()) {
            crew::split(searcher, rest, task)?;
            searcher.tally.count(empties, Event::Shared { moves, cuts: task.is_cut() });
            break;
        }
        let value = if index == 0 && !task.is_null() {
            let after = task.node.after_candidate(searcher.kernels, &candidate);
            let brothers = ahead::post_brothers(searcher, task, expected, &rest[1..]);
            let aspiration = Aspiration { alpha: task.alpha, beta: task.beta, expected };
            let value = -principal(searcher, &after, -aspiration, task.level)?.0;
            drop(brothers);
            searcher.crew.root_moves.note(task, candidate.square, value);
            value
        } else {
            brother(searcher, task, candidate)?
        };
        task.improve(value, candidate.square);
        searcher.tally.count(empties, Event::tried(index + 1, moves, task.is_cut()));
        if task.is_cut() {
            break;
        }
    }
    Ok(())
}

/// Returns the value of a move that is expected to be no better than the best so far.
///
/// # Errors
/// [`Stopped`] if the search was asked to stop, or was told bounds that contradict each other.
pub(crate) fn brother<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    task: &Task,
    candidate: Candidate,
) -> Result<i32, Stopped> {
    searcher.tally.begin(task.level);
    let mut value = narrow(searcher, task, candidate)?;
    if value > task.alpha && value < task.beta {
        searcher.tally.count(task.node.empties, Event::Research);
        let after = task.node.after_candidate(searcher.kernels, &candidate);
        let aspiration = Aspiration { alpha: value - 1, beta: task.beta, expected: value };
        value = -principal(searcher, &after, -aspiration, task.level)?.0;
    }
    searcher.crew.root_moves.note(task, candidate.square, value);
    Ok(value)
}

/// Returns the value of a move in the null window above the task's `alpha`.
///
/// # Errors
/// [`Stopped`] if the search was asked to stop, or was told bounds that contradict each other.
#[inline(always)]
pub(crate) fn narrow<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    task: &Task,
    candidate: Candidate,
) -> Result<i32, Stopped> {
    let (empties, alpha) = (task.node.empties - 1, -task.alpha - 1);
    let exact = task.level == Level::EXACT;
    let plain = exact && plain::suffices(searcher, empties, -candidate.estimate, alpha);
    if empties <= middle::MOST_EMPTIES || plain {
        // These layers need no features, so none are made.
        let after = task.node.board.after(candidate.square, candidate.flipped);
        return Ok(-low(searcher, after, empties, alpha));
    }
    let after = task.node.after_candidate(searcher.kernels, &candidate);
    Ok(if exact {
        -K::deep(searcher, &after, alpha)?
    } else {
        -K::selective(searcher, &after, alpha, task.level)?
    })
}
