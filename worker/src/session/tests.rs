//! What a connection's beginning and its end mean, and what is kept over them.

use std::sync::Arc;

use outflank_engine::{Answer, Control, Position, Request, Symmetry, Window};
use outflank_kernel::Isa;
use outflank_proto::message::{FromMember, Job};
use outflank_proto::{NEWEST_PROTOCOL, role_refused};
use tonic::metadata::MetadataMap;

use super::*;
use crate::{Options, Solver};

#[test]
fn a_caller_of_another_role_is_not_told_that_it_was_wrong() {
    let mut status = role_refused("a client's token");
    let kind = "application/grpc".parse().expect("a value");
    status.metadata_mut().insert("content-type", kind);
    assert!(matches!(refusal(&status), Ended::Unknown(_)), "{status:?}");
}

#[tokio::test]
async fn hearts_beat_twice_as_fast_as_is_wanted_and_news_come_as_is_wanted() {
    let welcome = |heartbeat_millis, interim_millis| {
        let (protocol, build) = (NEWEST_PROTOCOL, String::new());
        Welcome { protocol, heartbeat_millis, build, interim_millis }
    };
    let millis = Duration::from_millis;
    for (wanted, period) in [(5_000, millis(2_500)), (1, millis(1))] {
        assert_eq!(heartbeat(&welcome(wanted, 0)).period(), period);
    }
    let period = |wanted| interims(&welcome(1, wanted)).map(|interval| interval.period());
    assert_eq!([period(250), period(0)], [Some(millis(250)), None]);
}

#[derive(Debug)]
struct Done;

impl Solver for Done {
    fn solve(&self, _: &Request, _: &Control) -> Answer {
        crate::solver::nothing(1)
    }
}

#[tokio::test]
async fn a_report_is_kept_when_the_connection_ends_before_the_words_that_come_first_are_said() {
    let mut worker = Worker::new(Arc::new(Done), Options::new(1, 0, Isa::detect()));
    worker.jobs.start(job(7), 1);
    let report = worker.reports.recv().await.expect("it is done");
    let (words, said) = mpsc::unbounded_channel();
    worker.words = said;
    words.send(FromWorker::Member(7, FromMember::Release(0))).expect("there is room");
    let (outbound, _) = mpsc::channel(1); // Nobody reads.
    let stop = CancellationToken::new();
    let mut session = session(&mut worker, &stop, outbound);
    assert!(session.report(report).await.is_err());
    assert_eq!((worker.outbox.reports().len(), worker.jobs.len()), (1, 0));
}

/// After its report nobody would take what a job has to say.
#[tokio::test]
async fn the_words_that_wait_are_said_before_a_report() {
    let mut worker = Worker::new(Arc::new(Done), Options::new(1, 0, Isa::detect()));
    worker.jobs.start(job(7), 1);
    let report = worker.reports.recv().await.expect("it is done");
    let (words, said) = mpsc::unbounded_channel();
    worker.words = said;
    let word = FromWorker::Member(7, FromMember::Release(0));
    words.send(word.clone()).expect("there is room");
    let ((outbound, mut heard), stop) = (mpsc::channel(2), CancellationToken::new());
    session(&mut worker, &stop, outbound).report(report.clone()).await.expect("there is room");
    for message in [word, FromWorker::Report(report)] {
        assert_eq!(heard.recv().await, Some(message.into()));
    }
}

#[tokio::test]
async fn a_coordinator_that_acknowledges_nothing_is_left() {
    let mut worker = Worker::new(Arc::new(Done), Options::new(1, 0, Isa::detect()));
    worker.jobs.start(job(7), 1);
    let report = worker.reports.recv().await.expect("it is done");
    let ((outbound, mut heard), stop) = (mpsc::channel(2), CancellationToken::new());
    let mut session = session(&mut worker, &stop, outbound);
    let mut sent = 0;
    while session.report(report.clone()).await.is_ok() {
        sent += 1;
        assert!(heard.recv().await.is_some() && sent < 10_000, "it goes on for ever");
    }
    assert!(sent > 1_000, "{sent} reports may be on their way");
    assert_eq!(worker.outbox.reports().len(), sent + 1, "the last one is kept, too");
}

/// Returns the session of a connection that is just made.
fn session<'a>(
    worker: &'a mut Worker,
    stop: &'a CancellationToken,
    outbound: mpsc::Sender<v1::FromWorker>,
) -> Session<'a> {
    Session {
        worker,
        stop,
        outbound: Some(outbound),
        welcomed: Instant::now(),
        heartbeat: every(SHARED_NEWS),
        interims: None,
        shared: every(SHARED_NEWS),
        leaving: None,
    }
}

fn job(id: u64) -> Job {
    Job {
        id,
        position: Position::START.canonical(),
        window: Window::FULL,
        node_limit: 1000,
        threads: 1,
        known: Vec::new(),
        symmetry: Symmetry::IDENTITY,
        era: 0,
        hints: false,
        helps: false,
        inside: None,
        is_apart: false,
        is_shared: false,
    }
}

#[test]
fn only_a_coordinator_can_refuse_a_worker_for_good() {
    let mut headers = MetadataMap::new();
    headers.insert("content-type", "application/grpc".parse().expect("a value"));
    let said = |code| refusal(&Status::with_metadata(code, "no", headers.clone()));
    assert!(matches!(said(Code::FailedPrecondition), Ended::Refused(_)));
    assert!(matches!(said(Code::Unimplemented), Ended::Refused(_)));
    assert!(matches!(said(Code::PermissionDenied), Ended::Distrusted(_)));
    assert!(matches!(said(Code::Unauthenticated), Ended::Unknown(_)));
    assert!(matches!(said(Code::Unavailable), Ended::Lost { welcomed: false, .. }));
    // What tonic makes of the answers of other HTTP servers has no headers, or theirs.
    let mut page = MetadataMap::new();
    page.insert("content-type", "text/html".parse().expect("a value"));
    for code in [Code::Unimplemented, Code::PermissionDenied, Code::Unauthenticated] {
        for headers in [MetadataMap::new(), page.clone()] {
            let status = Status::with_metadata(code, "404", headers);
            assert!(matches!(refusal(&status), Ended::Lost { .. }), "{code:?}");
        }
    }
    assert!(matches!(refusal(&Status::new(Code::InvalidArgument, "")), Ended::Refused(_)));
}
