//! The clients' side of the service.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use outflank_engine::{Bound, Position, Square};
use outflank_proto::message::{Fetched, SolveRequest};
use outflank_proto::v1::solver_server::Solver;
use outflank_proto::{InvalidField, v1};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::Stream;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{Request, Response, Status};

use super::Shared;
use crate::core::{Event, SolveId};

/// The length of the queue of messages to a client.
const QUEUE: usize = 16;

/// The service that clients call.
#[derive(Debug)]
pub(super) struct SolverService(pub(super) Arc<Shared>);

/// The messages to a client; dropping them abandons the request.
#[derive(Debug)]
pub(super) struct Updates {
    messages: mpsc::Receiver<Result<v1::SolveUpdate, Status>>,
    _dropped: DropGuard,
}

impl Stream for Updates {
    type Item = Result<v1::SolveUpdate, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.messages.poll_recv(context)
    }
}

#[tonic::async_trait]
impl Solver for SolverService {
    type SolveStream = Updates;

    async fn solve(&self, request: Request<v1::SolveRequest>) -> Result<Response<Updates>, Status> {
        let shared = Arc::clone(&self.0);
        let SolveRequest { position, window, node_budget } = request.into_inner().try_into()?;
        let solve = SolveId(shared.next_solve.fetch_add(1, Ordering::Relaxed));
        let (queue, messages) = mpsc::channel(QUEUE);
        shared.links.add_solve(solve, queue)?;
        let dropped = CancellationToken::new();
        let updates = Updates { messages, _dropped: dropped.clone().drop_guard() };
        let asked = Event::Submitted { solve, position, window, budget: node_budget };
        let tasks = shared.tasks.clone();
        let (accept, accepted) = oneshot::channel::<()>();
        // In a task, which goes on where the client goes while the core has much to hear: whatever is asked is given up.
        tasks.spawn(async move {
            shared.events.send(asked).await;
            drop(accept); // That is the message.
            abandon(shared, solve, dropped).await;
        });
        drop(accepted.await);
        tracing::debug!(solve = solve.0, %window, "request accepted");
        Ok(Response::new(updates))
    }

    async fn fetch(
        &self,
        request: Request<v1::FetchRequest>,
    ) -> Result<Response<v1::FetchResponse>, Status> {
        let position = position(request.into_inner())?;
        let store = Arc::clone(&self.0.store);
        let looked_up = tokio::task::spawn_blocking(move || store.get(position.canonical()));
        let stored = looked_up.await.map_err(|error| {
            Status::internal(format!("looking up a position in the store: {error}"))
        })?;
        let best_move = stored.as_ref().and_then(|stored| stored.best_move);
        let bound = stored.map_or(Bound::UNKNOWN, |stored| stored.bound);
        let best_move = best_move.and_then(|square| as_seen_by(position, square));
        Ok(Response::new(Fetched { bound, best_move }.into()))
    }

    async fn status(
        &self,
        _request: Request<v1::StatusRequest>,
    ) -> Result<Response<v1::StatusResponse>, Status> {
        let counts = self.0.links.counts();
        Ok(Response::new(v1::StatusResponse {
            build: self.0.options.build.clone(),
            workers: counts.workers,
            threads: counts.threads,
            jobs_running: counts.jobs,
            solves: counts.solves,
            proofs: self.0.store.count(),
        }))
    }
}

/// Tells the core when a client has gone before its answer came.
async fn abandon(shared: Arc<Shared>, solve: SolveId, dropped: CancellationToken) {
    tokio::select! {
        () = dropped.cancelled() => {}
        () = shared.stopping.cancelled() => {}
    }
    if shared.links.remove_solve(solve) {
        tracing::debug!(solve = solve.0, "request abandoned");
        shared.events.send(Event::Abandoned { solve }).await;
    }
}

fn position(request: v1::FetchRequest) -> Result<Position, InvalidField> {
    outflank_proto::position("position", request.position)
}

/// Returns the move of `position` that is `square` in its canonical form.
///
/// Two moves that lead to symmetric positions are equally good, so the position after the move
/// tells all that is needed.
pub(super) fn as_seen_by(position: Position, square: Square) -> Option<Square> {
    let after = position.canonical().play(square)?.canonical();
    Square::all(position.moves())
        .find(|&square| position.play(square).is_some_and(|child| child.canonical() == after))
}

#[cfg(test)]
pub(super) mod tests {
    use std::future::poll_fn;

    use outflank_engine::{Score, Window};

