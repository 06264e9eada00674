//! Several positions at once, for a coordinator that may have several workers, and where they are easy.
//!
//! A worker that searches a whole position takes fewer nodes than two that share it, so that workers
//! should have a position each as long as there are enough of them. And an easy position is solved before the answer to
//! the one before it is on disk, so that its search should not wait for that.

use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;
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

/// The most empty squares of a position that is easy: it takes a tenth of a second or so on one thread, of which more
/// threads would save little.
const EASY: u32 = 20;

/// Who solves a list of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Solver {
    /// A cluster: all positions are asked side by side.
    Cluster,
    /// This process: a position that is not easy is alone, and has all threads.
    Here,
}

impl Solver {
    /// Returns the places, from `first` on, of the questions that are asked side by side.
    pub(super) fn side_by_side(self, problems: &[Problem], first: usize) -> Range<usize> {
        let is_in = |problem: &&Problem| match self {
            Self::Cluster => true,
            Self::Here => problem.position.empties() <= EASY,
        };
        first..first + problems[first..].iter().take_while(is_in).count()
    }
}

/// The answers to a list of positions, as they come.
#[derive(Debug)]
pub(super) struct Together {
    solver: Solver,
    connection: Connection,
    window: Window,
    display: ListDisplay,
    /// The positions that were not asked yet, by their places in the list.
    waiting: Range<usize>,
    /// Ends when the coordinator has taken on the position that was asked for last.
    accepted: Option<oneshot::Receiver<()>>,
    open: JoinSet<Ended>,
    /// What came before its turn.
    early: BTreeMap<usize, (Solution, Duration)>,
    /// When the last answer came, or the first position was asked.
    last: Instant,
}

/// A request that has ended.
#[derive(Debug)]
struct Ended {
    place: usize,
    solved: Result<Solution, Failure>,
    asked: Instant,
}

impl Together {
    /// Asks for the positions at `places` in the order of the list, in which the answers are wanted. To be called inside
    /// a runtime.
    pub(super) fn ask(
        solver: Solver,
        connection: Connection,
        problems: &[Problem],
        places: Range<usize>,
        window: Window,
        quiet: bool,
    ) -> Self {
        let display = ListDisplay::start(places.start..problems.len(), quiet);
        let mut together = Self {
            solver,
            connection,
            window,
            display,
            waiting: places,
            accepted: None,
            open: JoinSet::new(),
            early: BTreeMap::new(),
            last: Instant::now(),
        };
        for _ in 0..MOST {
            together.ask_next(problems);
        }
        together
    }

    fn ask_next(&mut self, problems: &[Problem]) {
        let Some(place) = self.waiting.next() else { return };
        let (connection, window) = (self.connection.clone(), self.window);
        let position = problems[place].position;
        let display = self.display.clone();
        let (accept, accepted) = oneshot::channel();
        let (mut accept, earlier) = (Some(accept), self.accepted.replace(accepted));
        self.open.spawn(async move {
            if let Some(earlier) = earlier {
                drop(earlier.await); // nothing is ever sent: the other end is dropped
            }
            let asked = Instant::now();
            let on_update = |update| {
                if matches!(update, Update::Accepted) {
                    drop(accept.take());
                }
                display.update(place, &update);
            };
            let solved = client::solve(connection, position, window, on_update).await;
            display.solved(place, solved.as_ref().ok().map(|solution| solution.nodes));
            Ended { place, solved: solved.map_err(client_failure), asked }
        });
    }

    /// Returns the answer for the position at `place`, and how long it took: since it was asked, on a cluster, whose
    /// workers nobody has for himself; here since the answer before it, so that times add up.
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
            let Ended { place, solved, asked } = ended.context("waiting for an answer")?;
            let before = mem::replace(&mut self.last, Instant::now());
            let begin = match self.solver {
                Solver::Cluster => asked,
                Solver::Here => asked.max(before),
            };
            self.early.insert(place, (solved?, self.last - begin));
            self.ask_next(problems);
        }
    }

    /// Returns whether all answers have been returned.
    pub(super) fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.open.is_empty() && self.early.is_empty()
    }

    /// Prints something on standard output while the progress is out of the way.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.display.aside(print)
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::notation::Side;
    use outflank_engine::{Bound, Position};

    use super::*;

    #[test]
    fn a_position_that_is_not_easy_is_alone_in_this_process() {
        let of = |empties| {
            let position = Position::new(u64::MAX << empties, 0).expect("no square has two discs");
            Problem { position, side: Side::Black, expected: Vec::new(), bound: Bound::UNKNOWN }
        };
        let list = [of(20), of(19), of(21), of(30), of(20)];
        let places = |solver: Solver, first| solver.side_by_side(&list, first);
        assert_eq!(places(Solver::Here, 0), 0..2);
        assert_eq!(places(Solver::Here, 1), 1..2);
        assert_eq!(places(Solver::Here, 2), 2..2);
        assert_eq!(places(Solver::Here, 3), 3..3);
        assert_eq!(places(Solver::Here, 4), 4..5);
        assert_eq!(places(Solver::Cluster, 0), 0..5);
    }
}
