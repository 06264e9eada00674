//! The connections to workers and clients, as the actor and the writer see them: places to send to
//! without waiting.

mod record;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use outflank_proto::fleet::{Totals, WorkerState};
use outflank_proto::message::{Report, SolveUpdate, ToWorker};
use outflank_proto::v1;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::bounded_map::BoundedMap;
use crate::core::{JobId, SolveId, WorkerId};
use crate::store::Origin;
pub(super) use record::WorkerRecord;

/// The most requests that can be open at once.
const MOST_SOLVES: usize = 10_000;
/// The number of connections whose workers are remembered after they have left, and of their jobs.
const MOST_ORIGINS: usize = 200_000;

/// The queue of messages to a worker.
pub(super) type WorkerQueue = mpsc::Sender<Result<v1::ToWorker, Status>>;
/// The queue of messages to a client.
type ClientQueue = mpsc::Sender<Result<v1::SolveUpdate, Status>>;

/// A connected worker.
#[derive(Debug)]
pub(super) struct WorkerLink {
    /// Messages on their way to it. If it does not read them, it is cut off.
    pub(super) queue: WorkerQueue,
    /// Cancelled to close the connection.
    pub(super) cut: CancellationToken,
    /// Who it is, for the provenance of its proofs.
    pub(super) origin: Arc<Origin>,
    /// Whether it understands what others believe and prove.
    pub(super) listens: bool,
    /// What it has, does and has done.
    pub(super) record: WorkerRecord,
}

/// How many there are of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) workers: u64,
    pub(super) threads: u64,
    pub(super) jobs: u64,
    pub(super) solves: u64,
    /// Claims that no other worker could audit yet.
    pub(super) unaudited: u64,
}

#[derive(Debug, Default)]
struct Open {
    workers: BTreeMap<WorkerId, WorkerLink>,
    solves: BTreeMap<SolveId, ClientQueue>,
    /// Who the workers of late were, those who have left included.
    origins: BTreeMap<WorkerId, Arc<Origin>>,
    /// The workers that were found to be wrong, by their names, and why they are refused.
    distrusted: BTreeMap<String, String>,
    /// How many of them were found out since the coordinator was started.
    found_out: u64,
    /// Why there will be no more requests.
    ended: Option<Status>,
    /// The threads and the jobs of all workers: asked for with every row of a campaign.
    threads: u64,
    jobs: u64,
    unaudited: u64,
    /// The nodes that workers had told of in jobs which they still had when their connection ended: over the next one they
    /// tell of these again.
    left: BoundedMap<(String, JobId), u64, MOST_ORIGINS>,
    /// What all workers have done, those who have left included.
    totals: Totals,
}

impl Open {
    fn add(&mut self, worker: WorkerId, link: WorkerLink) {
        self.threads += u64::from(link.record.threads());
        self.totals.joined += 1;
        self.workers.insert(worker, link);
    }

    fn remove(&mut self, worker: WorkerId) {
        if let Some(link) = self.workers.remove(&worker) {
            self.threads -= u64::from(link.record.threads());
            self.jobs -= number(link.record.jobs());
            let name = &link.origin.worker;
            for (job, nodes) in link.record.running() {
                self.left.insert((name.clone(), job), nodes);
            }
        }
    }

    /// Takes all workers.
    fn take(&mut self) -> BTreeMap<WorkerId, WorkerLink> {
        (self.threads, self.jobs) = (0, 0);
        std::mem::take(&mut self.workers)
    }
}

/// All open connections.
#[derive(Debug, Default)]
pub(super) struct Links {
    open: Mutex<Open>,
    /// A worker has been added.
    joined: Notify,
}

impl Links {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a worker, of the process called `name` if it has said so, before the core hears of it.
    ///
    /// # Errors
    /// Why the process is refused, if it was found to be wrong, be it a moment ago.
    pub(super) fn add_worker(
        &self,
        worker: WorkerId,
        name: Option<&str>,
        link: WorkerLink,
    ) -> Result<(), Status> {
        let mut open = self.open();
        if let Some(reason) = name.and_then(|name| open.distrusted.get(name)) {
            return Err(Status::permission_denied(reason));
        }
        open.origins.insert(worker, Arc::clone(&link.origin));
        if open.origins.len() > MOST_ORIGINS {
            open.origins.pop_first();
        }
        open.add(worker, link);
        drop(open);
        self.joined.notify_waiters();
        Ok(())
    }

