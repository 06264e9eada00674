//! One connection to a coordinator.

use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioIo;
use tokio::net::lookup_host;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::io::InspectReader;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http::{Request, Response};
use tonic::transport::{Channel, Endpoint};
use tower::{ServiceExt, service_fn};

use crate::address::is_loopback;

pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// How long each address of a host may take to let itself be connected to.
const TCP_LIMIT: Duration = Duration::from_secs(5);

/// The longest time until a connection is made and encrypted. A coordinator to which a whole fleet returns at once takes
/// some seconds for that.
const LIMIT: Duration = Duration::from_secs(20);

/// How long the calls over a connection that has ended may take to hear it from the connection, which knows why.
const GRACE: Duration = Duration::from_secs(1);

/// The connection has ended before a call over it was answered.
#[derive(Debug, thiserror::Error)]
#[error("connection closed")]
struct Ended;

/// Nobody has finished making a connection.
#[derive(Debug, thiserror::Error)]
#[error("no connection within {} s", limit.as_secs())]
struct NoConnection {
    limit: Duration,
}

/// A name stands for other machines only, where nothing may be sent.
#[derive(Debug, thiserror::Error)]
#[error("it is at no loopback address")]
pub(crate) struct Elsewhere;

/// To whom may be connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To whoever has an address of the host.
    Anywhere,
    /// To this machine: of the addresses for which a name stands, only those of loopback count.
    Loopback,
}

/// A connection. Clones share it.
///
/// It is known whether it is there because calls do not always hear from hyper (1.12) that it is not: a request that is
/// handed over while the connection ends may stay in a queue that nobody reads any more, and would be waited for
/// without end.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    channel: Channel,
    /// How many streams there are, or are about to be: tonic makes the connection again for a call that finds it ended.
    streams: watch::Receiver<usize>,
}

impl Line {
    /// Connects to `endpoint`, whose host is taken as it is if it is an address: only what names stand for has to be in
    /// `reach`, whenever they are looked up.
    ///
    /// # Errors
    /// [`Elsewhere`], perhaps as the cause of another error, or why there is no connection.
    pub(crate) async fn connect(endpoint: &Endpoint, reach: Reach) -> Result<Self, BoxError> {
        Self::connect_within(LIMIT, endpoint, reach).await
    }

    async fn connect_within(
        limit: Duration,
        endpoint: &Endpoint,
        reach: Reach,
    ) -> Result<Self, BoxError> {
        let resolver = service_fn(move |name: Name| addresses(name, reach));
        let mut tcp = HttpConnector::new_with_resolver(resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(TCP_LIMIT));
        let (count, streams) = watch::channel(0);
        let count = Arc::new(count);
        let connector = service_fn(move |uri| {
            let (connecting, counted) = (tcp.clone().oneshot(uri), Counted::new(&count));
            async move {
                // Whoever drops the stream drops the closure, which is there for nothing else.
                let hold = move |_read: &[u8]| {
                    let _held = &counted;
                };
                let stream = connecting.await?.into_inner();
                Ok::<_, BoxError>(TokioIo::new(InspectReader::new(stream, hold)))
            }
        });
        let connected = timeout(limit, endpoint.connect_with_connector(connector)).await;
        let channel = connected.map_err(|_elapsed| NoConnection { limit })??;
        Ok(Self { channel, streams })
    }

    /// Returns whether the connection has ended.
    pub(crate) fn has_ended(&self) -> bool {
        *self.streams.borrow() == 0
    }

    /// Makes a call, and waits until its answer begins, or the connection has ended.
    pub(crate) async fn call(&self, request: Request<Body>) -> Result<Response<Body>, BoxError> {
        let mut channel = self.channel.clone();
        let answer = async {
            poll_fn(|context| channel.poll_ready(context)).await?;
            channel.call(request).await
        };
        tokio::select! {
            biased;
            answer = answer => Ok(answer?),
            () = self.end() => Err(Ended.into()),
        }
    }

    /// Waits until the connection has ended, and those whose calls were over it must have heard of that.
    async fn end(&self) {
        let mut streams = self.streams.clone();
        loop {
            // Whoever counts them is gone when there can be no more.
            drop(streams.wait_for(|&count| count == 0).await);
            sleep(GRACE).await;
            if self.has_ended() {
                return;
            }
        }
    }
}

/// Returns the addresses for which `name` stands, as far as they are in `reach`.
async fn addresses(name: Name, reach: Reach) -> Result<std::vec::IntoIter<SocketAddr>, BoxError> {
    let found = lookup_host((name.as_str(), 0)).await;
    let found: Vec<_> = found.map_err(|error: io::Error| BoxError::from(error))?.collect();
    if reach == Reach::Anywhere || found.is_empty() {
        return Ok(found.into_iter());
    }
    let here: Vec<_> = found.into_iter().filter(|address| is_loopback(address.ip())).collect();
    if here.is_empty() { Err(Elsewhere.into()) } else { Ok(here.into_iter()) }
}

/// One of the streams that are counted.
struct Counted(Arc<watch::Sender<usize>>);

impl Counted {
    fn new(count: &Arc<watch::Sender<usize>>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::access::Access;

    /// Longer than anything here takes on a slow and busy machine.
    const DEADLINE: Duration = Duration::from_secs(60);

    /// Returns a connection to somebody who says nothing, and the other end of it.
    async fn mute() -> (Line, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it listens").to_string();
        let endpoint = crate::endpoint(&address).expect("an address");
        let (line, accepted) =
            tokio::join!(Line::connect(&endpoint, Reach::Anywhere), listener.accept());
        (line.expect("somebody listens"), accepted.expect("somebody connects").0)
    }

    #[tokio::test]
    async fn a_line_has_ended_when_its_stream_is_gone() {
        let (mut line, other_end) = mute().await;
        assert!(!line.has_ended());
        drop(other_end);
        let none_left = line.streams.wait_for(|&count| count == 0);
        drop(timeout(DEADLINE, none_left).await.expect("the stream is dropped"));
        assert!(line.has_ended());
        // Nobody listens any more, either.
        line.call(Request::new(Body::empty())).await.expect_err("it has ended");
    }

    #[tokio::test]
    async fn a_call_ends_with_its_line_even_if_hyper_does_not_say_so() {
        let (mut line, _other_end) = mute().await;
        let (streams, counted) = watch::channel(1);
        line.streams = counted;
        let call = line.call(Request::new(Body::empty()));
        tokio::pin!(call);
        // A stream that is made again in time carries the call on.
        streams.send_replace(0);
        let early = timeout(Duration::from_millis(50), &mut call).await;
        assert!(early.is_err(), "nobody has answered: {early:?}");
        streams.send_replace(1);
        let early = timeout(GRACE + Duration::from_millis(50), &mut call).await;
        assert!(early.is_err(), "nobody has answered: {early:?}");
        streams.send_replace(0);
        let error = timeout(DEADLINE, call).await.expect("it ends").expect_err("nobody answers");
        assert!(error.is::<Ended>(), "{error:?}");
    }

    #[tokio::test]
    async fn who_does_not_answer_an_encrypted_greeting_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it listens").to_string();
        let ca = include_bytes!("../../tests/data/tls/authority.pem");
        let access = Access::default().with_tls(ca, None, None).expect("it can be read");
        let endpoint = access.endpoint(&address).expect("an address");
        let connecting =
            Line::connect_within(Duration::from_millis(100), &endpoint, Reach::Anywhere);
        let connecting = timeout(DEADLINE, connecting).await.expect("there is a limit");
        let error = connecting.expect_err("nobody answers");
        assert!(error.is::<NoConnection>(), "{error:?}");
    }
}
