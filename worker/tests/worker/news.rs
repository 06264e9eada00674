//! What a worker hears of others, and tells of its jobs while they go on.

use std::sync::atomic::{AtomicUsize, Ordering};

use outflank_engine::{Answer, Bound, Control, Engine, Position, Request, Settings, SharedHint};
use outflank_kernel::Isa;
use outflank_proto::message::{FromWorker, Job, JobId, ToWorker};
use outflank_worker::Solver;

use crate::script::{Script, leaves};
use crate::{Endless, job, position};

/// Tells what it hears and knows by the number of nodes, when a job is stopped.
#[derive(Default)]
struct Attentive {
    heard: AtomicUsize,
    known: AtomicUsize,
}

impl Solver for Attentive {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        let answer = Endless.solve(request, control);
        let (heard, known) = (&self.heard, &self.known);
        let nodes = 100 * heard.load(Ordering::SeqCst) + known.load(Ordering::SeqCst);
        Answer { nodes: nodes as u64, ..answer }
    }

    fn solve_apart(&self, request: &Request, control: &Control) -> Answer {
        Answer { nodes: 77, ..Endless.solve(request, control) }
    }

    fn hear(&self, hints: &[SharedHint]) {
        self.heard.fetch_add(hints.len(), Ordering::SeqCst);
    }

    fn know(&self, known: &[(Position, Bound)]) {
        self.known.fetch_add(known.len(), Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_worker_hears_what_others_believe_and_knows_what_concerns_its_jobs() {
    let mut script = Script::start(None);
    let worker = script.worker(Attentive::default());
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    connection.hear_beat_of(&[1]).await;
    let hint = SharedHint::new(Position::START, 2048 | 27 << 24 | 27 << 30).unwrap();
    connection.tell(ToWorker::Hints(vec![hint; 2])).await;
    let known = vec![(Position::START, Bound::UNKNOWN)];
    connection.tell(ToWorker::Known(JobId(1), known.clone())).await;
    connection.tell(ToWorker::Known(JobId(2), known)).await;
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    assert_eq!(connection.hear_report().await.nodes, 201);
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    leaves(worker, connection).await;
}

/// Goes on until it has heard something, when it is told to stop, too.
#[derive(Default)]
struct Stubborn(Attentive);

impl Solver for Stubborn {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        while self.0.heard.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        self.0.solve(request, control)
    }

    fn hear(&self, hints: &[SharedHint]) {
        self.0.hear(hints);
    }

    fn know(&self, known: &[(Position, Bound)]) {
        self.0.know(known);
    }
}

/// What is forgotten was proved by what is believed no more, and so may this be.
#[tokio::test]
async fn a_worker_that_is_to_forget_learns_nothing_before_it_has() {
    let mut script = Script::start(None);
    let worker = script.worker(Stubborn::default());
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    connection.hear_beat_of(&[1]).await;
    let known = vec![(Position::START, Bound::UNKNOWN)];
    let hint = SharedHint::new(Position::START, 2048 | 27 << 24 | 27 << 30).unwrap();
    connection.tell(ToWorker::Forget).await;
    connection.tell(ToWorker::Known(JobId(1), known.clone())).await;
    connection.tell(ToWorker::Hints(vec![hint])).await; // So it was told everything before.
    assert_eq!(connection.hear_report().await.nodes, 100);
    connection.tell(ToWorker::Job(job(2))).await;
    connection.tell(ToWorker::Known(JobId(2), known)).await;
    connection.tell(ToWorker::Cancel(JobId(2))).await;
    assert_eq!(connection.hear_report().await.nodes, 101, "what comes later is known");
    for job in [1, 2] {
        connection.tell(ToWorker::Acknowledge(JobId(job))).await;
    }
    leaves(worker, connection).await;
}

#[tokio::test]
async fn a_job_apart_is_searched_apart() {
    let mut script = Script::start(None);
    let worker = script.worker(Attentive::default());
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(Job { is_apart: true, ..job(1) })).await;
    connection.hear_beat_of(&[1]).await;
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    assert_eq!(connection.hear_report().await.nodes, 77);
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    leaves(worker, connection).await;
}

#[tokio::test]
async fn a_worker_tells_of_the_dear_bounds_inside_its_job_before_it_reports() {
    let mut script = Script::start(None);
    let settings = Settings { isa: Isa::detect(), table_bytes: 1 << 20 };
    let worker = script.worker(Engine::new(&settings).unwrap());
    let mut connection = script.connection().await;
    let asked =
        Job { position: position(13), inside: Some(200), node_limit: u64::MAX, era: 3, ..job(1) };
    connection.tell(ToWorker::Job(asked)).await;
    let mut bounds = Vec::new();
    let report = loop {
        match connection.hear().await.expect("the worker has not left") {
            FromWorker::Found(found) => {
                assert_eq!((found.job, found.era), (JobId(1), 3));
                bounds.extend(found.bounds);
            }
            FromWorker::Report(report) => break report,
            _ => {}
        }
    };
    assert!(report.finished && !bounds.is_empty());
    assert!(bounds.iter().all(|found| found.nodes >= 200 && found.position.empties() <= 13));
    assert!(bounds.iter().any(|found| found.position.empties() < 13), "not only of the job's own");
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    leaves(worker, connection).await;
}

/// Goes on when it has its answer, until it is stopped.
struct Lingering(Engine);

impl Solver for Lingering {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        let answer = self.0.solve(request, control);
        Endless.solve(request, control);
        answer
    }
}

#[tokio::test]
async fn a_worker_tells_of_a_job_that_goes_on_if_the_coordinator_wants_that() {
    let mut script = Script::start(None);
    let settings = Settings { isa: Isa::detect(), table_bytes: 1 << 20 };
    let worker = script.worker(Lingering(Engine::new(&settings).unwrap()));
    let mut connection = script.caller().await;
    connection.welcome_for_news(1).await;
    let asked = Job { position: position(18), inside: Some(200), node_limit: u64::MAX, ..job(1) };
    connection.tell(ToWorker::Job(asked)).await;
    let (mut believes, mut has_found) = (false, false);
    while !(believes && has_found) {
        match connection.hear().await.expect("the worker has not left") {
            FromWorker::Interim(interim) => believes |= interim.job == JobId(1),
            FromWorker::Found(found) => has_found |= found.job == JobId(1),
            other => panic!("{other:?} of a job that goes on"),
        }
    }
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    while !matches!(connection.hear().await, Some(FromWorker::Report(_))) {}
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    leaves(worker, connection).await;
}
