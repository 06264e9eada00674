//! What a worker's log says of its leaving: of one that was killed it says nothing.

use std::io;
use std::sync::{Arc, Mutex};

use outflank_proto::message::{FromWorker, JobId, ToWorker};
use tracing::subscriber::{DefaultGuard, set_default};

use crate::script::{Script, gone};
use crate::{BruteForce, Endless, job};

/// The log of this thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn start() -> (Self, DefaultGuard) {
        let log = Self::default();
        let written = log.clone();
        let lines = tracing_subscriber::fmt().with_ansi(false).with_writer(move || written.clone());
        (log, set_default(lines.finish()))
    }

    /// Returns its last two lines, from the level on.
    fn last_two(&self) -> [String; 2] {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let mut lines = text.lines().rev().map(|line| line.split_once("  ").unwrap().1.to_owned());
        let last = lines.next().unwrap();
        [lines.next().unwrap(), last]
    }
}

#[tokio::test]
async fn a_worker_that_is_stopped_tells_what_it_hands_back_and_what_was_taken() {
    let (log, _guard) = Log::start();
    let mut script = Script::start(None);
    let worker = script.worker(Endless);
    let mut connection = script.connection().await;
    for id in [1, 2, 3] {
        connection.tell(ToWorker::Job(job(id))).await;
        connection.tell(ToWorker::Cancel(JobId(id))).await;
        assert_eq!(connection.hear_report().await.job, JobId(id));
    }
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    connection.tell(ToWorker::Job(job(4))).await;
    connection.hear_beat_of(&[4]).await;
    worker.stop.cancel();
    assert_eq!(connection.hear().await, Some(FromWorker::Draining));
    assert_eq!(connection.hear_report().await.job, JobId(4));
    for id in [2, 3, 4] {
        connection.tell(ToWorker::Acknowledge(JobId(id))).await;
    }
    gone(worker, connection).await;
    assert_eq!(
        log.last_two(),
        [
            "INFO outflank_worker::worker: told to stop: handing back what is proved jobs=1 reports=2",
            "INFO outflank_worker::worker: stopped reports=3 unacknowledged=0",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_worker_whose_coordinator_takes_nothing_tells_how_many_reports_it_keeps() {
    let (log, _guard) = Log::start();
    let mut script = Script::start(None);
    let worker = script.worker(BruteForce);
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(job(1))).await;
    connection.hear_report().await;
    worker.stop.cancel();
    worker.ends().await.unwrap_err();
    assert_eq!(
        log.last_two(),
        [
            "INFO outflank_worker::worker: told to stop: handing back what is proved jobs=0 reports=1",
            "INFO outflank_worker::worker: stopped reports=0 unacknowledged=1",
        ]
    );
}
