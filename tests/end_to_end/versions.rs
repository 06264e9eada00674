//! Coordinators of another version, and servers that are no coordinators.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use outflank_proto::v1;
use outflank_proto::v1::cluster_server::{Cluster, ClusterServer};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};

use crate::harness::run;

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
fn a_server_that_is_no_coordinator_is_refused() {
    let home = TempDir::new().expect("a temporary folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("a bound address").to_string();
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
