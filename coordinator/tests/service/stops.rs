//! Peers that say nothing, and a coordinator that stops all the same.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use outflank_coordinator::client::{self, CampaignsClient, ClientError};
use outflank_coordinator::core::{Advisor, Haste, JobId};
use outflank_coordinator::service::{Encryption, Options, Service, ServiceError};
use outflank_coordinator::store::Store;
use outflank_engine::{Position, Window};
use outflank_proto::campaign::{ExportRequest, ImportHead, ImportPart, Selection};
use outflank_proto::message::{FromWorker, ToWorker};
use outflank_proto::v1::StatusRequest;
use outflank_proto::v1::solver_client::SolverClient;
use outflank_proto::{Access, Identity, MOST_CALLS};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tower::service_fn;

use crate::support::{RawWorker, fine, service};

const START: &str = "---------------------------OX------XO--------------------------- X";

fn service_with(options: Options) -> Service {
    service(options, Arc::new(Store::in_memory()))
}

/// Waits until the peer has closed a connection.
async fn closed(mut connection: TcpStream) {
    let mut bytes = Vec::new();
    // It may be cut off in the middle of what it was told: that is as good.
    drop(connection.read_to_end(&mut bytes).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_makes_no_call_is_cut_off_and_who_has_made_one_is_not() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let options = Options { call_deadline: Duration::from_secs(2), ..Options::default() };
    let serving = tokio::spawn(service_with(options).serve(listener, stop.clone()));
    let channel = client::connect(&address.to_string(), &Access::default()).await.unwrap();
    let mut worker = RawWorker::join(channel).await;
    for said in ["", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\n"] {
        let mut idle = TcpStream::connect(address).await.unwrap();
        idle.write_all(said.as_bytes()).await.unwrap();
        closed(idle).await;
    }
    worker.say(FromWorker::Heartbeat(vec![(JobId(7), 1)])).await;
    assert!(matches!(worker.next_but_jobs().await, Ok(Some(ToWorker::Cancel(JobId(7))))));
    drop(worker);
    stop.cancel();
    serving.await.unwrap().unwrap();
}

/// Reads a frame of HTTP/2; returns its kind and what it carries.
async fn frame(connection: &mut TcpStream) -> (u8, Vec<u8>) {
    let mut head = [0; 9];
    connection.read_exact(&mut head).await.unwrap();
    let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
    connection.read_exact(&mut payload).await.unwrap();
    (head[3], payload)
}

/// A hundred thousand calls of health over one connection took 650 MB, without a token.
#[tokio::test]
async fn a_connection_may_have_so_many_calls_at_a_time() {
    const SETTINGS: u8 = 4;
    const MAX_CONCURRENT_STREAMS: u16 = 3;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let serving = tokio::spawn(service_with(fine()).serve(listener, stop.clone()));
    let mut peer = TcpStream::connect(address).await.unwrap();
    peer.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let (kind, payload) = frame(&mut peer).await;
    assert_eq!(kind, SETTINGS);
    let settings = payload.chunks_exact(6).map(|one| {
        let (key, value) = one.split_at(2);
        (u16::from_be_bytes(key.try_into().unwrap()), u32::from_be_bytes(value.try_into().unwrap()))
    });
    let limits: Vec<_> = settings.filter(|&(key, _)| key == MAX_CONCURRENT_STREAMS).collect();
    assert_eq!(limits, [(MAX_CONCURRENT_STREAMS, MOST_CALLS)]);
    drop(peer);
    stop.cancel();
    serving.await.unwrap().unwrap();
}

/// Connects to `address` once; returns the connection and a task that ends when the peer has closed it.
fn connected_once(address: SocketAddr) -> (Channel, JoinHandle<()>) {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (mut from_client, mut to_client) = tokio::io::split(theirs);
    let task = tokio::spawn(async move {
        let (mut from_peer, mut to_peer) = TcpStream::connect(address).await.unwrap().into_split();
        tokio::select! {
            // Cut off is as good as closed.
            _ = tokio::io::copy(&mut from_peer, &mut to_client) => {}
            _ = tokio::io::copy(&mut from_client, &mut to_peer) => panic!("the client has closed it"),
        }
    });
    let mut connection = Some(TokioIo::new(ours));
    let connector = service_fn(move |_: Uri| {
        let once = connection.take().ok_or(io::ErrorKind::ConnectionRefused);
        async { Ok::<_, io::Error>(once?) }
    });
    (Endpoint::from_static("http://once").connect_with_connector_lazy(connector), task)
}

/// Asks for the health of all and of one service, and what services there are.
async fn probe(channel: &Channel) {
    let mut health = HealthClient::new(channel.clone());
    for service in ["", "outflank.v1.Cluster"] {
        let answer = health.check(HealthCheckRequest { service: service.to_owned() }).await;
        assert_eq!(answer.unwrap().into_inner().status(), ServingStatus::Serving);
    }
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut reflection = ServerReflectionClient::new(channel.clone());
    let request = tokio_stream::once(request);
    let mut answers = reflection.server_reflection_info(request).await.unwrap().into_inner();
    assert!(answers.message().await.unwrap().is_some());
}

/// Asks for the status of the coordinator, with a token if one is given.
async fn ask(channel: &Channel, token: Option<&str>) -> Result<(), Status> {
    let mut request = Request::new(StatusRequest {});
    if let Some(token) = token {
        let shown = format!("Bearer {token}").parse().unwrap();
        request.metadata_mut().insert("authorization", shown);
    }
    SolverClient::new(channel.clone()).status(request).await.map(|_| ())
}

/// Waits until the peer has closed the connection of `channel`, which is held until then.
async fn cut_off(channel: Channel, ended: JoinHandle<()>) {
    tokio::time::timeout(Duration::from_secs(30), ended).await.expect("it is dropped").unwrap();
    drop(channel);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_not_let_in_is_cut_off_whatever_health_and_reflection_have_answered() {
    for tokens in [None, Some("client 0123456789abcdef\nadmin fedcba9876543210")] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let call_deadline = Duration::from_secs(2);
        let tokens = tokens.map(|tokens| tokens.parse().unwrap());
        let has_tokens = tokens.is_some();
        let options = Options { call_deadline, tokens, ..Options::default() };
        let serving = tokio::spawn(service_with(options).serve(listener, stop.clone()));
        let (admitted, lasting) = connected_once(address);
        let token = has_tokens.then_some("0123456789abcdef");
        ask(&admitted, token).await.unwrap();
        let (prober, probed) = connected_once(address);
        probe(&prober).await;
        if has_tokens {
            let (refused, ended) = connected_once(address);
            for token in [None, Some("0123456789abcdeF")] {
                let status = ask(&refused, token).await.unwrap_err();
                assert_eq!(status.code(), Code::Unauthenticated);
            }
            cut_off(refused, ended).await;
        }
        cut_off(prober, probed).await;
        assert!(!lasting.is_finished());
        ask(&admitted, token).await.expect("the same connection, which is the only one");
        stop.cancel();
        serving.await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_agree_on_encryption_is_cut_off() {
    let pem = |name| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/tls");
        std::fs::read(format!("{folder}/{name}")).unwrap()
    };
    let identity =
        Identity { certificates: pem("coordinator.pem"), key: pem("coordinator-key.pem") };
    let encryption = Some(Encryption::new(&identity, None).unwrap());
    let call_deadline = Duration::from_millis(200);
    let options = Options { call_deadline, encryption, ..Options::default() };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let serving = tokio::spawn(service_with(options).serve(listener, stop.clone()));
    // Nothing, and the beginning of a hello of 512 bytes.
    for said in [&[][..], &[22, 3, 1, 2, 0, 1]] {
        let mut idle = TcpStream::connect(address).await.unwrap();
        idle.write_all(said).await.unwrap();
        closed(idle).await;
    }
    stop.cancel();
    serving.await.unwrap().unwrap();
}

fn head(name: &str) -> ImportHead {
    ImportHead {
        name: name.to_owned(),
        source: "list.obf".to_owned(),
        form: None,
        priority: 100,
        split_to: None,
        window: Window::FULL,
        board: outflank_engine::BoardSize::STANDARD,
        paused: true,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_waits_neither_for_a_list_that_does_not_end_nor_for_one_that_nobody_reads() {
    let folder = tempfile::tempdir().unwrap();
    // So long that the test would not end if anything waited for it.
    let drain_deadline = Duration::from_secs(3600);
    let campaigns = Some(folder.path().to_owned());
    let service = service_with(Options { drain_deadline, campaigns, ..fine() });
    let mut client = CampaignsClient::new(service.connect_in_memory());

    let (parts, receiver) = mpsc::channel(2);
    // Longer than what lies between the two sides.
    let list = format!("{START};\n").repeat(40_000);
    let data = list.as_bytes().chunks(1 << 20).map(|part| ImportPart::Data(part.to_vec()));
    let all = [ImportPart::Head(head("long"))].into_iter().chain(data);
    let all: Vec<_> = all.chain([ImportPart::End(list.len() as u64)]).collect();
    let sending = tokio::spawn(async move {
        for part in all {
            parts.send(part).await.unwrap();
        }
    });
    client.import(receiver).await.unwrap();
    sending.await.unwrap();
    let (name, selection) = ("long".to_owned(), Selection::All);
    let request = ExportRequest { name, form: None, selection, limit: None };
    let mut rows = client.export(request).await.unwrap();
    assert!(rows.next().await.unwrap().is_some());

    let (endless, receiver) = mpsc::channel(2);
    endless.send(ImportPart::Head(head("endless"))).await.unwrap();
    let mut importer = client.clone();
    let importing = tokio::spawn(async move { importer.import(receiver).await });
    endless.reserve_many(2).await.expect("the head was taken").for_each(drop);
    while client.list(None).await.is_err() {}

    let stopping = tokio::spawn(service.stop());
    let refused = importing.await.unwrap().unwrap_err();
    assert!(matches!(refused, ClientError::Unreachable { .. }), "{refused:?}");
    let mut read = 0;
    let failure = loop {
        match rows.next().await {
            Ok(Some(part)) => read += part.len(),
            Ok(None) => panic!("{read} of {} bytes are no complete list", list.len()),
            Err(error) => break error,
        }
    };
    assert!(failure.to_string().contains("the coordinator is stopping"), "{failure}");
    drop((rows, client));
    stopping.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_that_do_not_end_take_no_more_than_their_places_and_give_them_back() {
    let folder = tempfile::tempdir().unwrap();
    let campaigns = Some(folder.path().to_owned());
    let service = service_with(Options { campaigns, ..fine() });
    let mut client = CampaignsClient::new(service.connect_in_memory());
    let begun = || std::fs::read_dir(folder.path()).unwrap().count();
    let (mut importing, mut senders) = (JoinSet::new(), Vec::new());
    for number in 0..100 {
        let (endless, receiver) = mpsc::channel(2);
        endless.send(ImportPart::Head(head(&format!("endless-{number}")))).await.unwrap();
        senders.push(endless);
        let mut importer = client.clone();
        importing.spawn(async move { importer.import(receiver).await });
    }
    while begun() < 64 {
        client.list(None).await.unwrap();
    }
    for _ in 0..100 {
        client.list(None).await.unwrap();
    }
    assert_eq!(begun(), 64);
    drop(senders);
    while let Some(ended) = importing.join_next().await {
        ended.unwrap().expect_err("it has no end");
    }
    let list = format!("{START};\n");
    let end = ImportPart::End(list.len() as u64);
    let (parts, receiver) = mpsc::channel(3);
    for part in [ImportPart::Head(head("whole")), ImportPart::Data(list.into_bytes()), end] {
        parts.send(part).await.unwrap();
    }
    drop(parts);
    client.import(receiver).await.unwrap();
    drop(client);
    service.stop().await.unwrap();
}

/// Thinks without end as long as there is no haste.
#[derive(Default)]
struct Ponderer {
    haste: Haste,
    thinks: Arc<Notify>,
}

impl Advisor for Ponderer {
    fn estimate(&self, _position: Position) -> i32 {
        while !self.haste.is_wanted() {
            self.thinks.notify_one();
            std::thread::yield_now();
        }
        0
    }

    fn haste(&self) -> Haste {
        self.haste.clone()
    }

    fn predicted_nodes(&self, _position: Position, _window: Window, _estimate: i32) -> f64 {
        1e6
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_coordinator_that_thinks_stops_thinking_when_it_is_told_to_stop_or_nobody_waits_any_more()
{
    let advisor = Ponderer::default();
    let thinks = Arc::clone(&advisor.thinks);
    let store = Arc::new(Store::in_memory());
    let service = Service::start(Options::default(), store, Box::new(advisor)).unwrap();
    let worker = RawWorker::join(service.connect_in_memory()).await;
    let ask = || {
        let channel = service.connect_in_memory();
        let asking = async { client::solve(channel, Position::START, Window::FULL, drop).await };
        JoinSet::from_iter([asking])
    };
    let given_up = ask();
    thinks.notified().await;
    drop(given_up);
    service.hurry();
    // What is asked next is thought about again: the core has come to an end with the first one.
    let _asked = ask();
    let mut rounds = 0;
    while rounds < 2 {
        thinks.notified().await; // one of them may be left from before
        rounds += 1;
    }
    drop(worker);
    service.stop().await.unwrap();
}

/// Thinks until its sender is gone, whatever is wanted, as the core does that waits for a disk.
struct Hung {
    until: std::sync::mpsc::Receiver<()>,
    hangs: Arc<Notify>,
}

impl Advisor for Hung {
    fn estimate(&self, _position: Position) -> i32 {
        self.hangs.notify_one();
        self.until.recv().expect_err("nothing is sent");
        0
    }

    fn predicted_nodes(&self, _position: Position, _window: Window, _estimate: i32) -> f64 {
        1.0
    }
}

#[tokio::test]
async fn a_stop_does_not_wait_without_end_for_a_core_that_hangs_and_whose_queue_is_full() {
    let (hanging, until) = std::sync::mpsc::channel();
    let hangs = Arc::new(Notify::new());
    let advisor = Box::new(Hung { until, hangs: Arc::clone(&hangs) });
    let options = Options { tick: Duration::from_millis(1), ..Options::default() };
    let service = Service::start(options, Arc::new(Store::in_memory()), advisor).unwrap();
    let channel = service.connect_in_memory();
    let asking = async { client::solve(channel, Position::START, Window::FULL, drop).await };
    let _asking = JoinSet::from_iter([asking]);
    hangs.notified().await;
    tokio::time::pause();
    // Ticks fill the queue.
    tokio::time::sleep(Duration::from_secs(60)).await;
    let stopping = tokio::time::timeout(Duration::from_secs(3600), service.stop());
    let error = stopping.await.expect("it has a limit").unwrap_err();
    assert!(matches!(error, ServiceError::Stuck), "{error:?}");
    drop(hanging);
}
