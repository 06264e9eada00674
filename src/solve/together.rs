//! Several positions at once, for a coordinator that may have several workers.
//!
//! A worker that searches a whole position takes fewer nodes than two that share it, so that workers
//! should have a position each as long as there are enough of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use anyhow::Context;
use outflank_coordinator::client::{self, Connection};
use outflank_coordinator::core::Solution;
use outflank_engine::Window;
use outflank_engine::notation::Problem;
use tokio::task::JoinSet;

use crate::cluster::client_failure;
use crate::exit::Failure;
use crate::progress::Display;

/// The most requests that are open at a time; a longer list is better made a campaign.
const MOST: usize = 100;

/// The answers to a list of positions, as they come.
#[derive(Debug)]
pub(super) struct Together {
    connection: Connection,
    window: Window,
    quiet: bool,
    /// The positions that were not asked yet, by their places in the list.
    waiting: VecDeque<usize>,
    open: JoinSet<(usize, Result<Solution, Failure>, Duration)>,
    /// What came before its turn.
    early: BTreeMap<usize, (Solution, Duration)>,
}

impl Together {
    /// Asks for the positions, those with the most empty squares first: so the last ones are short, and
    /// nobody waits long for them. To be called inside a runtime.
    pub(super) fn ask(
        connection: Connection,
        problems: &[Problem],
        window: Window,
        quiet: bool,
    ) -> Self {
        let mut places: Vec<usize> = (0..problems.len()).collect();
        places.sort_by_key(|&place| Reverse(problems[place].position.empties()));
        let (waiting, open, early) = (VecDeque::from(places), JoinSet::new(), BTreeMap::new());
        let mut together = Self { connection, window, quiet, waiting, open, early };
        for _ in 0..MOST {
            together.ask_next(problems);
        }
        together
    }

    fn ask_next(&mut self, problems: &[Problem]) {
        let Some(place) = self.waiting.pop_front() else { return };
        let (connection, window) = (self.connection.clone(), self.window);
        let position = problems[place].position;
        let name = format!("[{}/{}]", place + 1, problems.len());
        let quiet = self.quiet;
        self.open.spawn(async move {
            let begin = Instant::now();
            let mut display = Display::start(name, quiet);
            let on_update = |update| display.update(&update);
            let solved = client::solve(connection, position, window, on_update).await;
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
}
