//! One question of a row on its way to the core and back.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use outflank_proto::message::{Solution, SolveUpdate};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};

use super::Order;
use crate::campaign::Ask;
use crate::core::{Event, SolveId};
use crate::service::{Shared, stopping};

/// The length of the queue of updates: progress is only looked at.
const QUEUE: usize = 4;

/// Asks the core and tells the campaigns what came of it; nothing if the question is given up.
pub(super) async fn fly(shared: Arc<Shared>, ask: Ask, given_up: CancellationToken) {
    let solve = SolveId(shared.next_solve.fetch_add(1, Ordering::Relaxed));
    let answer = given_up.run_until_cancelled(answer(&shared, &ask, solve)).await;
    if shared.links.remove_solve(solve) {
        shared.events.send(Event::Abandoned { solve }).await;
    }
    let (life, row) = (ask.life, ask.row);
    let order = match answer {
        None => return,
        Some(Ok(solution)) => {
            Order::Answered { life, row, bound: solution.bound, nodes: solution.nodes }
        }
        Some(Err(status)) => {
            tracing::debug!(row, %status, "no answer for a row");
            Order::Failed { life, row, disputed: status.code() == Code::DataLoss }
        }
    };
    shared.campaigns.tell(order).await;
}

async fn answer(shared: &Shared, ask: &Ask, solve: SolveId) -> Result<Solution, Status> {
    let (queue, mut updates) = mpsc::channel(QUEUE);
    shared.links.add_solve(solve, queue)?;
    let &Ask { position, window, terms, .. } = ask;
    shared.events.send(Event::Enlisted { solve, position, window, terms }).await;
    while let Some(update) = updates.recv().await {
        match update?.try_into()? {
            SolveUpdate::Solution(solution) => return Ok(solution),
            SolveUpdate::Progress(progress) => ask.nodes.store(progress.nodes, Ordering::Relaxed),
            SolveUpdate::Notice(text) => tracing::debug!(text, "told to all who wait"),
        }
    }
    Err(stopping())
}
