//! Preemption: jobs that are hardly needed any more are stopped for something that waits and is needed.
//!
//! What is needed changes while jobs run (`need`), so that one may be under way that would not be handed out any more. It
//! is stopped only where nobody is free, and what waits is much more likely needed.

use super::question::{Question, State};
use super::{Core, Turn};

/// When a job that is hardly needed is stopped for something that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preemption {
    /// The chance with which it may still be needed, at most.
    pub(super) below: f64,
    /// How many times as likely what waits must be needed.
    times: f64,
    /// The share of `Config::preempt_for` with which that must be needed at least.
    share: f64,
}

const USUAL: Preemption = Preemption { below: 0.05, times: 1.0, share: 1.0 };

/// The same where so many workers search a single position that most of what they do is speculation: nothing that
/// waits is as good as sure there.
const AMONG_MANY: Preemption = Preemption { below: 0.15, times: 3.0, share: 0.2 };

impl Preemption {
    fn is_due(self, need: f64, most: f64) -> bool {
        need < self.below && self.times * need <= most
    }
}

impl Core {
    /// Stops a job that is hardly needed any more if something waits that is. Its question waits
    /// again, and its worker keeps its tables.
    pub(super) fn preempt(&mut self, turn: &mut Turn<'_>) {
        let waits = [self.queue.first(), self.ready.first()].into_iter().flatten();
        let most = waits.map(|(rank, _)| rank.need()).fold(0.0, f64::max);
        let (preemption, preempt_for) = (self.preemption(), self.config.preempt_for);
        let is_wanted = preempt_for <= 1.0 && most >= preemption.share * preempt_for;
        if !self.is_steered() || self.fleet.free_threads() > 0 || !is_wanted {
            return;
        }
        while let Some(&(doubt, key)) = self.doomed.first() {
            let question = self.questions.get(&key);
            let is_running = |question: &&Question| matches!(question.state, State::Running { .. });
            let running = question.filter(is_running).map(|question| question.need);
            if running.is_some_and(|need| !preemption.is_due(need, most)) {
                return; // Nor is any other: later there may be more that is needed.
            }
            self.doomed.remove(&(doubt, key));
            if running.is_some() {
                self.stop_and_requeue(turn, key);
                return;
            }
        }
    }

    /// Returns when jobs are preempted in this fleet.
    pub(super) fn preemption(&self) -> Preemption {
        let are_many = self.slots() > self.config.large_above;
        if are_many && self.is_deep() { AMONG_MANY } else { USUAL }
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::{Bound, Position, Score, Square, Window};

    use super::*;
    use crate::core::message::{Command, Event, Millis, ProcessId, Proofs, SolveId, WorkerId};
    use crate::core::question::{Key, Wanted};
    use crate::core::{Advisor, Config};

    struct Nothing;

    impl Proofs for Nothing {
        fn get(&self, _position: Position) -> Option<(Bound, Option<Square>)> {
            None
        }
    }

    struct NoOpinion;

    impl Advisor for NoOpinion {
        fn estimate(&self, _position: Position) -> i32 {
            0
        }

        fn predicted_nodes(&self, _position: Position, _window: Window, _estimate: i32) -> f64 {
            1.0
        }
    }

    #[test]
    fn a_job_that_was_not_preempted_yet_is_when_something_waits_that_is_needed_more() {
        let are_many = Config { large_above: 0, goals_from_slots: 1, ..Config::default() };
        let always_deep = Config { slots_per_deep: 0, ..are_many };
        let mut core = Core::new(always_deep, Box::new(NoOpinion));
        let (worker, process) = (WorkerId(1), ProcessId(1));
        core.on(Millis(0), Event::Joined { worker, process, threads: 1, shares: false }, &Nothing);
        let position = Position::START;
        let [running, waiting] = [Score::DRAW, Score::DRAW.up()].map(|least| {
            let window = Window::at_least(least).expect("not the least score");
            Key { position: position.canonical(), window }
        });
        for (number, Key { window, .. }) in [(1, running), (2, waiting)] {
            let solve = SolveId(number);
            core.on(
                Millis(0),
                Event::Submitted { solve, position, window, budget: None },
                &Nothing,
            );
        }
        // Goals alone would not be deep.
        core.crowd.came(SolveId(3), Window::FULL, 3);
        let mut preempted_for = |need: f64| {
            let mut turn = Turn::new(Millis(1), &Nothing);
            core.set_need(running, Wanted::Solve(SolveId(1)), 0.1);
            core.set_need(waiting, Wanted::Solve(SolveId(2)), need);
            core.preempt(&mut turn);
            turn.finish()
        };
        assert_eq!(preempted_for(0.2), [], "hardly more likely");
        let stopped = preempted_for(0.9);
        assert!(
            matches!(stopped[..], [Command::Cancel { worker: WorkerId(1), .. }]),
            "{stopped:?}"
        );
    }

    #[test]
    fn a_job_is_preempted_by_what_is_needed_much_more_likely_and_among_many_workers_sooner() {
        assert!(USUAL.is_due(0.04, 0.5) && !USUAL.is_due(0.1, 0.5));
        assert!(AMONG_MANY.is_due(0.1, 0.4), "four times as likely");
        assert!(!AMONG_MANY.is_due(0.1, 0.2), "hardly more likely");
        assert!(!AMONG_MANY.is_due(0.2, 0.9), "too likely needed itself");
    }
}
