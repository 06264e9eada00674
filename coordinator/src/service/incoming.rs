//! Connections as they come in over TCP.
//!
//! Who connects must make a call soon: a peer that says nothing holds an open file for ever, and has no keep-alive before
//! it has introduced itself. Where the system gives no more files, accepting rests for a while.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep, sleep};
use tokio_stream::Stream;
use tonic::transport::server::Connected;

/// How long accepting rests when the system gives no connection: what there is too little of is not there at once.
const REST: Duration = Duration::from_secs(1);
/// The shortest time between two warnings of that.
const BETWEEN_WARNINGS: Duration = Duration::from_secs(60);

/// The connections that come in through a listener.
#[derive(Debug)]
pub(super) struct Incoming {
    listener: TcpListener,
    /// How long a connection may take to make its first call.
    deadline: Duration,
    rest: Option<Pin<Box<Sleep>>>,
    warned: Option<Instant>,
}

impl Incoming {
    /// Returns the connections that come in through `listener`; those are dropped that make no call within `deadline`.
    pub(super) fn new(listener: TcpListener, deadline: Duration) -> Self {
        Self { listener, deadline, rest: None, warned: None }
    }

    /// Warns, unless that was done a moment ago.
    fn warn(&mut self, error: &io::Error) {
        if self.warned.is_some_and(|warned| warned.elapsed() < BETWEEN_WARNINGS) {
            return;
        }
        self.warned = Some(Instant::now());
        let open_files = getrlimit(Resource::RLIMIT_NOFILE).map_or(0, |(limit, _)| limit);
        tracing::warn!(
            %error,
            open_files,
            "no more connections can be accepted: expected a limit of open files above the workers and clients"
        );
    }
}

impl Stream for Incoming {
    type Item = io::Result<Caller>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(rest) = &mut self.rest {
                ready!(rest.as_mut().poll(context));
                self.rest = None;
            }
            match ready!(self.listener.poll_accept(context)) {
                Ok((stream, _)) => {
                    return Poll::Ready(Some(Ok(Caller::new(stream, self.deadline))));
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    self.warn(&error);
                    self.rest = Some(Box::pin(sleep(REST)));
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

/// Whether a connection has made a call. Each of its calls has this among its extensions.
#[derive(Clone, Debug, Default)]
pub(super) struct HasCalled(Arc<AtomicBool>);

impl HasCalled {
    /// Notes a call.
    pub(super) fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A connection that can no longer be read when it has made no call in time.
#[derive(Debug)]
pub(super) struct Caller {
    stream: TcpStream,
    has_called: HasCalled,
    /// `None` when it has made a call.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Caller {
    fn new(stream: TcpStream, deadline: Duration) -> Self {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "small messages may be late");
        }
        Self { stream, has_called: HasCalled::default(), deadline: Some(Box::pin(sleep(deadline))) }
    }

    fn is_overdue(&mut self, context: &mut Context<'_>) -> bool {
        if self.has_called.0.load(Ordering::Relaxed) {
            self.deadline = None;
        }
        self.deadline.as_mut().is_some_and(|deadline| deadline.as_mut().poll(context).is_ready())
    }
}

impl Connected for Caller {
    type ConnectInfo = HasCalled;

    fn connect_info(&self) -> HasCalled {
        self.has_called.clone()
    }
}

impl AsyncRead for Caller {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.is_overdue(context) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Caller {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
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
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
