//! Interim reports: what a worker tells of a job that goes on.

use outflank_engine::{Belief, Control, Symmetry};
use outflank_proto::message::{Interim, Job, JobId};

/// A job, and what its last interim report said.
#[derive(Debug)]
pub(crate) struct InterimReporter {
    job: JobId,
    symmetry: Symmetry,
    told: Option<Belief>,
}

impl InterimReporter {
    /// Returns the reporter of a job of which nothing was told yet.
    pub(crate) fn new(job: &Job) -> Self {
        Self { job: job.id, symmetry: job.symmetry, told: None }
    }

    /// Returns what the search believes now, if that is something else than was told.
    pub(crate) fn next(&mut self, control: &Control) -> Option<Interim> {
        let belief = control.belief().filter(|&belief| Some(belief) != self.told)?;
        self.told = Some(belief);
        // The search looks at the turned position.
        Some(Interim { job: self.job, belief: belief.turned(self.symmetry.inverse()) })
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::{Engine, Position, Request, Settings, Square, Window};
    use outflank_kernel::Isa;

    use super::*;

    /// Returns a position in which a search comes to believe something before it knows.
    fn played() -> Position {
        let (mut position, mut seed) = (Position::START, 1_u64);
        while position.empties() > 18 {
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let square = moves[(seed >> 33) as usize % moves.len()];
            position = position.play(square).expect("it is legal");
        }
        position
    }

    #[test]
    fn what_a_search_believes_is_told_once_and_of_the_position_that_is_not_turned() {
        let settings = Settings { isa: Isa::detect(), table_bytes: 1 << 20 };
        let engine = Engine::new(&settings).expect("a megabyte is there");
        let (position, is_turn) = (played(), |turn: &Symmetry| turn.inverse() != *turn);
        for symmetry in Symmetry::all().filter(is_turn) {
            let (turned, control) = (symmetry.position(position), Control::default());
            assert!(engine.solve(&Request::exact(turned), &control).finished);
            let believed = control.belief().and_then(|belief| belief.best_move).expect("a move");
            let job = Job {
                id: JobId(7),
                position,
                window: Window::FULL,
                node_limit: u64::MAX,
                threads: 1,
                known: Vec::new(),
                symmetry,
                era: 0,
                hints: false,
                inside: None,
                is_apart: false,
                is_shared: false,
                helps: false,
            };
            let mut reporter = InterimReporter::new(&job);
            let told = reporter.next(&control).expect("nothing was told");
            let square = told.belief.best_move.expect("it is a move");
            let after = position.play(square).expect("it is one of the position");
            assert_eq!(
                (told.job, Some(symmetry.position(after))),
                (JobId(7), turned.play(believed))
            );
            assert_eq!(reporter.next(&control), None, "it was told");
        }
    }
}
