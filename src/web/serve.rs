//! Answers to many over HTTP/1.1, to so many at once, and for so long.
//!
//! Whoever reaches the address may connect, and shows no token. So a connection has to ask soon, gets one answer, and has
//! an end; and there are never more of them than the open files that others can spare. Who comes then waits.

use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// What those who watch may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The most connections at a time.
    connections: usize,
    /// How long the head of the request may take.
    head: Duration,
    /// How long the connection may take in all: an answer that nobody reads has an end, too.
    whole: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        // Half of the files that a coordinator's other connections leave for others.
        Self { connections: 32, head: Duration::from_secs(10), whole: Duration::from_secs(60) }
    }
}

/// Answers on `listener` until `stop`, or until the future is dropped.
pub(crate) async fn serve(
    mut listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: CancellationToken,
) {
    let mut connections = JoinSet::new();
    loop {
        let has_place = connections.len() < limits.connections;
        tokio::select! {
            () = stop.cancelled() => break,
            // What went wrong with it has been said, and concerns no other.
            Some(_) = connections.join_next() => {}
            // Where the system gives no connection this rests for a second.
            (stream, _) = Listener::accept(&mut listener), if has_place => {
                connections.spawn(answer(stream, router.clone(), limits, stop.clone()));
            }
        }
    }
    drop(listener);
    connections.join_all().await;
}

/// Answers the request of one connection.
async fn answer(stream: TcpStream, router: Router, limits: Limits, stop: CancellationToken) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = pin!(connection);
    let ended = timeout(limits.whole, async {
        if let Some(ended) = stop.run_until_cancelled(connection.as_mut()).await {
            return ended;
        }
        connection.as_mut().graceful_shutdown();
        connection.await
    });
    match ended.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "somebody who watches got no answer"),
        Err(_elapsed) => tracing::debug!("somebody who watches did not take the answer"),
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// What a request can take and still be answered.
    const LONG: Duration = Duration::from_secs(3600);
    const BODY_BYTES: usize = 64 << 20;

    /// A server, which ends with the test.
    struct Served {
        address: SocketAddr,
        stop: CancellationToken,
        tasks: JoinSet<()>,
    }

    impl Served {
        async fn start(limits: Limits) -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let router = Router::new()
                .route("/health", get(|| async { "ok\n" }))
                .route("/long", get(|| async { vec![b'x'; BODY_BYTES] }));
            let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
            tasks.spawn(serve(listener, router, limits, stop.clone()));
            Self { address, stop, tasks }
        }

        async fn connect(&self) -> TcpStream {
            TcpStream::connect(self.address).await.unwrap()
        }

        async fn ask(&self, path: &str) -> TcpStream {
            let mut stream = self.connect().await;
            let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            stream
        }

        async fn stop(mut self) {
            self.stop.cancel();
            within(self.tasks.join_next()).await.unwrap().unwrap();
        }
    }

    /// Fails a test that would wait for ever.
    async fn within<T>(done: impl Future<Output = T>) -> T {
        timeout(Duration::from_secs(60), done).await.expect("it does not wait for ever")
    }

    /// Returns what comes until the peer has closed the connection.
    async fn rest(mut stream: TcpStream) -> Vec<u8> {
        let mut bytes = Vec::new();
        // It may be cut off: that is as good.
        drop(within(stream.read_to_end(&mut bytes)).await);
        bytes
    }

    fn is_healthy(answer: &[u8]) -> bool {
        answer.starts_with(b"HTTP/1.1 200") && answer.ends_with(b"\r\n\r\nok\n")
    }

    #[tokio::test]
    async fn who_asks_nothing_is_dropped_and_who_asks_is_answered_after_a_crowd_of_those() {
        let head = Duration::from_millis(100);
        let served = Served::start(Limits { connections: 4, head, whole: LONG }).await;
        let mut idle = Vec::new();
        for said in ["", "GET /hea", "GET /health HTTP/1.1\r\nHost: x\r\n"].repeat(10) {
            let mut stream = served.connect().await;
            stream.write_all(said.as_bytes()).await.unwrap();
            idle.push(stream);
        }
        assert!(is_healthy(&rest(served.ask("/health").await).await));
        for stream in idle {
            assert!(!is_healthy(&rest(stream).await));
        }
        served.stop().await;
    }

    #[tokio::test]
    async fn who_comes_when_all_places_are_taken_waits_until_one_is_free() {
        let served = Served::start(Limits { connections: 2, head: LONG, whole: LONG }).await;
        let (first, second) = (served.connect().await, served.connect().await);
        let mut third = served.ask("/health").await;
        let early = timeout(Duration::from_millis(200), third.read_u8()).await;
        assert!(early.is_err(), "two are served: {early:?}");
        drop(first);
        assert!(is_healthy(&rest(third).await));
        served.stop().await;
        drop(second);
    }

    #[tokio::test]
    async fn an_answer_that_nobody_reads_has_an_end() {
        let whole = Duration::from_millis(100);
        let served = Served::start(Limits { connections: 1, head: LONG, whole }).await;
        let long = served.ask("/long").await;
        // There is one place: it is free again.
        assert!(is_healthy(&rest(served.ask("/health").await).await));
        assert!(rest(long).await.len() < BODY_BYTES);
        served.stop().await;
    }
}
