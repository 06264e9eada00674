//! How likely goals hold, and how likely it is that they must be answered.
//!
//! A goal holds if some child's goal fails. So the chance of a goal that is split follows from the
//! chances below it, and those of jobs from estimates until their workers say what they believe. What
//! is believed below changes what is needed elsewhere: a child is needed if all that are more
//! likely to decide the question do not decide it. Waiting questions are ordered by that, and a job
//! that is hardly needed any more is stopped for one that is (`preempt`).

use std::cmp::Reverse;

use outflank_engine::{Belief, Position, Window};

use super::fleet::Target;
use super::message::{Interim, WorkerId};
use super::question::{Item, Key, Plan, State, Wanted};
use super::{Core, Turn};

/// No estimate is surer than this.
const DOUBT: f64 = 0.02;

/// The scale of the errors of estimates after a search of so many nodes, in discs: that of a logistic distribution
/// with the standard deviation measured, 2.8. It falls with the fourth root of the nodes.
const SEARCHED_ERROR: f64 = 1.5;
const NODES_OF_SEARCHED_ERROR: f64 = 1e6;

/// How often what a worker believes of its goal is taken to be wrong: after its last selective search, and after an
/// earlier one. The first lies between what was measured at a threshold next to the value and farther from it, the
/// second is that next to the value (`docs/simulation.md`, "Estimates and beliefs").
const WRONG: [f64; 2] = [0.12, 0.35];

/// How much the estimate of a position that is split says against those of its children: errors of
/// children are alike, so that together they are not as sure as if they were independent.
const SHARE_OF_ESTIMATE: f64 = 0.5;

/// A change of a chance, and of a need as a share, that is worth telling the neighbours.
const NEWS: f64 = 0.03;
const CHANGE: f64 = 0.1;

/// A question whose children's chances or own need have changed; questions before what follows from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unsettled {
    moves: u32,
    is_goal: bool,
    key: Key,
}

impl From<Key> for Unsettled {
    fn from(key: Key) -> Self {
        Self { moves: 64 - key.position.empties(), is_goal: key.window.is_null(), key }
    }
}

/// Returns the logarithm of the odds of a chance, which is kept from the ends.
fn odds(chance: f64) -> f64 {
    let chance = chance.clamp(0.1 * DOUBT, 1.0 - 0.1 * DOUBT);
    (chance / (1.0 - chance)).ln()
}

/// Returns a chance that is no surer than an estimate may be.
pub(super) fn kept_from_ends(chance: f64) -> f64 {
    chance.clamp(DOUBT, 1.0 - DOUBT)
}

fn chance_of(odds: f64) -> f64 {
    (1.0 / (1.0 + (-odds).exp())).clamp(0.1 * DOUBT, 1.0 - 0.1 * DOUBT)
}

impl Core {
    /// Returns how likely the goal `key`, whose position is in the graph, holds by its estimate.
    pub(super) fn prior(&mut self, key: Key) -> f64 {
        let margin = f64::from(self.estimate(key.position) - (key.window.upper().discs() - 1));
        kept_from_ends(1.0 / (1.0 + (-margin / self.error(key.position)).exp()))
    }

    /// Returns the scale of the error of the estimate of a position, in discs.
    fn error(&self, position: Position) -> f64 {
        let error = self.advisor.error();
        match self.graph.get(position).and_then(|node| node.searched) {
            Some(nodes) => error.min(SEARCHED_ERROR * (NODES_OF_SEARCHED_ERROR / nodes).powf(0.25)),
            None => error,
        }
    }

    /// Returns how likely the goal `key`, whose position is in the graph, holds by all that is known.
    pub(super) fn chance(&mut self, key: Key) -> f64 {
        if let Some(question) = self.questions.get(&key) {
            return question.chance;
        }
        let threshold = key.window.upper();
        let bound = self.graph.get(key.position).map(|node| node.known.bound);
        match bound {
            Some(bound) if bound.lower() >= threshold => 1.0,
            Some(bound) if bound.upper() < threshold => 0.0,
            _ => self.prior(key),
        }
    }

