//! What calls go over: one connection, or one after the other as the coordinator moves.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};

use http_body_util::BodyExt;
use tokio::sync::Mutex;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http::{Request, Response};
use tonic::transport::Channel;

use crate::broken;
use crate::line::{BoxError, Line};
use crate::way::{Unreached, Way};

/// Carries calls to a coordinator; clones share the connection.
#[derive(Clone, Debug)]
pub struct Transport(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// Made again as the channel likes: in memory.
    Channel(Channel),
    Line(Line),
    Following(Arc<Following>),
}

/// A connection that is looked for again when it is lost.
#[derive(Debug)]
struct Following {
    way: Arc<Way>,
    /// How many searches for the coordinator have ended.
    searches: AtomicU64,
    found: Mutex<Found>,
}

/// What the last search has found.
#[derive(Debug, Default)]
struct Found {
    reached: Option<Held>,
    failure: Option<Unreached>,
}

/// The connection in use.
#[derive(Clone, Debug)]
struct Held {
    line: Line,
    /// Where it leads.
    address: Arc<str>,
    /// The search that has found it.
    search: u64,
    /// Whether anybody has answered over it.
    has_answered: Arc<AtomicBool>,
}

impl Transport {
    /// Returns a transport that looks for the coordinator along `way` when it is first needed, and whenever its
    /// connection is lost.
    pub(crate) fn along(way: Arc<Way>) -> Self {
        let (searches, found) = (AtomicU64::new(0), Mutex::default());
        Self(Kind::Following(Arc::new(Following { way, searches, found })))
    }
}

impl From<Channel> for Transport {
    fn from(channel: Channel) -> Self {
        Self(Kind::Channel(channel))
    }
}

/// Over one connection.
impl From<Line> for Transport {
    fn from(line: Line) -> Self {
        Self(Kind::Line(line))
    }
}

impl Following {
    /// Returns the connection, after a search if there is none.
    async fn held(&self) -> Result<Held, Unreached> {
        let seen = self.searches.load(Ordering::Relaxed);
        let mut found = self.found.lock().await;
        if let Some(held) = &found.reached {
            if !held.line.has_ended() {
                return Ok(held.clone());
            }
            self.give_up(&mut found);
        }
        // A search that has ended while this call waited tells all that waited: each for itself, one after the
        // other, they would wait for ever longer.
        if self.searches.load(Ordering::Relaxed) != seen
            && let Some(failure) = &found.failure
        {
            return Err(failure.clone());
        }
        let before = self.way.answered_at();
        let reached = self.way.reach().await;
        let search = self.searches.fetch_add(1, Ordering::Relaxed) + 1;
        match reached {
            Ok((line, address)) => {
                match before {
                    Some(before) if before != address => {
                        tracing::warn!(from = %before, to = %address, "the coordinator has moved");
                    }
                    _ => tracing::info!(coordinator = %address, "connected to the coordinator"),
                }
                let (address, has_answered) = (address.into(), Arc::default());
                let held = Held { line, address, search, has_answered };
                *found = Found { reached: Some(held.clone()), failure: None };
                Ok(held)
            }
            Err(failure) => {
                found.failure = Some(failure.clone());
                Err(failure)
            }
        }
    }

    /// Gives a connection up that was lost, unless there is another one already.
    async fn lose(&self, lost: &Held) {
        let mut found = self.found.lock().await;
        if found.reached.as_ref().is_some_and(|held| held.search == lost.search) {
            self.give_up(&mut found);
        }
    }

    /// Gives the connection up. The next search passes over an address where nobody has answered.
    fn give_up(&self, found: &mut Found) {
        let lost = found.reached.take();
        if lost.is_some_and(|lost| !lost.has_answered.load(Ordering::Relaxed)) {
            self.way.pass_over();
        }
    }

    async fn call(&self, request: Request<Body>) -> Result<Response<Body>, BoxError> {
        let held = self.held().await?;
        match held.line.call(request).await {
            Ok(answer) => {
                held.has_answered.store(true, Ordering::Relaxed);
                Ok(answer.map(|body| with_address(held.address, body)))
            }
            Err(error) => {
                self.lose(&held).await;
                Err(broken::at(&held.address, Status::from_error(error)).into())
            }
        }
    }
}

/// Returns the rest of an answer, which says from where if it breaks off.
fn with_address(address: Arc<str>, body: Body) -> Body {
    Body::new(body.map_err(move |status| broken::at(&address, status)))
}

