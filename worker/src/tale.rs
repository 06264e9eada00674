//! What a worker tells of a job that goes on.

use outflank_engine::{Belief, Control, Symmetry};
use outflank_proto::message::{Interim, Job};

/// A job, and what was told of it last.
#[derive(Debug)]
pub(crate) struct Tale {
    job: u64,
    symmetry: Symmetry,
    told: Option<Belief>,
}

impl Tale {
    /// Returns the tale of a job of which nothing was told yet.
    pub(crate) fn new(job: &Job) -> Self {
        Self { job: job.id, symmetry: job.symmetry, told: None }
    }

    /// Returns what the search believes now, if that is something else than was told.
    pub(crate) fn news(&mut self, control: &Control) -> Option<Interim> {
        let belief = control.belief().filter(|&belief| Some(belief) != self.told)?;
        self.told = Some(belief);
        // The search looks at the turned position.
        Some(Interim { job: self.job, belief: belief.turned(self.symmetry.inverse()) })
    }
}