    /// Returns whether many workers search few positions, so that these are cut into small jobs from the
    /// beginning. The last requests of a campaign are not: they run already, and are split as far as needed. Nor are
    /// goals in a large fleet: the workers that they go out to know better what comes first than the core does.
    pub(super) fn is_deep(&self) -> bool {
        self.is_steered()
            && !self.are_goals_of_many_threads()
            && self.crowd.most().saturating_mul(self.config.slots_per_deep) <= self.slots()
    }

    /// Takes what a worker believes of a job that goes on. It proves nothing.
    pub(super) fn interim(&mut self, worker: WorkerId, Interim { job, belief }: Interim) {
        let Some(&mut lease) = self.fleet.lease_mut(worker, job) else { return };
        if lease.target == Target::Help {
            return; // Of the job itself it knows nothing.
        }
        self.take_belief(lease.position, lease.window, belief);
        if let Target::Question(key) = lease.target {
            self.take_doubt(key, belief);
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

    /// Takes what the worker of a goal believes.
    fn take_doubt(&mut self, key: Key, belief: Belief) {
        if !key.window.is_null() {
            return;
        }
        let wrong = WRONG[usize::from(!belief.is_last)];
        let holds = belief.value >= key.window.upper().discs();
        let news = odds(if holds { 1.0 - wrong } else { wrong });
        let expected = self.questions.get(&key).and_then(|question| question.expected);
        let before = expected.unwrap_or_else(|| self.prior(key));
        let chance = chance_of(odds(before) + news);
        if let Some(question) = self.questions.get_mut(&key)
            && let State::Running { .. } = question.state
        {
            question.belief = Some(chance);
            self.assess(key);
        }
    }

    /// Finds the chance of an open goal again, and of what it was asked for.
    pub(super) fn assess(&mut self, key: Key) {
        if !self.questions.contains_key(&key) {
            return;
        }
        self.unsettle(key);
        if !key.window.is_null() || !self.is_steered() {
            return;
        }
        let Some(question) = self.questions.get(&key) else { return };
        let before = question.chance;
        let chance = match (&question.state, question.belief) {
            (State::Expanded { .. }, _) => self.chance_by_children(key),
            (_, Some(belief)) => belief,
            (_, None) => return,
        };
        let Some(question) = self.questions.get_mut(&key) else { return };
        if (chance - before).abs() < NEWS {
            return;
        }
        question.chance = chance;
        let parents: Vec<Key> = question.wanted_by.keys().filter_map(Wanted::question).collect();
        parents.into_iter().for_each(|parent| self.assess(parent));
    }

    fn chance_by_children(&mut self, key: Key) -> f64 {
        let Some(node) = self.graph.get(key.position) else { return 0.5 };
        let children: Vec<_> = node.edges.iter().map(|edge| edge.child).collect();
        let mut fails = 1.0;
        for position in children {
            fails *= self.chance_below(key, Key { position, window: -key.window });
        }
        let below = odds(1.0 - fails);
        let Some(question) = self.questions.get_mut(&key) else { return 0.5 };
        let above = odds(question.chance) - below;
        let offset = *question.offset.get_or_insert(SHARE_OF_ESTIMATE * above);
        chance_of(below + offset)
    }

    /// Returns how likely the goal `child` of the question `key` holds: by what is expected of it as long
    /// as it is neither asked nor answered.
    fn chance_below(&mut self, key: Key, child: Key) -> f64 {
        let bound = self.graph.get(child.position).map(|node| node.known.bound);
        let is_answered = bound.is_some_and(|bound| bound.answers(child.window));
        let above = self.questions.get(&key);
        let expected = above.and_then(|above| above.below.get(&child.position).copied());
        match expected {
            Some(chance) if !is_answered && !self.questions.contains_key(&child) => chance,
            _ => self.chance(child),
        }
    }

    /// Notes that what `key` needs must be looked at again.
    pub(super) fn unsettle(&mut self, key: Key) {
        self.unsettled.insert(Unsettled::from(key));
    }

    /// Tells what was asked for questions how much it is needed now.
    pub(super) fn settle_needs(&mut self, turn: &mut Turn<'_>) {
        while let Some(Unsettled { key, .. }) = self.unsettled.pop_first() {
            let Some(question) = self.questions.get(&key) else { continue };
            let State::Expanded { plan, open, .. } = &question.state else { continue };
            let open: Vec<Key> = open.iter().copied().collect();
            match plan {
                Plan::Principal(_) => {}
                Plan::Value(_) => self.move_value(turn, key),
                Plan::Seek(_) | Plan::Uphold => self.share_need(key, &open),
            }
            self.list_brothers(key);
        }
    }

    fn share_need(&mut self, key: Key, open: &[Key]) {
        let mut need = self.need(key);
        let mut ranked = self.by_chance(open);
        if !self.is_steered() {
            // As they were asked.
            ranked.sort_by(|first, second| self.need(second.1).total_cmp(&self.need(first.1)));
        }
        for (chance, goal) in ranked {
            self.set_need(goal, Wanted::Question(key), need);
            need *= chance;
        }
    }

    /// Returns goals of children with their chances, first the one that is most likely to fail.
    fn by_chance(&mut self, goals: &[Key]) -> Vec<(f64, Key)> {
        let mut ranked: Vec<(f64, Key)> =
            goals.iter().map(|&goal| (self.chance(goal), goal)).collect();
        ranked.sort_by(|first, second| {
            first
                .0
                .total_cmp(&second.0)
                .then_with(|| self.need(second.1).total_cmp(&self.need(first.1)))
        });
        ranked
    }

    /// Notes how likely `wanted` needs the open question `key`.
    pub(super) fn set_need(&mut self, key: Key, wanted: Wanted, need: f64) {
        let preemption = self.preemption();
        let Some(question) = self.questions.get_mut(&key) else { return };
        question.wanted_by.insert(wanted, need);
        let total = question.wanted_by.values().copied().fold(0.0, f64::max);
        let change = (total - question.need).abs();
        if change < CHANGE * question.need.max(total) {
            return;
        }
        question.need = total;
        self.doomed.remove(&(Reverse(question.rank.doubt), key));
        let old = (question.rank, Item::Question(key));
        question.rank = question.rank.with_need(total);
        let new = (question.rank, Item::Question(key));
        match question.state {
            State::Expanded { .. } => self.unsettle(key),
            State::Running { .. } if total < preemption.below => {
                self.doomed.insert((Reverse(question.rank.doubt), key));
            }
            _ => {}
        }
        self.requeue(old, new);
    }

    /// Returns the chance that `key` is needed.
    pub(super) fn need(&self, key: Key) -> f64 {
        self.questions.get(&key).map_or(0.0, |question| question.need)
    }

    /// Returns the chances that the children are needed whose goals, in this order, are asked to uphold
    /// the claim of `key`.
    pub(super) fn needs_upheld(&mut self, key: Key, goals: &[Key]) -> Vec<f64> {
        let mut need = self.need(key);
        let mut needs = Vec::new();
        for &goal in goals {
            needs.push(need);
            need *= self.chance(goal);
        }
        needs
    }

    /// Keeps the list of questions where one more brother can be tried.
    pub(super) fn list_brothers(&mut self, key: Key) {
        let Some(question) = self.questions.get_mut(&key) else { return };
        if let Some(place) = question.brother.take() {
            self.brothers.remove(&place);
        }
        let State::Expanded { plan, open, .. } = &question.state else { return };
        let waiting = match plan {
            Plan::Seek(rest) => rest.len(),
            Plan::Principal(principal) => principal.waiting,
            Plan::Uphold | Plan::Value(_) => 0,
        };
        if waiting == 0 || open.is_empty() {
            return;
        }
        let (rank, open) = (question.rank, open.iter().copied().collect::<Vec<_>>());
        let need = open.iter().fold(self.need(key), |need, &goal| need * self.chance(goal));
        let place = (rank.with_need(need), key);
        self.brothers.insert(place);
        if let Some(question) = self.questions.get_mut(&key) {
            question.brother = Some(place);
        }
    }
}
