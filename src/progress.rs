//! Progress on standard error: a bar on a terminal, a line now and then elsewhere.

mod form;
mod list;

use std::time::{Duration, Instant};

use console::{Term, measure_text_width, truncate_str};
use outflank_coordinator::client::Update;
use outflank_coordinator::core::Progress;
use outflank_engine::Bound;

use crate::numbers::{self, span};
use crate::output;
pub(crate) use form::{Form, bar};
pub(crate) use list::ListDisplay;

/// The parts that the bar's length is divided into.
const BAR_STEPS: u64 = 1000;

/// The columns of a line that are neither name nor message: spinner, a time such as `59m`, the bar, and what parts them.
const BESIDE_MESSAGE: usize = 21;

/// Estimates take less, and workers give signs of life more often.
const HEARD_BY: Duration = Duration::from_secs(20);

/// Shows how far one position has come.
#[derive(Debug)]
pub(crate) struct Display {
    name: String,
    started: Instant,
    form: Form,
}

impl Display {
    /// Returns the display for the position called `name`; it shows nothing if `quiet`.
    pub(crate) fn start(name: String, quiet: bool) -> Self {
        let form = Form::new(quiet, || {
            bar(BAR_STEPS, "{spinner} {prefix} {elapsed} [{bar:10}] {wide_msg}")
                .with_prefix(name.clone())
        });
        Self { name, started: Instant::now(), form }
    }

    /// Shows what is new.
    pub(crate) fn update(&mut self, update: &Update) {
        match update {
            Update::Accepted => self.accepted(),
            Update::Progress(progress) => self.progress(progress),
            Update::Notice(text) => self.notice(text),
            Update::Lost { cause, retry_in } => self.lost(cause, *retry_in),
        }
    }

    /// Says what goes on until the first progress comes: before it, a large position is estimated.
    fn accepted(&self) {
        if let Form::Bar(bar) = &self.form {
            bar.set_message("starting");
        }
    }

    /// Says what the user should know, and leaves it on the screen.
    fn notice(&self, text: &str) {
        self.say(&format!("{} warning: {text}", self.name));
    }

    /// Writes a line that stays on the screen.
    fn say(&self, text: &str) {
        match &self.form {
            Form::Bar(bar) => bar.println(text),
            Form::Lines { .. } => output::note(text),
            Form::Nothing => {}
        }
    }

    fn lost(&self, cause: &str, retry_in: Duration) {
        let text = format!("lost the coordinator, trying again in {}: {cause}", span(retry_in));
        match &self.form {
            Form::Bar(bar) => bar.set_message(text),
            Form::Lines { .. } => output::note(&format!("{} {text}", self.name)),
            Form::Nothing => {}
        }
    }

    fn progress(&mut self, progress: &Progress) {
        let Progress { bound, window, .. } = progress;
        let proved = match *bound {
            Bound::UNKNOWN => String::new(),
            bound => format!("proved {}, ", output::worded(bound, "at least", "at most")),
        };
        let asked = output::asked(*window);
        self.show(Work::from(progress), &format!("{proved}asking {asked}, "));
    }

    /// Shows how far the work has come, after what matters most: a narrow terminal shows only the
    /// beginning.
    fn show(&mut self, work: Work, first: &str) {
        let elapsed = self.started.elapsed();
        if let Form::Bar(bar) = &self.form {
            bar.set_position((work.share() * BAR_STEPS as f64) as u64);
            bar.set_message(self.cut_to_width(&work.text(first, elapsed)));
        } else if self.form.is_line_due() {
            let elapsed_text = span(Duration::from_secs(elapsed.as_secs()));
            let text = work.text(first, elapsed);
            output::note(&format!("{} {elapsed_text}: {text}", self.name));
        }
    }

    /// Returns as much of `text` as the terminal has room for, with a sign if there is more: a number that has lost its end
    /// is another number.
    fn cut_to_width(&self, text: &str) -> String {
        let (_, columns) = Term::stderr().size();
        let beside = measure_text_width(&self.name) + BESIDE_MESSAGE;
        truncate_str(text, usize::from(columns).saturating_sub(beside), "…").into_owned()
    }

    /// Gives the display another name.
    fn rename(&mut self, name: String) {
        if let Form::Bar(bar) = &self.form {
            bar.set_prefix(name.clone());
        }
        self.name = name;
    }

