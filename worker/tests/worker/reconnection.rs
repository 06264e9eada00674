//! What a worker does between its connections, and with jobs of earlier ones.

use std::sync::atomic::Ordering;
use std::time::Duration;

use outflank_proto::message::{FromWorker, JobId, ToWorker};
use outflank_worker::WorkerError;
use tonic::Status;

use crate::script::{Running, Script, in_time};
use crate::{BruteForce, Endless, job};

/// Returns a worker at work on jobs 1 and 2 that has lost its connection.
async fn cut_off_with_two_jobs() -> (Script, Running) {
    let mut script = Script::start(None);
    let worker = script.worker(Endless);
    let mut first = script.connection().await;
    first.tell(ToWorker::Job(job(1))).await;
    first.tell(ToWorker::Job(job(2))).await;
    first.hear_beat_of(&[1, 2]).await;
    drop(first);
    (script, worker)
}

#[tokio::test]
async fn after_a_reconnection_a_job_goes_on_if_it_is_given_again_and_makes_room_if_not() {
    let (mut script, worker) = cut_off_with_two_jobs().await;
    let mut second = script.connection().await;
    second.hear_beat_of(&[]).await;
    second.tell(ToWorker::Job(job(1))).await;
    second.hear_beat_of(&[1]).await;
    second.tell(ToWorker::Job(job(3))).await;
    assert_eq!(second.hear_report().await.job, JobId(2));
    second.hear_beat_of(&[1, 3]).await;
    worker.kill();
}

/// Nobody else sees these jobs, or can stop them.
#[tokio::test(start_paused = true)]
async fn jobs_that_are_not_given_again_are_stopped_five_minutes_after_a_reconnection() {
    let (mut script, worker) = cut_off_with_two_jobs().await;
    let mut second = script.caller().await;
    let begin = tokio::time::Instant::now();
    second.welcome_with(5000, 0).await;
    second.tell(ToWorker::Job(job(2))).await;
    while begin.elapsed() < Duration::from_secs(300) {
        let message = second.hear_any().await;
        assert!(matches!(message, FromWorker::Heartbeat(_)), "{message:?} too early");
    }
    tokio::time::resume();
    let report = in_time(second.hear_report()).await;
    assert_eq!((report.job, report.finished), (JobId(1), false));
    second.hear_beat_of(&[2]).await;
    worker.kill();
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_waits_for_a_welcome_leaves_as_fast_as_any_when_it_is_told_to_stop() {
    let mut script = Script::start(None);
    let worker = script.worker(BruteForce);
    let mut first = script.connection().await;
    first.tell(ToWorker::Job(job(1))).await;
    first.hear_report().await;
    drop(first);
    let mut silent = script.caller().await;
    assert!(matches!(silent.hear().await, Some(FromWorker::Hello(_))));
    let told = tokio::time::Instant::now();
    worker.stop.cancel();
    let error = worker.ends().await.unwrap_err();
    assert!(matches!(error, WorkerError::Unacknowledged { reports: 1, .. }), "{error}");
    let took = told.elapsed();
    assert!(took < Duration::from_secs(11), "it took {took:?} and not 10 seconds");
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_ends_each_connection_after_the_welcome_is_not_called_without_pause() {
    let mut script = Script::start(None);
    let worker = script.worker(BruteForce);
    let ten_minutes = tokio::time::sleep(Duration::from_secs(600));
    let welcomes = async {
        loop {
            drop(script.connection().await);
        }
    };
    tokio::select! {
        () = welcomes => {}
        () = ten_minutes => {}
    }
    let calls = script.calls.load(Ordering::SeqCst);
    assert!((60..600).contains(&calls), "{calls} calls in ten minutes");
    worker.kill();
}

#[tokio::test(start_paused = true)]
async fn an_hour_without_a_coordinator_is_spent_on_asking_now_and_then() {
    let script = Script::start(Some(Status::unavailable("restarting")));
    let worker = script.worker(BruteForce);
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let calls = script.calls.load(Ordering::SeqCst);
    assert!((360..36_000).contains(&calls), "{calls} tries in an hour");
    let told = tokio::time::Instant::now();
    worker.stop.cancel();
    worker.ends().await.unwrap();
    assert!(told.elapsed() < Duration::from_secs(1), "it has nothing to hand back");
}
