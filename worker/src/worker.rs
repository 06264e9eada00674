//! What a worker keeps over its connections, and how it leaves.

use std::pin::pin;
use std::sync::Arc;

use outflank_proto::message::Hello;
use outflank_proto::{NEWEST_PROTOCOL, OLDEST_PROTOCOL};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::jobs::{Finished, Jobs};
use crate::outbox::Outbox;
use crate::speech::Speech;
use crate::{Options, Solver};

/// What a worker has, whether it is connected or not.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) options: Options,
    pub(crate) jobs: Jobs,
    pub(crate) reports: mpsc::Receiver<Finished>,
    /// What those say that share a search with other workers.
    pub(crate) words: Speech,
    pub(crate) outbox: Outbox,
    /// The number of connections so far.
    pub(crate) sessions: u64,
    /// What coordinators know this process by, over all its connections. It is a secret, and never logged: who knows it
    /// can speak in the name of this process.
    instance: u64,
    /// What there is to know of its leaving; `None` until it is told to stop.
    leaving: Option<Leaving>,
}

/// A worker that was told to stop.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    /// When it leaves whatever is not acknowledged.
    at: Instant,
    /// The reports that had been acknowledged before.
    acknowledged_before: u64,
}

impl Worker {
    pub(crate) fn new(solver: Arc<dyn Solver>, options: Options) -> Self {
        options.gauges.set_threads(options.threads);
        let (jobs, reports, words) = Jobs::new(solver, options.threads);
        let instance =
            getrandom::u64().expect("the system draws random numbers for everybody").max(1);
        Self {
            options,
            jobs,
            reports,
            words,
            outbox: Outbox::default(),
            sessions: 0,
            instance,
            leaving: None,
        }
    }

    /// Stops what is running and returns the number of reports that were not acknowledged.
    pub(crate) fn abandon(&mut self) -> usize {
        self.jobs.stop_all();
        while let Ok(Finished { report, .. }) = self.reports.try_recv() {
            self.outbox.keep(report);
        }
        self.outbox.reports().len()
    }

    /// Leaves as it was told to, says so, and returns the number of reports that were not acknowledged.
    pub(crate) fn leave(mut self) -> usize {
        self.stop(); // It may have been leaving for its coordinator's sake.
        let unacknowledged = self.abandon();
        let before = self.leaving.map_or(0, |leaving| leaving.acknowledged_before);
        let reports = self.outbox.acknowledged() - before;
        tracing::info!(reports, unacknowledged, "stopped");
        unacknowledged
    }

    /// Returns whether there is no job left, and nothing to hand back.
    pub(crate) fn is_done(&self) -> bool {
        self.jobs.is_empty() && self.outbox.reports().is_empty()
    }

    /// Returns whether a worker that was told to stop has nothing left to hand back, or no time left for it.
    pub(crate) fn may_leave(&self) -> bool {
        self.is_done() || self.leaving.is_some_and(|leaving| leaving.at <= Instant::now())
    }

    /// Shows what there is to those who watch.
    pub(crate) fn show(&self) {
        let gauges = &self.options.gauges;
        gauges.set_running(self.jobs.len(), self.jobs.nodes());
        gauges.set_unacknowledged(self.outbox.reports().len());
    }

    /// Stops what is running, and returns when the worker leaves whatever is not acknowledged.
    pub(crate) fn stop(&mut self) -> Instant {
        self.jobs.stop_all();
        if let Some(leaving) = self.leaving {
            return leaving.at;
        }
        let reports = self.outbox.reports().len();
        tracing::info!(
            jobs = self.jobs.len(),
            reports,
            "told to stop: handing back what is proved"
        );
        let at = Instant::now() + self.options.drain_deadline;
        self.leaving = Some(Leaving { at, acknowledged_before: self.outbox.acknowledged() });
        at
    }

    /// Waits, without a connection, for `done`; `None` if the worker is told to stop before and has nothing to
    /// hand back, or cannot any more.
    pub(crate) async fn wait_for<T>(
        &mut self,
        done: impl Future<Output = T>,
        stop: &CancellationToken,
    ) -> Option<T> {
        let mut done = pin!(done);
        if let Some(result) = stop.run_until_cancelled(&mut done).await {
            return Some(result);
        }
        let leaves_at = self.stop();
        if self.is_done() {
            return None;
        }
        tokio::time::timeout_at(leaves_at, done).await.ok()
    }

    /// Returns what it says first over a connection.
    pub(crate) fn hello(&self) -> Hello {
        Hello {
            oldest_protocol: OLDEST_PROTOCOL,
            newest_protocol: NEWEST_PROTOCOL,
            build: self.options.build.clone(),
            isa: self.options.isa.to_string(),
            host: self.options.host.clone(),
            threads: self.options.threads,
            table_bytes: u64::try_from(self.options.table_bytes).unwrap_or(u64::MAX),
            instance: self.instance,
            listens: true,
            shares: true,
        }
    }
}
