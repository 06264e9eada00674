//! What a client of a coordinator does: asks for a position's value and waits, through losses of the
//! connection, for the answer.

mod campaigns;
mod fleet;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use outflank_engine::{Bound, Position, Window};
pub use outflank_proto::message::Fetched;
pub use outflank_proto::message::SolveRequest;
use outflank_proto::message::SolveUpdate;
use outflank_proto::v1::solver_client::SolverClient;
pub use outflank_proto::{Access, Connection};
use outflank_proto::{
    Backoff, Broken, InvalidAddress, Unreached, Way, is_made_up, is_store_failure, v1, words,
};
use tokio::time::{Instant, sleep, timeout};
use tonic::{Code, Request, Status, Streaming, TimeoutExpired};

use crate::core::{Progress, Solution};
pub use campaigns::{CampaignsClient, Rows};
pub use fleet::FleetClient;

/// How long a client tries to reach a coordinator that it has lost.
pub const RETRY_LIMIT: Duration = Duration::from_secs(60);

/// How long a client waits for a coordinator that does not listen yet: one that was started at the same time opens
/// its store first.
pub const START_LIMIT: Duration = Duration::from_secs(3);

/// How long a coordinator may take to answer the first call over a connection, which costs it next to nothing. Somebody
/// who answers the connection's pings and no call would be waited for without end.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// The first time before a new try, the shortest, and the longest ([`Backoff`]).
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// How long a client that has its answer waits for the end of the call.
const END_LIMIT: Duration = Duration::from_secs(1);

/// How long workers may take to say how far they came with what was given up.
pub const TOLD_WITHIN: Duration = Duration::from_millis(500);
const ASK_AGAIN_AFTER: Duration = Duration::from_millis(10);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The coordinator's address cannot be one, or the token would be sent there in clear.
    #[error(transparent)]
    Address(#[from] InvalidAddress),
    /// No connection to the coordinator could be made.
    #[error("cannot reach the coordinator: {cause}")]
    Unreachable {
        /// Why.
        cause: String,
    },
    /// Nothing listens at the coordinator's address.
    #[error("cannot reach the coordinator: {cause}")]
    NotListening {
        /// What the system says.
        cause: String,
    },
    /// The connection to the coordinator has broken before a call over it was answered to the end.
    #[error("the connection to the coordinator at {address} broke: {cause}")]
    Broken {
        /// The coordinator's address.
        address: String,
        /// Why.
        cause: String,
    },
    /// The coordinator does not know the client's token, or wants one.
    #[error("the coordinator does not admit this client: {reason}")]
    Unauthenticated {
        /// Why.
        reason: String,
    },
    /// The client's token is for something else.
    #[error("the coordinator does not permit this: {reason}")]
    NotPermitted {
        /// The token's role, and the one that was expected.
        reason: String,
    },
    /// The coordinator does not take the request; asking again does not help.
    #[error("the coordinator refuses the request: {reason}")]
    Refused {
        /// Why.
        reason: String,
    },
    /// The request names or contains something that cannot be.
    #[error("{reason}")]
    Rejected {
        /// What, where, and what was expected.
        reason: String,
    },
    /// Two proofs contradict each other, so that nothing is proved.
    #[error("no answer can be trusted: {reason}")]
    Contradicted {
        /// The two proofs.
        reason: String,
    },
    /// The coordinator could not read or write its store or a campaign's files.
    #[error("{reason}")]
    Store {
        /// Why.
        reason: String,
    },
    /// The coordinator has failed.
    #[error("{reason}")]
    Failed {
        /// Why.
        reason: String,
    },
    /// The connection was lost and could not be made again in time.
    #[error("lost the coordinator and could not reach it again within {} seconds: {cause}", limit.as_secs())]
    Lost {
        /// Why the last try failed.
        cause: String,
        /// How long was tried.
        limit: Duration,
    },
}

/// What a client hears while it waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// The coordinator has taken the request on; earlier ones come first.
    Accepted,
    /// How far the request has come.
    Progress(Progress),
    /// Something that the user should know, such as that a worker was wrong.
    Notice(String),
    /// The connection is lost; the request will be made again.
    Lost {
        /// Why.
        cause: String,
        /// When it will be made again.
        retry_in: Duration,
    },
}

