//! Coordinators of another version, and servers that are no coordinators.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use axum::http::StatusCode;
use outflank_proto::v1;
use outflank_proto::v1::cluster_server::{Cluster, ClusterServer};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};

use crate::harness::{DEADLINE, Process, outflank, run};

/// A coordinator of the future: it speaks no protocol that this build knows.
struct Newer;

#[tonic::async_trait]
impl Cluster for Newer {
    type WorkStream = tokio_stream::Empty<Result<v1::ToWorker, Status>>;

    async fn work(
        &self,
        _worker: Request<Streaming<v1::FromWorker>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        Err(Status::failed_precondition("this coordinator needs protocol version 7"))
    }
}

#[test]
fn a_worker_of_another_version_is_told_and_leaves() {
    let home = TempDir::new().expect("a temporary folder");
    let runtime = Runtime::new().expect("a runtime");
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
    let listener = listener.expect("a free port");
    let address = listener.local_addr().expect("a bound address").to_string();
    let server = Server::builder().add_service(ClusterServer::new(Newer));
    runtime.spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
    let finished = run(home.path(), &["worker", "--quiet", "--connect", &address]);
    finished.assert_fails(4, "this coordinator needs protocol version 7");
    // It has no service for clients at all.
    let finished = run(home.path(), &["solve", "f5", "--connect", &address]);
    finished.assert_fails(4, "the coordinator refuses the request");
}

#[test]
fn a_worker_waits_until_another_http_server_has_gone_from_the_address() {
    let home = TempDir::new().expect("a temporary folder");
    for code in [401, 403, 404] {
        let (listener, address) = listener();
        let runtime = Runtime::new().expect("a runtime");
        runtime.spawn(answer_with(code, listener));
        let worker = Process::start(outflank(home.path(), &["worker", "--connect", &address]));
        let line = worker.line_with("HTTP status code");
        assert!(line.contains(&code.to_string()), "{line}");
        // Not in the background: the coordinator needs the address.
        runtime.shutdown_timeout(DEADLINE);
        let store = format!("store-{code}");
        let arguments = ["coordinator", "--store", &store, "--listen", &address];
        let _coordinator = Process::start(outflank(home.path(), &arguments));
        worker.wait_for("connected to the coordinator");
    }
}

#[test]
fn an_http_server_is_told_from_a_coordinator() {
    let home = TempDir::new().expect("a temporary folder");
    for code in [401, 403, 404] {
        let (listener, address) = listener();
        let runtime = Runtime::new().expect("a runtime");
        runtime.spawn(answer_with(code, listener));
        let message = format!("{address}: what answers there is no coordinator: grpc-status");
        for command in [&["solve", "f5"][..], &["top"], &["campaign", "list"]] {
            run(home.path(), &[command, &["--connect", &address]].concat())
                .assert_fails(4, &message);
        }
    }
}

/// Returns a listener at a free port, and its address.
fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("a bound address").to_string();
    (listener, address)
}

/// Answers all that comes with an HTTP code, over HTTP/2.
async fn answer_with(code: u16, listener: TcpListener) {
    listener.set_nonblocking(true).expect("it can be");
    let listener = tokio::net::TcpListener::from_std(listener).expect("it is in a runtime");
    let code = StatusCode::from_u16(code).expect("a code of HTTP");
    let routes = Routes::from(axum::Router::new().fallback(async move || code));
    let server = Server::builder().add_routes(routes);
    drop(server.serve_with_incoming(TcpIncoming::from(listener)).await);
}

#[test]
fn a_server_that_is_no_coordinator_is_refused() {
    let home = TempDir::new().expect("a temporary folder");
    let (listener, address) = listener();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.expect("a connection");
            let mut greeting = [0; 24];
            // The client may have gone already.
            drop(connection.read(&mut greeting));
            drop(connection.write_all(b"HTTP/1.0 400 Bad Request\r\n\r\n"));
        }
    });
    run(home.path(), &["solve", "f5", "--connect", &address]).assert_fails(4, &address);
}
