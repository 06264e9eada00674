//! Connections as they come in over TCP.
//!
//! Who connects must soon make a call that the gate lets through: a peer that says nothing, or nothing that admits it,
//! would hold an open file for ever, and has no keep-alive before it has introduced itself. Some files are left for
//! others: without one the store, which begins a new file now and then, would fail, campaigns would rest, and who watches
//! would see nothing. Where the system gives none all the same, accepting rests for a while.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};
use tokio_stream::Stream;
use tokio_util::sync::PollSemaphore;
use tonic::transport::server::Connected;

use super::gate::Peer;
use super::gate::refusals::Refusals;

/// The open files that connections leave for others besides those of the campaigns, and that these leave for connections,
/// or half of them if that is fewer.
pub(super) const LEFT_FOR_OTHERS: u64 = 64;
/// How long accepting rests when the system gives no connection: what there is too little of is not there at once.
const REST: Duration = Duration::from_secs(1);
/// The shortest time between two warnings of that.
const BETWEEN_WARNINGS: Duration = Duration::from_secs(60);

/// How long what is sent may lie there without the peer's system having taken it, by which connections end that are
/// over for the keep-alive: it says farewell to a peer that reads nothing, which would wait for ever until it can be sent.
const UNTAKEN: Duration = Duration::from_secs(30);

/// The connections that come in through a listener.
#[derive(Debug)]
pub(super) struct Incoming {
    listener: TcpListener,
    /// How long a connection may take to be admitted.
    deadline: Duration,
    /// What the log says of those that came to nothing before a call could be made.
    refusals: Arc<Refusals>,
    /// As many as there may be connections, and that of the next one.
    places: PollSemaphore,
    place: Option<OwnedSemaphorePermit>,
    open_files: u64,
    rest: Option<Pin<Box<Sleep>>>,
    warned: Option<Instant>,
}

impl Incoming {
    /// Returns the connections that come in through `listener`, beside campaigns that may have so many files open; those
    /// not admitted within `deadline` are dropped. `refusals` hears of those that should have been encrypted and were not.
    pub(super) fn new(
        listener: TcpListener,
        deadline: Duration,
        files_of_campaigns: u64,
        refusals: Arc<Refusals>,
    ) -> Self {
        // A limit that cannot be read is met soon enough.
        let open_files = getrlimit(Resource::RLIMIT_NOFILE).map_or(u64::MAX, |(limit, _)| limit);
        let places = places(open_files, files_of_campaigns);
        let places = usize::try_from(places).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        let places = PollSemaphore::new(Arc::new(Semaphore::new(places)));
        let (place, rest, warned) = (None, None, None);
        Self { listener, deadline, refusals, places, place, open_files, rest, warned }
    }

    /// Waits until one more connection is permitted.
    fn poll_place(&mut self, context: &mut Context<'_>) -> Poll<OwnedSemaphorePermit> {
        if let Some(place) = self.place.take() {
            return Poll::Ready(place);
        }
        match self.places.poll_acquire(context) {
            Poll::Ready(place) => Poll::Ready(place.expect("nobody closes the semaphore")),
            Poll::Pending => {
                self.warn(None);
                Poll::Pending
            }
        }
    }

    /// Warns, unless that was done a moment ago, that there are as many connections as there may be, or of an `error`.
    fn warn(&mut self, error: Option<&io::Error>) {
        if self.warned.is_some_and(|warned| warned.elapsed() < BETWEEN_WARNINGS) {
            return;
        }
        self.warned = Some(Instant::now());
        tracing::warn!(
            open_files = self.open_files,
            error = error.map(tracing::field::display),
            "no more connections can be accepted: expected a limit of open files above the workers and clients"
        );
    }
}

/// Returns how many connections there may be where so many files may be open, and so many of them by campaigns.
fn places(open_files: u64, files_of_campaigns: u64) -> u64 {
    let left = LEFT_FOR_OTHERS.min(open_files / 2);
    (open_files - left).saturating_sub(files_of_campaigns).max(left)
}

