//! Solvers, stores, workers and positions for the tests.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use outflank_coordinator::advisor::predicted_nodes;
use outflank_coordinator::core::{Advisor, Config};
use outflank_coordinator::service::{Options, ProofStore, Service};
use outflank_coordinator::store::{Appended, Record, Store, StoreError, Stored};
use outflank_engine::{
    Answer, Bound, Control, Position, Request, Score, Square, Window, brute_force,
};
use outflank_proto::Connection;
use outflank_proto::message::{FromWorker, Hello, Job, Report, ToWorker};
use outflank_proto::v1;
use outflank_proto::v1::cluster_client::ClusterClient;
use outflank_worker::{Coordinator, Options as WorkerOptions, Solver, WorkerError};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Status, Streaming};

/// Returns a position with `empties` empty squares from the random game number `seed`.
pub(crate) fn played(seed: u64, empties: u32) -> Position {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    loop {
        let mut position = Position::START;
        while position.empties() > empties && !position.is_over() {
            if position.must_pass() {
                position = position.pass();
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            let choice = usize::try_from(state >> 33).expect("31 bits") % moves.len();
            position = position.play(moves[choice]).expect("legal");
        }
        if position.empties() == empties && position.moves() != 0 {
            return position;
        }
    }
}

/// Visits the whole tree, whatever the window.
pub(crate) struct BruteForce;

impl Solver for BruteForce {
    fn solve(&self, request: &Request, _control: &Control) -> Answer {
        answer(request.position)
    }
}

/// Returns the complete answer for `position`.
pub(crate) fn answer(position: Position) -> Answer {
    let bound = Bound::exact(brute_force::value(position));
    let children: Vec<(Square, Bound)> = Square::all(position.moves())
        .filter_map(|square| Some((square, position.play(square)?)))
        .map(|(square, child)| (square, Bound::exact(brute_force::value(child))))
        .collect();
    let best_move = children.iter().find(|(_, child)| -*child == bound).map(|&(square, _)| square);
    Answer {
        bound,
        best_move,
        line: best_move.into_iter().collect(),
        order: children.iter().map(|&(square, _)| square).collect(),
        children,
        nodes: 1000,
        finished: true,
    }
}

/// Brute force behind a gate: it says that it has begun and waits to be let through or stopped.
pub(crate) struct Gated {
    begun: watch::Sender<usize>,
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gated {
    pub(crate) fn new() -> Arc<Self> {
        let (begun, _) = watch::channel(0);
        Arc::new(Self { begun, open: Mutex::new(false), opened: Condvar::new() })
    }

    /// Waits until `searches` searches have begun.
    pub(crate) async fn begun(&self, searches: usize) {
        let mut begun = self.begun.subscribe();
        begun.wait_for(|&begun| begun >= searches).await.unwrap();
    }

    /// Lets all searches through, now and later.
    pub(crate) fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

impl Solver for Gated {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        self.begun.send_modify(|begun| *begun += 1);
        let mut open = self.open.lock().unwrap();
        while !*open && !control.is_stopped() {
            // The stop flag has no bell, so it is looked at again and again.
            open = self.opened.wait_timeout(open, Duration::from_millis(1)).unwrap().0;
        }
        if *open {
            return answer(request.position);
        }
        let order = Square::all(request.position.moves()).collect();
        Answer { bound: Bound::UNKNOWN, order, finished: false, ..answer(request.position) }
    }
}

/// A store whose writes can be held up, or fail.
#[derive(Debug)]
pub(crate) struct Faulty {
    store: Store,
    fails: AtomicBool,
    held: Mutex<bool>,
    released: Condvar,
    appends: watch::Sender<usize>,
    pub(crate) written: AtomicUsize,
    pub(crate) quarantined: AtomicUsize,
}

impl Faulty {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            store: Store::in_memory(),
            fails: AtomicBool::new(false),
            held: Mutex::new(false),
            released: Condvar::new(),
            appends: watch::channel(0).0,
            written: AtomicUsize::new(0),
            quarantined: AtomicUsize::new(0),
        })
    }

    pub(crate) fn fail(&self) {
        self.fails.store(true, Ordering::SeqCst);
    }

    pub(crate) fn hold(&self) {
        *self.held.lock().unwrap() = true;
    }

    pub(crate) fn release(&self) {
        *self.held.lock().unwrap() = false;
        self.released.notify_all();
    }

    /// Waits until a write has begun.
    pub(crate) async fn append_begun(&self) {
        self.appends.subscribe().wait_for(|&appends| appends > 0).await.unwrap();
    }
}