/// Connects to the coordinator at `address`, which says what [`Way::new`] takes. The connection follows the
/// coordinator: when it is lost, the next call looks for it again.
///
/// # Errors
/// [`ClientError::Address`], [`ClientError::Unreachable`] and [`ClientError::NotListening`], or what the coordinator
/// says.
pub async fn connect(address: &str, access: &Access) -> Result<Connection, ClientError> {
    connect_along(&Arc::new(Way::new(address, access.clone())?), ANSWER_LIMIT).await
}

/// Connects along `way`; the first answer may take so long as `limit` says, from the moment when there is a connection.
async fn connect_along(way: &Arc<Way>, limit: Duration) -> Result<Connection, ClientError> {
    let connection = way.follow();
    let mut client = SolverClient::new(connection.clone());
    let mut left = way.count().await;
    loop {
        left -= 1;
        // Whatever listens there must be a coordinator: only those are worth trying again later.
        let mut request = Request::new(v1::StatusRequest {});
        request.set_timeout(limit);
        match client.status(request).await {
            Ok(_) => return Ok(connection),
            Err(status) => match refusal(&status, way, limit) {
                // It may be at the next address.
                ClientError::Unreachable { .. } if left > 0 => {}
                error => return Err(error),
            },
        }
    }
}

/// Returns why the first call has failed, whose answer was waited for until `limit`.
fn refusal(status: &Status, way: &Way, limit: Duration) -> ClientError {
    if let Some(error) = final_error(status) {
        return error;
    }
    match unreached(status).cloned() {
        Some(Unreached { cause, is_nobody_there: true, .. }) => ClientError::NotListening { cause },
        Some(Unreached { cause, .. }) => ClientError::Unreachable { cause },
        None => {
            let is_late = status.message() == TimeoutExpired(()).to_string();
            let cause = if is_late { unanswered(limit) } else { causes(status) };
            let address = way.last_address().unwrap_or_default();
            let hint = way.hint(&cause);
            // With a hint the words are what it was drawn from.
            let cause = if hint.is_empty() { words::in_short(cause) } else { cause };
            ClientError::Unreachable { cause: format!("{address}: {cause}{hint}") }
        }
    }
}

/// Returns why there was no connection to make the call over, if that is what has gone wrong.
fn unreached(status: &Status) -> Option<&Unreached> {
    status.source().and_then(|source| source.downcast_ref())
}

fn unanswered(limit: Duration) -> String {
    format!("somebody listens there, and has not answered within {} s", limit.as_secs_f64())
}

/// Connects as [`connect`] does. If nothing listens there yet, `on_wait` is called, and it is tried again for
/// [`START_LIMIT`].
///
/// # Errors
/// As [`connect`].
pub async fn connect_at_start(
    address: &str,
    access: &Access,
    on_wait: impl FnOnce(),
) -> Result<Connection, ClientError> {
    let way = Arc::new(Way::new(address, access.clone())?);
    let begin = Instant::now();
    let mut on_wait = Some(on_wait);
    loop {
        match connect_along(&way, ANSWER_LIMIT).await {
            Err(ClientError::NotListening { .. }) if begin.elapsed() < START_LIMIT => {
                if let Some(on_wait) = on_wait.take() {
                    on_wait();
                }
                sleep(FIRST_WAIT).await;
            }
            decided => return decided,
        }
    }
}

/// Asks for the value of `position` in `window` and waits for the answer, as [`ask`] does.
///
/// # Errors
/// [`ClientError`] says why there is no answer.
pub async fn solve(
    connection: Connection,
    position: Position,
    window: Window,
    on_update: impl FnMut(Update),
) -> Result<Solution, ClientError> {
    ask(connection, SolveRequest { position, window, node_budget: None }, on_update).await
}

