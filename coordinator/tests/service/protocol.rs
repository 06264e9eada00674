//! What the coordinator says to messages that do not follow the protocol.

use outflank_coordinator::service::{Options, Service};
use outflank_engine::{Position, Square};
use outflank_proto::message::{FromWorker, Hello, JobId, ToWorker};
use outflank_proto::v1;
use outflank_proto::v1::cluster_client::ClusterClient;
use outflank_proto::v1::solver_client::SolverClient;
use tonic::{Code, Status};

use crate::support::{Faulty, RawWorker, Thoughtful, hello, simple};

/// Returns what the coordinator answers to a first message.
async fn answer_to(first: v1::FromWorker) -> Status {
    let (service, _store) = simple();
    let opened = RawWorker::open(service.connect_in_memory(), first).await;
    let status = opened.map(|_| ()).unwrap_err();
    service.stop().await.unwrap();
    status
}

#[tokio::test]
async fn a_worker_of_another_protocol_is_told_which_version_it_needs() {
    let hello = Hello { oldest_protocol: 98, newest_protocol: 99, ..hello() };
    let status = answer_to(FromWorker::Hello(hello).into()).await;
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert_eq!(
        status.message(),
        "the worker speaks protocol versions 98 to 99, this coordinator needs 1 to 1: use a worker \
         of the same release"
    );
}

#[tokio::test]
async fn a_hello_with_a_bad_field_is_refused_and_the_field_named() {
    let hello = Hello { threads: 0, ..hello() };
    let status = answer_to(FromWorker::Hello(hello).into()).await;
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "field hello.threads is 0, expected 1 to 1024 threads");
}

#[tokio::test]
async fn the_hello_comes_first() {
    let status = answer_to(FromWorker::Draining.into()).await;
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "field message is not a hello, expected a hello first");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_says_nothing_is_closed() {
    let (service, _store) = simple();
    let mut client = ClusterClient::new(service.connect_in_memory());
    let status = client.work(tokio_stream::pending()).await.map(|_| ()).unwrap_err();
    tokio::time::resume();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert_eq!(status.message(), "no hello within 10 seconds");
    service.stop().await.unwrap();
}

/// Returns how the coordinator ends the stream of a welcomed worker that says this.
async fn ended_by(message: v1::FromWorker) -> Status {
    let (service, _store) = simple();
    let mut worker = RawWorker::join(service.connect_in_memory()).await;
    worker.outbound.send(message).await.unwrap();
    let status = worker.next().await.unwrap_err();
    service.stop().await.unwrap();
    status
}

#[tokio::test]
async fn a_second_hello_ends_the_stream() {
    let status = ended_by(FromWorker::Hello(hello()).into()).await;
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "field message is a second hello");
}

#[tokio::test]
async fn a_report_with_a_bad_field_ends_the_stream_and_names_the_field() {
    let position = Position::START.canonical();
    let bad = v1::Report {
        position: Some(position.into()),
        bound: Some(v1::Bound { lower: -4, upper: 5 }),
        order: Square::all(position.moves()).map(Square::index).collect(),
        ..v1::Report::default()
    };
    let message = Some(v1::from_worker::Message::Report(bad));
    let status = ended_by(v1::FromWorker { message }).await;
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(
        status.message(),
        "field report.bound.upper is 5, expected an even number from -64 to 64"
    );
}

#[tokio::test]
async fn a_request_with_a_bad_field_is_refused_and_the_field_named() {
    let (service, _store) = simple();
    let mut client = SolverClient::new(service.connect_in_memory());
    let position = Some(v1::Position { player: 1, opponent: 1 });
    let request = v1::SolveRequest { position, ..v1::SolveRequest::default() };
    let status = client.solve(request).await.map(|_| ()).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(
        status.message(),
        "field position is two boards that share the squares 0x0000000000000001, expected boards \
         that share no square but the walls of a small board"
    );
    let status = client.fetch(v1::FetchRequest { position: None }).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "field position is absent, expected a position");
    service.stop().await.unwrap();
}

#[tokio::test]
async fn a_worker_is_welcomed_while_thousands_of_events_wait_for_the_core() {
    let advisor = Thoughtful::new();
    let store = Faulty::new();
    let thinking = Box::new(advisor.clone());
    let service = Service::start(Options::default(), store, thinking).unwrap();
    let talker = RawWorker::join(service.connect_in_memory()).await;
    let mut client = SolverClient::new(service.connect_in_memory());
    let request =
        v1::SolveRequest { position: Some(Position::START.into()), ..v1::SolveRequest::default() };
    let updates = client.solve(request).await.unwrap();
    advisor.begun().await;
    // More than the queue to the core holds; the connection reads no further then.
    let heartbeat = || v1::FromWorker::from(FromWorker::Heartbeat(Vec::new()));
    let talking = tokio::spawn(async move {
        for _ in 0..5_000 {
            if talker.outbound.send(heartbeat()).await.is_err() {
                break;
            }
        }
        talker
    });
    let late = RawWorker::join(service.connect_in_memory()).await;
    advisor.go_on();
    late.say(FromWorker::Draining).await;
    let mut talker = talking.await.unwrap();
    talker.say(FromWorker::Heartbeat(vec![(JobId(7), 1)])).await;
    // The core has heard everything that was said before.
    let answer = talker.next_but_jobs().await;
    assert!(matches!(answer, Ok(Some(ToWorker::Cancel(JobId(7))))), "{answer:?}");
    drop((updates, late, talker));
    service.stop().await.unwrap();
}

/// It waited for seconds where the core had begun to think about what nobody wanted any more.
#[tokio::test]
async fn who_has_left_is_let_go_while_the_core_thinks() {
    let advisor = Thoughtful::new();
    let service =
        Service::start(Options::default(), Faulty::new(), Box::new(advisor.clone())).unwrap();
    let RawWorker { outbound, mut inbound } = RawWorker::join(service.connect_in_memory()).await;
    let mut client = SolverClient::new(service.connect_in_memory());
    let request =
        v1::SolveRequest { position: Some(Position::START.into()), ..v1::SolveRequest::default() };
    let updates = client.solve(request).await.unwrap();
    advisor.begun().await;
    drop((outbound, updates));
    assert!(inbound.message().await.unwrap().is_none());
    advisor.go_on();
    service.stop().await.unwrap();
}