/// Returns the error of a store whose disk is full.
pub(crate) fn full_disk() -> StoreError {
    let source = Arc::new(std::io::Error::other("no space left on device"));
    StoreError::Io { action: "writing", path: "log".into(), source }
}

impl ProofStore for Faulty {
    fn get(&self, position: Position) -> Option<Stored> {
        self.store.get(position)
    }

    fn append(&self, records: &[Record]) -> Result<Appended, StoreError> {
        self.appends.send_modify(|appends| *appends += 1);
        let mut held = self.held.lock().unwrap();
        while *held {
            held = self.released.wait(held).unwrap();
        }
        if self.fails.load(Ordering::SeqCst) {
            return Err(full_disk());
        }
        let appended = self.store.append(records)?;
        self.written.fetch_add(records.len(), Ordering::SeqCst);
        Ok(appended)
    }

    fn quarantine(&self, claim: &Record, held: Bound) -> Result<(), StoreError> {
        ProofStore::quarantine(&self.store, claim, held)?;
        self.quarantined.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn withdraw(&self, worker: &str) -> Result<u64, StoreError> {
        ProofStore::withdraw(&self.store, worker)
    }

    fn retract(&self, position: Position) -> Result<u64, StoreError> {
        ProofStore::retract(&self.store, position)
    }

    fn others_have_searched_below(
        &self,
        position: Position,
        worker: &str,
    ) -> Result<bool, StoreError> {
        ProofStore::others_have_searched_below(&self.store, position, worker)
    }

    fn count(&self) -> u64 {
        ProofStore::count(&self.store)
    }
}

/// Predicts as a coordinator does, and believes what the engine says at once.
pub(crate) struct EngineAdvisor;

impl Advisor for EngineAdvisor {
    fn estimate(&self, position: Position) -> i32 {
        outflank_engine::estimate(position).discs()
    }

    fn predicted_nodes(&self, position: Position, window: Window, estimate: i32) -> f64 {
        predicted_nodes(position, window, estimate)
    }
}

/// An advisor that says that it has begun to think and goes on when it is told to.
#[derive(Clone)]
pub(crate) struct Thoughtful(Arc<Thinking>);

/// What the advisor and the test share.
struct Thinking {
    begun: watch::Sender<bool>,
    may_go_on: Mutex<bool>,
    told: Condvar,
}

impl Thoughtful {
    pub(crate) fn new() -> Self {
        let (begun, _) = watch::channel(false);
        let (may_go_on, told) = (Mutex::new(false), Condvar::new());
        Self(Arc::new(Thinking { begun, may_go_on, told }))
    }

    /// Waits until it thinks.
    pub(crate) async fn begun(&self) {
        self.0.begun.subscribe().wait_for(|&begun| begun).await.unwrap();
    }

    pub(crate) fn go_on(&self) {
        *self.0.may_go_on.lock().unwrap() = true;
        self.0.told.notify_all();
    }
}

impl Advisor for Thoughtful {
    fn estimate(&self, _position: Position) -> i32 {
        let Thinking { begun, may_go_on, told } = &*self.0;
        begun.send_replace(true);
        drop(told.wait_while(may_go_on.lock().unwrap(), |may_go_on| !*may_go_on).unwrap());
        0
    }

    fn predicted_nodes(&self, _position: Position, _window: Window, _estimate: i32) -> f64 {
        1e6
    }
}

/// Returns options that make many small jobs of a small position.
pub(crate) fn fine() -> Options {
    let core =
        Config { shortest_job: 20.0, longest_job: 200.0, leaf_empties: 4, ..Config::default() };
    Options { build: "test".to_owned(), run: "test run".to_owned(), core, ..Options::default() }
}

/// Starts a coordinator.
pub(crate) fn service(options: Options, store: Arc<dyn ProofStore>) -> Service {
    Service::start(options, store, Box::new(EngineAdvisor)).unwrap()
}

/// Starts a coordinator that makes one job of a small position, on a store that can fail.
pub(crate) fn simple() -> (Service, Arc<Faulty>) {
    let store = Faulty::new();
    (service(Options::default(), store.clone()), store)
}

/// A worker in the same process.
pub(crate) struct TestWorker {
    stop: CancellationToken,
    task: JoinHandle<Result<(), WorkerError>>,
}

impl TestWorker {
    pub(crate) fn start(solver: Arc<dyn Solver>, threads: u32, coordinator: Coordinator) -> Self {
        let stop = CancellationToken::new();
        let isa = outflank_kernel::Isa::detect();
        let options = WorkerOptions::new(threads, 0, isa);
        let working = outflank_worker::run_with(solver, options, coordinator, stop.clone());
        Self { stop, task: tokio::spawn(working) }
    }