    /// Does something else on the terminal while the display is out of the way.
    fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.form {
            Form::Bar(bar) => bar.suspend(print),
            Form::Lines { .. } | Form::Nothing => print(),
        }
    }

    /// Takes the display away and returns the time since its start.
    pub(crate) fn finish(self) -> Duration {
        self.started.elapsed()
    }
}

/// How much is done and how much is left of one position, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Work {
    nodes: u64,
    predicted: u64,
    open: u64,
    done: u64,
    /// How many workers are connected, if that was heard.
    workers: Option<u64>,
}

impl From<&Progress> for Work {
    fn from(progress: &Progress) -> Self {
        Self {
            nodes: progress.nodes,
            predicted: progress.predicted_nodes,
            open: progress.jobs_open,
            done: progress.jobs_done,
            workers: Some(progress.workers),
        }
    }
}

impl Work {
    /// Returns this and what another position has; the workers are those of this one.
    fn with(self, other: Self) -> Self {
        Self {
            nodes: self.nodes + other.nodes,
            predicted: self.predicted + other.predicted,
            open: self.open + other.open,
            done: self.done + other.done,
            workers: self.workers,
        }
    }

    /// Returns this with nothing left to do after so many nodes, if that is known.
    fn done(self, nodes: Option<u64>) -> Self {
        let nodes = nodes.unwrap_or(self.nodes);
        Self { nodes, predicted: nodes, open: 0, ..self }
    }

    /// Returns the share of the predicted nodes that is done, below 1 as long as work is open.
    fn share(self) -> f64 {
        if self.predicted == 0 {
            return 0.0;
        }
        (self.nodes as f64 / self.predicted as f64).min(0.999)
    }

    /// Returns what is the matter if nothing moves, then `first`, then what it has cost so far.
    fn text(self, first: &str, elapsed: Duration) -> String {
        let rate = numbers::rate(self.nodes, elapsed);
        let idle = match (self.workers, self.nodes) {
            (Some(0), _) => "no worker is connected, ",
            // Whoever works has told of nodes by then: all workers do something else.
            (_, 0) if self.open > 0 && elapsed >= HEARD_BY => "waiting for a worker, ",
            // The coordinator estimates a large position on the way down to its first job.
            (_, 0) if self.open > 0 => "starting, ",
            _ => "",
        };
        format!(
            "{idle}{first}{}{}/s, {} nodes, jobs {} open {} done",
            self.left(rate).map_or_else(String::new, |left| format!("{left} left, ")),
            numbers::short(rate),
            numbers::short(self.nodes as f64),
            self.open,
            self.done,
        )
    }

    /// Returns the predicted time that is left, or `None` where the prediction is used up.
    fn left(self, rate: f64) -> Option<String> {
        let nodes = self.predicted.checked_sub(self.nodes).filter(|&nodes| nodes > 0)?;
        let seconds = (nodes as f64 / rate).ceil();
        let is_sensible = seconds.is_finite() && seconds < 1e9;
        is_sensible.then(|| match Duration::from_secs(seconds as u64) {
            short if short.as_secs() < 60 => format!("{} s", short.as_secs()),
            long => span(long),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(nodes: u64, predicted: u64) -> Work {
        Work { nodes, predicted, open: 3, done: 17, workers: Some(1) }
    }

    #[test]
    fn the_text_says_what_is_done_and_what_is_left() {
        let work = work(100_000_000, 400_000_000);
        assert_eq!(
            work.text("proved at least +30, ", Duration::from_secs(2)),
            "proved at least +30, 6 s left, 50.0 M/s, 100.0 M nodes, jobs 3 open 17 done"
        );
    }

    #[test]
    fn a_cluster_without_workers_says_why_nothing_moves() {
        let text =
            Work { workers: Some(0), ..work(0, 400) }.text("proved +30", Duration::from_secs(2));
        assert!(text.starts_with("no worker is connected, proved +30"), "{text}");
    }

    #[test]
    fn what_takes_its_time_before_the_first_node_is_told() {
        let text = work(0, 400).text("proved +30, ", Duration::from_secs(2));
        assert!(text.starts_with("starting, proved +30, "), "{text}");
        let text = work(0, 400).text("proved +30, ", HEARD_BY);
        assert!(text.starts_with("waiting for a worker, proved +30, "), "{text}");
    }

    #[test]
    fn a_prediction_that_is_used_up_promises_nothing() {
        assert_eq!(work(500, 400).left(10.0), None);
        assert_eq!(work(0, 400).left(0.0), None);
        assert!(work(500, 400).share() < 1.0);
        assert_eq!(work(0, 0).share().to_bits(), 0.0_f64.to_bits());
    }
}
