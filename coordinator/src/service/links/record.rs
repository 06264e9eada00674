//! What a connected worker has, does and has done, as operators see it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use outflank_engine::{Position, Window};
use outflank_proto::fleet::{JobCounts, RunningJob, WorkerState};
use outflank_proto::message::{Hello, Job, Report};
use tokio::time::Instant;

use crate::core::JobId;
use crate::meter::Meter;
use crate::store::Origin;

/// The record of one connection of a worker.
#[derive(Debug)]
pub(in crate::service) struct WorkerRecord {
    build: String,
    isa: String,
    threads: u32,
    table_bytes: u64,
    joined: Instant,
    heard: Instant,
    is_draining: bool,
    /// The jobs handed out whose reports are not acknowledged yet.
    jobs: BTreeMap<JobId, Given>,
    nodes: u64,
    meter: Meter,
    ended: JobCounts,
}

/// A job that the worker was given.
#[derive(Debug)]
struct Given {
    position: Position,
    window: Window,
    threads: u32,
    since: Instant,
    /// The nodes that the worker has told of, over this connection and the one before.
    nodes: u64,
    /// Whether it has told of any over this one.
    is_heard: bool,
    is_reported: bool,
}

impl WorkerRecord {
    /// Returns the record of a worker that has said `hello` at the time `now`.
    pub(in crate::service) fn new(hello: &Hello, now: Instant) -> Self {
        let mut meter = Meter::default();
        meter.note(Duration::ZERO, 0);
        Self {
            build: hello.build.clone(),
            isa: hello.isa.clone(),
            threads: hello.threads,
            table_bytes: hello.table_bytes,
            joined: now,
            heard: now,
            is_draining: false,
            jobs: BTreeMap::new(),
            nodes: 0,
            meter,
            ended: JobCounts::default(),
        }
    }

    /// Returns the number of its threads.
    pub(super) fn threads(&self) -> u32 {
        self.threads
    }

    /// Returns the number of the jobs that it has.
    pub(super) fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// Returns the jobs that it has not reported, with the nodes that it has told of.
    pub(super) fn running(&self) -> impl Iterator<Item = (JobId, u64)> {
        let running = self.jobs.iter().filter(|(_, given)| !given.is_reported && given.nodes > 0);
        running.map(|(&job, given)| (job, given.nodes))
    }

    /// Notes that it is given a job, of which it has told of so many nodes over an earlier connection. Returns whether it
    /// did not have it.
    pub(super) fn given(&mut self, job: &Job, nodes: u64, now: Instant) -> bool {
        let &Job { position, window, threads, .. } = job;
        let (is_heard, is_reported) = (false, false);
        let given = Given { position, window, threads, since: now, nodes, is_heard, is_reported };
        self.jobs.insert(job.id, given).is_none()
    }

    /// Notes that it is told that its report of a job is safe. Returns whether it had the job.
    pub(super) fn acknowledged(&mut self, job: JobId) -> bool {
        self.jobs.remove(&job).is_some()
    }

    /// Notes the nodes searched so far in each of its jobs. Returns how many are new.
    pub(super) fn heard(&mut self, jobs: &[(JobId, u64)], now: Instant) -> u64 {
        self.heard = now;
        let mut news = 0;
        for &(job, nodes) in jobs {
            news += self.searched(job, nodes);
        }
        self.meter.note(now.duration_since(self.joined), self.nodes);
        news
    }

    /// Notes a report. Returns how many of its nodes are new: of a job that was given over an earlier connection
    /// none is counted here.
    pub(super) fn reported(&mut self, report: &Report, now: Instant) -> u64 {
        self.heard = now;
        count(&mut self.ended, report);
        let news = self.searched(report.job, report.nodes);
        if let Some(given) = self.jobs.get_mut(&report.job) {
            given.is_reported = true;
        }
        self.meter.note(now.duration_since(self.joined), self.nodes);
        news
    }

    fn searched(&mut self, job: JobId, nodes: u64) -> u64 {
        let Some(given) = self.jobs.get_mut(&job) else { return 0 };
        if !given.is_heard && nodes < given.nodes {
            given.nodes = 0; // It did not go on with the job, but began it again.
        }
        given.is_heard = true;
        let news = nodes.saturating_sub(given.nodes);
        given.nodes += news;
        self.nodes = self.nodes.saturating_add(news);
        news
    }

    /// Notes that it wants no more jobs.
    pub(super) fn drains(&mut self) {
        self.is_draining = true;
    }

    /// Returns what it does at the time `now`; `origin` is who it is.
    pub(super) fn state(&self, origin: &Origin, now: Instant) -> WorkerState {
        let ago = |then: Instant| now.saturating_duration_since(then);
        let running = self.jobs.values().filter(|given| !given.is_reported).map(|given| {
            let &Given { position, window, threads, since, nodes, .. } = given;
            RunningJob { position, window, threads, age: ago(since), nodes }
        });
        let mut running: Vec<RunningJob> = running.collect();
        running.sort_by_key(|job| Reverse(job.age));
        WorkerState {
            name: origin.worker.clone(),
            host: origin.host.clone(),
            build: self.build.clone(),
            isa: self.isa.clone(),
            threads: self.threads,
            table_bytes: self.table_bytes,
            joined: ago(self.joined),
            heard: ago(self.heard),
            is_draining: self.is_draining,
            nodes_per_second: self.meter.rate(),
            nodes: self.nodes,
            jobs: self.ended,
            running,
        }
    }
}

/// Counts a report by how its job has ended.
pub(super) fn count(counts: &mut JobCounts, report: &Report) {
    let place = match (report.failed, report.finished) {
        (true, _) => &mut counts.failed,
        (false, true) => &mut counts.done,
        (false, false) => &mut counts.stopped,
    };
    *place += 1;
}
