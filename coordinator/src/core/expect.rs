//! What is expected of the moves of a goal that is split after a worker has searched it.
//!
//! The worker knows better than any quick estimate: it has said whether it believes that the goal holds, in
//! which order it would try the moves, and which of them are done. So the chances of the moves follow from
//! that, and estimates count only where nobody has searched. If the chances came from estimates, the
//! tenth reply to a goal that almost surely fails would look like speculation, since each of the nine before
//! it might decide the goal by what a quick look says of it.

use outflank_engine::Position;

use super::need::kept_from_ends;
use super::question::Key;
use super::{Core, Turn};

/// Each move is so many times as likely to be the one that decides a goal as the move before it.
const RATIO_OF_NEXT: f64 = 0.5;

impl Core {
    /// Returns whether what workers believe of their jobs steers what is asked: in all fleets but small ones.
    pub(super) fn is_steered(&self) -> bool {
        self.slots() >= self.config.goals_from_slots
    }

    /// Notes what is expected of the children's goals of `key`, which is being split, if its worker has ordered them:
    /// `order` has all of them, the most promising first.
    pub(super) fn expect_below(&mut self, turn: &Turn<'_>, key: Key, order: &[Position]) {
        if !self.is_steered() || !self.is_ordered(key.position) {
            return;
        }
        let Some(question) = self.questions.get(&key) else { return };
        let holds = question.belief.unwrap_or(question.chance);
        let is_open = |&&child: &&Position| !self.known(turn, child).bound.answers(-key.window);
        let open: Vec<Position> = order.iter().filter(is_open).copied().collect();
        let chances =
            chances_below(1.0 - kept_from_ends(holds), order.len() - open.len(), open.len());
        let holds = 1.0 - chances.iter().product::<f64>();
        let below = open.into_iter().zip(chances).collect();
        if let Some(question) = self.questions.get_mut(&key) {
            question.chance = holds;
            question.offset = Some(0.0);
            question.below = below;
        }
    }

    /// Takes what the question above has expected of the goal `child`, which was asked for it just now.
    pub(super) fn inherit(&mut self, parent: Key, child: Key) {
        let above = self.questions.get(&parent);
        let expected = above.and_then(|above| above.below.get(&child.position).copied());
        if let Some(expected) = expected
            && let Some(question) = self.questions.get_mut(&child)
        {
            question.chance = expected;
            question.expected = Some(expected);
        }
    }
}

/// Returns the chances that the children's goals of a goal hold whose worker believes that it fails with the chance
/// `fails`, for `open` children after `done` that have not decided it.
fn chances_below(fails: f64, done: usize, open: usize) -> Vec<f64> {
    let share = |place: usize| RATIO_OF_NEXT.powi(place as i32);
    let all: f64 = (0..open).map(share).sum();
    // Only the share of the moves that are not done is left. If each child's goal holds by itself with its
    // chance, all of them hold with the chance that the goal fails.
    (0..open).map(|place| fails.powf(share(done) * share(place) / all)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_moves_together_decide_a_goal_as_likely_as_its_worker_believes_and_the_first_most_likely()
    {
        for fails in [0.1, 0.5, 0.9] {
            let chances = chances_below(fails, 0, 8);
            assert!((chances.iter().product::<f64>() - fails).abs() < 1e-9, "{chances:?}");
            assert!(chances.is_sorted(), "{chances:?}");
        }
    }

    #[test]
    fn a_goal_whose_best_moves_have_not_decided_it_fails_more_likely() {
        let fails = |done| chances_below(0.1, done, 8 - done).iter().product::<f64>();
        assert!(
            fails(0) < fails(1) && fails(1) < fails(3),
            "{} {} {}",
            fails(0),
            fails(1),
            fails(3)
        );
        assert!(fails(3) > 0.5, "three of eight done: {}", fails(3));
    }
}
