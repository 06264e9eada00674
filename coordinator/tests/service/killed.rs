//! `kill -9` of the coordinator: verdicts and doubts are on disk.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use outflank_coordinator::client;
use outflank_coordinator::core::Config;
use outflank_coordinator::service::Options;
use outflank_coordinator::store::Store;
use outflank_engine::{Bound, Position, Square, Window, brute_force};
use outflank_proto::message::{FromWorker, Hello, Job, ToWorker};
use outflank_proto::{Access, Connection};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};

use crate::support::{RawWorker, hello, lie, played, report, service};

/// Names the store to a child process.
const STORE: &str = "OUTFLANK_TEST_STORE_TO_SERVE";
/// The process that lies.
const LIAR: u64 = 666;

/// Serves for ever, and has every report audited.
fn serve(folder: &Path) {
    Runtime::new().unwrap().block_on(async {
        let core = Config { audit_share: 1.0, audit_seed: 7, ..Config::default() };
        let docket = Some(folder.join("docket.jsonl"));
        let options = Options { build: "test".to_owned(), core, docket, ..Options::default() };
        let service = service(options, Arc::new(Store::open(folder).unwrap().0));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut out = std::io::stdout();
        writeln!(out, "listening on {address}").unwrap();
        service.serve(listener, CancellationToken::new()).await.unwrap();
    });
}

/// A coordinator in a process of its own, on a store.
struct Coordinator {
    child: Child,
    channel: Connection,
}

impl Coordinator {
    async fn start(test: &str, folder: &Path) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(STORE, folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| Some(line.split_once("listening on ")?.1.to_owned()));
        let channel =
            client::connect(&address.expect("it serves"), &Access::default()).await.unwrap();
        Self { child, channel }
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Connects the worker process whose secret is `instance`.
    async fn worker(&self, instance: u64) -> Result<RawWorker, Status> {
        RawWorker::join_as(self.channel.clone(), Hello { instance, ..hello() }).await
    }

    /// Connects two workers that tell the truth.
    async fn honest(&self) -> [JoinHandle<()>; 2] {
        let (one, other) = (self.worker(1).await.unwrap(), self.worker(2).await.unwrap());
        [tokio::spawn(one.work()), tokio::spawn(other.work())]
    }

    /// Asks for a position in a task of its own.
    fn ask(&self, position: Position) -> JoinHandle<Bound> {
        let answer = client::solve(self.channel.clone(), position, Window::FULL, |_| {});
        tokio::spawn(async { answer.await.unwrap().bound })
    }
}

/// A test that fails leaves no coordinator behind.
impl Drop for Coordinator {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns the next job about `position`; does all others before it truthfully, such as audits that no answer has waited
/// for.
async fn job_about(worker: &mut RawWorker, position: Position) -> Job {
    loop {
        match worker.next().await {
            Ok(Some(ToWorker::Job(job))) if job.position == position => return job,
            Ok(Some(ToWorker::Job(job))) => worker.say(FromWorker::Report(report(&job))).await,
            Ok(Some(_)) => {}
            other => panic!("{other:?} in place of a job"),
        }
    }
}

async fn assert_refused(coordinator: &Coordinator) {
    let refused = coordinator.worker(LIAR).await.map(|_| ()).unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert!(refused.message().contains("cannot be trusted"), "{refused:?}");
}

#[test]
fn a_verdict_outlives_the_coordinator() {
    if let Some(folder) = env::var_os(STORE) {
        return serve(Path::new(&folder));
    }
    let test = "killed::a_verdict_outlives_the_coordinator";
    Runtime::new().unwrap().block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let position = played(40, 8);
        let first = Coordinator::start(test, folder.path()).await;
        let mut liar = first.worker(LIAR).await.unwrap();
        let asked = first.ask(position);
        let job = liar.job().await;
        assert_eq!(job.era, 0);
        first.honest().await;
        liar.say(FromWorker::Report(lie(&job))).await;
        assert_eq!(asked.await.unwrap(), Bound::exact(brute_force::value(position)));
        let end = loop {
            if let Err(status) = liar.next().await {
                break status;
            }
        };
        assert_eq!(end.code(), Code::PermissionDenied);
        first.kill();

        let second = Coordinator::start(test, folder.path()).await;
        assert_refused(&second).await;
        let mut honest = second.worker(3).await.unwrap();
        let asked = second.ask(played(41, 8));
        assert_eq!(honest.job().await.era, 1, "what was searched before is not believed");
        asked.abort();
        second.kill();
    });
}

#[test]
fn a_liar_that_was_told_bounds_is_refused_for_its_first_lie_to_the_next_coordinator() {
    if let Some(folder) = env::var_os(STORE) {
        return serve(Path::new(&folder));
    }
    let test =
        "killed::a_liar_that_was_told_bounds_is_refused_for_its_first_lie_to_the_next_coordinator";
    Runtime::new().unwrap().block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let position = played(43, 9);
        let first = Coordinator::start(test, folder.path()).await;
        // Others prove what lies one ply below, so that whoever gets the position is told of that.
        let honest = first.honest();
        let child = Square::all(position.moves()).filter_map(|square| position.play(square));
        let child = child.min_by_key(|child| child.moves().count_ones()).unwrap();
        let honest = honest.await;
        first.ask(child).await.unwrap();
        honest.iter().for_each(JoinHandle::abort);
        let mut liar = first.worker(LIAR).await.unwrap();
        let asked = first.ask(position);
        let job = job_about(&mut liar, position.canonical()).await;
        assert!(!job.known.is_empty(), "{job:?}");
        first.kill();
        asked.abort();

        let second = Coordinator::start(test, folder.path()).await;
        let mut liar = second.worker(LIAR).await.unwrap();
        let asked = second.ask(position);
        let job = job_about(&mut liar, position.canonical()).await;
        liar.say(FromWorker::Report(lie(&job))).await;
        second.honest().await;
        assert_eq!(asked.await.unwrap(), Bound::exact(brute_force::value(position)));
        assert_refused(&second).await;
        second.kill();
    });
}

#[test]
fn a_doubt_outlives_the_coordinator() {
    if let Some(folder) = env::var_os(STORE) {
        return serve(Path::new(&folder));
    }
    let test = "killed::a_doubt_outlives_the_coordinator";
    Runtime::new().unwrap().block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let position = played(42, 8);
        let first = Coordinator::start(test, folder.path()).await;
        let mut liar = first.worker(LIAR).await.unwrap();
        let asked = first.ask(position);
        let job = liar.job().await;
        let mut silent = first.worker(1).await.unwrap();
        liar.say(FromWorker::Report(lie(&job))).await;
        assert_eq!(silent.job().await.position, job.position, "it is asked about the lie");
        let told = liar.next_but_jobs().await.unwrap();
        assert_eq!(told, Some(ToWorker::Acknowledge(job.id)), "the lie is on disk");
        first.kill();
        asked.abort();

        let second = Coordinator::start(test, folder.path()).await;
        let asked = second.ask(position);
        second.honest().await;
        assert_eq!(asked.await.unwrap(), Bound::exact(brute_force::value(position)));
        assert_refused(&second).await;
        second.kill();
    });
}
