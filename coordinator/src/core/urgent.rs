//! What is more urgent than what runs: clients come before campaigns, and these by priority.
//!
//! A job may run for many minutes, so that who is urgent does not wait for its end: after a while the jobs of less urgent
//! requests are stopped, those first that have begun last. What they have proved is kept, and their workers have tables
//! that know more.

use std::cmp::Reverse;

use super::fleet::after;
use super::message::{Millis, WorkerId};
use super::question::{Key, State};
use super::share::is_sure;
use super::{Core, Turn};

/// A job that runs: what it costs to stop it, least first, and who would be free.
type Stoppable = ((Reverse<u64>, Reverse<Millis>), Key, Vec<WorkerId>);

impl Core {
    /// Returns the class of the most urgent request that needs a question, 0 the most urgent.
    pub(super) fn class(&self, key: Key) -> u64 {
        self.questions.get(&key).map_or(0, |question| question.rank.class())
    }

    /// Returns whether something waits that is needed for sure and more urgent than `class`.
    pub(super) fn waits_more_urgent(&self, class: u64) -> bool {
        let mut first = [self.ready.first(), self.queue.first()].into_iter().flatten();
        first.any(|&(rank, _)| is_sure(rank) && rank.class() < class)
    }

    /// Stops jobs for what is needed for sure and more urgent, if it has waited for a worker for a while. Looks at all
    /// jobs: to be called now and then.
    pub(super) fn stop_for_urgent(&mut self, turn: &mut Turn<'_>) {
        let mut urgent = self.surely_waiting();
        let least = urgent.iter().map(|waiting| waiting.class).min();
        let mut stoppable = least.map_or_else(Vec::new, |class| self.less_urgent_than(class));
        if !stoppable.is_empty() {
            urgent = self.without_worker(urgent);
        }
        if stoppable.is_empty() || urgent.is_empty() {
            self.urgent_since = None;
            return;
        }
        let since = *self.urgent_since.get_or_insert(turn.now);
        if turn.now < after(since, self.config.urgent_after) {
            return;
        }
        for waiting in urgent {
            let fits = |(_, key, workers): &Stoppable| {
                let is_fit = workers.iter().any(|worker| !waiting.unfit.contains(worker));
                is_fit && self.class(*key) > waiting.class
            };
            let Some(place) = stoppable.iter().position(fits) else { continue };
            let (_, key, _) = stoppable.remove(place);
            self.stop_and_requeue(turn, key);
        }
    }

    /// Returns the jobs of requests that are less urgent than `class`, those first that cost the least to stop.
    fn less_urgent_than(&self, class: u64) -> Vec<Stoppable> {
        let running = self.single_copies.iter().filter_map(|&(since, key)| {
            let of = self.class(key);
            let is_stopping = self.stopping.contains(&key);
            let State::Running { jobs, .. } = &self.questions.get(&key)?.state else { return None };
            let workers = jobs.iter().map(|&(worker, _)| worker).collect();
            (of > class && !is_stopping).then_some(((Reverse(of), Reverse(since)), key, workers))
        });
        let mut running: Vec<Stoppable> = running.collect();
        running.sort_unstable_by_key(|&(cost, key, _)| (cost, key));
        running
    }

    /// Stops the job of a running question, which waits again then. Its worker keeps its tables.
    pub(super) fn stop_and_requeue(&mut self, turn: &mut Turn<'_>, key: Key) {
        let Some(State::Running { jobs, since }) = self.questions.get(&key).map(|one| &one.state)
        else {
            return;
        };
        let (jobs, since) = (jobs.clone(), *since);
        self.single_copies.remove(&(since, key));
        self.cancel(turn, &jobs);
        self.unpark(key);
        self.enqueue(key);
    }
}
