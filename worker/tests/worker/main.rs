//! The worker against a coordinator that says only what the test says.

#![allow(
    clippy::disallowed_methods,
    reason = "each test joins the tasks it spawns, or ends with them"
)]

mod again;
mod leaving;
mod news;
mod reconnection;
mod script;
mod shared;
mod unfinished;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use outflank_engine::{
    Answer, Bound, Control, Position, Request, Square, Symmetry, Window, brute_force,
};
use outflank_kernel::Isa;
use outflank_proto::message::{FromWorker, Job, JobId, ToWorker};
use outflank_worker::{Options, Solver, WorkerError, run};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use script::{Connection, Running, Script, gone, in_time, leaves};

/// Answers at once.
struct BruteForce;

impl Solver for BruteForce {
    fn solve(&self, request: &Request, _control: &Control) -> Answer {
        answer(request, Bound::exact(brute_force::value(request.position)), true)
    }
}

/// Works until it is stopped.
struct Endless;

impl Solver for Endless {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        while !control.is_stopped() {
            std::thread::yield_now();
        }
        answer(request, Bound::UNKNOWN, false)
    }
}

/// Works until it is stopped, and says so then.
struct Noticed(Arc<Notify>);

impl Solver for Noticed {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        let answer = Endless.solve(request, control);
        self.0.notify_one();
        answer
    }
}

/// Panics at the first job.
struct Shaky(AtomicUsize);

impl Solver for Shaky {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        assert_ne!(self.0.fetch_add(1, Ordering::SeqCst), 0, "a defect");
        BruteForce.solve(request, control)
    }
}

fn answer(request: &Request, bound: Bound, finished: bool) -> Answer {
    let order: Vec<Square> = Square::all(request.position.moves()).collect();
    let (best_move, line, children) = (order.first().copied(), Vec::new(), Vec::new());
    Answer { bound, best_move, line, children, order, nodes: 7, finished }
}

/// Returns the canonical position after the lowest move each time, when so many squares are empty.
fn position(empties: u32) -> Position {
    let mut position = Position::START;
    while position.empties() > empties {
        position = match Square::lowest(position.moves()) {
            Some(square) => position.play(square).unwrap(),
            None => position.pass(),
        };
    }
    position.canonical()
}

/// Returns a job with this name on a position with three empty squares.
fn job(id: u64) -> Job {
    let (position, window) = (position(3), Window::FULL);
    let (known, symmetry) = (Vec::new(), Symmetry::IDENTITY);
    let (hints, helps, inside, is_apart) = (false, false, None, false);
    let (node_limit, threads, era) = (1000, 1, 0);
    Job {
        id: JobId(id),
        position,
        window,
        node_limit,
        threads,
        known,
        symmetry,
        era,
        hints,
        helps,
        inside,
        is_apart,
        is_shared: false,
    }
}

#[tokio::test]
async fn a_report_is_sent_again_until_it_is_acknowledged_and_then_no_more() {
    let mut script = Script::start(None);
    let worker = script.worker(BruteForce);
    let mut first = script.connection().await;
    first.tell(ToWorker::Job(job(1))).await;
    let report = first.hear_report().await;
    let value = brute_force::value(job(1).position);
    assert_eq!((report.bound, report.finished), (Bound::exact(value), true));
    drop(first);

    let mut second = script.connection().await;
    assert_eq!(second.hear_report().await, report);
    second.tell(ToWorker::Acknowledge(JobId(1))).await;
    second.tell(ToWorker::Job(job(2))).await;
    assert_eq!(second.hear_report().await.job, JobId(2));
    drop(second);

    let mut third = script.connection().await;
    assert_eq!(third.hear_report().await.job, JobId(2));
    third.tell(ToWorker::Acknowledge(JobId(2))).await;
    leaves(worker, third).await;
}

/// Returns what a worker says that it is, and loses its connection.
async fn instance(script: &mut Script) -> u64 {
    match script.caller().await.hear().await {
        Some(FromWorker::Hello(hello)) => hello.instance,
        other => panic!("{other:?} in place of a hello"),
    }
}

#[tokio::test]
async fn a_worker_says_the_same_secret_over_all_its_connections_and_another_worker_another() {
    let mut script = Script::start(None);
    let worker = script.worker(BruteForce);
    let secret = instance(&mut script).await;
    assert_eq!(instance(&mut script).await, secret);
    worker.kill();
    let mut script = Script::start(None);
    let another = script.worker(BruteForce);
    let other_secret = instance(&mut script).await;
    assert!(secret != 0 && other_secret != 0 && other_secret != secret);
    another.kill();
}

#[tokio::test]
async fn a_search_that_panics_is_reported_as_failed_and_the_worker_works_on() {
    let mut script = Script::start(None);
    let worker = script.worker(Shaky(AtomicUsize::new(0)));
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    let report = connection.hear_report().await;
    assert_eq!((report.job, report.failed, report.finished), (JobId(1), true, false));
    assert_eq!(report.bound, Bound::UNKNOWN);
    connection.tell(ToWorker::Job(job(2))).await;
    let report = connection.hear_report().await;
    assert_eq!((report.job, report.failed, report.finished), (JobId(2), false, true));
    worker.kill();
}