/// Asks what `request` says and waits for the answer.
///
/// `on_update` hears of the progress. If the coordinator at the other end of `connection` goes away,
/// because it is restarted, here or elsewhere, the request is made again for up to [`RETRY_LIMIT`]; what has been
/// proved is in its store. Dropping the future abandons the request.
///
/// # Errors
/// [`ClientError`] says why there is no answer.
pub async fn ask(
    connection: Connection,
    request: SolveRequest,
    on_update: impl FnMut(Update),
) -> Result<Solution, ClientError> {
    let mut solving = Solving::new(connection, on_update);
    loop {
        match solving.attempt(request).await {
            Ok(solution) => return Ok(solution),
            Err(status) => solving.recover(status).await?,
        }
    }
}

/// Returns what is proved of `position` and kept by the coordinator at the other end of `connection`.
///
/// # Errors
/// [`ClientError`] says why nobody can tell; unlike [`ask`] this makes one try, of half a minute at most.
pub async fn fetch(connection: Connection, position: Position) -> Result<Fetched, ClientError> {
    let mut request = Request::new(v1::FetchRequest { position: Some(position.into()) });
    request.set_timeout(ANSWER_LIMIT);
    let answer = SolverClient::new(connection).fetch(request).await;
    let answer = answer.map_err(|status| call_error(&status))?.into_inner();
    Fetched::try_from(answer).map_err(|field| call_error(&field.into()))
}

/// Returns what is proved of `position` after a request for it was given up, when `known` was proved: workers that are
/// stopped say how far they came, which takes the network and the disk a moment. Waits until there is more than `known`,
/// until `is_over` says that nobody has anything left to say, or for [`TOLD_WITHIN`]; what comes later is kept, too.
/// Where the coordinator does not answer, that is all that is known.
pub async fn left_over(
    connection: Connection,
    position: Position,
    known: Bound,
    is_over: impl Fn() -> bool,
) -> Fetched {
    let deadline = Instant::now() + TOLD_WITHIN;
    loop {
        let is_over = is_over() || Instant::now() >= deadline;
        let asked = fetch(connection.clone(), position);
        let Ok(Ok(fetched)) = timeout(TOLD_WITHIN, asked).await else {
            return Fetched { bound: known, best_move: None };
        };
        let bound = known.merge(fetched.bound).unwrap_or(known);
        if is_over || bound != known {
            return Fetched { bound, ..fetched };
        }
        sleep(ASK_AGAIN_AFTER).await;
    }
}

/// A request under way.
struct Solving<F> {
    client: SolverClient<Connection>,
    /// Since when the coordinator is known to be away; `None` while it is thought to be there.
    lost: Option<Instant>,
    /// How long to wait before the next try.
    wait: Duration,
    /// The times after that.
    backoff: Backoff,
    on_update: F,
}

impl<F: FnMut(Update)> Solving<F> {
    fn new(connection: Connection, on_update: F) -> Self {
        Self {
            client: SolverClient::new(connection),
            lost: None,
            wait: FIRST_WAIT,
            backoff: Backoff::new(FIRST_WAIT, LONGEST_WAIT),
            on_update,
        }
    }

    async fn attempt(&mut self, request: SolveRequest) -> Result<Solution, Status> {
        let mut updates = self.client.solve(v1::SolveRequest::from(request)).await?.into_inner();
        self.heard();
        (self.on_update)(Update::Accepted);
        loop {
            match next(&mut updates).await? {
                SolveUpdate::Solution(solution) => {
                    read_to_the_end(updates).await;
                    return Ok(solution);
                }
                SolveUpdate::Notice(text) => (self.on_update)(Update::Notice(text)),
                SolveUpdate::Progress(progress) => {
                    self.heard();
                    (self.on_update)(Update::Progress(progress));
                }
            }
        }
    }

    fn heard(&mut self) {
        self.lost = None;
        self.backoff.reset();
        self.wait = FIRST_WAIT;
    }

    /// Waits until it is time for another attempt, or says why there is none.
    async fn recover(&mut self, status: Status) -> Result<(), ClientError> {
        if let Some(error) = final_error(&status) {
            return Err(error);
        }
        let cause = or_made_up(&status, words::of_loss(&status));
        // Not since it was heard last: this process may have been stopped since then.
        let lost = *self.lost.get_or_insert_with(Instant::now);
        if lost.elapsed() + self.wait > RETRY_LIMIT {
            return Err(ClientError::Lost { cause, limit: RETRY_LIMIT });
        }
        tracing::debug!(cause, "lost the coordinator");
        (self.on_update)(Update::Lost { cause, retry_in: self.wait });
        sleep(self.wait).await;
        self.wait = self.backoff.draw();
        Ok(())
    }
}

