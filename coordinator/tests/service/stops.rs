//! Peers that say nothing.

use std::sync::Arc;
use std::time::Duration;

use outflank_coordinator::client;
use outflank_coordinator::service::{Encryption, Options, Service};
use outflank_coordinator::store::Store;
use outflank_proto::message::{FromWorker, ToWorker};
use outflank_proto::{Access, Identity};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::support::{RawWorker, service};

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
    let options = Options { call_deadline: Duration::from_millis(200), ..Options::default() };
    let serving = tokio::spawn(service_with(options).serve(listener, stop.clone()));
    let channel = client::connect(&address.to_string(), &Access::default()).await.unwrap();
    let mut worker = RawWorker::join(channel).await;
    for said in ["", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\n"] {
        let mut idle = TcpStream::connect(address).await.unwrap();
        idle.write_all(said.as_bytes()).await.unwrap();
        closed(idle).await;
    }
    worker.say(FromWorker::Heartbeat(vec![(7, 1)])).await;
    assert!(matches!(worker.next_but_jobs().await, Ok(Some(ToWorker::Cancel(7)))));
    drop(worker);
    stop.cancel();
    serving.await.unwrap().unwrap();
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