impl Stream for Incoming {
    type Item = io::Result<Caller>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(rest) = &mut self.rest {
                ready!(rest.as_mut().poll(context));
                self.rest = None;
            }
            let place = ready!(self.poll_place(context));
            let accepted = self.listener.poll_accept(context);
            match accepted {
                Poll::Ready(Ok((stream, address))) => {
                    let beginning = Beginning::new(address, Arc::clone(&self.refusals));
                    let caller = Caller::new(stream, beginning, self.deadline, place);
                    return Poll::Ready(Some(Ok(caller)));
                }
                Poll::Ready(Err(error)) if is_of_one_connection(&error) => {}
                Poll::Ready(Err(error)) => {
                    self.warn(Some(&error));
                    self.rest = Some(Box::pin(sleep(REST)));
                }
                Poll::Pending => {
                    self.place = Some(place);
                    return Poll::Pending;
                }
            }
        }
    }
}

/// Returns whether the next connection may fare better.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

/// Whether a connection has made a call that was let in. Each of its calls has this among its extensions.
#[derive(Clone, Debug, Default)]
pub(super) struct IsAdmitted(Arc<AtomicBool>);

impl IsAdmitted {
    /// Notes a call that was let in.
    pub(super) fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The first byte of whoever begins to agree on encryption.
const HANDSHAKE: u8 = 22;

/// What is known of a connection before calls can be made over it; they can when it was asked whose they will be.
#[derive(Debug)]
struct Beginning {
    address: SocketAddr,
    refusals: Arc<Refusals>,
    /// The first byte that was read.
    first: Option<u8>,
    is_over: AtomicBool,
}

impl Beginning {
    fn new(address: SocketAddr, refusals: Arc<Refusals>) -> Self {
        Self { address, refusals, first: None, is_over: AtomicBool::new(false) }
    }

    /// Returns why there was no call, if there could be none. Who has said nothing only looked whether anybody listens.
    fn failure(&self) -> Option<&'static str> {
        match self.first? {
            _ if self.is_over.load(Ordering::Relaxed) => None,
            HANDSHAKE => Some("its TLS handshake failed"),
            _ => Some("it does not encrypt"),
        }
    }
}

impl Drop for Beginning {
    fn drop(&mut self) {
        if let Some(reason) = self.failure() {
            self.refusals.note(Some(self.address), reason);
        }
    }
}

/// A connection that can no longer be read nor written to when it was not admitted in time.
#[derive(Debug)]
pub(super) struct Caller {
    stream: TcpStream,
    beginning: Beginning,
    is_admitted: IsAdmitted,
    /// `None` when it was admitted.
    deadline: Option<Pin<Box<Sleep>>>,
    _place: OwnedSemaphorePermit,
}

impl Caller {
    fn new(
        stream: TcpStream,
        beginning: Beginning,
        deadline: Duration,
        place: OwnedSemaphorePermit,
    ) -> Self {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "small messages may be late");
        }
        if let Err(error) = SockRef::from(&stream).set_tcp_user_timeout(Some(UNTAKEN)) {
            tracing::debug!(%error, "a peer that reads nothing may hold its place");
        }
        let (is_admitted, deadline) = (IsAdmitted::default(), Some(Box::pin(sleep(deadline))));
        Self { stream, beginning, is_admitted, deadline, _place: place }
    }

    /// Fails if the connection was not admitted in time. Every use of it asks: where a peer reads nothing of what it
    /// is told, nothing more is read of it, either.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.is_admitted.0.load(Ordering::Relaxed) {
            self.deadline = None;
        }
        match self.deadline.as_mut().map(|deadline| deadline.as_mut().poll(context)) {
            Some(Poll::Ready(())) => Err(io::ErrorKind::TimedOut.into()),
            Some(Poll::Pending) | None => Ok(()),
        }
    }
}