/// The quarter turns are those that are not their own inverses.
#[tokio::test]
async fn a_job_that_is_searched_turned_is_reported_as_it_was_given() {
    let mut script = Script::start(None);
    let worker = script.worker(BruteForce);
    let mut connection = script.connection().await;
    for (id, symmetry) in (1..).zip(Symmetry::all()) {
        connection.tell(ToWorker::Job(Job { symmetry, ..job(id) })).await;
        let report = connection.hear_report().await;
        assert_eq!(report.position, job(id).position);
        let mut order = report.order.clone();
        order.sort_unstable();
        let moves: Vec<Square> = Square::all(report.position.moves()).collect();
        assert_eq!(order, moves, "{symmetry:?}");
        assert!(report.best_move.is_some_and(|square| moves.contains(&square)), "{symmetry:?}");
        connection.tell(ToWorker::Acknowledge(JobId(id))).await;
    }
    leaves(worker, connection).await;
}

#[tokio::test]
async fn a_cancelled_job_reports_what_it_has() {
    let mut script = Script::start(None);
    let worker = script.worker(Endless);
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    connection.tell(ToWorker::Job(job(2))).await;
    connection.tell(ToWorker::Cancel(JobId(2))).await;
    let report = connection.hear_report().await;
    assert_eq!((report.job, report.failed, report.finished), (JobId(2), false, false));
    assert!(!report.order.is_empty());
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    assert_eq!(connection.hear_report().await.job, JobId(1));
    worker.kill();
}

#[tokio::test]
async fn a_worker_that_is_stopped_hands_back_its_jobs_and_waits_for_the_acknowledgements() {
    let mut script = Script::start(None);
    let worker = script.worker(Endless);
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    connection.tell(ToWorker::Job(job(2))).await;
    connection.tell(ToWorker::Cancel(JobId(2))).await;
    assert_eq!(connection.hear_report().await.job, JobId(2)); // So the first has come as well.
    connection.tell(ToWorker::Acknowledge(JobId(2))).await;
    worker.stop.cancel();
    assert_eq!(connection.hear().await, Some(FromWorker::Draining));
    let report = connection.hear_report().await;
    assert_eq!((report.job, report.finished), (JobId(1), false));
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    gone(worker, connection).await;
}

/// Returns a worker that was told to stop and said so, and waits for the acknowledgement of job 1.
async fn leaving_with_a_report() -> (Running, Connection) {
    let mut script = Script::start(None);
    let worker = script.worker(BruteForce);
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    assert_eq!(connection.hear_report().await.job, JobId(1));
    worker.stop.cancel();
    assert_eq!(connection.hear().await, Some(FromWorker::Draining));
    (worker, connection)
}

/// What is not acknowledged may be lost with the coordinator.
#[tokio::test]
async fn a_worker_that_is_stopped_stays_as_long_as_a_report_is_not_acknowledged() {
    let (worker, mut connection) = leaving_with_a_report().await;
    connection.hear_beat_of(&[]).await;
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    gone(worker, connection).await;
}

#[tokio::test]
async fn a_worker_that_leaves_says_so_once_and_takes_no_job() {
    let (worker, connection) = leaving_with_a_report().await;
    connection.tell(ToWorker::Job(job(2))).await;
    connection.tell(ToWorker::Drain).await;
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    gone(worker, connection).await;
}

#[tokio::test]
async fn a_worker_that_is_stopped_while_its_connection_is_gone_still_hands_back_its_jobs() {
    let mut script = Script::start(None);
    let worker = script.worker(Endless);
    let mut first = script.connection().await;
    first.tell(ToWorker::Job(job(1))).await;
    first.hear_beat_of(&[1]).await;
    drop(first);
    worker.stop.cancel();
    let mut second = script.connection().await;
    let mut reported = Vec::new();
    // The farewell and the report come in either order.
    while let Some(message) = second.hear().await {
        if let FromWorker::Report(report) = message {
            second.tell(ToWorker::Acknowledge(report.job)).await;
            reported.push(report.job);
        }
    }
    assert_eq!(reported, [JobId(1)]);
    drop(second);
    worker.ends().await.unwrap();
}

#[tokio::test]
async fn a_draining_coordinator_gets_the_reports_and_the_worker_comes_back() {
    let mut script = Script::start(None);
    let worker = script.worker(Endless);
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    connection.tell(ToWorker::Drain).await;
    assert_eq!(connection.hear().await, Some(FromWorker::Draining));
    assert_eq!(connection.hear_report().await.job, JobId(1));
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    assert_eq!(connection.hear().await, None);
    drop(connection);
    let mut again = script.connection().await;
    again.tell(ToWorker::Job(job(2))).await;
    again.tell(ToWorker::Cancel(JobId(2))).await;
    assert_eq!(again.hear_report().await.job, JobId(2));
    worker.kill();
}

