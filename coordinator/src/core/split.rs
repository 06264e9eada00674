//! Answering a question through other questions.

use std::collections::BTreeSet;

use outflank_engine::Position;

use super::graph::Edge;
use super::question::{Key, Plan, State, Wanted};
use super::{Core, Turn};

/// A move counts as so many discs worse for each reply that it leaves, where no worker has ordered the moves: each reply
/// must be refuted, and the proof is as much larger.
const DISCS_OF_REPLY: i32 = 4;

impl Core {
    /// Expands a question for workers that are free, as one of the splits of this turn, and finds what is needed then.
    pub(super) fn split_now(&mut self, turn: &mut Turn<'_>, key: Key) {
        turn.splits -= 1;
        self.expand(turn, key);
        self.settle_needs(turn);
    }

    /// Expands a question that runs, or that waits and is not in the queue: a goal or a wide window
    /// into questions one ply down. Its running jobs go on.
    fn expand(&mut self, turn: &mut Turn<'_>, key: Key) {
        self.rehome(key);
        let Some(question) = self.questions.get_mut(&key) else { return };
        let (home, predicted) = (question.home, question.predicted);
        let rivals = match &mut question.state {
            State::Running { jobs, since } => {
                self.single_copies.remove(&(*since, key));
                std::mem::take(jobs)
            }
            _ => BTreeSet::new(),
        };
        let runs = !rivals.is_empty();
        question.state = State::Expanded { plan: Plan::Uphold, open: BTreeSet::new(), rivals };
        self.count_open(home, -1, -predicted);
        self.think_for(home);
        let recent = &self.recent;
        self.graph.link(key.position, |child| recent.known(turn.proofs, child));
        self.infer(turn, key.position);
        if !self.known(turn, key.position).bound.answers(key.window) {
            if key.window.is_null() {
                self.count_reused_children(turn, key);
                self.expand_moves(turn, key);
            } else if self.is_deep() && !runs {
                // Goals on the same position would wait for a job that searches it.
                let guess = self.guess(key);
                self.set_plan(key, Plan::Value(guess));
            } else {
                let principal = self.principal(key);
                self.set_plan(key, Plan::Principal(principal));
            }
            self.charge(turn);
        }
        self.settle(turn);
        self.review(turn, key);
    }

    /// Counts the children whose stored bounds answer what would be asked of them.
    fn count_reused_children(&mut self, turn: &Turn<'_>, key: Key) {
        let Some(home) = self.questions.get(&key).map(|question| question.home) else { return };
        let Some(node) = self.graph.get(key.position) else { return };
        let reused = node.edges.iter().filter(|edge| {
            let known = self.known(turn, edge.child);
            known.from_store && known.bound.answers(-key.window)
        });
        let reused = reused.count() as u64;
        if let Some(solve) = self.solves.get_mut(&home) {
            solve.reused += reused;
        }
    }

    /// Chooses between seeking a move and upholding the claim that there is none.
    fn expand_moves(&mut self, turn: &Turn<'_>, key: Key) {
        if self.is_deep() {
            self.think_deep(key);
        } else if !self.is_ordered(key.position) {
            self.think(key);
        }
        self.think_of(key);
        let mut rest = self.ordered_children(key.position);
        self.expect_below(turn, key, &rest);
        rest.reverse();
        if self.seeks(key) {
            self.set_plan(key, Plan::Seek(rest));
            return;
        }
        let goals: Vec<Key> =
            rest.into_iter().rev().map(|position| Key { position, window: -key.window }).collect();
        let needs = self.needs_upheld(key, &goals);
        // The last one asked is the first in the queue.
        for (goal, need) in goals.into_iter().zip(needs).rev() {
            self.ask_child(turn, key, goal, need);
        }
    }

    /// Returns whether a goal is expected to hold, so that one move suffices.
    fn seeks(&mut self, key: Key) -> bool {
        let belief = self.questions.get(&key).and_then(|question| question.belief);
        match belief {
            _ if self.is_steered() => self.chance(key) >= 0.5,
            Some(chance) => chance >= 0.5,
            None => self.estimate(key.position) >= key.window.upper().discs(),
        }
    }

    fn set_plan(&mut self, key: Key, new: Plan) {
        if let Some(question) = self.questions.get_mut(&key)
            && let State::Expanded { plan, .. } = &mut question.state
        {
            *plan = new;
        }
    }

    /// Goes on with an expanded question that is not answered yet.
    pub(super) fn advance(&mut self, turn: &mut Turn<'_>, key: Key) {
        let Some(question) = self.questions.get_mut(&key) else { return };
        let State::Expanded { plan, open, .. } = &mut question.state else { return };
        match plan {
            Plan::Seek(_) => {
                if open.is_empty() {
                    self.try_brother(turn, key);
                }
                self.assess(key);
            }
            Plan::Uphold => self.assess(key),
            Plan::Value(_) => self.unsettle(key),
            Plan::Principal(_) => {
                self.move_principal(turn, key);
                self.list_brothers(key);
            }
        }
    }

