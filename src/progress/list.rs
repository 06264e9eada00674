//! Progress of positions that are solved side by side: one display for the whole list.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use outflank_coordinator::client::Update;

use super::{Display, Work};

/// All requests lose their connection at once: after the first has said so the others keep quiet this long.
const LOST_EVERY: Duration = Duration::from_secs(1);

/// Shows how far a list of positions has come; copies share one display.
#[derive(Clone, Debug)]
pub(crate) struct ListDisplay(Arc<Mutex<List>>);

#[derive(Debug)]
struct List {
    display: Display,
    positions: usize,
    solved: usize,
    /// What was last heard of the positions, by their places in the list.
    work: BTreeMap<usize, Work>,
    /// How many workers are connected: what was last heard of any position, since nobody tells more of a solved one.
    workers: Option<u64>,
    lost: Option<Instant>,
}

impl ListDisplay {
    /// Returns the display for the positions of a list, of which those before `places` are solved; it shows nothing if
    /// `quiet`.
    pub(crate) fn start(
        Range { start: solved, end: positions }: Range<usize>,
        quiet: bool,
    ) -> Self {
        let display = Display::start(name(solved, positions), quiet);
        let work = BTreeMap::new();
        let list = List { display, positions, solved, work, workers: None, lost: None };
        Self(Arc::new(Mutex::new(list)))
    }

    /// Shows what is new of the position at `place`, from 0.
    pub(crate) fn update(&self, place: usize, update: &Update) {
        let mut list = self.list();
        match update {
            Update::Accepted => {}
            Update::Progress(progress) => {
                list.work.insert(place, Work::from(progress));
                list.workers = Some(progress.workers);
                list.show();
            }
            Update::Notice(text) => {
                list.display.say(&format!("position {}: warning: {text}", place + 1));
            }
            Update::Lost { cause, retry_in } => {
                if list.lost.is_none_or(|last| last.elapsed() >= LOST_EVERY) {
                    list.lost = Some(Instant::now());
                    list.display.lost(cause, *retry_in);
                }
            }
        }
    }

    /// Shows that the position at `place` is solved, for which so many nodes were searched, if that is known: of easy ones
    /// nothing else is heard.
    pub(crate) fn solved(&self, place: usize, nodes: Option<u64>) {
        let mut list = self.list();
        list.solved += 1;
        let work = list.work.entry(place).or_default();
        *work = work.done(nodes);
        let name = name(list.solved, list.positions);
        list.display.rename(name);
        list.show();
    }

    /// Prints something on standard output while the display is out of the way.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.list().display.aside(print)
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl List {
    fn show(&mut self) {
        self.display.show(self.sum(), "");
    }

    fn sum(&self) -> Work {
        let nothing = Work { workers: self.workers, ..Work::default() };
        self.work.values().fold(nothing, |sum, &work| sum.with(work))
    }
}

fn name(solved: usize, positions: usize) -> String {
    format!("[{solved}/{positions} solved]")
}

#[cfg(test)]
mod tests {
    use outflank_coordinator::core::Progress;
    use outflank_engine::{Bound, Window};

    use super::*;

    fn progress(nodes: u64, jobs_open: u64, workers: u64) -> Update {
        Update::Progress(Progress {
            bound: Bound::UNKNOWN,
            window: Window::FULL,
            jobs_open,
            jobs_done: 1,
            reused: 0,
            nodes,
            predicted_nodes: 1000,
            workers,
        })
    }

    #[test]
    fn the_positions_are_added_up_and_the_solved_ones_have_no_work_left() {
        let display = ListDisplay::start(0..3, true);
        display.update(0, &progress(100, 2, 2));
        display.update(2, &progress(300, 1, 2));
        display.update(0, &progress(200, 2, 2));
        let both = Work { nodes: 500, predicted: 2000, open: 3, done: 2, workers: Some(2) };
        assert_eq!(display.list().sum(), both);
        display.solved(0, None);
        assert_eq!(display.list().sum(), Work { predicted: 1200, open: 1, ..both });
        assert_eq!(display.list().display.name, "[1/3 solved]");
        display.solved(1, Some(50));
        display.solved(2, Some(310));
        assert_eq!(display.list().sum(), Work { nodes: 560, predicted: 560, open: 0, ..both });
    }

    #[test]
    fn workers_are_those_last_heard_of_at_any_position() {
        let display = ListDisplay::start(0..3, true);
        display.solved(2, None);
        assert_eq!(display.list().sum().workers, None);
        display.update(0, &progress(100, 2, 2));
        display.solved(0, None);
        display.update(1, &progress(100, 2, 0));
        assert_eq!(display.list().sum().workers, Some(0));
    }

    #[test]
    fn a_lost_connection_is_told_once() {
        let display = ListDisplay::start(0..2, true);
        let lost = Update::Lost { cause: "gone".to_owned(), retry_in: Duration::from_secs(1) };
        display.update(0, &lost);
        let first = display.list().lost;
        display.update(1, &lost);
        assert_eq!(display.list().lost, first);
    }
}