#[tokio::test(start_paused = true)]
async fn a_worker_leaves_in_the_end_when_nothing_is_acknowledged_and_says_so() {
    let mut script = Script::start(None);
    let worker = script.worker(BruteForce);
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    connection.hear_report().await;
    worker.stop.cancel();
    let error = worker.ends().await.unwrap_err();
    assert!(matches!(error, WorkerError::Unacknowledged { reports: 1, .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_worker_leaves_a_coordinator_that_reads_nothing() {
    let mut script = Script::start(None);
    let worker = script.worker(BruteForce);
    let _unread = script.connection().await;
    script.reads_nothing().await;
    worker.stop.cancel();
    worker.ends().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_not_heard_stops_its_jobs_when_it_is_told_to_stop() {
    let mut script = Script::start(None);
    let stopped = Arc::new(Notify::new());
    let worker = script.worker(Noticed(Arc::clone(&stopped)));
    let connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    script.reads_nothing().await;
    tokio::time::resume();
    worker.stop.cancel();
    in_time(stopped.notified()).await;
    assert!(worker.gauges.read().is_connected, "it has time left to hand back what it has");
    worker.kill();
}

#[tokio::test]
async fn a_worker_of_the_wrong_version_says_what_it_needs_and_ends() {
    let refusal = Status::failed_precondition("this coordinator needs version 9");
    let script = Script::start(Some(refusal));
    let error = script.worker(BruteForce).ends().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the coordinator at this process refuses this worker: this coordinator needs version 9"
    );
    assert_eq!(script.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn who_watches_a_worker_sees_what_it_does_and_has_done() {
    let mut script = Script::start(None);
    let worker = script.worker(Endless);
    let gauges = Arc::clone(&worker.gauges);
    let sees = || {
        let seen = gauges.read();
        (seen.is_connected, seen.running, seen.unacknowledged, seen.jobs.stopped)
    };
    assert_eq!(sees(), (false, 0, 0, 0));
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    connection.hear_beat_of(&[1]).await;
    assert_eq!(sees(), (true, 1, 0, 0));
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    connection.hear_report().await;
    assert_eq!(sees(), (true, 0, 1, 1));
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    leaves(worker, connection).await;
    assert_eq!(sees(), (false, 0, 0, 1));
    let seen = gauges.read();
    assert_eq!((seen.threads, seen.connections, seen.nodes), (2, 1, 7));
}

#[tokio::test]
async fn a_worker_without_threads_is_refused() {
    let options = Options::new(0, 1 << 20, Isa::detect());
    let coordinator = "127.0.0.1:1".parse().unwrap();
    let error = run(options, coordinator, CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "a worker cannot have 0 threads, expected 1 to 1024");
}

/// Remembers what it has solved, and says how much it remembers by the number of nodes.
struct Remembering(AtomicUsize);

impl Solver for Remembering {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        let remembered = self.0.fetch_add(1, Ordering::SeqCst);
        while request.node_limit == Some(7) && !control.is_stopped() {
            std::hint::spin_loop();
        }
        Answer { nodes: remembered as u64, ..answer(request, Bound::UNKNOWN, true) }
    }

    fn forget(&self) {
        self.0.store(0, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_worker_that_is_told_to_forget_does_so_before_its_next_job() {
    let mut script = Script::start(None);
    let worker = script.worker(Remembering(AtomicUsize::new(3)));
    let mut connection = script.caller().await;
    connection.welcome().await;
    connection.tell(ToWorker::Job(Job { node_limit: 7, ..job(1) })).await;
    connection.hear_beat_of(&[1]).await;
    connection.tell(ToWorker::Forget).await;
    connection.tell(ToWorker::Job(job(2))).await;
    let stopped = connection.hear_report().await;
    assert_eq!((stopped.job, stopped.nodes), (JobId(1), 3), "it ran until it was stopped");
    let next = connection.hear_report().await;
    assert_eq!((next.job, next.nodes), (JobId(2), 0), "nothing was remembered");
    for job in [1, 2] {
        connection.tell(ToWorker::Acknowledge(JobId(job))).await;
    }
    leaves(worker, connection).await;
}

#[tokio::test]
async fn a_job_of_a_new_era_begins_when_everything_is_forgotten_and_that_once() {
    let mut script = Script::start(None);
    let worker = script.worker(Remembering(AtomicUsize::new(3)));
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(Job { node_limit: 7, ..job(1) })).await;
    connection.hear_beat_of(&[1]).await;
    connection.tell(ToWorker::Job(Job { era: 1, ..job(2) })).await;
    let stopped = connection.hear_report().await;
    assert_eq!((stopped.job, stopped.nodes), (JobId(1), 3), "it ran until it was stopped");
    let next = connection.hear_report().await;
    assert_eq!((next.job, next.nodes), (JobId(2), 0), "nothing was remembered");
    for (era, id, remembered) in [(1, 3, 1), (2, 4, 0), (2, 5, 1)] {
        connection.tell(ToWorker::Job(Job { era, ..job(id) })).await;
        let report = connection.hear_report().await;
        assert_eq!((report.job, report.nodes), (JobId(id), remembered), "of era {era}");
    }
    for job in 1..=5 {
        connection.tell(ToWorker::Acknowledge(JobId(job))).await;
    }
    leaves(worker, connection).await;
}