    /// Completes as soon as there is a worker.
    pub(super) async fn worker_joined(&self) {
        loop {
            let joined = self.joined.notified(); // Hears of who is added after this.
            if !self.open().workers.is_empty() {
                return;
            }
            joined.await;
        }
    }

    /// Ends what is sent to a worker, after what waits for it: its connection has ended. What it would be told until the
    /// core has heard of that, which may think for seconds, goes nowhere.
    pub(super) fn hang_up(&self, worker: WorkerId) {
        if let Some(link) = self.open().workers.get_mut(&worker) {
            link.queue = mpsc::channel(1).0;
        }
    }

    /// Forgets a worker after the core has heard that it left.
    pub(super) fn remove_worker(&self, worker: WorkerId) {
        self.open().remove(worker);
    }

    /// Returns who a worker is, or was.
    pub(super) fn origin(&self, worker: WorkerId) -> Option<Arc<Origin>> {
        let open = self.open();
        let connected = open.workers.get(&worker).map(|link| &link.origin);
        connected.or_else(|| open.origins.get(&worker)).cloned()
    }

    /// Refuses the worker processes called `names`, as an earlier coordinator has.
    pub(super) fn distrust_still(&self, names: &[String], reason: &str) {
        let mut open = self.open();
        for name in names {
            open.distrusted.insert(name.clone(), reason.to_owned());
        }
    }

    /// Refuses the worker processes called `names` from now on and closes their connections.
    pub(super) fn distrust(&self, names: &[String], reason: &str) {
        let mut open = self.open();
        for name in names {
            let is_new = open.distrusted.insert(name.clone(), reason.to_owned()).is_none();
            open.found_out += u64::from(is_new);
        }
        for link in open.workers.values().filter(|link| names.contains(&link.origin.worker)) {
            if link.queue.try_send(Err(Status::permission_denied(reason))).is_err() {
                tracing::debug!(worker = link.origin.worker, "the worker cannot be told why");
            }
            link.cut.cancel();
        }
    }

    /// Tells every client that waits something; one that does not read its messages misses it.
    pub(super) fn notice(&self, text: &str) {
        for (solve, queue) in &self.open().solves {
            let update = SolveUpdate::Notice(text.to_owned());
            if queue.capacity() > 1 && queue.try_send(Ok(update.into())).is_err() {
                tracing::debug!(solve = solve.0, "the client has gone");
            }
        }
    }

    /// Gives a worker a message. A worker that does not read its messages is cut off; one that has
    /// gone needs none.
    pub(super) fn tell(&self, worker: WorkerId, message: ToWorker) {
        let mut open = self.open();
        let Open { workers, jobs, left, .. } = &mut *open;
        let Some(link) = workers.get_mut(&worker) else { return };
        match &message {
            ToWorker::Job(job) => {
                let told = left.remove(&(link.origin.worker.clone(), job.id));
                *jobs += u64::from(link.record.given(job, told.unwrap_or(0), Instant::now()));
            }
            ToWorker::Acknowledge(job) => {
                *jobs -= u64::from(link.record.acknowledged(*job));
            }
            _ => {}
        }
        if let Err(refused) = link.queue.try_send(Ok(message.into())) {
            if matches!(refused, mpsc::error::TrySendError::Full(_)) {
                let (name, waiting) = (&link.origin.worker, link.queue.max_capacity());
                tracing::warn!(
                    worker = worker.0,
                    name,
                    waiting,
                    "cutting off a worker that reads no messages"
                );
            }
            link.cut.cancel();
        }
    }

    /// Notes a sign of life of a worker: the nodes searched so far in each of its jobs.
    pub(super) fn heard(&self, worker: WorkerId, jobs: &[(JobId, u64)]) {
        let mut open = self.open();
        let Open { workers, totals, .. } = &mut *open;
        if let Some(link) = workers.get_mut(&worker) {
            let news = link.record.heard(jobs, Instant::now());
            totals.nodes = totals.nodes.saturating_add(news);
        }
    }

    /// Notes what a worker reports.
    pub(super) fn reported(&self, worker: WorkerId, report: &Report) {
        let mut open = self.open();
        let Open { workers, totals, .. } = &mut *open;
        if let Some(link) = workers.get_mut(&worker) {
            let news = link.record.reported(report, Instant::now());
            totals.nodes = totals.nodes.saturating_add(news);
            record::count(&mut totals.jobs, report);
        }
    }

    /// Notes that a worker wants no more jobs.
    pub(super) fn drains(&self, worker: WorkerId) {
        if let Some(link) = self.open().workers.get_mut(&worker) {
            link.record.drains();
        }
    }

