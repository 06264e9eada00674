//! What a connection's beginning and its end mean, and what is kept over them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use outflank_engine::{Answer, Control, Position, Request, Symmetry, Window};
use outflank_kernel::Isa;
use outflank_proto::message::{FromMember, Job, JobId};
use outflank_proto::{NEWEST_PROTOCOL, role_refused};
use tonic::codec::BufferSettings;
use tonic::metadata::MetadataMap;
use tonic_prost::ProstDecoder;

use super::*;
use crate::{Options, Solver, speech};

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
    let finished = worker.reports.recv().await.expect("it is done");
    let (words, said) = speech::channel();
    worker.words = said;
    words.say(FromWorker::Member(JobId(7), FromMember::Release(0)));
    let (outbound, _) = mpsc::channel(1); // Nobody reads.
    let stop = CancellationToken::new();
    let mut session = session(&mut worker, &stop, outbound);
    assert!(session.report(finished).await.is_err());
    assert_eq!((worker.outbox.reports().len(), worker.jobs.len()), (1, 0));
}

/// After its report nobody would take what a job has to say.
#[tokio::test]
async fn the_words_that_wait_are_said_before_a_report() {
    let mut worker = Worker::new(Arc::new(Done), Options::new(1, 0, Isa::detect()));
    worker.jobs.start(job(7), 1);
    let finished = worker.reports.recv().await.expect("it is done");
    let (words, said) = speech::channel();
    worker.words = said;
    let word = FromWorker::Member(JobId(7), FromMember::Release(0));
    words.say(word.clone());
    let ((outbound, mut heard), stop) = (mpsc::channel(2), CancellationToken::new());
    let report = finished.report.clone();
    session(&mut worker, &stop, outbound).report(finished).await.expect("there is room");
    for message in [word, FromWorker::Report(report)] {
        assert_eq!(heard.recv().await, Some(message.into()));
    }
}

#[tokio::test]
async fn a_coordinator_that_acknowledges_nothing_is_left() {
    let mut worker = Worker::new(Arc::new(Done), Options::new(1, 0, Isa::detect()));
    worker.jobs.start(job(7), 1);
    let finished = worker.reports.recv().await.expect("it is done");
    let ((outbound, mut heard), stop) = (mpsc::channel(2), CancellationToken::new());
    let mut session = session(&mut worker, &stop, outbound);
    let mut sent = 0;
    let again = || Finished { report: finished.report.clone(), has_run: true };
    while session.report(again()).await.is_ok() {
        sent += 1;
        assert!(heard.recv().await.is_some() && sent < 10_000, "it goes on for ever");
    }
    assert!(sent > 1_000, "{sent} reports may be on their way");
    assert_eq!(worker.outbox.reports().len(), sent + 1, "the last one is kept, too");
}

/// Searches on although it is told to stop, until it is let go; says whether anything was forgotten before.
#[derive(Debug)]
struct Slow {
    end: Barrier,
    forgotten: AtomicUsize,
}

impl Solver for Slow {
    fn solve(&self, _: &Request, _: &Control) -> Answer {
        self.end.wait();
        crate::solver::nothing(
            self.forgotten.load(Ordering::SeqCst).try_into().expect("a small number"),
        )
    }

    fn forget(&self) {
        self.forgotten.fetch_add(1, Ordering::SeqCst);
    }
}

/// What the search that still runs has in the tables would count as proved since.
#[tokio::test]
async fn nothing_is_forgotten_for_a_job_that_was_cancelled_while_the_one_of_its_name_before_still_searches()
 {
    let solver = Arc::new(Slow { end: Barrier::new(2), forgotten: AtomicUsize::new(0) });
    let solver_of_worker: Arc<dyn Solver> = Arc::clone(&solver) as _;
    let mut worker = Worker::new(solver_of_worker, Options::new(1, 0, Isa::detect()));
    worker.jobs.start(job(7), 1);
    worker.jobs.start(Job { era: 1, ..job(7) }, 2); // The coordinator has taken something back meanwhile.
    worker.jobs.stop(JobId(7));
    let ((outbound, _heard), stop) = (mpsc::channel(64), CancellationToken::new());
    let mut session = session(&mut worker, &stop, outbound);
    let dropped = session.worker.reports.recv().await.expect("it waits no more");
    assert_eq!((dropped.report.era, dropped.has_run), (1, false));
    session.report(dropped).await.expect("there is room");
    assert_eq!((solver.forgotten.load(Ordering::SeqCst), session.worker.jobs.len()), (0, 1));
    solver.end.wait();
    let ended = session.worker.reports.recv().await.expect("it ends");
    assert_eq!(
        (ended.report.era, ended.report.nodes),
        (0, 0),
        "nothing was forgotten before its end"
    );
    session.report(ended).await.expect("there is room");
    assert_eq!((solver.forgotten.load(Ordering::SeqCst), session.worker.jobs.len()), (1, 0));
}

/// Whoever waits for the answer to a word that was not said hears at least that the connection is gone.
#[tokio::test]
async fn a_connection_ends_when_a_word_had_no_room() {
    let mut worker = Worker::new(Arc::new(Done), Options::new(1, 0, Isa::detect()));
    let (words, said) = speech::channel();
    worker.words = said;
    while !worker.words.is_missing_a_word() {
        words.say(FromWorker::Member(JobId(7), FromMember::Call(0)));
    }
    let decoder = ProstDecoder::<v1::ToWorker>::new(BufferSettings::default());
    let inbound = Streaming::new_empty(decoder, tonic::body::Body::empty());
    let ((outbound, _heard), stop) = (mpsc::channel(64), CancellationToken::new());
    let ended = session(&mut worker, &stop, outbound).work(inbound).await;
    let cause = ended.expect_err("it ends").message().to_owned();
    assert!(cause.contains("what is said to others"), "{cause}");
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
        id: JobId(id),
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
