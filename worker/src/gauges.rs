//! What a worker shows to those who watch it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use outflank_proto::fleet::JobCounts;
use outflank_proto::message::Report;

/// What a worker does and has done; written by the worker, read by whoever has it.
#[derive(Debug, Default)]
pub struct Gauges {
    threads: AtomicU64,
    is_connected: AtomicBool,
    connections: AtomicU64,
    running: AtomicU64,
    unacknowledged: AtomicU64,
    /// Nodes of jobs that have ended, and of all jobs by the last sign of life.
    ended_nodes: AtomicU64,
    nodes: AtomicU64,
    done: AtomicU64,
    stopped: AtomicU64,
    failed: AtomicU64,
}

/// What [`Gauges`] show at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Search threads.
    pub threads: u32,
    /// Whether there is a connection to the coordinator.
    pub is_connected: bool,
    /// Connections that a coordinator has welcomed.
    pub connections: u64,
    /// Jobs that are searched.
    pub running: u64,
    /// Reports that are not known to be on disk yet.
    pub unacknowledged: u64,
    /// Positions searched, by the last sign of life.
    pub nodes: u64,
    /// Jobs that have ended.
    pub jobs: JobCounts,
}

impl Gauges {
    /// Returns what is shown now.
    #[must_use]
    pub fn read(&self) -> Reading {
        let number = |gauge: &AtomicU64| gauge.load(Ordering::Relaxed);
        Reading {
            threads: u32::try_from(number(&self.threads)).unwrap_or(u32::MAX),
            is_connected: self.is_connected.load(Ordering::Relaxed),
            connections: number(&self.connections),
            running: number(&self.running),
            unacknowledged: number(&self.unacknowledged),
            nodes: number(&self.nodes),
            jobs: JobCounts {
                done: number(&self.done),
                stopped: number(&self.stopped),
                failed: number(&self.failed),
            },
        }
    }

    pub(crate) fn set_threads(&self, threads: u32) {
        self.threads.store(threads.into(), Ordering::Relaxed);
    }

    pub(crate) fn connected(&self) {
        self.is_connected.store(true, Ordering::Relaxed);
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn disconnected(&self) {
        self.is_connected.store(false, Ordering::Relaxed);
    }

    pub(crate) fn set_unacknowledged(&self, reports: usize) {
        self.unacknowledged.store(reports as u64, Ordering::Relaxed);
    }

    /// Notes that so many jobs run, which have searched so many nodes.
    pub(crate) fn set_running(&self, jobs: usize, nodes: u64) {
        self.running.store(jobs as u64, Ordering::Relaxed);
        let nodes = self.ended_nodes.load(Ordering::Relaxed).saturating_add(nodes);
        // What a stopped job reports may be less than it had told: a sum that others compare never falls.
        self.nodes.fetch_max(nodes, Ordering::Relaxed);
    }

    /// Notes that a job has ended.
    pub(crate) fn ended(&self, report: &Report) {
        let count = match (report.failed, report.finished) {
            (true, _) => &self.failed,
            (false, true) => &self.done,
            (false, false) => &self.stopped,
        };
        count.fetch_add(1, Ordering::Relaxed);
        self.ended_nodes.fetch_add(report.nodes, Ordering::Relaxed);
    }
}
