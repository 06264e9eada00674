//! The life of a question: asked, followed, closed when it is answered or no longer needed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use outflank_engine::{Bound, Position, Square};

use super::message::{JobId, Method, Proof, SolveId, WorkerId};
use super::need::Unsettled;
use super::question::{Item, Key, Question, Rank, State, Wanted, as_begun};
use super::{Conflict, Core, Target, Turn};

impl Core {
    /// Asks `key` for `wanted`, on the account of `home`. Returns whether the question is open now;
    /// otherwise what is known answers it.
    pub(super) fn ask(
        &mut self,
        turn: &Turn<'_>,
        key: Key,
        wanted: Wanted,
        home: SolveId,
        scale: f64,
        need: f64,
    ) -> bool {
        let known = self.known(turn, key.position);
        if known.bound.answers(key.window) {
            return false;
        }
        if self.questions.contains_key(&key) {
            self.set_need(key, wanted, need);
            self.promote(key, home);
            return true;
        }
        let solves = &self.solves;
        let lies = || solves.get(&home).map(|solve| solve.lies(key.position)).unwrap_or_default();
        self.graph.ensure(key.position, || known, lies);
        if let Some(node) = self.graph.get_mut(key.position) {
            node.windows.insert(key.window);
        }
        let arrival = self.solves.get(&home).map_or(0, |solve| solve.arrival);
        let predicted = scale * self.predicted_nodes(key);
        let chance = self.prior(key);
        let arrival = match wanted {
            Wanted::Solve(_) => arrival,
            Wanted::Question(_) => as_begun(arrival),
        };
        let rank = Rank { step: 0, arrival, doubt: 0, asked: Reverse(self.asked) };
        let rank = rank.with_need(need);
        self.asked += 1;
        let question =
            Question { chance, predicted, scale, ..Question::new(wanted, home, rank, need) };
        self.questions.insert(key, question);
        self.queue.insert((rank, Item::Question(key)));
        self.count_open(home, 1, predicted);
        true
    }

    /// Takes a proved bound of `position` into the graph; it must not contradict what is there.
    pub(super) fn learn(
        &mut self,
        turn: &mut Turn<'_>,
        position: Position,
        bound: Bound,
        best_move: Option<Square>,
    ) {
        let Some(node) = self.graph.get_mut(position) else { return };
        let Ok(merged) = node.known.bound.merge(bound) else { return };
        if merged != node.known.bound {
            node.known.best_move = node.known.best_move_with(bound, best_move);
            node.known.bound = merged;
            node.known.from_store = false;
            turn.changed.push(position);
        }
    }

    /// Draws all conclusions from the bounds that have changed.
    pub(super) fn settle(&mut self, turn: &mut Turn<'_>) {
        // From above: what a question needed is let go with it and not looked at again.
        let mut touched: Vec<Position> = self.propagate(turn).into_iter().collect();
        touched.sort_by_key(|position| (Reverse(position.empties()), *position));
        self.tell_of(turn, &touched);
        for position in touched {
            let Some(node) = self.graph.get(position) else { continue };
            for window in node.windows.clone() {
                let key = Key { position, window };
                self.review(turn, key);
                self.root_changed(turn, key);
            }
        }
        self.resolve_conflicts(turn);
    }

    /// Carries changed bounds upwards and returns all positions that have changed.
    fn propagate(&mut self, turn: &mut Turn<'_>) -> BTreeSet<Position> {
        let mut touched = BTreeSet::new();
        while let Some(position) = turn.changed.pop() {
            touched.insert(position);
            for parent in self.graph.parents(position) {
                self.infer(turn, parent);
            }
        }
        touched
    }

    /// Concludes from the bounds of the children of `position`.
    pub(super) fn infer(&mut self, turn: &mut Turn<'_>, position: Position) {
        let Some((bound, best_move)) = self.graph.inferred(position) else { return };
        let Some(node) = self.graph.get(position) else { return };
        let held = node.known;
        if held.bound.implies(bound) {
            return;
        }
        // A move that proves nothing new is no better than the one that is held.
        let best_move = held.best_move_with(bound, best_move);
        let proof = Proof { best_move, ..Proof::of(position, bound, Method::Inference) };
        if held.bound.merge(bound).is_err() {
            turn.conflicts.push(Conflict { claim: proof, held: held.bound });
            return;
        }
        self.persist(turn, proof);
        self.learn(turn, position, bound, best_move);
    }