impl Connected for Caller {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.beginning.is_over.store(true, Ordering::Relaxed);
        Peer { is_admitted: self.is_admitted.clone(), address: Some(self.beginning.address) }
    }
}

impl AsyncRead for Caller {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if self.beginning.first.is_none() {
            self.beginning.first = buffer.filled().get(before).copied();
        }
        read
    }
}

impl AsyncWrite for Caller {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::service::gate::refusals::Refused;

    const DEADLINE: Duration = Duration::from_secs(30);

    /// Returns a connection and its peer.
    async fn connected() -> (Caller, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let (peer, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (stream, address) = accepted.expect("somebody connects");
        let place = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("it is free");
        let refusals = Arc::new(Refusals::new(Refused::Connections));
        let beginning = Beginning::new(address, refusals);
        (Caller::new(stream, beginning, DEADLINE, place), peer.expect("somebody listens"))
    }

    /// They left nothing in the log, as if nobody had come.
    #[tokio::test]
    async fn connections_that_come_to_nothing_are_told_of_unless_they_say_nothing() {
        for (said, expected) in [
            (&[22, 3, 1][..], Some("its TLS handshake failed")),
            (b"PRI * HTTP/2.0", Some("it does not encrypt")),
            (b"", None),
        ] {
            let (mut caller, mut peer) = connected().await;
            peer.write_all(said).await.expect("it is read");
            peer.shutdown().await.expect("it is connected");
            caller.read_to_end(&mut Vec::new()).await.expect("the peer has ended");
            assert_eq!(caller.beginning.failure(), expected, "{said:?}");
            assert_eq!(caller.connect_info().address, peer.local_addr().ok());
            assert_eq!(caller.beginning.failure(), None, "{said:?}");
        }
    }

    /// Peers that sent pings and read nothing were only written to, and were never dropped.
    #[tokio::test(start_paused = true)]
    async fn who_is_not_admitted_in_time_can_neither_be_read_nor_written_to() {
        let (mut caller, _peer) = connected().await;
        poll_fn(|context| Poll::Ready(caller.check(context))).await.expect("it has time");
        tokio::time::advance(2 * DEADLINE).await;
        let parts = [io::IoSlice::new(b"late")];
        let failures = [
            caller.read(&mut [0; 8]).await.map(drop),
            caller.write(b"late").await.map(drop),
            caller.write_vectored(&parts).await.map(drop),
            caller.flush().await,
        ];
        for failure in failures {
            assert_eq!(failure.expect_err("it is late").kind(), io::ErrorKind::TimedOut);
        }
    }

    /// The end of the connection was something to be sent, too, and workers that read nothing held their places.
    #[tokio::test]
    async fn a_connection_ends_whose_peer_takes_nothing_more() {
        let (caller, _peer) = connected().await;
        let limit = SockRef::from(&caller.stream).tcp_user_timeout().expect("the system says it");
        assert_eq!(limit, Some(UNTAKEN));
    }

    #[tokio::test(start_paused = true)]
    async fn who_was_admitted_in_time_may_stay() {
        let (mut caller, mut peer) = connected().await;
        caller.is_admitted.note();
        tokio::time::advance(2 * DEADLINE).await;
        peer.write_all(b"read").await.expect("it is read later");
        assert_eq!(caller.read(&mut [0; 8]).await.expect("it was admitted"), 4);
        caller.write_all(b"written").await.expect("it was admitted");
        caller.flush().await.expect("it was admitted");
    }

    /// Connections took the files of the campaigns, which rested then.
    #[test]
    fn connections_leave_files_for_campaigns_and_these_leave_some_for_connections() {
        assert_eq!(
            [places(1024, 0), places(1024, 400), places(u64::MAX, 2)],
            [960, 560, u64::MAX - 66]
        );
        assert_eq!([places(1024, 2000), places(40, 0), places(40, 2000)], [64, 20, 20]);
    }
}
