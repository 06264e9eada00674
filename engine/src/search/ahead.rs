//! What threads that have nothing else to do begin before it can be shared.
//!
//! On the way down the principal variation it is known what comes next at each position: its moves are put in order,
//! by a search of few plies each, and when the eldest has come back, its younger brothers are asked whether they are
//! better. Idle threads begin with that, for the value that is expected, and drop it when a split is open. What they
//! find is in the tables for who comes there later. Nobody waits for it, and an expectation that was wrong costs time
//! that nobody else had a use for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::SearchSet;
use super::board::Node;
use super::crew::Crew;
use super::level::Level;
use super::midgame::INFINITE;
use super::order::{Candidate, Candidates, Hurry};
use super::principal::{Task, narrow};
use super::searcher::{Searcher, Stopped};
use super::turns;
use crate::table::Hint;

/// Fewest empty squares at which moves are begun ahead: below, the others are there before anything is found.
const LEAST_EMPTIES: u32 = 16;

/// Fewest plies of an estimate that is worth handing over.
const LEAST_PLIES: u32 = 4;

/// The moves of a position on the principal variation, and what will be asked of them.
#[derive(Debug)]
pub(super) struct Prospect {
    node: Node,
    moves: Vec<Candidate>,
    question: Question,
    /// The moves that nobody has begun, a bit for each.
    left: AtomicU64,
    /// The thread that goes down the principal variation has come here: no more is to be begun.
    is_past: AtomicBool,
}

/// What will be asked of a move.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// What do so many plies say of it?
    Estimate { plies: u32 },
    /// Is it worth more than `floor`?
    IsAbove { floor: i32, level: Level },
}

impl Prospect {
    fn new(node: &Node, moves: Vec<Candidate>, question: Question) -> Self {
        let left = AtomicU64::new((1 << moves.len()) - 1);
        Self { node: *node, moves, question, left, is_past: AtomicBool::new(false) }
    }

    /// Takes a move that nobody has begun and returns its place: brothers from the first, which come next, estimates
    /// from the last, towards the thread that begins with the first.
    fn take(&self) -> Option<usize> {
        let place = |left: u64| match self.question {
            Question::Estimate { .. } => left.ilog2(),
            Question::IsAbove { .. } => left.trailing_zeros(),
        };
        let take = |left| (left != 0).then(|| left & !(1 << place(left)));
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(place(left) as usize)
    }

    fn give_back(&self, place: usize) {
        self.left.fetch_or(1 << place, Ordering::Relaxed);
    }

    /// Returns whether what was begun here is of no more use.
    pub(super) fn is_past(&self) -> bool {
        self.is_past.load(Ordering::Relaxed)
    }
}

/// A prospect among the notices, from which it goes with this.
#[derive(Debug)]
pub(super) struct Posted<'a> {
    crew: &'a Crew<'a>,
    prospect: Arc<Prospect>,
}

impl<'a> Posted<'a> {
    fn new<K>(searcher: &Searcher<'a, K>, prospect: Prospect) -> Self {
        let Searcher { crew, thread, .. } = *searcher;
        let prospect = Arc::new(prospect);
        crew.post(&prospect, thread);
        Self { crew, prospect }
    }
}

impl Drop for Posted<'_> {
    fn drop(&mut self) {
        self.prospect.is_past.store(true, Ordering::Relaxed);
        self.crew.remove(&self.prospect);
    }
}

/// Lets idle threads estimate those of `moves` that an earlier search says nothing of, as putting them in order will.
pub(super) fn post_estimates<'a, K>(
    searcher: &Searcher<'a, K>,
    node: &Node,
    moves: &[Candidate],
    first: [Option<u8>; 2],
    hurry: Hurry,
) -> Option<Posted<'a>> {
    let Hurry::Search(plies @ LEAST_PLIES..) = hurry else { return None };
    let is_known = |candidate: &&Candidate| first.contains(&Some(candidate.square as u8));
    let moves: Vec<_> = moves.iter().filter(|candidate| !is_known(candidate)).copied().collect();
    let is_worth_it = moves.len() > 1 && searcher.crew.weights.is_some();
    let prospect = || Prospect::new(node, moves, Question::Estimate { plies });
    is_worth_it.then(|| Posted::new(searcher, prospect()))
}

