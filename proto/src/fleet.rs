//! What operators see of a cluster: the messages of `outflank/v1/fleet.proto` with every range
//! checked.

use std::time::Duration;

use outflank_engine::{Position, Window};

use crate::invalid::{InvalidField, amount, list, needed};
use crate::v1;

/// What a coordinator and its workers do at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Overview {
    /// The coordinator's build.
    pub build: String,
    /// How long the coordinator has been running.
    pub up: Duration,
    /// The connected workers, by name.
    pub workers: Vec<WorkerState>,
    /// What has happened since the coordinator was started.
    pub totals: Totals,
    /// Positions of which the store has a proved bound.
    pub proofs: u64,
    /// Requests of clients and rows of campaigns that are open.
    pub requests: u64,
    /// Questions about positions that are open for them.
    pub questions: u64,
    /// Positions that are held in memory for them.
    pub positions: u64,
    /// Claims that are being solved again by another worker.
    pub audits_open: u64,
    /// Claims that no other worker could audit yet.
    pub unaudited: u64,
    /// Jobs that were lost or failed so often that their positions were split instead.
    pub given_up: u64,
    /// Claims in reports that could not be understood: more than 0 means that a worker is wrong.
    pub illegal_claims: u64,
    /// Worker processes that were found to be wrong since the coordinator was started, and are refused.
    pub refused: u64,
}

/// What has happened since a coordinator was started, workers that have left included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Connections of workers.
    pub joined: u64,
    /// Positions searched, as far as workers have told.
    pub nodes: u64,
    /// Reports of jobs.
    pub jobs: JobCounts,
    /// Moves that workers have tried for each other.
    pub errands: u64,
}

/// Reports of jobs, by how the jobs ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobCounts {
    /// The question was answered.
    pub done: u64,
    /// The job was cancelled, or has spent its nodes.
    pub stopped: u64,
    /// The worker could not do the job.
    pub failed: u64,
}

/// A connected worker.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerState {
    /// What the coordinator knows its process by.
    pub name: String,
    /// Its machine.
    pub host: String,
    /// Its build.
    pub build: String,
    /// The instructions that it uses.
    pub isa: String,
    /// Its search threads.
    pub threads: u32,
    /// The memory of its hash table, in bytes.
    pub table_bytes: u64,
    /// How long ago it has joined.
    pub joined: Duration,
    /// How long ago it was heard.
    pub heard: Duration,
    /// Whether it wants no more jobs.
    pub is_draining: bool,
    /// Positions searched each second of the last minute.
    pub nodes_per_second: f64,
    /// Positions searched since it has joined.
    pub nodes: u64,
    /// Its reports since then.
    pub jobs: JobCounts,
    /// What it works on, the longest running first.
    pub running: Vec<RunningJob>,
}

/// A job that a worker works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningJob {
    /// The position.
    pub position: Position,
    /// The window that its value is asked in.
    pub window: Window,
    /// The threads that search together.
    pub threads: u32,
    /// How long ago it was handed out.
    pub age: Duration,
    /// Positions searched by the last sign of life.
    pub nodes: u64,
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

impl From<RunningJob> for v1::RunningJob {
    fn from(job: RunningJob) -> Self {
        Self {
            position: Some(job.position.into()),
            window: Some(job.window.into()),
            threads: job.threads,
            age_millis: millis(job.age),
            nodes: job.nodes,
        }
    }
}

impl TryFrom<v1::RunningJob> for RunningJob {
    type Error = InvalidField;

    fn try_from(wire: v1::RunningJob) -> Result<Self, InvalidField> {
        Ok(Self {
            position: needed("position", wire.position, "a position")?,
            window: needed("window", wire.window, "a window")?,
            threads: wire.threads,
            age: Duration::from_millis(wire.age_millis),
            nodes: wire.nodes,
        })
    }
}

impl From<WorkerState> for v1::WorkerState {
    fn from(worker: WorkerState) -> Self {
        let JobCounts { done, stopped, failed } = worker.jobs;
        Self {
            name: worker.name,
            host: worker.host,
            build: worker.build,
            isa: worker.isa,
            threads: worker.threads,
            table_bytes: worker.table_bytes,
            joined_millis: millis(worker.joined),
            heard_millis: millis(worker.heard),
            draining: worker.is_draining,
            nodes_per_second: worker.nodes_per_second,
            nodes: worker.nodes,
            jobs_done: done,
            jobs_stopped: stopped,
            jobs_failed: failed,
            jobs: worker.running.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<v1::WorkerState> for WorkerState {
    type Error = InvalidField;

    fn try_from(wire: v1::WorkerState) -> Result<Self, InvalidField> {
        let (done, stopped, failed) = (wire.jobs_done, wire.jobs_stopped, wire.jobs_failed);
        Ok(Self {
            name: wire.name,
            host: wire.host,
            build: wire.build,
            isa: wire.isa,
            threads: wire.threads,
            table_bytes: wire.table_bytes,
            joined: Duration::from_millis(wire.joined_millis),
            heard: Duration::from_millis(wire.heard_millis),
            is_draining: wire.draining,
            nodes_per_second: amount("nodes_per_second", wire.nodes_per_second)?,
            nodes: wire.nodes,
            jobs: JobCounts { done, stopped, failed },
            running: list("jobs", wire.jobs, usize::MAX, "jobs", RunningJob::try_from)?,
        })
    }
}

impl From<Totals> for v1::Totals {
    fn from(totals: Totals) -> Self {
        let JobCounts { done, stopped, failed } = totals.jobs;
        Self {
            joined: totals.joined,
            nodes: totals.nodes,
            jobs_done: done,
            jobs_stopped: stopped,
            jobs_failed: failed,
            errands: totals.errands,
        }
    }
}

impl From<v1::Totals> for Totals {
    fn from(wire: v1::Totals) -> Self {
        let (done, stopped, failed) = (wire.jobs_done, wire.jobs_stopped, wire.jobs_failed);
        let jobs = JobCounts { done, stopped, failed };
        Self { joined: wire.joined, nodes: wire.nodes, jobs, errands: wire.errands }
    }
}

impl From<Overview> for v1::Overview {
    fn from(overview: Overview) -> Self {
        Self {
            build: overview.build,
            up_millis: millis(overview.up),
            workers: overview.workers.into_iter().map(Into::into).collect(),
            totals: Some(overview.totals.into()),
            proofs: overview.proofs,
            requests: overview.requests,
            questions: overview.questions,
            positions: overview.positions,
            audits_open: overview.audits_open,
            unaudited: overview.unaudited,
            given_up: overview.given_up,
            illegal_claims: overview.illegal_claims,
            refused: overview.refused,
        }
    }
}

impl TryFrom<v1::Overview> for Overview {
    type Error = InvalidField;

    fn try_from(wire: v1::Overview) -> Result<Self, InvalidField> {
        Ok(Self {
            build: wire.build,
            up: Duration::from_millis(wire.up_millis),
            workers: list("workers", wire.workers, usize::MAX, "workers", WorkerState::try_from)?,
            totals: wire.totals.unwrap_or_default().into(),
            proofs: wire.proofs,
            requests: wire.requests,
            questions: wire.questions,
            positions: wire.positions,
            audits_open: wire.audits_open,
            unaudited: wire.unaudited,
            given_up: wire.given_up,
            illegal_claims: wire.illegal_claims,
            refused: wire.refused,
        })
    }
}