    use super::super::campaigns::Campaigns;
    use super::super::events::Input;
    use super::super::{Options, campaigns, events};
    use super::*;
    use crate::core::{Method, Proof};
    use crate::haste::Haste;
    use crate::service::convert;
    use crate::store::Store;

    fn deaf() -> (Arc<Shared>, mpsc::Receiver<Input>) {
        deaf_beside(campaigns::channel(None).0)
    }

    /// Returns what a service shares whose core hears nothing, and what is said to it.
    pub(in crate::service) fn deaf_beside(
        campaigns: Campaigns,
    ) -> (Arc<Shared>, mpsc::Receiver<Input>) {
        let (events, inputs) = events::channel();
        let store = Arc::new(Store::in_memory());
        let (options, haste) = (Options::default(), Haste::default());
        let shared = Shared::new(options, store, events, campaigns, haste);
        (Arc::new(shared), inputs)
    }

    fn request() -> v1::SolveRequest {
        v1::SolveRequest { position: Some(Position::START.into()), ..v1::SolveRequest::default() }
    }

    #[tokio::test]
    async fn the_core_hears_what_a_request_may_cost() {
        let (shared, mut inputs) = deaf();
        let service = SolverService(Arc::clone(&shared));
        let request = v1::SolveRequest { node_budget: Some(7), ..request() };
        let _updates = service.solve(Request::new(request)).await.expect("there is room");
        let Some(Input::Event(_, heard)) = inputs.recv().await else { panic!("no event") };
        let (solve, position, window) = (SolveId(1), Position::START, Window::FULL);
        assert_eq!(heard, Event::Submitted { solve, position, window, budget: Some(7) });
    }

    #[tokio::test]
    async fn a_request_whose_client_goes_while_the_core_has_much_to_hear_is_given_up() {
        let (shared, mut inputs) = deaf();
        while shared.events.offer(Event::Tick).is_none() {}
        let service = SolverService(Arc::clone(&shared));
        let request = request();
        let mut asking = service.solve(Request::new(request));
        assert!(poll_fn(|context| Poll::Ready(asking.as_mut().poll(context).is_pending())).await);
        assert_eq!(shared.links.counts().solves, 1);
        drop(asking);
        shared.tasks.close();
        let mut heard = Vec::new();
        while tokio::select! {
            () = shared.tasks.wait() => false,
            Some(input) = inputs.recv() => { heard.push(input); true }
        } {}
        heard.extend(std::iter::from_fn(|| inputs.try_recv().ok()));
        let said = heard.into_iter().filter_map(|input| match input {
            Input::Event(_, Event::Tick) | Input::Close => None,
            Input::Event(_, event) => Some(event),
        });
        let (solve, position, window) = (SolveId(1), Position::START, Window::FULL);
        let submitted = Event::Submitted { solve, position, window, budget: None };
        let expected = [submitted, Event::Abandoned { solve }];
        assert_eq!(said.collect::<Vec<_>>(), expected);
        assert_eq!(shared.links.counts().solves, 0, "it keeps its place for ever");
    }

    #[tokio::test]
    async fn the_move_that_is_fetched_is_one_of_the_position_as_given() {
        let (shared, _inputs) = deaf();
        let position = Position::START.play(Square::new(19).unwrap()).unwrap();
        let canonical = position.canonical();
        let after = |position: Position, square| position.play(square).map(Position::canonical);
        let is_another = |&square: &Square| after(position, square) != after(canonical, square);
        let best = Square::all(canonical.moves()).find(is_another).unwrap();
        let proof = Proof::of(canonical, Bound::at_least(Score::DRAW), Method::Search);
        let proof = Proof { best_move: Some(best), ..proof };
        shared.store.append(&[convert::record(&proof, Arc::default())]).unwrap();
        let request = v1::FetchRequest { position: Some(position.into()) };
        let fetched = SolverService(shared).fetch(Request::new(request)).await.unwrap();
        let fetched = fetched.into_inner().best_move.and_then(Square::new).unwrap();
        assert_eq!(after(position, fetched), after(canonical, best));
    }

    #[test]
    fn a_canonical_move_is_turned_to_the_position_as_given() {
        let position = Position::START.play(Square::new(19).unwrap()).unwrap();
        let canonical = position.canonical();
        assert_ne!(position, canonical, "the test needs a position that is not canonical");
        for square in Square::all(canonical.moves()) {
            let seen = as_seen_by(position, square).unwrap();
            let (one, other) = (canonical.play(square).unwrap(), position.play(seen).unwrap());
            assert_eq!(one.canonical(), other.canonical());
        }
    }
}