/// Lets idle threads ask the `younger` brothers whether they are better than what is expected of the eldest.
pub(super) fn post_brothers<'a, K>(
    searcher: &Searcher<'a, K>,
    task: &Task,
    expected: i32,
    younger: &[Candidate],
) -> Option<Posted<'a>> {
    let is_worth_it = task.node.empties >= LEAST_EMPTIES && !younger.is_empty();
    if !is_worth_it || expected >= task.beta {
        return None;
    }
    let question = Question::IsAbove { floor: expected.max(task.alpha), level: task.level };
    Some(Posted::new(searcher, Prospect::new(&task.node, younger.to_vec(), question)))
}

/// Lets idle threads ask the moves of the root but the first in the search that comes after this one, at its `level`.
///
/// # Errors
/// [`Stopped`] if the search was asked to stop.
pub(super) fn post_next_search<'a, K: SearchSet>(
    searcher: &mut Searcher<'a, K>,
    root: &Node,
    expected: i32,
    level: Level,
) -> Result<Option<Posted<'a>>, Stopped> {
    let (kernels, board) = (searcher.kernels, root.board);
    let hash = kernels.hash(board.player, board.opponent);
    let hint = searcher.hints().get(hash, board.player, board.opponent).unwrap_or(Hint::UNKNOWN);
    let mut moves = Candidates::new(kernels, board, kernels.moves(board.player, board.opponent));
    moves.sort(searcher, root, hint.moves, Hurry::Glance)?;
    let task = Task::new(*root, expected, expected + 1, level);
    let younger = moves.as_slice().get(1..).unwrap_or_default();
    Ok(post_brothers(searcher, &task, expected, younger))
}

/// A move that a thread begins ahead. It still counts as idle.
#[derive(Debug)]
pub(super) struct Advance<'a> {
    crew: &'a Crew<'a>,
    prospect: Arc<Prospect>,
    place: usize,
    is_done: bool,
}

impl<'a> Advance<'a> {
    /// Takes the move that comes next, if there is one.
    pub(super) fn next(crew: &'a Crew<'a>, prospects: &[Arc<Prospect>]) -> Option<Self> {
        // The youngest is the lowest in the tree, and the first that is needed.
        let mut moves = prospects.iter().rev();
        let (prospect, place) = moves.find_map(|prospect| Some((prospect, prospect.take()?)))?;
        crew.count_idle();
        Some(Self { crew, prospect: Arc::clone(prospect), place, is_done: false })
    }

    /// Searches the move.
    pub(super) fn run<K: SearchSet>(mut self, searcher: &mut Searcher<'a, K>) {
        searcher.hand_over(turns::TAKING);
        searcher.ahead = Some(Arc::clone(&self.prospect));
        let found = self.search(searcher);
        searcher.ahead = None;
        searcher.meet();
        self.is_done = found.is_ok();
    }

    fn search<K: SearchSet>(&self, searcher: &mut Searcher<'a, K>) -> Result<(), Stopped> {
        let Prospect { node, moves, question, .. } = &*self.prospect;
        let candidate = moves[self.place];
        // The values are for the tables.
        match *question {
            Question::Estimate { plies } => {
                let after = node.after(searcher.kernels, candidate.square, candidate.flipped);
                K::midgame(searcher, &after, plies, -INFINITE, INFINITE)?;
            }
            Question::IsAbove { floor, level } => {
                let task = Task::new(*node, floor, floor + 1, level);
                searcher.tally.begin(level);
                narrow(searcher, &task, candidate)?;
            }
        }
        Ok(())
    }
}

impl Drop for Advance<'_> {
    fn drop(&mut self) {
        self.crew.count_busy();
        if !self.is_done {
            self.prospect.give_back(self.place);
        }
        if std::thread::panicking() {
            self.crew.control.stop();
        }
    }
}

#[cfg(test)]
mod tests;