    /// Waits until the worker ends by itself.
    pub(crate) async fn join(self) -> Result<(), WorkerError> {
        self.task.await.unwrap()
    }

    /// Returns whether it has ended by itself.
    pub(crate) fn has_ended(&self) -> bool {
        self.task.is_finished()
    }

    /// Ends it as a kill would: nobody hears of it but by the end of its connection.
    pub(crate) fn kill(self) {
        self.task.abort();
    }

    pub(crate) async fn stop(self) -> Result<(), WorkerError> {
        self.stop.cancel();
        self.task.await.unwrap()
    }
}

/// A worker that says only what the test says.
pub(crate) struct RawWorker {
    pub(crate) outbound: mpsc::Sender<v1::FromWorker>,
    pub(crate) inbound: Streaming<v1::ToWorker>,
}

/// Returns a hello as a worker of this build says it.
pub(crate) fn hello() -> Hello {
    Hello {
        oldest_protocol: outflank_proto::OLDEST_PROTOCOL,
        newest_protocol: outflank_proto::NEWEST_PROTOCOL,
        build: "test".to_owned(),
        isa: "scalar".to_owned(),
        host: "nowhere".to_owned(),
        threads: 1,
        table_bytes: 0,
        instance: 0,
        listens: true,
        shares: false,
    }
}

impl RawWorker {
    /// Connects and sends the first message.
    pub(crate) async fn open(channel: Connection, first: v1::FromWorker) -> Result<Self, Status> {
        let (outbound, messages) = mpsc::channel(100);
        outbound.send(first).await.unwrap();
        let response = ClusterClient::new(channel).work(ReceiverStream::new(messages)).await?;
        Ok(Self { outbound, inbound: response.into_inner() })
    }

    /// Connects and is welcomed.
    pub(crate) async fn join(channel: Connection) -> Self {
        Self::join_as(channel, hello()).await.unwrap()
    }

    /// Connects, says `hello` and is welcomed, unless it is refused.
    pub(crate) async fn join_as(channel: Connection, hello: Hello) -> Result<Self, Status> {
        let mut worker = Self::open(channel, FromWorker::Hello(hello).into()).await?;
        assert!(matches!(worker.next().await, Ok(Some(ToWorker::Welcome(_)))));
        Ok(worker)
    }

    pub(crate) async fn say(&self, message: FromWorker) {
        self.outbound.send(message.into()).await.unwrap();
    }

    /// Returns the next message.
    pub(crate) async fn next(&mut self) -> Result<Option<ToWorker>, Status> {
        Ok(self.inbound.message().await?.map(|message| message.try_into().unwrap()))
    }

    /// Returns the next message that is not one more job.
    pub(crate) async fn next_but_jobs(&mut self) -> Result<Option<ToWorker>, Status> {
        loop {
            match self.next().await {
                Ok(Some(ToWorker::Job(_))) => {}
                other => return other,
            }
        }
    }

    /// Does all jobs that come until the coordinator stops.
    pub(crate) async fn work(mut self) {
        while let Ok(Some(message)) = self.next().await {
            match message {
                ToWorker::Job(job) => self.say(FromWorker::Report(report(&job))).await,
                ToWorker::Drain => return,
                _ => {}
            }
        }
    }

    /// Returns the next message, which is a job.
    pub(crate) async fn job(&mut self) -> Job {
        match self.next().await {
            Ok(Some(ToWorker::Job(job))) => job,
            other => panic!("{other:?} in place of a job"),
        }
    }
}

/// Returns the complete report of a job.
pub(crate) fn report(job: &Job) -> Report {
    Report { millis: 1, ..Report::unproved(job).with(answer(job.position)) }
}

/// Returns a false report that is believed unless it is audited.
pub(crate) fn lie(job: &Job) -> Report {
    let value = brute_force::value(job.position);
    let wrong = if value == Score::MAX { value.down() } else { value.up() };
    Report { bound: Bound::exact(wrong), children: Vec::new(), line: Vec::new(), ..report(job) }
}