    /// Returns what the workers do at this moment, by name, and what has been done so far.
    pub(super) fn look(&self) -> (Vec<WorkerState>, Totals) {
        let (open, now) = (self.open(), Instant::now());
        let states = open.workers.values().map(|link| link.record.state(&link.origin, now));
        let mut states: Vec<WorkerState> = states.collect();
        let totals = open.totals;
        drop(open);
        states.sort_by(|one, other| one.name.cmp(&other.name));
        (states, totals)
    }

    /// Returns how many worker processes were found to be wrong since the start.
    pub(super) fn found_out(&self) -> u64 {
        self.open().found_out
    }

    /// Gives workers a message that they can do without: those that understand it and have at most `unread` messages
    /// still to read, and no more than half of those that there is room for.
    pub(super) fn whisper(
        &self,
        workers: &[WorkerId],
        unread: usize,
        message: impl Fn() -> ToWorker,
    ) {
        let open = self.open();
        for link in workers.iter().filter_map(|worker| open.workers.get(worker)) {
            let (room, free) = (link.queue.max_capacity(), link.queue.capacity());
            let has_time = free > room / 2 && room - free <= unread;
            if link.listens && has_time && link.queue.try_send(Ok(message().into())).is_err() {
                tracing::debug!(worker = link.origin.worker, "the worker has gone");
            }
        }
    }

    /// Closes the connection of a worker and tells it why.
    pub(super) fn disconnect(&self, worker: WorkerId, reason: String) {
        self.tell(worker, ToWorker::Goodbye(reason));
        if let Some(link) = self.open().workers.get(&worker) {
            link.cut.cancel();
        }
    }

    /// Adds a client's request before the core hears of it.
    pub(super) fn add_solve(&self, solve: SolveId, queue: ClientQueue) -> Result<(), Status> {
        let mut open = self.open();
        if let Some(status) = &open.ended {
            return Err(status.clone());
        }
        if open.solves.len() >= MOST_SOLVES {
            let reason = format!("{MOST_SOLVES} requests are open already, try again later");
            return Err(Status::resource_exhausted(reason));
        }
        open.solves.insert(solve, queue);
        Ok(())
    }

    /// Forgets a request; returns whether it was still open.
    pub(super) fn remove_solve(&self, solve: SolveId) -> bool {
        self.open().solves.remove(&solve).is_some()
    }

    /// Tells a client how far its request has come, unless it has not read the last such messages
    /// yet: the last place in its queue is the answer's.
    pub(super) fn progress(&self, solve: SolveId, update: SolveUpdate) {
        let open = self.open();
        let Some(queue) = open.solves.get(&solve) else { return };
        if queue.capacity() > 1 && queue.try_send(Ok(update.into())).is_err() {
            tracing::debug!(solve = solve.0, "the client has gone");
        }
    }

    /// Ends a request with an answer or an error.
    pub(super) fn finish(&self, solve: SolveId, answer: Result<SolveUpdate, Status>) {
        let Some(queue) = self.open().solves.remove(&solve) else { return };
        if queue.try_send(answer.map(Into::into)).is_err() {
            tracing::debug!(solve = solve.0, "the client went before its answer came");
        }
    }

    /// Ends all requests, and those to come, with `status`.
    pub(super) fn end_solves(&self, status: &Status) {
        let solves = {
            let mut open = self.open();
            open.ended.get_or_insert_with(|| status.clone());
            std::mem::take(&mut open.solves)
        };
        for (solve, queue) in solves {
            if queue.try_send(Err(status.clone())).is_err() {
                tracing::debug!(solve = solve.0, "the client had gone");
            }
        }
    }

    /// Ends all requests and all connections of workers with `status`.
    pub(super) fn end_all(&self, status: &Status) {
        self.end_solves(status);
        let workers = self.open().take();
        for (worker, link) in workers {
            if link.queue.try_send(Err(status.clone())).is_err() {
                tracing::debug!(worker = worker.0, "the worker had gone");
            }
            link.cut.cancel();
        }
    }

    /// Notes how many claims no other worker could audit yet.
    pub(super) fn set_unaudited(&self, count: u64) {
        self.open().unaudited = count;
    }

    /// Counts the connections and what they work on.
    pub(super) fn counts(&self) -> Counts {
        let open = self.open();
        Counts {
            workers: number(open.workers.len()),
            threads: open.threads,
            jobs: open.jobs,
            solves: number(open.solves.len()),
            unaudited: open.unaudited,
        }
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
