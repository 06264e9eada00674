//! Splitting jobs that run, when workers have nothing else to do.
//!
//! A worker that searches a whole question takes the fewest nodes, so that requests go out whole as long as
//! there are enough of them. At the end of a campaign, or of a list, there are not: then the job that has run
//! longest is split, since what has taken long already will probably take longer than the others, whatever was
//! predicted.
//!
//! A goal's job is stopped for that. Its report says which moves are done and in which order the others come; the
//! worker, whose tables know most of it, goes on with the move that it was at, and others get what
//! else is needed. A value's job goes on while others try the brothers.

use std::collections::BTreeSet;

use outflank_engine::Position;

use super::fleet::after;
use super::message::{Command, Millis};
use super::question::{Key, Rank, State};
use super::{Core, Turn};

/// The number of running jobs that are looked at when one is to be split, or copied.
pub(super) const CANDIDATES: usize = 64;

/// So many workers probably find something to do in a job that is split.
const HELPERS: usize = 4;

/// A job that runs is split rather than a brother tried if it is needed so many times more likely.
const SURER: f64 = 1.5;

impl Core {
    /// Has the jobs that have run longest of those that may be split stopped, as many as there are idle workers
    /// for, or splits one that asks for a value. Returns whether somebody can help at once.
    pub(super) fn split_oldest(&mut self, turn: &mut Turn<'_>) -> bool {
        while self.has_idle_left() {
            let Some(key) = self.next_to_split(turn, 0.0) else { return false };
            if !key.window.is_null() {
                self.split_now(turn, key);
                return true;
            }
            self.stop_to_split(turn, key);
        }
        false
    }

    /// Has jobs stopped that are needed more surely than the speculation that `brother` stands for. Returns
    /// whether that gives all idle workers something to do soon.
    pub(super) fn splits_surer(&mut self, turn: &mut Turn<'_>, brother: Rank) -> bool {
        let least = SURER * brother.need();
        while self.has_idle_left() {
            match self.next_to_split(turn, least).filter(|key| key.window.is_null()) {
                Some(key) => self.stop_to_split(turn, key),
                None => return false,
            }
        }
        !self.stopping.is_empty()
    }

    fn has_idle_left(&self) -> bool {
        let free = self.free_slots();
        let idle = free - self.ready.len().min(free);
        self.stopping.len() * HELPERS < idle
    }

    /// Returns the question whose job is to be split next of those that may be and are needed with more than this
    /// chance: the one that has run longest; among many requests one whose worker has said what it believes, if
    /// there is any, and of the request that needs help most.
    fn next_to_split(&self, turn: &Turn<'_>, least: f64) -> Option<Key> {
        let oldest = self.single_copies.iter().take(CANDIDATES);
        let old = oldest.filter(|&&(since, key)| self.may_split(turn.now, since, key));
        let mut old = old.map(|&(_, key)| key).filter(|&key| self.need(key) > least);
        if !self.has_many_requests() {
            return old.next();
        }
        let weighed = old.filter_map(|key| {
            let question = self.questions.get(&key)?;
            Some((question.belief.is_some(), self.weight(question.home), key))
        });
        let best = weighed.reduce(|best, other| {
            let order = best.0.cmp(&other.0).then(best.1.total_cmp(&other.1));
            if order.is_lt() { other } else { best }
        });
        best.map(|(_, _, key)| key)
    }

    /// Returns whether a question that runs since `since` may be split while workers are idle: when it has run for a
    /// while, and is not shared.
    pub(super) fn may_split(&self, now: Millis, since: Millis, key: Key) -> bool {
        let is_leaf = key.position.empties() <= self.config.leaf_empties;
        let stops = self.stopping.contains(&key) || self.is_shared(key);
        let config = &self.config;
        let patience = if self.is_steered() { config.split_soon } else { config.split_after };
        !is_leaf && !stops && after(since, patience) <= now
    }

    /// Tells workers whose jobs were split while they run what is proved one ply below, if any of the positions in
    /// `changed` is there; what is found deeper inside jobs is told by `inside`.
    pub(super) fn tell_of(&mut self, turn: &mut Turn<'_>, changed: &[Position]) {
        let parents = changed.iter().flat_map(|&position| self.graph.parents(position));
        for position in parents.collect::<BTreeSet<_>>() {
            let Some(node) = self.graph.get(position) else { continue };
            let (symmetry, windows) = (node.symmetry, node.windows.iter());
            let questions =
                windows.filter_map(|&window| self.questions.get(&Key { position, window }));
            let rivals = questions.filter_map(|question| match &question.state {
                State::Expanded { rivals, .. } => Some(rivals),
                _ => None,
            });
            for (worker, job) in rivals.flatten().copied().collect::<Vec<_>>() {
                let known = self.bounds_below(turn, position, symmetry);
                self.note_told(turn, worker, &known);
                turn.commands.push(Command::Tell { worker, job, known });
            }
        }
    }

    /// Stops the job of a goal, which is split when the report is there.
    fn stop_to_split(&mut self, turn: &mut Turn<'_>, key: Key) {
        self.stopping.insert(key);
        let Some(question) = self.questions.get_mut(&key) else { return };
        let State::Running { jobs, since } = &mut question.state else { return };
        // If it does not stop soon somebody else gets it.
        self.single_copies.remove(&(*since, key));
        *since = turn.now;
        self.single_copies.insert((*since, key));
        for (worker, job) in jobs.clone() {
            self.stop_job(turn, worker, job);
        }
    }
}
