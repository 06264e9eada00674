//! What simulated workers search with.

use outflank_coordinator::core::{Job, Report};
use outflank_engine::Bound;

/// The outcome of a job that is left to run.
#[derive(Clone, Debug)]
pub struct Search {
    /// The nodes it takes, up to the job's limit.
    pub nodes: u64,
    /// What would be reported at the end.
    pub report: Report,
}

/// The searchers of all workers, numbered from 0.
pub trait Crew {
    /// Searches `job` as `worker` would that is not disturbed.
    fn search(&mut self, worker: usize, job: &Job) -> Search;

    /// Notes that `worker` was stopped in `job` after `nodes` nodes, and returns what it reports.
    fn stopped(&mut self, worker: usize, job: &Job, nodes: u64) -> Report {
        let _ = worker;
        nothing(job, nodes)
    }

    /// Notes that `worker` came to the end of `job`.
    fn ended(&mut self, worker: usize, job: &Job) {
        let _ = (worker, job);
    }
}

/// Returns a report without any claim.
#[must_use]
pub(crate) fn nothing(job: &Job, nodes: u64) -> Report {
    Report {
        job: job.id,
        position: job.position,
        bound: Bound::UNKNOWN,
        best_move: None,
        line: Vec::new(),
        children: Vec::new(),
        order: Vec::new(),
        nodes,
        millis: 0,
        finished: false,
        failed: false,
    }
}
