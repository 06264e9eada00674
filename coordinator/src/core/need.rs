//! How likely it is that a question must be answered: who comes first, and where to speculate.
//!
//! A child of a position where a move is sought is needed if all that were asked before it fail; a
//! child of a position where a claim is upheld if all before it hold. Estimates say how likely that is.

use super::Core;
use super::question::{Item, Key, Plan, State};

/// The scale of the logistic distribution that stands for the errors of estimates, in discs: a
/// standard deviation of about five and a half.
const SCALE: f64 = 3.0;

/// No estimate is surer than this.
const DOUBT: f64 = 0.02;

impl Core {
    /// Returns how likely the goal `key`, whose position is in the graph, holds.
    fn chance(&mut self, key: Key) -> f64 {
        let margin = f64::from(self.estimate(key.position) - (key.window.upper().discs() - 1));
        (1.0 / (1.0 + (-margin / SCALE).exp())).clamp(DOUBT, 1.0 - DOUBT)
    }

    /// Raises the chance that `key` is needed, and of what is asked for it.
    pub(super) fn raise(&mut self, key: Key, need: f64) {
        let Some(question) = self.questions.get_mut(&key) else { return };
        if need <= question.need * 1.001 {
            return;
        }
        let factor = need / question.need;
        question.need = need;
        let old = (question.rank, Item::Question(key));
        question.rank = question.rank.with_need(need);
        let new = (question.rank, Item::Question(key));
        if self.queue.remove(&old) {
            self.queue.insert(new);
        } else if self.ready.remove(&old) {
            self.ready.insert(new);
        }
        if let State::Expanded { open, .. } = &question.state {
            for child in open.clone() {
                let need = self.questions.get(&child).map_or(0.0, |child| child.need * factor);
                self.raise(child, need.min(1.0));
            }
            self.list_brothers(key);
        }
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

    /// Returns the chance that one more child is needed where `key` seeks a move.
    fn need_of_brother(&mut self, key: Key, open: &[Key]) -> f64 {
        open.iter().fold(self.need(key), |need, &goal| need * self.chance(goal))
    }

    /// Tells the children of `key` that are still asked how much they are needed now.
    pub(super) fn refresh(&mut self, key: Key) {
        let Some(question) = self.questions.get(&key) else { return };
        let State::Expanded { plan, open, .. } = &question.state else { return };
        let mut goals: Vec<Key> = open.iter().copied().collect();
        match plan {
            Plan::Principal(_) => {}
            Plan::Seek(_) => {
                if let [only] = goals[..] {
                    self.raise(only, self.need(key));
                }
            }
            Plan::Uphold => {
                goals.sort_by(|first, second| self.need(*second).total_cmp(&self.need(*first)));
                let needs = self.needs_upheld(key, &goals);
                for (goal, need) in goals.into_iter().zip(needs) {
                    self.raise(goal, need);
                }
            }
        }
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
            Plan::Uphold => 0,
        };
        if waiting == 0 || open.is_empty() {
            return;
        }
        let (rank, open) = (question.rank, open.iter().copied().collect::<Vec<_>>());
        let need = self.need_of_brother(key, &open);
        let place = (rank.with_need(need), key);
        self.brothers.insert(place);
        if let Some(question) = self.questions.get_mut(&key) {
            question.brother = Some(place);
        }
    }
}
