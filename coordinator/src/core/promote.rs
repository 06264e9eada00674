//! A question that is shared by several requests has its turn with the first of them to be served.
//!
//! Among clients that is the one that asked it first. A client, or a campaign of greater priority,
//! may come later and need what waits behind all others.

use super::Core;
use super::message::SolveId;
use super::question::{Item, Key, State, Wanted, begun};

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
        let is_root = question.wanted_by.keys().any(|wanted| matches!(wanted, Wanted::Solve(_)));
        let arrival = if is_root { arrival } else { begun(arrival) };
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
        if self.queue.remove(&old) {
            self.queue.insert(new);
        } else if self.ready.remove(&old) {
            self.ready.insert(new);
        }
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
