//! The connections to workers and clients, as the actor and the writer see them: places to send to
//! without waiting.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use outflank_proto::message::{SolveUpdate, ToWorker};
use outflank_proto::v1;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::core::{JobId, SolveId, WorkerId};
use crate::store::Origin;

/// The most requests that can be open at once.
const MOST_SOLVES: usize = 10_000;
/// The number of connections whose workers are remembered after they have left.
const MOST_ORIGINS: usize = 200_000;

/// The queue of messages to a worker.
pub(super) type WorkerQueue = mpsc::Sender<Result<v1::ToWorker, Status>>;
/// The queue of messages to a client.
pub(super) type ClientQueue = mpsc::Sender<Result<v1::SolveUpdate, Status>>;

/// A connected worker.
#[derive(Debug)]
pub(super) struct WorkerLink {
    /// Messages on their way to it. If it does not read them, it is cut off.
    pub(super) queue: WorkerQueue,
    /// Cancelled to close the connection.
    pub(super) cut: CancellationToken,
    /// Who it is, for the provenance of its proofs.
    pub(super) origin: Arc<Origin>,
    /// The number of its threads.
    pub(super) threads: u32,
    /// Whether it understands what others believe and prove.
    pub(super) listens: bool,
    /// The jobs it has.
    pub(super) jobs: BTreeSet<JobId>,
}

/// How many there are of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) workers: u64,
    pub(super) threads: u64,
    pub(super) jobs: u64,
    pub(super) solves: u64,
}

#[derive(Debug, Default)]
struct Open {
    workers: BTreeMap<WorkerId, WorkerLink>,
    solves: BTreeMap<SolveId, ClientQueue>,
    /// Who the workers of late were, those who have left included.
    origins: BTreeMap<WorkerId, Arc<Origin>>,
    /// The workers that were found to be wrong, by their names, and why they are refused.
    distrusted: BTreeMap<String, String>,
    /// Why there will be no more requests.
    ended: Option<Status>,
}

/// All open connections.
#[derive(Debug, Default)]
pub(super) struct Links {
    open: Mutex<Open>,
}

impl Links {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a worker before the core hears of it.
    pub(super) fn add_worker(&self, worker: WorkerId, link: WorkerLink) {
        let mut open = self.open();
        open.origins.insert(worker, Arc::clone(&link.origin));
        if open.origins.len() > MOST_ORIGINS {
            open.origins.pop_first();
        }
        open.workers.insert(worker, link);
    }

    /// Forgets a worker after the core has heard that it left.
    pub(super) fn remove_worker(&self, worker: WorkerId) {
        self.open().workers.remove(&worker);
    }

    /// Returns who a worker is.
    pub(super) fn origin(&self, worker: WorkerId) -> Option<Arc<Origin>> {
        self.open().origins.get(&worker).cloned()
    }

    /// Refuses the worker processes called `names` from now on and closes their connections.
    pub(super) fn distrust(&self, names: &[String], reason: &str) {
        let mut open = self.open();
        for name in names {
            open.distrusted.insert(name.clone(), reason.to_owned());
        }
        for link in open.workers.values().filter(|link| names.contains(&link.origin.worker)) {
            if link.queue.try_send(Err(Status::permission_denied(reason))).is_err() {
                tracing::debug!(worker = link.origin.worker, "the worker cannot be told why");
            }
            link.cut.cancel();
        }
    }

    /// Returns why the worker process called `name` is refused, if it is.
    pub(super) fn why_distrusted(&self, name: &Option<String>) -> Option<String> {
        self.open().distrusted.get(name.as_ref()?).cloned()
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
        let Some(link) = open.workers.get_mut(&worker) else { return };
        match &message {
            ToWorker::Job(job) => {
                link.jobs.insert(JobId(job.id));
            }
            ToWorker::Acknowledge(job) => {
                link.jobs.remove(&JobId(*job));
            }
            _ => {}
        }
        if let Err(refused) = link.queue.try_send(Ok(message.into())) {
            if matches!(refused, mpsc::error::TrySendError::Full(_)) {
                tracing::warn!(worker = worker.0, "cutting off a worker that reads no messages");
            }
            link.cut.cancel();
        }
    }