    /// Asks about the next child of a question that seeks a move. Returns whether one is open now.
    fn try_brother(&mut self, turn: &Turn<'_>, key: Key) -> bool {
        let need = match self.questions.get(&key) {
            Some(question) => match (&question.brother, &question.state) {
                (Some((rank, _)), State::Expanded { open, .. }) if !open.is_empty() => {
                    question.need.min(rank.need())
                }
                _ => question.need,
            },
            None => return false,
        };
        loop {
            let Some(question) = self.questions.get_mut(&key) else { return false };
            let State::Expanded { plan: Plan::Seek(rest), .. } = &mut question.state else {
                return false;
            };
            let Some(child) = rest.pop() else { return false };
            if self.ask_child(turn, key, Key { position: child, window: -key.window }, need) {
                return true;
            }
        }
    }

    /// Asks `child` for the expanded question `key`. Returns whether it is open now.
    pub(super) fn ask_child(&mut self, turn: &Turn<'_>, key: Key, child: Key, need: f64) -> bool {
        self.rehome(key);
        let Some(question) = self.questions.get(&key) else { return false };
        let (home, scale) = (question.home, question.scale);
        let is_new = !self.questions.contains_key(&child);
        let is_open = self.ask(turn, child, Wanted::Question(key), home, scale, need);
        if is_new {
            self.inherit(key, child);
        }
        if is_open
            && let Some(question) = self.questions.get_mut(&key)
            && let State::Expanded { open, .. } = &mut question.state
        {
            open.insert(child);
        }
        is_open
    }

    /// Tries one more brother somewhere. Returns whether there was one.
    pub(super) fn speculate(&mut self, turn: &mut Turn<'_>) -> bool {
        while let Some((_, key)) = self.brothers.pop_first() {
            let tried = self.try_brother(turn, key) || self.widen(turn, key);
            if let Some(question) = self.questions.get_mut(&key) {
                question.brother = None;
            }
            self.list_brothers(key);
            if tried {
                return true;
            }
        }
        false
    }

    /// Returns the children of an expanded position, the most promising for the player first: in
    /// the order that a worker has found, otherwise by what is proved and estimated of them, and where many
    /// workers search few positions by the replies that they leave, too.
    pub(super) fn ordered_children(&mut self, position: Position) -> Vec<Position> {
        let Some(node) = self.graph.get(position) else { return Vec::new() };
        let (edges, order) = (node.edges.clone(), node.order.clone());
        let is_placed = |edge: &&Edge| edge.square.is_some_and(|square| order.contains(&square));
        let others = edges.iter().filter(|edge| !is_placed(edge)).map(|edge| edge.child);
        self.estimate_all(others.collect());
        let discs = if self.is_deep() { DISCS_OF_REPLY } else { 0 };
        let mut ranked: Vec<_> = edges
            .into_iter()
            .map(|Edge { square, child }| {
                let place = order.iter().position(|&tried| Some(tried) == square);
                match place {
                    Some(place) => ((place, 0), child),
                    None => {
                        let replies = child.moves().count_ones() as i32;
                        ((order.len(), self.estimate(child) + discs * replies), child)
                    }
                }
            })
            .collect();
        ranked.sort();
        ranked.into_iter().map(|(_, child)| child).collect()
    }

    /// Returns whether a worker has said in which order it would try all moves.
    pub(super) fn is_ordered(&self, position: Position) -> bool {
        let node = self.graph.get(position);
        node.is_some_and(|node| {
            let is_placed =
                |edge: &Edge| edge.square.is_some_and(|square| node.order.contains(&square));
            node.edges.iter().all(is_placed)
        })
    }

    /// Has estimates of those of `positions` in the graph that have none.
    fn estimate_all(&mut self, mut positions: Vec<Position>) {
        positions.retain(|&position| {
            self.graph.get(position).is_some_and(|node| node.estimate.is_none())
        });
        let estimates = self.advisor.estimates(&positions);
        for (position, estimate) in positions.into_iter().zip(estimates) {
            if let Some(node) = self.graph.get_mut(position) {
                node.estimate = Some(estimate);
            }
        }
    }

    /// Returns the likely value of a position in the graph, in discs, within its proved bound.
    pub(super) fn estimate(&mut self, position: Position) -> i32 {
        let Some(node) = self.graph.get_mut(position) else { return 0 };
        let advisor = &self.advisor;
        let estimate = *node.estimate.get_or_insert_with(|| advisor.estimate(position));
        estimate.clamp(node.known.bound.lower().discs(), node.known.bound.upper().discs())
    }
}
