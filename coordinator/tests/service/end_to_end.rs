//! A coordinator, its workers and a client in one process.

use std::sync::Arc;

use outflank_coordinator::client::{self, ClientError, FleetClient, Update};
use outflank_coordinator::core::Source;
use outflank_coordinator::service::Options;
use outflank_coordinator::store::Store;
use outflank_engine::{Bound, Window, brute_force, notation};
use outflank_proto::Access;
use outflank_proto::v1;
use outflank_proto::v1::solver_client::SolverClient;
use outflank_worker::Coordinator;
use tokio::net::{TcpListener, TcpSocket};
use tokio_util::sync::CancellationToken;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::support::{BruteForce, Gated, TestWorker, fine, played, service};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_workers_prove_the_values_of_played_positions() {
    let service = service(fine(), Arc::new(Store::in_memory()));
    let channel = service.connect_in_memory();
    let workers = [1, 2].map(|threads| {
        TestWorker::start(
            Arc::new(BruteForce),
            threads,
            Coordinator::over(service.connect_in_memory()),
        )
    });
    for seed in 0..12 {
        let position = played(seed, 6 + seed as u32 % 3);
        let solution =
            client::solve(channel.clone(), position, Window::FULL, |_| {}).await.unwrap();
        let value = brute_force::value(position);
        assert_eq!(solution.bound, Bound::exact(value), "{position:?}");
        let best = position.play(solution.best_move.expect("there are moves")).expect("legal");
        assert_eq!(-brute_force::value(best), value, "{position:?}");
    }
    let counts =
        SolverClient::new(channel).status(v1::StatusRequest {}).await.unwrap().into_inner();
    assert_eq!((counts.workers, counts.threads, counts.solves), (2, 3, 0));
    assert!(counts.proofs >= 12, "{counts:?}");
    for worker in workers {
        worker.stop().await.unwrap();
    }
    service.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_stored_needs_no_worker() {
    let store = Arc::new(Store::in_memory());
    let position = played(3, 7);
    let first = service(Options::default(), store.clone());
    let worker =
        TestWorker::start(Arc::new(BruteForce), 1, Coordinator::over(first.connect_in_memory()));
    let channel = first.connect_in_memory();
    let solution = client::solve(channel, position, Window::FULL, |_| {}).await.unwrap();
    assert_eq!(solution.source, Source::Search);
    worker.stop().await.unwrap();
    first.stop().await.unwrap();

    let second = service(Options::default(), store);
    let channel = second.connect_in_memory();
    let again = client::solve(channel.clone(), position, Window::FULL, |_| {}).await.unwrap();
    assert_eq!((again.bound, again.source), (solution.bound, Source::Store));
    let fetched = SolverClient::new(channel)
        .fetch(v1::FetchRequest { position: Some(position.into()) })
        .await
        .unwrap()
        .into_inner();
    assert_eq!(fetched.bound, Some(solution.bound.into()));
    second.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_bears_any_number_of_quick_answers() {
    let service = service(Options::default(), Arc::new(Store::in_memory()));
    let channel = service.connect_in_memory();
    let over = "X".repeat(64) + " O";
    let over = notation::problems("over", &over).next().expect("one").expect("a position");
    // A connection bears 1,024 frames of calls that are over; every fourth answer or so used to leave one.
    for number in 0..6000 {
        let on_update =
            |update| assert!(!matches!(update, Update::Lost { .. }), "{number}: {update:?}");
        client::solve(channel.clone(), over.position, Window::FULL, on_update).await.unwrap();
    }
    service.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_services_are_there_over_tcp() {
    let service = service(fine(), Arc::new(Store::in_memory()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let stop = CancellationToken::new();
    let serving = tokio::spawn(service.serve(listener, stop.clone()));
    let worker = TestWorker::start(Arc::new(BruteForce), 2, address.parse().unwrap());

    let channel = client::connect(&address, &Access::default()).await.unwrap();
    let position = played(5, 8);
    let solution = client::solve(channel.clone(), position, Window::FULL, |_| {}).await.unwrap();
    assert_eq!(solution.bound, Bound::exact(brute_force::value(position)));

    let mut health = HealthClient::new(channel.clone());
    let request = HealthCheckRequest { service: "outflank.v1.Solver".to_owned() };
    let status = health.check(request).await.unwrap().into_inner().status();
    assert_eq!(status, ServingStatus::Serving);
    let overview = FleetClient::new(channel.clone()).look().await.unwrap();
    let [seen] = &overview.workers[..] else { panic!("one worker, {overview:?}") };
    assert_eq!((seen.threads, seen.jobs.failed, seen.is_draining), (2, 0, false));
    assert_eq!(overview.totals.jobs.done, solution.jobs, "{overview:?}");
    let services = ["Campaigns", "Cluster", "Fleet", "Solver"];
    assert_eq!(reflected(channel).await, services.map(|name| format!("outflank.v1.{name}")));

    worker.stop().await.unwrap();
    stop.cancel();
    serving.await.unwrap().unwrap();
    assert!(matches!(
        client::connect(&address, &Access::default()).await,
        Err(ClientError::NotListening { .. })
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_waits_for_a_coordinator_that_was_started_at_the_same_time() {
    // The port is taken, but nothing listens before the client has found that out.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap().to_string();
    let service = service(fine(), Arc::new(Store::in_memory()));
    let stop = CancellationToken::new();
    let (mut waits, mut serving) = (0, None);
    let on_wait = || {
        waits += 1;
        let listener = socket.listen(16).unwrap();
        serving = Some(tokio::spawn(service.serve(listener, stop.clone())));
    };
    let connected = client::connect_at_start(&address, &Access::default(), on_wait).await;
    assert!(connected.is_ok(), "{connected:?}");
    assert_eq!(waits, 1);
    stop.cancel();
    serving.unwrap().await.unwrap().unwrap();
}

/// Returns our services as server reflection lists them.
async fn reflected(channel: outflank_proto::Connection) -> Vec<String> {
    use tonic_reflection::pb::v1::ServerReflectionRequest;
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut client = ServerReflectionClient::new(channel);
    let response = client.server_reflection_info(tokio_stream::once(request)).await.unwrap();
    let message = response.into_inner().message().await.unwrap().expect("one answer");
    let Some(MessageResponse::ListServicesResponse(list)) = message.message_response else {
        panic!("{message:?}");
    };
    let mut names: Vec<_> = list.service.into_iter().map(|service| service.name).collect();
    names.retain(|name| name.starts_with("outflank."));
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_goes_on_when_its_coordinator_is_restarted() {
    let store = Arc::new(Store::in_memory());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let first =
        tokio::spawn(service(Options::default(), store.clone()).serve(listener, stop.clone()));
    let gate = Gated::new();
    let worker = TestWorker::start(gate.clone(), 1, address.to_string().parse().unwrap());

    let channel = client::connect(&address.to_string(), &Access::default()).await.unwrap();
    let (updates, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let position = played(7, 7);
    let solving = tokio::spawn(client::solve(channel, position, Window::FULL, move |update| {
        updates.send(update).expect("the test listens");
    }));
    gate.begun(1).await;
    stop.cancel();
    first.await.unwrap().unwrap();
    while !matches!(seen.recv().await.expect("not solved yet"), Update::Lost { .. }) {}

    gate.open();
    let listener = TcpListener::bind(address).await.unwrap();
    let stop = CancellationToken::new();
    let second = tokio::spawn(service(Options::default(), store).serve(listener, stop.clone()));
    let solution = solving.await.unwrap().unwrap();
    assert_eq!(solution.bound, Bound::exact(brute_force::value(position)));
    worker.stop().await.unwrap();
    stop.cancel();
    second.await.unwrap().unwrap();
}