    /// Gives workers a message that they can do without: those that understand it and have at most
    /// half of their messages still to read.
    pub(super) fn whisper(&self, workers: &[WorkerId], message: impl Fn() -> ToWorker) {
        let open = self.open();
        for link in workers.iter().filter_map(|worker| open.workers.get(worker)) {
            let has_time = link.queue.capacity() > link.queue.max_capacity() / 2;
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
        for (worker, link) in std::mem::take(&mut self.open().workers) {
            if link.queue.try_send(Err(status.clone())).is_err() {
                tracing::debug!(worker = worker.0, "the worker had gone");
            }
            link.cut.cancel();
        }
    }

    /// Counts the connections and what they work on.
    pub(super) fn counts(&self) -> Counts {
        let open = self.open();
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        Counts {
            workers: number(open.workers.len()),
            threads: open.workers.values().map(|link| u64::from(link.threads)).sum(),
            jobs: open.workers.values().map(|link| number(link.jobs.len())).sum(),
            solves: number(open.solves.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::{Bound, Window};
    use outflank_proto::message::{Progress, Solution, Source};

    use super::*;

    fn progress() -> SolveUpdate {
        SolveUpdate::Progress(Progress {
            bound: Bound::UNKNOWN,
            window: Window::FULL,
            jobs_open: 0,
            jobs_done: 0,
            reused: 0,
            nodes: 0,
            predicted_nodes: 0,
            workers: 0,
        })
    }

    fn solution() -> SolveUpdate {
        SolveUpdate::Solution(Solution {
            bound: Bound::UNKNOWN,
            best_move: None,
            line: Vec::new(),
            nodes: 0,
            jobs: 0,
            reused: 0,
            source: Source::Search,
        })
    }

    #[test]
    fn a_client_that_reads_nothing_misses_progress_but_not_its_answer() {
        let links = Links::default();
        let (queue, mut messages) = mpsc::channel(3);
        links.add_solve(SolveId(1), queue).unwrap();
        for _ in 0..100 {
            links.progress(SolveId(1), progress());
        }
        links.finish(SolveId(1), Ok(solution()));
        let received: Vec<SolveUpdate> = std::iter::from_fn(|| messages.try_recv().ok())
            .map(|message| message.unwrap().try_into().unwrap())
            .collect();
        assert_eq!(received, [progress(), progress(), solution()]);
        assert!(messages.is_closed());
    }

    fn link(queue: WorkerQueue, listens: bool) -> (WorkerLink, CancellationToken) {
        let (cut, origin, jobs) = (CancellationToken::new(), Arc::default(), BTreeSet::new());
        (WorkerLink { queue, cut: cut.clone(), origin, threads: 1, listens, jobs }, cut)
    }

    #[test]
    fn what_others_say_is_for_those_who_understand_it_and_cuts_nobody_off() {
        let links = Links::default();
        let (queue, mut messages) = mpsc::channel(4);
        let (old_queue, mut old_messages) = mpsc::channel(4);
        let (listener, cut) = link(queue, true);
        links.add_worker(WorkerId(1), listener);
        links.add_worker(WorkerId(2), link(old_queue, false).0);
        for _ in 0..100 {
            let everyone = [WorkerId(1), WorkerId(2), WorkerId(3)];
            links.whisper(&everyone, || ToWorker::Hints(Vec::new()));
        }
        assert!(old_messages.try_recv().is_err(), "it would not understand");
        assert!(!cut.is_cancelled());
        assert_eq!(messages.len(), 2, "half of the places stay free for jobs");
        links.tell(WorkerId(1), ToWorker::Cancel(1));
        let received = std::iter::from_fn(|| messages.try_recv().ok()).last();
        assert_eq!(received.unwrap().unwrap().try_into(), Ok(ToWorker::Cancel(1)));
    }

    #[test]
    fn a_worker_that_reads_nothing_is_cut_off() {
        let links = Links::default();
        let (queue, _messages) = mpsc::channel(2);
        let (link, cut) = link(queue, false);
        links.add_worker(WorkerId(1), link);
        links.tell(WorkerId(1), ToWorker::Cancel(1));
        links.tell(WorkerId(1), ToWorker::Cancel(2));
        assert!(!cut.is_cancelled());
        links.tell(WorkerId(1), ToWorker::Cancel(3));
        assert!(cut.is_cancelled());
    }

    #[test]
    fn there_are_no_new_requests_after_the_end() {
        let links = Links::default();
        let (queue, mut messages) = mpsc::channel(2);
        links.add_solve(SolveId(1), queue.clone()).unwrap();
        links.end_solves(&Status::unavailable("stopping"));
        assert_eq!(messages.try_recv().unwrap().unwrap_err().message(), "stopping");
        assert_eq!(links.add_solve(SolveId(2), queue).unwrap_err().message(), "stopping");
    }
}
