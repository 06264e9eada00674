//! The lead: the worker that searches a whole request first, until it believes to know the value.
//!
//! A question asked around a wrong value costs whole rounds of jobs. So the first job of a request for
//! a value is the request itself: its worker goes through the selective searches that come before
//! an exact one anyway, and tells what it believes. Then the request is split around that value, and
//! the same worker goes on with the eldest child, for which it has all its tables.

use std::time::Duration;

use outflank_engine::{Belief, Position, Window};

use super::bracket::Bracket;
use super::fleet::{Target, after};
use super::message::{Interim, Millis, WorkerId};
use super::question::{Item, Key, Plan, Question, State, Wanted};
use super::{Core, Turn};

impl Core {
    /// Returns whether the question goes to one worker as a whole although it may be too large for
    /// a job: a value is asked, and the request is not split yet. Larger fleets have no time for it.
    pub(super) fn wants_lead(&self, key: Key) -> bool {
        let must_split = self.questions.get(&key).is_none_or(|question| question.must_split);
        let is_led = self.is_root(key) && self.is_believed(key.position);
        let is_one = self.is_small_fleet() && !self.shares();
        is_one && !key.window.is_null() && !must_split && !is_led
    }

    /// Returns whether a question that runs since `since` may be split while workers are idle: a
    /// root when its lead has no opinion after a while, another value at once, a goal when it has run
    /// for a while.
    pub(super) fn may_split(&self, now: Millis, since: Millis, key: Key) -> bool {
        let is_leaf = key.position.empties() <= self.config.leaf_empties;
        let stops = self.stopping.contains(&key) || self.is_shared(key);
        let is_value = self.is_small_fleet() && !key.window.is_null();
        let is_open = is_value && self.is_root(key) && !self.is_believed(key.position);
        let patience = match (is_open, is_value) {
            (true, _) => self.config.lead_patience,
            (false, true) => Duration::ZERO,
            (false, false) if self.is_steered() => self.config.split_soon,
            (false, false) => self.config.split_after,
        };
        !is_leaf && !stops && after(since, patience) <= now
    }

    pub(super) fn is_small_fleet(&self) -> bool {
        (2..=self.config.most_led).contains(&self.slots())
    }

    pub(super) fn is_root(&self, key: Key) -> bool {
        let is_solve = |wanted: &Wanted| matches!(wanted, Wanted::Solve(_));
        self.questions.get(&key).is_some_and(|question| question.wanted_by.keys().any(is_solve))
    }

    pub(super) fn is_believed(&self, position: Position) -> bool {
        self.graph.get(position).is_some_and(|node| node.careful)
    }

    /// Returns whether `key` asks for a value of a fleet that leads requests.
    pub(super) fn wants_value(&self, key: Key) -> bool {
        self.is_small_fleet() && !key.window.is_null()
    }

    /// Takes what a worker believes of a job that goes on. It proves nothing.
    pub(super) fn interim(&mut self, turn: &mut Turn<'_>, worker: WorkerId, interim: Interim) {
        let Some(&mut lease) = self.fleet.lease_mut(worker, interim.job) else { return };
        if let Target::Assistance(_) | Target::Help = lease.target {
            return; // It is not sure of more than its lead is.
        }
        self.take_belief(lease.position, lease.window, interim.belief);
        if let Target::Question(key) = lease.target {
            self.take_doubt(key, interim.belief);
            if !lease.is_shared {
                self.follow_lead(turn, key, interim.belief);
            }
        }
    }

    fn take_belief(&mut self, position: Position, window: Window, belief: Belief) {
        let Some(node) = self.graph.get_mut(position) else { return };
        if !window.is_null() {
            node.estimate = Some(belief.value);
            node.careful |= belief.is_last;
        }
        if let Some(best) = belief.best_move.filter(|&best| position.play(best).is_some()) {
            node.order.retain(|&square| square != best);
            node.order.insert(0, best);
        }
    }

    /// Splits a request that is led, now that its lead has an opinion of its value. Others try the
    /// younger brothers until it is sure; then it gets the eldest.
    fn follow_lead(&mut self, turn: &mut Turn<'_>, key: Key, belief: Belief) {
        let Some(question) = self.questions.get(&key) else { return };
        let is_root = self.is_root(key);
        let is_large = question.predicted > self.job_size();
        let has_opinion = belief.is_last || belief.searches >= self.config.opinion_after;
        let is_led = is_root && is_large && self.is_small_fleet() && !key.window.is_null();
        if !is_led || !has_opinion {
            return;
        }
        let (is_running, is_led) = match &question.state {
            State::Running { .. } => (true, true),
            State::Expanded { rivals, .. } => (false, !rivals.is_empty()),
            _ => (false, false),
        };
        if !is_led {
            return;
        }
        if is_running {
            self.expand(turn, key);
        }
        if let Some(question) = self.questions.get_mut(&key)
            && let State::Expanded { plan: Plan::Principal(principal), rivals, .. } =
                &mut question.state
        {
            principal.bracket = Bracket::new(belief.value);
            if belief.is_last {
                let rivals = std::mem::take(rivals);
                self.cancel(turn, &rivals);
                self.unpark(key);
                self.uncover(key);
            }
        }
        self.review(turn, key);
    }

    /// Takes the eldest child of a request that is led out of the queue: its lead is at it.
    pub(super) fn cover(&mut self, key: Key, eldest: Key) {
        let Some(question) = self.questions.get(&key) else { return };
        let State::Expanded { rivals, .. } = &question.state else { return };
        // A larger fleet does not stop its lead when that has an opinion.
        if rivals.is_empty() || eldest.window.is_null() || !self.is_small_fleet() {
            return;
        }
        let Some(question) = self.questions.get_mut(&eldest) else { return };
        if question.wanted_by.len() > 1 {
            return; // Others wait for it, too.
        }
        if let State::Waiting = question.state {
            let item = (question.rank, Item::Question(eldest));
            if self.queue.remove(&item) || self.ready.remove(&item) {
                question.state = State::Parked;
            }
        }
    }

    /// Puts the children of `key` that its lead was at into the queue.
    pub(super) fn uncover(&mut self, key: Key) {
        let Some(question) = self.questions.get(&key) else { return };
        let State::Expanded { open, .. } = &question.state else { return };
        for child in open.clone() {
            self.uncover_child(child);
        }
    }

    /// Puts all that was left to leads into the queue when nobody leads any more: there are too many workers, or
    /// requests.
    pub(super) fn look_at_leads(&mut self) {
        if self.is_small_fleet() {
            self.were_led = true;
        } else if self.slots() > self.config.most_led && std::mem::take(&mut self.were_led) {
            let keys: Vec<Key> = self.questions.keys().copied().collect();
            keys.into_iter().for_each(|key| self.uncover(key));
        }
    }

    /// Puts one child into the queue if it was left to the job of a question above.
    pub(super) fn uncover_child(&mut self, child: Key) {
        if self.is_covered(child) {
            self.enqueue(child);
        }
    }

    /// Returns whether a child is left to the job of a question above.
    fn is_covered(&self, child: Key) -> bool {
        let is_parked = |question: &Question| matches!(question.state, State::Parked);
        let waits = self
            .graph
            .get(child.position)
            .is_some_and(|node| node.parked.contains(&child.window) && !node.running.is_empty());
        self.questions.get(&child).is_some_and(is_parked) && !waits
    }
}