/// Reads what follows the answer, which is the end of the stream. Were the stream dropped before, its end would be a
/// frame of a call that is not known any more: the connection refuses each of them, and breaks at the thousandth.
async fn read_to_the_end(mut updates: Streaming<v1::SolveUpdate>) {
    let rest = async { while let Ok(Some(_)) = updates.message().await {} };
    // Whoever does not end it in time has answered all the same.
    drop(timeout(END_LIMIT, rest).await);
}

async fn next(updates: &mut Streaming<v1::SolveUpdate>) -> Result<SolveUpdate, Status> {
    let Some(update) = updates.message().await? else {
        return Err(Status::unavailable("the coordinator closed the stream without an answer"));
    };
    Ok(update.try_into()?)
}

/// Returns the final error that a status stands for, or `None` if another try may help.
fn final_error(status: &Status) -> Option<ClientError> {
    if let Some(Unreached { refusal: Some(refusal), .. }) = unreached(status) {
        return Some(refusal.clone().into());
    }
    if status.source().is_some() || is_made_up(status) {
        return None; // It was made on this side: the connection broke, or leads to something else for a while.
    }
    let reason = status.message().to_owned();
    match status.code() {
        Code::Unavailable | Code::Cancelled | Code::Unknown | Code::DeadlineExceeded => None,
        Code::Unauthenticated => Some(ClientError::Unauthenticated { reason }),
        Code::PermissionDenied => Some(ClientError::NotPermitted { reason }),
        Code::DataLoss => Some(ClientError::Contradicted { reason }),
        Code::Internal if is_store_failure(status) => Some(ClientError::Store { reason }),
        Code::Internal => Some(ClientError::Failed { reason }),
        _ => Some(ClientError::Refused { reason }),
    }
}

/// Returns the error that the status of a call stands for which is not made again.
fn call_error(status: &Status) -> ClientError {
    if let Some(error) = final_error(status) {
        return error;
    }
    let Some(Broken { address, .. }) = Broken::of(status) else {
        return ClientError::Unreachable { cause: causes(status) };
    };
    let cause = match words::of_loss(status) {
        cause if cause == words::BROKE => "it has ended, or the network failed".to_owned(),
        cause => cause,
    };
    ClientError::Broken { address: address.clone(), cause }
}

/// Returns what went wrong and its causes on one line, each said once.
fn causes(status: &Status) -> String {
    or_made_up(status, words::of_status(status))
}

/// Returns `text`, which is what `status` says, or that it says nothing of a coordinator.
fn or_made_up(status: &Status, text: String) -> String {
    if is_made_up(status) { format!("what answers there is no coordinator: {text}") } else { text }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use tonic::transport::Endpoint;

    use super::*;

    /// Commands waited without end for somebody who answered pings and nothing else.
    #[tokio::test]
    async fn who_listens_and_answers_no_call_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it listens").to_string();
        let way = Arc::new(Way::new(&address, Access::default()).expect("an address"));
        let error = connect_along(&way, Duration::from_millis(10)).await.expect_err("no answer");
        assert!(matches!(error, ClientError::Unreachable { .. }), "{error:?}");
        let said = error.to_string();
        let expected =
            format!("{address}: somebody listens there, and has not answered within 0.01 s");
        assert!(said.ends_with(&expected), "{said}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_was_stopped_for_long_tries_for_as_long_as_any_when_it_goes_on() {
        let channel = Endpoint::from_static("http://test").connect_lazy();
        let mut solving = Solving::new(Access::default().over(channel), |_| ());
        solving.heard();
        tokio::time::advance(2 * RETRY_LIMIT).await;
        let begin = Instant::now();
        while solving.recover(Status::unavailable("away")).await.is_ok() {}
        let tried = begin.elapsed();
        assert!((RETRY_LIMIT - LONGEST_WAIT..=RETRY_LIMIT).contains(&tried), "{tried:?}");
    }
}
