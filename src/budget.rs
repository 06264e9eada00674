//! What a request may cost, and what is left when it has cost that.

use std::cell::Cell;
use std::time::Duration;

use clap::Args;
use outflank_coordinator::client::Update;
use outflank_coordinator::core::{Progress, Solution, Source};
use outflank_engine::Bound;
use tokio::sync::watch;

/// What solving one position may cost.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Budget {
    /// Stop at a position after about N nodes, with the bounds proved so far and exit code 8. The
    /// coordinator tells the count twice a second, and one more job may end meanwhile. It thinks no
    /// longer than N nodes itself before there is a job to count.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Stop at a position after so many seconds, with the bounds proved so far and exit code 8.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|number| Duration::try_from_secs_f64(number).ok());
    let positive = seconds.filter(|time| !time.is_zero());
    positive.ok_or_else(|| "expected a number of seconds above 0, such as 2.5".to_owned())
}

/// What is known of a running request.
#[derive(Debug)]
pub(crate) struct Meter {
    budget: Budget,
    progress: watch::Sender<Option<Progress>>,
    /// The nodes of attempts that were lost with the coordinator. Of jobs that go on at their workers meanwhile the
    /// next attempt tells all nodes again: these count twice.
    earlier: Cell<u64>,
}

impl Budget {
    /// Returns whether a request may cost what it likes.
    pub(crate) fn is_open(self) -> bool {
        self.nodes.is_none() && self.time.is_none()
    }

    /// Returns the nodes that a request may cost, if they are limited.
    pub(crate) const fn nodes(self) -> Option<u64> {
        self.nodes
    }

    /// Returns a meter for a request that begins now.
    pub(crate) fn meter(self) -> Meter {
        Meter { budget: self, progress: watch::Sender::new(None), earlier: Cell::new(0) }
    }

    async fn spent(self, mut progress: watch::Receiver<Option<Progress>>) {
        let in_time = async {
            match self.time {
                Some(time) => tokio::time::sleep(time).await,
                None => std::future::pending().await,
            }
        };
        let limit = self.nodes.unwrap_or(u64::MAX);
        let is_over =
            |known: &Option<Progress>| known.as_ref().is_some_and(|known| known.nodes >= limit);
        tokio::select! {
            () = in_time => {}
            Ok(_) = progress.wait_for(is_over) => {}
        }
    }
}

impl Meter {
    /// Notes what is new.
    pub(crate) fn update(&self, update: &Update) {
        match update {
            Update::Progress(progress) => {
                let nodes = self.earlier.get().saturating_add(progress.nodes);
                self.progress.send_replace(Some(Progress { nodes, ..progress.clone() }));
            }
            Update::Lost { .. } => {
                let known = self.progress.borrow();
                self.earlier.set(known.as_ref().map_or(0, |known| known.nodes));
            }
            Update::Accepted | Update::Notice(_) => {}
        }
    }

    /// Completes when the budget is spent, with what has been proved by then.
    pub(crate) fn spent(&self) -> impl Future<Output = Solution> + use<> {
        let (budget, progress) = (self.budget, self.progress.subscribe());
        async move {
            budget.spent(progress.clone()).await;
            let known = progress.borrow();
            partial(known.as_ref())
        }
    }
}

/// Returns what is proved of a request that goes no further.
fn partial(known: Option<&Progress>) -> Solution {
    let reused = known.map_or(0, |known| known.reused);
    Solution {
        bound: known.map_or(Bound::UNKNOWN, |known| known.bound),
        best_move: None,
        line: Vec::new(),
        nodes: known.map_or(0, |known| known.nodes),
        jobs: known.map_or(0, |known| known.jobs_done),
        reused,
        source: if reused == 0 { Source::Search } else { Source::Both },
        unaudited: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank_engine::Window;

    fn progress(nodes: u64) -> Update {
        Update::Progress(Progress {
            bound: Bound::at_least(outflank_engine::Score::DRAW),
            window: Window::FULL,
            jobs_open: 1,
            jobs_done: 2,
            reused: 0,
            nodes,
            predicted_nodes: nodes,
            workers: 1,
        })
    }

    #[tokio::test]
    async fn what_was_proved_is_there_when_the_nodes_are_spent() {
        let meter = Budget { nodes: Some(100), time: None }.meter();
        let spent = meter.spent();
        meter.update(&progress(99));
        meter.update(&progress(100));
        let solution = spent.await;
        assert_eq!((solution.nodes, solution.jobs), (100, 2));
        assert_eq!(solution.bound, Bound::at_least(outflank_engine::Score::DRAW));
    }

    #[test]
    fn what_was_searched_before_the_coordinator_was_lost_counts() {
        let meter = Budget::default().meter();
        meter.update(&progress(60));
        for _ in 0..2 {
            meter.update(&Update::Lost { cause: "gone".to_owned(), retry_in: Duration::ZERO });
        }
        meter.update(&progress(10));
        meter.update(&progress(40));
        assert_eq!(partial(meter.progress.borrow().as_ref()).nodes, 100);
    }

    #[tokio::test]
    async fn time_is_spent_without_any_progress() {
        let budget = Budget { nodes: Some(1), time: Some(Duration::from_millis(1)) };
        let solution = budget.meter().spent().await;
        assert_eq!((solution.nodes, solution.bound), (0, Bound::UNKNOWN));
    }

    #[test]
    fn times_are_positive() {
        assert_eq!(seconds("2.5"), Ok(Duration::from_millis(2500)));
        for bad in ["0", "-1", "", "x", "inf", "1e99"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
