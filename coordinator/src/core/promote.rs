//! A question that is shared by several requests has its turn with the first of them to be served.
//!
//! Among clients that is the one that asked it first. A client, or a campaign of greater priority,
//! may come later and need what waits behind all others.

use super::Core;
use super::fleet::Target;
use super::message::{JobId, SolveId, WorkerId};
use super::question::{Item, Key, State, Wanted, as_begun};

impl Core {
    /// Puts `key` on the account of the oldest request that needs it, if the one that asked it first is gone. What waits
    /// keeps its place in the queue.
    pub(super) fn rehome(&mut self, key: Key) {
        let Some(question) = self.questions.get(&key) else { return };
        if self.solves.contains_key(&question.home) {
            return;
        }
        let wanted_by: Vec<Wanted> = question.wanted_by.keys().copied().collect();
        let homes: Vec<SolveId> =
            wanted_by.into_iter().filter_map(|wanted| self.home_of(wanted)).collect();
        let living = homes.into_iter().filter_map(|id| Some((self.solves.get(&id)?.arrival, id)));
        let Some((_, home)) = living.min() else { return };
        let Some(question) = self.questions.get_mut(&key) else { return };
        question.home = home;
        let predicted = question.predicted;
        if !matches!(question.state, State::Expanded { .. }) {
            self.count_open(home, 1, predicted);
        }
    }

    /// Puts a running job on the account of a request that still wants it, if the one is gone on whose account it was:
    /// what is found in it is for this one.
    pub(super) fn rehome_job(&mut self, worker: WorkerId, job: JobId) {
        let Some(lease) = self.fleet.lease(worker, job).copied() else { return };
        if self.solves.contains_key(&lease.home) {
            return;
        }
        let key = match lease.target {
            Target::Question(key) => Some(key),
            Target::Help => self.helped(worker, job),
            Target::Line(_) | Target::Audit(_) | Target::Disowned | Target::Nothing => None,
        };
        let Some(key) = key else { return };
        self.rehome(key);
        let Some(home) = self.questions.get(&key).map(|question| question.home) else { return };
        let Some(solve) = self.solves.get_mut(&home) else { return };
        solve.running += 1;
        if let Some(lease) = self.fleet.lease_mut(worker, job) {
            (lease.home, lease.told, lease.charged) = (home, 0, lease.nodes);
        }
    }

    /// Returns the request on whose account the work for `wanted` is.
    fn home_of(&mut self, wanted: Wanted) -> Option<SolveId> {
        match wanted {
            Wanted::Solve(solve) => Some(solve),
            Wanted::Question(above) => {
                self.rehome(above);
                self.questions.get(&above).map(|above| above.home)
            }
        }
    }

    /// Puts `key`, and what is asked for it, on the account of `home` if that is served earlier.
    pub(super) fn promote(&mut self, key: Key, home: SolveId) {
        let Some(arrival) = self.solves.get(&home).map(|solve| solve.arrival) else { return };
        let Some(question) = self.questions.get_mut(&key) else { return };
        let arrival = if question.is_root() { arrival } else { as_begun(arrival) };
        if question.rank.arrival <= arrival {
            return;
        }
        let old = (question.rank, Item::Question(key));
        let (before, predicted) = (question.home, question.predicted);
        (question.home, question.rank.arrival) = (home, arrival);
        let new = (question.rank, Item::Question(key));
        let open = match &question.state {
            State::Expanded { open, .. } => Some(open.clone()),
            _ => None,
        };
        self.requeue(old, new);
        match open {
            Some(children) => {
                children.into_iter().for_each(|child| self.promote(child, home));
                self.list_brothers(key);
            }
            None => {
                self.count_open(before, -1, -predicted);
                self.count_open(home, 1, predicted);
            }
        }
    }
}