    /// Closes a question that is answered, or goes on with it.
    pub(super) fn review(&mut self, turn: &mut Turn<'_>, key: Key) {
        if !self.questions.contains_key(&key) {
            return;
        }
        if self.known(turn, key.position).bound.answers(key.window) {
            self.close(turn, key);
        } else {
            self.advance(turn, key);
        }
    }

    /// Ends an answered question and tells who needed it.
    fn close(&mut self, turn: &mut Turn<'_>, key: Key) {
        let bound = self.known(turn, key.position).bound;
        let Some(wanted_by) = self.remove(turn, key) else { return };
        for wanted in wanted_by.into_keys() {
            match wanted {
                Wanted::Solve(solve) => self.answered(turn, solve, bound),
                Wanted::Question(parent) => {
                    if let Some(question) = self.questions.get_mut(&parent)
                        && let State::Expanded { open, .. } = &mut question.state
                    {
                        open.remove(&key);
                    }
                    self.review(turn, parent);
                }
            }
        }
    }

    /// Notes that `wanted` does not need `key` any more; what nobody needs is dropped.
    pub(super) fn release(&mut self, turn: &mut Turn<'_>, key: Key, wanted: Wanted) {
        if let Some(question) = self.questions.get_mut(&key) {
            question.wanted_by.remove(&wanted);
            if question.wanted_by.is_empty() {
                self.remove(turn, key);
            }
        }
    }

    /// Takes a question out of everything, cancels its jobs and releases what it asked. Returns
    /// who wanted it.
    fn remove(&mut self, turn: &mut Turn<'_>, key: Key) -> Option<BTreeMap<Wanted, f64>> {
        let question = self.questions.remove(&key)?;
        if let Some(place) = question.brother {
            self.brothers.remove(&place);
        }
        self.unsettled.remove(&Unsettled::from(key));
        self.doomed.remove(&(Reverse(question.rank.doubt), key));
        self.stopping.remove(&key);
        let item = (question.rank, Item::Question(key));
        if !matches!(question.state, State::Expanded { .. }) {
            self.count_open(question.home, -1, -question.predicted);
        }
        match question.state {
            State::Waiting => {
                let _ = self.queue.remove(&item) || self.ready.remove(&item);
            }
            State::Running { jobs, since } => {
                self.single_copies.remove(&(since, key));
                self.cancel(turn, &jobs);
                self.unpark(key);
            }
            State::Parked => {
                if let Some(node) = self.graph.get_mut(key.position) {
                    node.parked.remove(&key.window);
                }
            }
            State::Expanded { open, rivals, .. } => {
                self.cancel(turn, &rivals);
                self.unpark(key);
                for child in open {
                    self.release(turn, child, Wanted::Question(key));
                }
                self.graph.unlink(key.position);
            }
        }
        if let Some(node) = self.graph.get_mut(key.position) {
            node.windows.remove(&key.window);
        }
        self.graph.collect(key.position);
        Some(question.wanted_by)
    }

    /// Tells workers to stop; their reports still count.
    pub(super) fn cancel(&mut self, turn: &mut Turn<'_>, jobs: &BTreeSet<(WorkerId, JobId)>) {
        for &(worker, job) in jobs {
            if let Some(lease) = self.fleet.lease_mut(worker, job) {
                lease.target = Target::Nothing;
                self.stop_job(turn, worker, job);
            }
        }
    }

    /// Puts the questions that waited for the running job of `key` into the queue.
    pub(super) fn unpark(&mut self, key: Key) {
        let Some(node) = self.graph.get_mut(key.position) else { return };
        node.running.retain(|&(_, question)| question != key.window);
        for window in std::mem::take(&mut node.parked) {
            self.enqueue(Key { window, ..key });
        }
    }

    /// Puts a question into the queue.
    pub(super) fn enqueue(&mut self, key: Key) {
        if let Some(question) = self.questions.get_mut(&key) {
            question.state = State::Waiting;
            self.stopping.remove(&key);
            self.queue.insert((question.rank, Item::Question(key)));
        }
    }
}
