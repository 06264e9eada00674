//! A position whose remaining moves several threads search.
//!
//! Each takes a move, and brings its value back. Splits know the one above them: a cut-off there makes them pointless.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::order::Candidate;
use super::principal::Task;
use super::searcher::Stopped;

/// The remaining moves of a position.
#[derive(Debug)]
pub(crate) struct SplitPoint {
    parent: Option<Arc<Self>>,
    /// Whether no more values matter.
    cut: AtomicBool,
    moves: Vec<Candidate>,
    work: Mutex<Work>,
}

/// How far the work on a split has come.
#[derive(Debug)]
struct Work {
    task: Task,
    next: usize,
    /// Moves that were taken and came back without a value.
    returned: Vec<Candidate>,
    /// Which other engine gave a move back, and its square: it is not asked the same again, which it would do no better.
    refusals: Vec<(usize, u32)>,
    /// Threads at work on a move.
    running: usize,
    /// A thread gave up, so that the split has no value.
    stopped: bool,
}

impl Work {
    /// Returns whether the values of more moves matter.
    fn is_open(&self) -> bool {
        !self.stopped && !self.task.is_cut()
    }

    /// Returns whether a move that came back without a value is still to be searched.
    fn has_returned(&self) -> bool {
        self.is_open() && !self.returned.is_empty()
    }

    /// Returns whether the move to `square` is for other engine number `hand`; all are for the search's own threads.
    fn is_for(&self, hand: Option<usize>, square: u32) -> bool {
        hand.is_none_or(|hand| !self.refusals.contains(&(hand, square)))
    }

    /// Takes the next of `moves` that is for `hand`, with the task as it stands; those that came back go first.
    fn take(&mut self, moves: &[Candidate], hand: Option<usize>) -> Option<(Task, Candidate)> {
        if !self.is_open() {
            return None;
        }
        let returned =
            self.returned.iter().rposition(|returned| self.is_for(hand, returned.square));
        let candidate = match returned {
            Some(place) => self.returned.remove(place),
            None => {
                let next = *moves.get(self.next)?;
                self.next += 1;
                next
            }
        };
        self.running += 1;
        Some((self.task, candidate))
    }
}

impl SplitPoint {
    /// Returns a split of `moves`, none of which is taken, below `parent`.
    pub(super) fn new(parent: Option<Arc<Self>>, moves: Vec<Candidate>, task: Task) -> Self {
        let work = Work {
            task,
            next: 0,
            returned: Vec::new(),
            refusals: Vec::new(),
            running: 0,
            stopped: false,
        };
        Self { parent, cut: AtomicBool::new(false), moves, work: Mutex::new(work) }
    }

    /// Returns whether this split, or one above it, needs no more work.
    pub(crate) fn is_pointless(&self) -> bool {
        let mut split = Some(self);
        while let Some(here) = split {
            if here.cut.load(Ordering::Relaxed) {
                return true;
            }
            split = here.parent.as_deref();
        }
        false
    }

    /// Returns whether this split lies below `other`.
    pub(super) fn is_below(&self, other: &Arc<Self>) -> bool {
        let mut split = self.parent.as_ref();
        while let Some(here) = split {
            if Arc::ptr_eq(here, other) {
                return true;
            }
            split = here.parent.as_ref();
        }
        false
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next move, with the task as it stands.
    pub(super) fn take(&self) -> Option<(Task, Candidate)> {
        self.work().take(&self.moves, None)
    }

    /// Takes the next move that other engine number `hand` has not given back.
    pub(super) fn take_for(&self, hand: usize) -> Option<(Task, Candidate)> {
        self.work().take(&self.moves, Some(hand))
    }

    /// Takes a move back for which other engine number `hand` has no value.
    pub(super) fn give_back(&self, candidate: Candidate, hand: usize) {
        let mut work = self.work();
        work.running -= 1;
        work.refusals.push((hand, candidate.square));
        work.returned.push(candidate);
    }

    /// Returns whether a move that came back without a value is still to be searched.
    pub(super) fn has_returned(&self) -> bool {
        self.work().has_returned()
    }

    /// Returns whether a move is left for other engine number `hand` to take.
    pub(super) fn has_moves_for(&self, hand: usize) -> bool {
        let work = self.work();
        let is_for_it = |returned: &Candidate| work.is_for(Some(hand), returned.square);
        work.is_open() && (work.next < self.moves.len() || work.returned.iter().any(is_for_it))
    }

    /// Returns the number of empty squares of the position.
    pub(super) fn empties(&self) -> u32 {
        self.work().task.node.empties
    }

    /// Takes the value of a move back. Returns whether others are at moves of a position that is cut off, or whose value
    /// nobody will know.
    pub(super) fn finish(&self, square: u32, value: Result<i32, Stopped>) -> bool {
        let mut work = self.work();
        work.running -= 1;
        match value {
            Ok(value) => work.task.improve(value, square),
            // Cut off by the value of another move: that is no loss.
            Err(Stopped) if work.task.is_cut() => {}
            Err(Stopped) => work.stopped = true,
        }
        let is_over = !work.is_open();
        if is_over {
            self.cut.store(true, Ordering::Relaxed);
        }
        is_over && work.running > 0
    }

    /// Returns whether all moves that were taken have come back, each with a value if that is still needed.
    pub(super) fn is_done(&self) -> bool {
        let work = self.work();
        work.running == 0 && !work.has_returned()
    }

    /// Returns the task with the values of all moves.
    ///
    /// # Errors
    /// [`Stopped`] if a thread gave up whose move the task needs.
    pub(super) fn outcome(&self) -> Result<Task, Stopped> {
        let work = self.work();
        if work.stopped && !work.task.is_cut() { Err(Stopped) } else { Ok(work.task) }
    }
}

#[cfg(test)]
mod tests;
