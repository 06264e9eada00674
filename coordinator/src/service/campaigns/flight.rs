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

#[cfg(test)]
mod tests {
    use outflank_engine::{Bound, Position, Score, Window};
    use outflank_proto::message::{Progress, Source};

    use super::super::channel;
    use super::*;
    use crate::core::Terms;
    use crate::service::solver::tests::deaf_beside;

    /// Asks, lets the core say this, and returns what the campaigns are told, and the nodes that they saw.
    async fn told(
        progress: Option<Progress>,
        answer: Result<SolveUpdate, Status>,
    ) -> (Option<Order>, u64) {
        let (campaigns, mut orders) = channel(None);
        let (shared, mut inputs) = deaf_beside(campaigns);
        let nodes = Arc::default();
        let ask = Ask {
            life: 3,
            row: 5,
            position: Position::START,
            window: Window::FULL,
            terms: Terms { priority: 1, split_to: None },
            nodes: Arc::clone(&nodes),
        };
        let core = async {
            inputs.recv().await.expect("the core is asked");
            if let Some(progress) = progress {
                shared.links.progress(SolveId(1), SolveUpdate::Progress(progress));
            }
            shared.links.finish(SolveId(1), answer);
        };
        tokio::join!(fly(Arc::clone(&shared), ask, CancellationToken::new()), core);
        (orders.recv().await, nodes.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn a_row_is_disputed_only_if_proofs_contradict_each_other() {
        for (status, expected) in [(Status::data_loss("two proofs"), true), (stopping(), false)] {
            let (Some(Order::Failed { life, row, disputed }), _) = told(None, Err(status)).await
            else {
                panic!("the question has no answer")
            };
            assert_eq!((life, row, disputed), (3, 5, expected));
        }
    }

    #[tokio::test]
    async fn the_nodes_of_a_question_are_told_before_and_with_its_answer() {
        let bound = Bound::exact(Score::DRAW);
        let progress = Progress {
            bound: Bound::UNKNOWN,
            window: Window::FULL,
            jobs_open: 1,
            jobs_done: 0,
            reused: 0,
            nodes: 7,
            predicted_nodes: 10,
            workers: 1,
        };
        let solution = Solution {
            bound,
            best_move: None,
            line: Vec::new(),
            nodes: 9,
            jobs: 1,
            reused: 0,
            source: Source::Search,
            unaudited: 0,
        };
        let answer = Ok(SolveUpdate::Solution(solution));
        let (Some(Order::Answered { life, row, bound: proved, nodes }), seen) =
            told(Some(progress), answer).await
        else {
            panic!("the question is answered")
        };
        assert_eq!((life, row, proved, nodes, seen), (3, 5, bound, 9, 7));
    }
}
