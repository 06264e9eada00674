//! What a simulated run is measured by.

use std::time::Duration;

use outflank_coordinator::core::{Job, SolveId};
use outflank_engine::Bound;

/// One job as a worker saw it.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The worker, numbered from 0.
    pub worker: usize,
    /// When it began, in microseconds.
    pub begin: u64,
    /// When it ended, in microseconds.
    pub end: u64,
    /// The nodes searched.
    pub nodes: u64,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// Whether its window was answered.
    pub finished: bool,
    /// What it proved.
    pub bound: Bound,
    /// The job.
    pub job: Job,
}

/// The sums over a run.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    /// The workers.
    pub workers: usize,
    /// Their threads, all together.
    pub threads: usize,
    /// From the first request to the last answer, in microseconds.
    pub makespan: u64,
    /// Jobs begun.
    pub jobs: u64,
    /// Jobs that ran into their limit.
    pub overran: u64,
    /// Jobs cancelled.
    pub cancelled: u64,
    /// Nodes searched, all together.
    pub nodes: u64,
    /// Nodes of jobs that were cancelled.
    pub cancelled_nodes: u64,
    /// Nodes of jobs that ran into their limit.
    pub overran_nodes: u64,
    /// Nodes of jobs whose answers a proof of the answers needs.
    pub needed_nodes: u64,
    /// Nodes that the core's advisor searched.
    pub thought: u64,
    /// Time that threads searched, all together, in microseconds.
    pub busy: u64,
    /// Events given to the core, and commands it gave.
    pub decisions: u64,
    /// The real time that the core took for them.
    pub thinking: Duration,
    /// A hash of the whole schedule: which worker got which job when.
    pub schedule: u64,
    /// What was proved.
    pub answers: Vec<(SolveId, Bound)>,
}

impl Measures {
    /// Returns the share of the threads' time in which they had no job.
    #[must_use]
    pub fn idle(&self) -> f64 {
        1.0 - self.busy as f64 / (self.makespan.max(1) as f64 * self.threads as f64)
    }

    /// Returns the share of the nodes that belong to cancelled jobs.
    #[must_use]
    pub fn cancelled_share(&self) -> f64 {
        self.cancelled_nodes as f64 / self.nodes.max(1) as f64
    }

    /// Returns the events and commands that the core handled in a second of real time.
    #[must_use]
    pub fn decisions_per_second(&self) -> f64 {
        self.decisions as f64 / self.thinking.as_secs_f64().max(1e-9)
    }

    /// Returns the sums of this run and the `next` one of the same workers.
    #[must_use]
    pub fn then(mut self, next: Self) -> Self {
        self.makespan += next.makespan;
        self.jobs += next.jobs;
        self.overran += next.overran;
        self.cancelled += next.cancelled;
        self.nodes += next.nodes;
        self.cancelled_nodes += next.cancelled_nodes;
        self.overran_nodes += next.overran_nodes;
        self.needed_nodes += next.needed_nodes;
        self.thought += next.thought;
        self.busy += next.busy;
        self.decisions += next.decisions;
        self.thinking += next.thinking;
        self.hash([next.schedule, 0, 0]);
        self.answers.extend(next.answers);
        self
    }

    pub(crate) fn hash(&mut self, words: [u64; 3]) {
        for word in words {
            self.schedule =
                (self.schedule ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
        }
    }

    pub(crate) fn add(&mut self, piece: &Piece) {
        self.nodes += piece.nodes;
        self.busy += (piece.end - piece.begin) * u64::from(piece.job.threads);
        if piece.cancelled {
            self.cancelled += 1;
            self.cancelled_nodes += piece.nodes;
        } else if !piece.finished {
            self.overran += 1;
            self.overran_nodes += piece.nodes;
        }
    }
}
