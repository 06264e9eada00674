//! Answers to many over HTTP/1.1, to so many at once, and for so long.
//!
//! Whoever reaches the address may connect, and shows no token. So a connection has to ask soon, gets one answer, and
//! has an end; and there are never more of them than the open files that others can spare. Who comes then takes the
//! place of the one that has been silent for longest, and where all have begun to ask, waits.

use std::collections::VecDeque;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

/// What those who watch may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The most connections at a time, besides the one that makes room for itself.
    connections: usize,
    /// How long the head of the request may take, from the moment when the connection was there.
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
    let (mut silent, mut answered) = (Silent::default(), JoinSet::new());
    let mut newcomer = None;
    loop {
        let taken = silent.waiting.len() + answered.len();
        if taken < limits.connections
            && let Some(stream) = newcomer.take()
        {
            silent.add(stream, limits.head);
            continue;
        }
        if newcomer.is_some() {
            silent.make_room();
        }
        let has_place = taken < limits.connections || silent.has_some();
        tokio::select! {
            () = stop.cancelled() => break,
            // What went wrong with it has been said, and concerns no other.
            Some(_) = answered.join_next() => {}
            Some(asks) = silent.next() => if let Some(came) = asks {
                answered.spawn(answer(came, router.clone(), limits, stop.clone()));
            },
            // Where the system gives no connection this rests for a second.
            (stream, _) = Listener::accept(&mut listener), if has_place && newcomer.is_none() => {
                newcomer = Some(stream);
            }
        }
    }
    drop((listener, newcomer, silent));
    answered.join_all().await;
}

/// A connection, and when it came.
#[derive(Debug)]
struct Came {
    stream: TcpStream,
    at: Instant,
}

/// The connections that have not said anything yet.
#[derive(Debug, Default)]
struct Silent {
    /// Each ends with the connection as soon as that says something, or without if it never does.
    waiting: JoinSet<Option<Came>>,
    /// Those that have not been told to end, the one first that came first.
    order: VecDeque<AbortHandle>,
    /// The one that has been told to end, until it has.
    ending: Option<Id>,
}

impl Silent {
    /// Waits so long for the connection to say something.
    fn add(&mut self, stream: TcpStream, patience: Duration) {
        let came = Came { stream, at: Instant::now() };
        self.order.retain(|handle| !handle.is_finished());
        self.order.push_back(self.waiting.spawn(async move {
            let heard = timeout(patience, came.stream.peek(&mut [0])).await;
            // Whose end it is, or who fails, is not going to ask.
            heard.is_ok_and(|bytes| bytes.is_ok_and(|bytes| bytes > 0)).then_some(came)
        }));
    }

    /// Returns whether one could make room.
    fn has_some(&self) -> bool {
        self.ending.is_some() || self.order.iter().any(|handle| !handle.is_finished())
    }

    /// Has the connection end that came first, unless another is about to.
    fn make_room(&mut self) {
        while self.ending.is_none()
            && let Some(first) = self.order.pop_front()
        {
            if !first.is_finished() {
                first.abort();
                self.ending = Some(first.id());
            }
        }
    }

    /// Returns the next one that says something, or nothing for one that is gone; `None` if there are none.
    async fn next(&mut self) -> Option<Option<Came>> {
        let (id, came) = match self.waiting.join_next_with_id().await? {
            Ok(ended) => ended,
            Err(ended) => (ended.id(), None),
        };
        // It may have said something at the last moment: then another one has to make room.
        self.ending = self.ending.filter(|&ending| ending != id);
        Some(came)
    }
}

/// Answers the request of one connection.
async fn answer(came: Came, router: Router, limits: Limits, stop: CancellationToken) {
    let Came { stream, at } = came;
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head.saturating_sub(at.elapsed()))
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = pin!(connection);
    let ended = timeout_at(at + limits.whole, async {
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
        // One that has begun to ask, and one that does not take its answer: nobody may push these out.
        let mut first = served.connect().await;
        first.write_all(b"GET /hea").await.unwrap();
        let mut second = served.ask("/long").await;
        second.read_u8().await.unwrap();
        let mut third = served.ask("/health").await;
        let early = timeout(Duration::from_millis(200), third.read_u8()).await;
        assert!(early.is_err(), "two are served: {early:?}");
        first.write_all(b"lth HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        assert!(is_healthy(&rest(first).await));
        assert!(is_healthy(&rest(third).await));
        drop(second);
        served.stop().await;
    }

    #[tokio::test]
    async fn who_asks_takes_the_place_of_who_has_been_silent_for_longest() {
        let served = Served::start(Limits { connections: 4, head: LONG, whole: LONG }).await;
        let mut speaking = served.connect().await;
        speaking.write_all(b"GET /hea").await.unwrap();
        let mut idle = Vec::new();
        for _ in 0..400 {
            idle.push(served.connect().await);
        }
        // Nobody drops these, not for an hour.
        assert!(is_healthy(&rest(served.ask("/health").await).await));
        // Those that came last have a place, and may still ask, as may who has begun to.
        let ask = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
        let mut last = idle.pop().unwrap();
        last.write_all(ask).await.unwrap();
        assert!(is_healthy(&rest(last).await));
        speaking.write_all(&ask[8..]).await.unwrap();
        assert!(is_healthy(&rest(speaking).await));
        for stream in idle.drain(..390) {
            assert_eq!(rest(stream).await, b"");
        }
        served.stop().await;
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