impl Service<Request<Body>> for Transport {
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        match &mut self.0 {
            Kind::Channel(channel) => channel.poll_ready(context).map_err(Into::into),
            // Whether there is a connection shows when there is a call.
            Kind::Line(_) | Kind::Following(_) => Poll::Ready(Ok(())),
        }
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        match &mut self.0 {
            Kind::Channel(channel) => {
                let answer = channel.call(request);
                Box::pin(async { Ok(answer.await?) })
            }
            Kind::Line(line) => {
                let line = line.clone();
                Box::pin(async move { line.call(request).await })
            }
            Kind::Following(following) => {
                let following = Arc::clone(following);
                Box::pin(async move { following.call(request).await })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::net::TcpListener;
    use std::time::Duration;

    use http_body_util::{Full, Limited};
    use tonic::codegen::Bytes;

    use super::*;
    use crate::access::Access;
    use crate::broken::Broken;

    /// An export that broke off did not say what it was connected to.
    #[tokio::test]
    async fn an_answer_that_breaks_off_says_from_where_it_came() {
        let cut = Limited::new(Full::new(Bytes::from("rows")), 3).map_err(Status::from_error);
        let read = with_address("n1:6464".into(), Body::new(cut)).collect().await;
        let status = read.expect_err("it breaks off");
        assert_eq!(Broken::of(&status).map(|broken| &*broken.address), Some("n1:6464"));
    }

    #[tokio::test]
    async fn calls_that_wait_for_the_same_search_learn_how_it_ended() {
        let way = Way::new("@no such folder/address", Access::default()).expect("a file");
        let Transport(Kind::Following(following)) = Transport::along(Arc::new(way)) else {
            panic!("it follows")
        };
        // All of them wait before the first may search, however quick that is.
        let locked = following.found.lock().await;
        let mut calls: Vec<_> = (0..100).map(|_| Box::pin(following.held())).collect();
        for call in &mut calls {
            let polled = poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await;
            assert!(polled.is_pending());
        }
        drop(locked);
        for call in calls {
            let unreached = call.await.expect_err("there is no file");
            assert!(unreached.is_nobody_there, "{unreached}");
        }
        assert_eq!(following.searches.load(Ordering::Relaxed), 1);
        // A later call is a new reason to look.
        assert!(following.held().await.is_err());
        assert_eq!(following.searches.load(Ordering::Relaxed), 2);
    }

    /// Returns a connection that follows a coordinator which listens and says nothing.
    fn following() -> (TcpListener, Arc<Following>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it listens").to_string();
        let way = Way::new(&address, Access::default()).expect("an address");
        let Transport(Kind::Following(following)) = Transport::along(Arc::new(way)) else {
            panic!("it follows")
        };
        (listener, following)
    }

    #[tokio::test]
    async fn a_connection_is_kept_until_it_is_lost_itself() {
        let (_listener, following) = following();
        let first = following.held().await.expect("somebody listens");
        assert_eq!(following.held().await.expect("it is there").search, first.search);
        following.lose(&first).await;
        let second = following.held().await.expect("somebody listens");
        assert_ne!(second.search, first.search);
        // Other calls over the first one may end later.
        following.lose(&first).await;
        assert_eq!(following.held().await.expect("it is there").search, second.search);
    }

    #[tokio::test]
    async fn a_connection_that_has_ended_is_looked_for_again_before_the_next_call() {
        let (listener, following) = following();
        let first = following.held().await.expect("somebody listens");
        drop(listener.accept().expect("it has connected"));
        while !first.line.has_ended() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_ne!(following.held().await.expect("somebody listens").search, first.search);
    }

    #[tokio::test]
    async fn the_next_search_passes_over_an_address_only_if_nobody_has_answered_there() {
        let (_listener, following) = following();
        let mute = following.held().await.expect("somebody listens");
        following.lose(&mute).await;
        assert_eq!(following.way.answered_at(), None);
        let answering = following.held().await.expect("somebody listens");
        answering.has_answered.store(true, Ordering::Relaxed);
        following.lose(&answering).await;
        assert_eq!(following.way.answered_at(), following.way.last_address());
    }

    #[tokio::test]
    async fn a_call_that_fails_gives_the_connection_up_and_says_where_it_led() {
        let (listener, following) = following();
        following.held().await.expect("somebody listens");
        drop(listener);
        let error = following.call(Request::new(Body::empty())).await.expect_err("nobody answers");
        let status = error.downcast::<Status>().expect("what calls end with");
        let broken = Broken::of(&status).expect("the connection has broken");
        assert_eq!(Some(&broken.address), following.way.last_address().as_ref());
        assert!(following.found.lock().await.reached.is_none());
    }
}
