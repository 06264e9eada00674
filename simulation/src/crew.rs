//! What simulated workers search with.

use outflank_coordinator::core::{Interim, Job, Report};
use outflank_engine::{Bound, FoundBound, Position, SharedHint};

/// What comes next in a job.
#[derive(Clone, Debug, Default)]
pub struct Outlook {
    /// Nothing happens before the job has taken so many nodes.
    pub until: u64,
    /// Whether the job ends then; otherwise the crew wants to be asked again.
    pub ends: bool,
    /// What the worker says of the job now.
    pub interim: Option<Interim>,
}

/// The searchers of all workers, numbered from 0, each with at most one job: as many as a worker has threads follow each other.
pub trait Crew {
    /// Begins to search `job` as `searcher`.
    fn begin(&mut self, searcher: usize, job: &Job);

    /// Returns what comes next in the job of `searcher`, which has taken `nodes` nodes.
    fn look(&mut self, searcher: usize, nodes: u64) -> Outlook;

    /// Returns what `searcher` has come to believe in its job since it was asked last.
    fn hints(&mut self, _searcher: usize) -> Vec<SharedHint> {
        Vec::new()
    }

    /// Tells `searcher` what another one believes.
    fn hear(&mut self, _searcher: usize, _hints: &[SharedHint]) {}

    /// Returns the dear bounds that `searcher`, whose job has taken `nodes` nodes, has found inside it since it was
    /// asked last.
    fn inside(&mut self, _searcher: usize, _nodes: u64) -> Vec<FoundBound> {
        Vec::new()
    }

    /// Tells `searcher`, whose job has taken `nodes` nodes, what is proved below its position. Returns whether
    /// what comes next in the job must be asked again.
    fn know(&mut self, searcher: usize, nodes: u64, known: &[(Position, Bound)]) -> bool;

    /// Returns the report of `searcher`, whose job has come to its end.
    fn end(&mut self, searcher: usize) -> Report;

    /// Stops `searcher` in its job after `nodes` nodes and returns what it reports.
    fn stop(&mut self, searcher: usize, nodes: u64) -> Report;
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
        era: job.era,
    }
}
