//! Seeking the value of a position with many workers: goals on the position itself, as many at once
//! as are likely needed.
//!
//! The value is v when "at least v" holds and "at least v + 2" does not. Before that is proved each
//! threshold has a chance of being one of the two: by the likely value, and by what is believed
//! below the goals that are asked already.

use outflank_engine::{Score, Window};

use super::question::{Key, Plan, State, Wanted};
use super::{Core, Turn};

/// The scale of the logistic distribution that stands for the errors of a careful estimate, in
/// discs: a standard deviation of about two and a half.
const SCALE: f64 = 1.4;

/// A goal that is needed with less than this chance is not asked yet.
const LEAST_NEED: f64 = 0.15;

impl Core {
    /// Asks the goals that are likely needed to find the value of `key`.
    pub(super) fn move_value(&mut self, turn: &mut Turn<'_>, key: Key) {
        let thresholds = self.thresholds(turn, key);
        let most = thresholds.iter().map(|&(_, need, _)| need).fold(0.0, f64::max);
        for (threshold, need, chance) in thresholds {
            let Some(window) = Window::at_least(threshold) else { continue };
            let goal = Key { window, ..key };
            let is_open = self.is_asked(key, goal);
            if is_open {
                self.set_need(goal, Wanted::Question(key), need);
            } else if need >= LEAST_NEED.min(most) {
                self.ask_child(turn, key, goal, need);
                if let Some(question) = self.questions.get_mut(&goal) {
                    question.chance = chance;
                }
            }
        }
    }

    fn is_asked(&self, key: Key, goal: Key) -> bool {
        let state = self.questions.get(&key).map(|question| &question.state);
        matches!(state, Some(State::Expanded { open, .. }) if open.contains(&goal))
    }

    /// Returns the thresholds that are open, each with the chance that its goal is needed.
    fn thresholds(&self, turn: &Turn<'_>, key: Key) -> Vec<(Score, f64, f64)> {
        let Some(question) = self.questions.get(&key) else { return Vec::new() };
        let State::Expanded { plan: Plan::Value(guess), .. } = question.state else {
            return Vec::new();
        };
        let scale = SCALE.min(self.advisor.error());
        let bound = self.known(turn, key.position).bound;
        let low = bound.lower().max(key.window.lower());
        let high = bound.upper().min(key.window.upper());
        // The chances that the value is at least low, low + 2, …, high, high + 2.
        let mut chances = vec![1.0];
        let mut least = vec![0.0];
        let mut threshold = low;
        let mut open = Vec::new();
        while threshold < high {
            threshold = threshold.up();
            open.push(threshold);
            let margin = f64::from(guess - (threshold.discs() - 1));
            let prior = 1.0 / (1.0 + (-margin / scale).exp());
            let goal = Window::at_least(threshold).map(|window| Key { window, ..key });
            let asked = goal.and_then(|goal| self.questions.get(&goal));
            chances.push(asked.map_or(prior, |question| question.chance));
            least.push(asked.map_or(0.0, |question| question.chance));
        }
        chances.push(0.0);
        // What is believed of a threshold bounds the chances of those below and above.
        for index in (1..least.len() - 1).rev() {
            least[index] = least[index].max(least[index + 1]);
            chances[index] = chances[index].max(least[index]);
        }
        for index in 1..chances.len() {
            chances[index] = chances[index].min(chances[index - 1]);
        }
        let needs = chances.windows(3).map(|around| question.need * (around[0] - around[2]));
        let all = open.into_iter().zip(needs).zip(&chances[1..]);
        all.map(|((threshold, need), &chance)| (threshold, need, chance)).collect()
    }
}
