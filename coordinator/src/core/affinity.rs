//! The affinity of workers to requests: which of many requests a free worker works for.
//!
//! A position that moves to another worker leaves the tables behind that know it, and what is searched by several
//! workers at once is partly searched in vain. So a worker that has ended a job gets what else its request needs, as
//! long as that is as good as sure; otherwise it begins a request, or helps the one that has the most left to do for
//! each of its workers. So among many requests each has a worker, or a few, of its own, which search it almost as one
//! undisturbed worker would, and the largest requests, which nobody can tell beforehand, are not the last.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::message::{SolveId, WorkerId};
use super::question::{Item, Key, Rank, as_begun, class_of};
use super::{Core, Turn};

/// The last step of need (see [`Rank`]) that is as good as sure.
const LAST_STEP: u8 = 1;

/// So many waiting questions of a request are looked at for one that the worker knows.
const LOOKED_AT: usize = 16;

impl Core {
    /// Notes that `worker` has ended a job for `home`.
    pub(super) fn note_freed(&mut self, worker: WorkerId, home: SolveId) {
        if self.has_many_requests() {
            self.freed.push((worker, home));
        }
    }

    /// Returns whether there is a crowd of requests for a large fleet.
    pub(super) fn has_many_requests(&self) -> bool {
        self.is_steered() && !self.is_deep()
    }

    /// Gives the workers that have just become free more of the same requests, unless something more urgent waits.
    pub(super) fn keep_to_requests(&mut self, turn: &mut Turn<'_>) {
        for (worker, home) in std::mem::take(&mut self.freed) {
            let Some(arrival) = self.solves.get(&home).map(|solve| solve.arrival) else { continue };
            while turn.splits > 0
                && self.fleet.is_free(worker)
                && !self.waits_more_urgent(class_of(arrival))
            {
                let next = self.next_of(arrival, Some(worker));
                let next = next.or_else(|| self.next_of(as_begun(arrival), Some(worker)));
                let Some((rank, key)) = next else { break };
                if !self.give(turn, rank, key, Some(worker)) {
                    break;
                }
            }
        }
    }

    /// Gives free workers what is as good as sure of the requests that need them most, of the most urgent ones first, but
    /// for the workers that can begin a request.
    pub(super) fn help_neediest(&mut self, turn: &mut Turn<'_>) {
        if !self.has_many_requests() || self.fleet.free_threads() == 0 {
            return;
        }
        let mut weights = self.weights();
        while turn.splits > 0 && self.fresh() < self.free_slots() {
            let neediest = weights.iter().max_by(|first, second| {
                let urgency = |&arrival: &u64| Reverse(class_of(arrival));
                urgency(first.0).cmp(&urgency(second.0)).then(first.1.total_cmp(second.1))
            });
            let Some((&arrival, _)) = neediest else { return };
            let next = self.next_of(arrival, None);
            let home = next.and_then(|(_, key)| Some(self.questions.get(&key)?.home));
            match (next, home) {
                (Some((rank, key)), Some(home)) if self.give(turn, rank, key, None) => {
                    weights.insert(arrival, self.weight(home));
                }
                _ => {
                    weights.remove(&arrival);
                }
            }
        }
    }

    /// Splits a question that waits, or gives it to a worker, to this one if it is free. Returns whether that was
    /// possible.
    fn give(
        &mut self,
        turn: &mut Turn<'_>,
        rank: Rank,
        key: Key,
        worker: Option<WorkerId>,
    ) -> bool {
        let item = (rank, Item::Question(key));
        let was_ready = self.ready.remove(&item);
        self.queue.remove(&item);
        if !was_ready && !self.fits(key) {
            self.split_now(turn, key);
            return true;
        }
        if let Some(worker) = worker {
            self.make_familiar(key.position, worker);
        }
        let given = self.assign_question(turn, key, self.width());
        if !given {
            self.ready.insert(item);
        }
        given
    }

    /// Returns how many requests wait that nobody has begun, as far as there are free threads.
    fn fresh(&self) -> usize {
        let is_fresh = |(rank, _): &&(Rank, Item)| rank.step == 0 && !rank.is_begun();
        let first = |list: &BTreeSet<(Rank, Item)>| {
            list.iter().take(self.free_slots()).take_while(is_fresh).count()
        };
        first(&self.ready) + first(&self.queue)
    }

    /// Returns the places of the begun requests for which something waits that is as good as sure, with how
    /// much they need another worker.
    fn weights(&self) -> BTreeMap<u64, f64> {
        let mut weights = BTreeMap::new();
        for list in [&self.ready, &self.queue] {
            for step in 0..=LAST_STEP {
                let mut arrival = 0;
                while let Some(&(rank, item)) = list.range(first_place(step, arrival)..).next()
                    && rank.step == step
                {
                    arrival = rank.arrival + 1;
                    if let Item::Question(key) = item
                        && let Some(question) = self.questions.get(&key)
                        && rank.is_begun()
                    {
                        weights.insert(rank.arrival, self.weight(question.home));
                    }
                }
            }
        }
        weights
    }

    /// Returns how much a request needs another worker: what is left of it for each that it has. What has taken
    /// much already will probably take as much again.
    pub(super) fn weight(&self, home: SolveId) -> f64 {
        self.solves.get(&home).map_or(0.0, |solve| {
            solve.remaining().max(solve.searched() as f64) / (solve.running + 1) as f64
        })
    }

    /// Returns what is as good as sure of the request with the place `arrival` and waits: of the first ones one that
    /// `worker` knows, otherwise the first.
    fn next_of(&self, arrival: u64, worker: Option<WorkerId>) -> Option<(Rank, Key)> {
        (0..=LAST_STEP).find_map(|step| {
            let waiting = [&self.ready, &self.queue].into_iter().flat_map(|list| {
                let after = list.range(first_place(step, arrival)..).take(LOOKED_AT);
                after.take_while(|(rank, _)| rank.step == step && rank.arrival == arrival)
            });
            let questions = waiting.filter_map(|&(rank, item)| match item {
                Item::Question(key) => Some((rank, key)),
                Item::Line(_) => None,
            });
            let is_strange = |key: &Key| worker.is_none() || self.familiar(key.position) != worker;
            questions.min_by_key(|&(rank, key)| (is_strange(&key), rank))
        })
    }
}

/// Returns what comes before all that waits with this step and place.
fn first_place(step: u8, arrival: u64) -> (Rank, Item) {
    let rank = Rank { step, arrival, doubt: 0, asked: Reverse(u64::MAX) };
    (rank, Item::Line(SolveId(0)))
}
