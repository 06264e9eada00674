//! What goes wrong around a coordinator, and what must not be lost by it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use outflank_coordinator::client::{self, ClientError};
use outflank_coordinator::service::{Options, ProofStore, ServiceError};
use outflank_coordinator::store::Store;
use outflank_engine::{Bound, Window, brute_force};
use outflank_proto::message::{FromWorker, Report, ToWorker};
use outflank_proto::v1;
use outflank_proto::v1::solver_client::SolverClient;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tonic::Code;

use crate::support::{Gated, RawWorker, TestWorker, played, report, service, simple};

/// A relay between worker and coordinator that can cut its connections.
struct Relay {
    address: SocketAddr,
    cut: mpsc::Sender<()>,
    connected: mpsc::Receiver<()>,
    task: JoinHandle<()>,
}

impl Relay {
    async fn start(upstream: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (cut, mut cuts) = mpsc::channel(1);
        let (connections, connected) = mpsc::channel(100);
        let task = tokio::spawn(async move {
            let mut open = JoinSet::new();
            loop {
                tokio::select! {
                    accepted = listener.accept() => {
                        let (mut near, _) = accepted.unwrap();
                        let mut far = TcpStream::connect(upstream).await.unwrap();
                        open.spawn(async move { copy_bidirectional(&mut near, &mut far).await });
                        connections.send(()).await.unwrap();
                    }
                    Some(()) = cuts.recv() => open.shutdown().await,
                }
            }
        });
        Self { address, cut, connected, task }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_is_cut_off_in_the_middle_of_a_job_reconnects_and_its_result_counts() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let service = service(Options::default(), Arc::new(Store::in_memory()));
    let channel = service.connect_in_memory();
    let serving = tokio::spawn(service.serve(listener, stop.clone()));
    let mut relay = Relay::start(address).await;
    let gate = Gated::new();
    let worker = TestWorker::start(gate.clone(), 1, relay.address.to_string().parse().unwrap());

    let position = played(11, 7);
    let solving = tokio::spawn(client::solve(channel, position, Window::FULL, |_| {}));
    relay.connected.recv().await.unwrap();
    gate.begun(1).await;
    relay.cut.send(()).await.unwrap();
    relay.connected.recv().await.unwrap();
    gate.open();
    let solution = solving.await.unwrap().unwrap();
    assert_eq!(solution.bound, Bound::exact(brute_force::value(position)));
    worker.stop().await.unwrap();
    stop.cancel();
    serving.await.unwrap().unwrap();
    relay.task.abort();
}

#[tokio::test]
async fn what_is_reported_while_the_coordinator_stops_is_kept_and_acknowledged() {
    let (service, store) = simple();
    let mut worker = RawWorker::join(service.connect_in_memory()).await;
    let channel = service.connect_in_memory();
    let position = played(13, 6);
    let solving = tokio::spawn(client::solve(channel, position, Window::FULL, |_| {}));
    let job = worker.job().await;
    let stopping = tokio::spawn(service.stop());
    while worker.next().await.unwrap() != Some(ToWorker::Drain) {}
    worker.say(FromWorker::Draining).await;
    worker.say(FromWorker::Report(report(&job))).await;
    while worker.next().await.unwrap() != Some(ToWorker::Acknowledge(job.id)) {}
    let RawWorker { outbound, mut inbound } = worker;
    drop(outbound);
    while inbound.message().await.unwrap().is_some() {}
    stopping.await.unwrap().unwrap();
    let stored = store.get(position.canonical()).expect("it was acknowledged");
    assert_eq!(stored.bound, Bound::exact(brute_force::value(position)));
    solving.abort(); // It would wait for another coordinator.
}

#[tokio::test]
async fn nothing_is_acknowledged_before_it_is_on_disk() {
    let (service, store) = simple();
    let mut worker = RawWorker::join(service.connect_in_memory()).await;
    let channel = service.connect_in_memory();
    let position = played(17, 6);
    let solving = tokio::spawn(client::solve(channel.clone(), position, Window::FULL, |_| {}));
    let job = worker.job().await;
    store.hold();
    worker.say(FromWorker::Report(report(&job))).await;
    store.append_begun().await;
    // The services work on while the disk does not.
    let mut client = SolverClient::new(channel);
    let fetch = v1::FetchRequest { position: Some(position.into()) };
    assert_eq!(client.fetch(fetch).await.unwrap().into_inner().bound, None);
    assert!(!solving.is_finished());
    tokio::select! {
        biased;
        message = worker.next_but_jobs() => panic!("{message:?} came before the proof was on disk"),
        () = std::future::ready(()) => {}
    }
    store.release();
    assert_eq!(worker.next_but_jobs().await.unwrap(), Some(ToWorker::Acknowledge(job.id)));
    assert!(store.written.load(Ordering::SeqCst) > 0);
    drop(worker);
    let working = tokio::spawn(RawWorker::join(service.connect_in_memory()).await.work());
    let solution = solving.await.unwrap().unwrap();
    assert_eq!(solution.bound, Bound::exact(brute_force::value(position)));
    service.stop().await.unwrap();
    working.await.unwrap();
}

#[tokio::test]
async fn a_store_that_fails_stops_the_coordinator_and_nothing_is_claimed() {
    let (service, store) = simple();
    let mut worker = RawWorker::join(service.connect_in_memory()).await;
    let channel = service.connect_in_memory();
    let position = played(19, 6);
    let solving = tokio::spawn(client::solve(channel.clone(), position, Window::FULL, |_| {}));
    let job = worker.job().await;
    store.fail();
    worker.say(FromWorker::Report(report(&job))).await;
    let status = worker.next_but_jobs().await.unwrap_err();
    assert_eq!(status.code(), Code::Internal);
    assert!(status.message().ends_with("writing log: no space left on device"), "{status}");
    let error = solving.await.unwrap().unwrap_err();
    assert!(matches!(error, ClientError::Store { .. }), "{error}");
    assert!(matches!(service.failure().await, ServiceError::Store(_)));
    let late = client::solve(channel, position, Window::FULL, |_| {}).await.unwrap_err();
    assert!(matches!(late, ClientError::Store { .. }), "{late}");
    assert!(matches!(service.stop().await, Err(ServiceError::Store(_))));
    assert!(store.get(position.canonical()).is_none());
}

#[tokio::test]
async fn a_claim_that_contradicts_a_proof_is_put_aside_and_the_proof_stays() {
    let (service, store) = simple();
    let mut worker = RawWorker::join(service.connect_in_memory()).await;
    let channel = service.connect_in_memory();
    let position = played(31, 6);
    let solving = tokio::spawn(client::solve(channel, position, Window::FULL, |_| {}));
    let job = worker.job().await;
    let right = report(&job);
    let proved = right.bound.value().expect("exact");
    worker.say(FromWorker::Report(right.clone())).await;
    let other = if proved.up() == proved { proved.down() } else { proved.up() };
    let wrong = Report { bound: Bound::exact(other), children: Vec::new(), ..right };
    worker.say(FromWorker::Report(wrong)).await;
    for _ in 0..2 {
        let acknowledged = worker.next_but_jobs().await.unwrap();
        assert_eq!(acknowledged, Some(ToWorker::Acknowledge(job.id)));
    }
    assert!(store.quarantined.load(Ordering::SeqCst) > 0);
    let stored = store.get(position.canonical()).expect("proved");
    assert_eq!(stored.bound, Bound::exact(proved));
    solving.abort();
    drop(worker);
    service.stop().await.unwrap();
}

#[tokio::test]
async fn an_abandoned_request_cancels_its_jobs() {
    let (service, _store) = simple();
    let mut worker = RawWorker::join(service.connect_in_memory()).await;
    let channel = service.connect_in_memory();
    let solving = tokio::spawn(client::solve(channel, played(23, 8), Window::FULL, |_| {}));
    let job = worker.job().await;
    solving.abort();
    assert_eq!(worker.next().await.unwrap(), Some(ToWorker::Cancel(job.id)));
    drop(worker);
    service.stop().await.unwrap();
}

/// What a worker says of a search that was stopped comes when the client has gone.
#[tokio::test]
async fn what_a_stopped_search_has_proved_is_told_to_the_one_who_gave_it_up() {
    let (service, _store) = simple();
    let mut worker = RawWorker::join(service.connect_in_memory()).await;
    let position = played(23, 8);
    let channel = service.connect_in_memory();
    let solving = tokio::spawn(client::solve(channel, position, Window::FULL, |_| {}));
    let job = worker.job().await;
    solving.abort();
    assert_eq!(worker.next().await.unwrap(), Some(ToWorker::Cancel(job.id)));
    let whole = report(&job);
    let value = whole.bound.value().unwrap();
    let partial = Report { bound: Bound::at_least(value), finished: false, ..whole };
    let over = || service.is_idle();
    let left = client::left_over(service.connect_in_memory(), position, Bound::UNKNOWN, over);
    let late = async {
        tokio::time::sleep(client::TOLD_WITHIN / 10).await;
        worker.say(FromWorker::Report(partial)).await;
    };
    let (left, ()) = tokio::join!(left, late);
    assert_eq!(left.bound, Bound::at_least(value));
    let best = left.best_move.expect("a move that reaches it");
    assert_eq!(-brute_force::value(position.play(best).unwrap()), value);
    // Nobody has anything left to say.
    let known = client::left_over(service.connect_in_memory(), position, left.bound, over).await;
    assert_eq!(known, left);
    drop(worker);
    service.stop().await.unwrap();
}

#[tokio::test]
async fn a_silent_worker_is_disconnected_and_its_job_given_to_another() {
    let (service, _store) = simple();
    let mut silent = RawWorker::join(service.connect_in_memory()).await;
    let channel = service.connect_in_memory();
    let position = played(29, 6);
    let solving = tokio::spawn(client::solve(channel, position, Window::FULL, |_| {}));
    let job = silent.job().await;
    tokio::time::pause(); // The lease runs out at once: time leaps while everybody waits.
    let goodbye = silent.next().await.unwrap();
    tokio::time::resume();
    assert!(matches!(goodbye, Some(ToWorker::Goodbye(_))), "{goodbye:?}");
    let mut other = RawWorker::join(service.connect_in_memory()).await;
    assert_eq!(other.job().await, job);
    other.say(FromWorker::Report(report(&job))).await;
    let working = tokio::spawn(other.work());
    let solution = solving.await.unwrap().unwrap();
    assert_eq!(solution.bound, Bound::exact(brute_force::value(position)));
    drop(silent);
    service.stop().await.unwrap();
    working.await.unwrap();
}
