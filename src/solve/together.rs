//! Several positions at once, for a coordinator that may have several workers.
//!
//! A worker that searches a whole position takes fewer nodes than two that share it, so that workers
//! should have a position each as long as there are enough of them.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use anyhow::Context;
use outflank_coordinator::client::{self, Connection, Update};
use outflank_coordinator::core::Solution;
use outflank_engine::Window;
use outflank_engine::notation::Problem;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::exit::{Failure, client_failure};
use crate::progress::ListDisplay;

/// The most requests that are open at a time; a longer list is better made a campaign.
const MOST: usize = 100;

/// The answers to a list of positions, as they come.
#[derive(Debug)]
pub(super) struct Together {
    connection: Connection,
    window: Window,
    display: ListDisplay,
    /// The positions that were not asked yet, by their places in the list.
    waiting: VecDeque<usize>,
    /// Ends when the coordinator has taken on the position that was asked for last.
    accepted: Option<oneshot::Receiver<()>>,
    open: JoinSet<(usize, Result<Solution, Failure>, Duration)>,
    /// What came before its turn.
    early: BTreeMap<usize, (Solution, Duration)>,
}

impl Together {
    /// Asks for the positions in the order of the list, in which the answers are wanted. To be called inside a
    /// runtime.
    pub(super) fn ask(
        connection: Connection,
        problems: &[Problem],
        window: Window,
        quiet: bool,
    ) -> Self {
        let (waiting, open, early) =
            ((0..problems.len()).collect(), JoinSet::new(), BTreeMap::new());
        let display = ListDisplay::start(problems.len(), quiet);
        let accepted = None;
        let mut together = Self { connection, window, display, waiting, accepted, open, early };
        for _ in 0..MOST {
            together.ask_next(problems);
        }
        together
    }

    fn ask_next(&mut self, problems: &[Problem]) {
        let Some(place) = self.waiting.pop_front() else { return };
        let (connection, window) = (self.connection.clone(), self.window);
        let position = problems[place].position;
        let display = self.display.clone();
        let (accept, accepted) = oneshot::channel();
        let (mut accept, earlier) = (Some(accept), self.accepted.replace(accepted));
        self.open.spawn(async move {
            if let Some(earlier) = earlier {
                drop(earlier.await); // nothing is ever sent: the other end is dropped
            }
            let begin = Instant::now();
            let on_update = |update| {
                if matches!(update, Update::Accepted) {
                    drop(accept.take());
                }
                display.update(place, &update);
            };
            let solved = client::solve(connection, position, window, on_update).await;
            display.solved(place);
            (place, solved.map_err(client_failure), begin.elapsed())
        });
    }

    /// Returns the answer for the position at `place`, and the time since it was asked for.
    pub(super) async fn answer(
        &mut self,
        place: usize,
        problems: &[Problem],
    ) -> Result<(Solution, Duration), Failure> {
        loop {
            if let Some(answer) = self.early.remove(&place) {
                return Ok(answer);
            }
            let ended = self.open.join_next().await.context("a position was not asked for")?;
            let (other, solved, time) = ended.context("waiting for an answer")?;
            self.early.insert(other, (solved?, time));
            self.ask_next(problems);
        }
    }

    /// Prints something on standard output while the progress is out of the way.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.display.aside(print)
    }
}
