//! Searches that end without an answer: at their limit, or where what they were told is false.

use outflank_engine::{
    Answer, BoardSize, Bound, Control, Engine, Position, Request, Score, Settings, Square,
    brute_force,
};
use outflank_kernel::Isa;
use outflank_proto::message::{FromMember, FromWorker, Job, JobId, ToMember, ToWorker};
use outflank_worker::Solver;

use crate::script::{Script, leaves};
use crate::shared::{Tireless, errand, led};
use crate::{BruteForce, answer, job, position};

/// Gives up where it was told anything, as an engine does that finds it to be false.
struct Misled;

impl Solver for Misled {
    fn solve(&self, request: &Request, _control: &Control) -> Answer {
        answer(request, Bound::UNKNOWN, false)
    }

    fn solve_apart(&self, request: &Request, control: &Control) -> Answer {
        assert!(request.known.is_empty(), "{request:?}");
        BruteForce.solve(request, control)
    }
}

/// Returns the canonical position of 6x6 after the lowest move each time, when 18 squares are empty.
fn small() -> Position {
    let mut position = BoardSize::new(6, 6).unwrap().start();
    while position.empties() > 18 {
        position = match Square::lowest(position.moves()) {
            Some(square) => position.play(square).unwrap(),
            None => position.pass(),
        };
    }
    position.canonical()
}

#[tokio::test]
async fn a_job_on_a_small_board_that_reaches_its_limit_reports_what_it_has_proved() {
    let mut script = Script::start(None);
    let engine = Engine::new(&Settings { isa: Isa::detect(), table_bytes: 1 << 20 }).unwrap();
    let worker = script.worker(engine);
    let mut connection = script.connection().await;
    let limited = Job { position: small(), node_limit: 20_000, ..job(1) };
    connection.tell(ToWorker::Job(limited)).await;
    let report = connection.hear_report().await;
    assert_eq!((report.failed, report.finished), (false, false), "{report:?}");
    assert!(report.bound != Bound::UNKNOWN && !report.children.is_empty(), "{report:?}");
    assert!((20_000..40_000).contains(&report.nodes), "{report:?}");
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    leaves(worker, connection).await;
}

/// The coordinator takes an unfinished report that comes early for one that was kept over a reconnection.
#[tokio::test]
async fn a_job_whose_search_was_told_what_is_false_is_solved_without_it() {
    let mut script = Script::start(None);
    let worker = script.worker(Misled);
    let mut connection = script.connection().await;
    let known = vec![(position(2), Bound::at_least(Score::MAX))];
    connection.tell(ToWorker::Job(Job { known, ..job(1) })).await;
    let report = connection.hear_report().await;
    let value = brute_force::value(job(1).position);
    assert_eq!((report.bound, report.finished), (Bound::exact(value), true));
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    leaves(worker, connection).await;
}

/// Gives up whatever it was told, as an engine does that gets no memory for a search apart.
struct Hopeless;

impl Solver for Hopeless {
    fn solve(&self, request: &Request, _control: &Control) -> Answer {
        answer(request, Bound::UNKNOWN, false)
    }
}

#[tokio::test]
async fn a_job_that_is_given_up_without_what_was_told_too_is_reported_as_failed() {
    let mut script = Script::start(None);
    let worker = script.worker(Hopeless);
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    let report = connection.hear_report().await;
    assert_eq!((report.failed, report.finished), (true, false));
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    leaves(worker, connection).await;
}

/// Finds what it was told to be false, and then searches as an engine, again and again until it is stopped.
struct MisledLead(Tireless);

impl Solver for MisledLead {
    fn solve(&self, request: &Request, _control: &Control) -> Answer {
        answer(request, Bound::UNKNOWN, false)
    }

    fn solve_apart(&self, request: &Request, control: &Control) -> Answer {
        self.0.solve(request, control)
    }
}

#[tokio::test]
async fn a_lead_that_was_told_what_is_false_calls_nobody_who_was_told_the_same() {
    let (solver, solved) = Tireless::new();
    let mut script = Script::start(None);
    let worker = script.worker(MisledLead(solver));
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(led(1))).await;
    connection.says(ToMember::Company(1)).await;
    let errand = ToMember::Errand { number: 3, errand: errand(20, (0, 1)) };
    connection.tell(ToWorker::Member(JobId(2), errand)).await;
    let nobody_does_it = FromMember::Answer { number: 3, value: None, nodes: 0 };
    while connection.hear().await != Some(FromWorker::Member(JobId(2), nobody_does_it)) {}
    // So it knew of its company before.
    assert_eq!(connection.words_while_solving(&solved).await, []);
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    assert!(!connection.report_at_last().await.failed);
    worker.kill();
}
