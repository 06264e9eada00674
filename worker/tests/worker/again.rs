//! Jobs that are given again before they have ended, or before they have begun.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use outflank_engine::{Answer, Bound, Control, Request};
use outflank_proto::message::{Job, JobId, ToWorker};
use outflank_worker::Solver;

use crate::script::{Script, leaves};
use crate::{BruteForce, answer, job};

/// Searches without end, and stops only when it is told to and may.
#[derive(Clone, Default)]
struct Slow {
    may_stop: Arc<AtomicBool>,
}

impl Solver for Slow {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        if request.node_limit == Some(7) {
            return BruteForce.solve(request, control);
        }
        while !control.is_stopped() || !self.may_stop.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        answer(request, Bound::UNKNOWN, false)
    }
}

#[tokio::test]
async fn a_job_that_is_given_again_while_it_stops_begins_again() {
    let (mut script, solver) = (Script::start(None), Slow::default());
    let worker = script.worker(solver.clone());
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    connection.tell(ToWorker::Job(job(1))).await;
    connection.tell(ToWorker::Job(Job { node_limit: 7, ..job(2) })).await;
    assert_eq!(connection.hear_report().await.job, JobId(2)); // So it was told everything before.
    solver.may_stop.store(true, Ordering::SeqCst);
    let report = connection.hear_report().await;
    assert_eq!((report.job, report.finished), (JobId(1), false));
    connection.hear_beat_of(&[1]).await;
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    assert_eq!(connection.hear_report().await.job, JobId(1));
    connection.hear_beat_of(&[]).await;
    worker.kill();
}

#[tokio::test]
async fn a_job_that_is_given_twice_before_it_begins_can_be_cancelled() {
    let (mut script, solver) = (Script::start(None), Slow::default());
    let worker = script.worker(solver.clone());
    let mut connection = script.connection().await;
    for message in [ToWorker::Job(job(1)), ToWorker::Forget, ToWorker::Job(job(2))] {
        connection.tell(message).await; // The second waits until what the first leaves is forgotten.
    }
    connection.tell(ToWorker::Job(job(2))).await;
    connection.tell(ToWorker::Cancel(JobId(2))).await;
    assert_eq!(connection.hear_report().await.job, JobId(2));
    solver.may_stop.store(true, Ordering::SeqCst);
    assert_eq!(connection.hear_report().await.job, JobId(1));
    connection.hear_beat_of(&[]).await;
    worker.kill();
}

#[tokio::test]
async fn a_job_that_is_given_again_while_it_stops_and_cancelled_again_does_not_begin_again() {
    let (mut script, solver) = (Script::start(None), Slow::default());
    let worker = script.worker(solver.clone());
    let mut connection = script.connection().await;
    for _ in 0..2 {
        connection.tell(ToWorker::Job(job(1))).await;
        connection.tell(ToWorker::Cancel(JobId(1))).await;
    }
    connection.tell(ToWorker::Job(Job { node_limit: 7, ..job(2) })).await;
    assert_eq!(connection.hear_report().await.job, JobId(2)); // So it was told everything before.
    solver.may_stop.store(true, Ordering::SeqCst);
    assert_eq!(connection.hear_report().await.job, JobId(1));
    for job in [1, 2] {
        connection.tell(ToWorker::Acknowledge(JobId(job))).await;
    }
    leaves(worker, connection).await;
}
