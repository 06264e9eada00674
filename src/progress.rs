//! Progress on standard error: a bar on a terminal, a line now and then elsewhere.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use outflank_coordinator::client::Update;
use outflank_coordinator::core::Progress;

use crate::numbers::{self, span};
use crate::output;

/// The time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// The parts that the bar's length is divided into.
const BAR_STEPS: u64 = 1000;

/// Shows how far one position has come.
#[derive(Debug)]
pub(crate) struct Display {
    name: String,
    started: Instant,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Bar(ProgressBar),
    Lines { last: Instant },
    Nothing,
}

impl Display {
    /// Returns the display for the position called `name`; it shows nothing if `quiet`.
    pub(crate) fn start(name: String, quiet: bool) -> Self {
        let started = Instant::now();
        let form = match (quiet, io::stderr().is_terminal()) {
            (true, _) => Form::Nothing,
            (false, true) => Form::Bar(bar(&name)),
            (false, false) => Form::Lines { last: started },
        };
        Self { name, started, form }
    }

    /// Shows what is new.
    pub(crate) fn update(&mut self, update: &Update) {
        match update {
            Update::Progress(progress) => self.progress(progress),
            Update::Notice(text) => self.notice(text),
            Update::Lost { cause, retry_in } => self.lost(cause, *retry_in),
        }
    }

    /// Says what the user should know, and leaves it on the screen.
    fn notice(&self, text: &str) {
        let text = format!("{} warning: {text}", self.name);
        match &self.form {
            Form::Bar(bar) => bar.println(text),
            Form::Lines { .. } => output::note(&text),
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
        let elapsed = self.started.elapsed();
        match &mut self.form {
            Form::Bar(bar) => {
                bar.set_position((share(progress) * BAR_STEPS as f64) as u64);
                bar.set_message(text(progress, elapsed));
            }
            Form::Lines { last } if last.elapsed() >= LINE_EVERY => {
                *last = Instant::now();
                let elapsed_text = span(Duration::from_secs(elapsed.as_secs()));
                output::note(&format!("{} {elapsed_text}: {}", self.name, text(progress, elapsed)));
            }
            Form::Lines { .. } | Form::Nothing => {}
        }
    }

    /// Takes the display away and returns the time since its start.
    pub(crate) fn finish(self) -> Duration {
        self.started.elapsed()
    }
}

fn bar(name: &str) -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(10);
    let bar = ProgressBar::with_draw_target(Some(BAR_STEPS), target)
        .with_finish(ProgressFinish::AndClear); // an interrupted search clears its bar, too
    let style = ProgressStyle::with_template("{spinner} {prefix} {elapsed} [{bar:10}] {wide_msg}")
        .expect("the template is well-formed")
        .progress_chars("=> ");
    bar.set_style(style);
    bar.set_prefix(name.to_owned());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Returns the share of the predicted nodes that is done, below 1 as long as work is open.
fn share(progress: &Progress) -> f64 {
    if progress.predicted_nodes == 0 {
        return 0.0;
    }
    (progress.nodes as f64 / progress.predicted_nodes as f64).min(0.999)
}

/// Returns what is proved, what is asked, and what it has cost so far: what matters most comes first,
/// since a narrow terminal shows only the beginning.
fn text(progress: &Progress, elapsed: Duration) -> String {
    let rate = numbers::rate(progress.nodes, elapsed);
    let idle = if progress.workers == 0 { "no worker is connected, " } else { "" };
    format!(
        "{idle}proved {}, asking {}, {}{}/s, {} nodes, jobs {} open {} done",
        progress.bound,
        progress.window,
        left(progress, rate).map_or_else(String::new, |left| format!("{left} left, ")),
        numbers::short(rate),
        numbers::short(progress.nodes as f64),
        progress.jobs_open,
        progress.jobs_done,
    )
}

/// Returns the predicted time that is left, or `None` where the prediction is used up.
fn left(progress: &Progress, rate: f64) -> Option<String> {
    let nodes = progress.predicted_nodes.checked_sub(progress.nodes).filter(|&nodes| nodes > 0)?;
    let seconds = (nodes as f64 / rate).ceil();
    let is_sensible = seconds.is_finite() && seconds < 1e9;
    is_sensible.then(|| match Duration::from_secs(seconds as u64) {
        short if short.as_secs() < 60 => format!("{} s", short.as_secs()),
        long => span(long),
    })
}

#[cfg(test)]
mod tests {
    use outflank_engine::{Bound, Score, Window};

    use super::*;

    fn progress(nodes: u64, predicted_nodes: u64) -> Progress {
        Progress {
            bound: Bound::at_least(Score::new(30).unwrap()),
            window: Window::at_least(Score::new(38).unwrap()).unwrap(),
            jobs_open: 3,
            jobs_done: 17,
            reused: 0,
            nodes,
            predicted_nodes,
            workers: 1,
        }
    }

    #[test]
    fn the_text_says_what_is_proved_and_what_is_asked() {
        let text = text(&progress(100_000_000, 400_000_000), Duration::from_secs(2));
        assert_eq!(
            text,
            "proved +30..=+64, asking +36..+38, 6 s left, 50.0 M/s, 100.0 M nodes, jobs 3 open 17 done"
        );
    }

    #[test]
    fn a_cluster_without_workers_says_why_nothing_moves() {
        let progress = Progress { workers: 0, ..progress(0, 400) };
        let text = text(&progress, Duration::from_secs(2));
        assert!(text.starts_with("no worker is connected, proved +30..=+64"), "{text}");
    }

    #[test]
    fn a_prediction_that_is_used_up_promises_nothing() {
        assert_eq!(left(&progress(500, 400), 10.0), None);
        assert_eq!(left(&progress(0, 400), 0.0), None);
        assert!(share(&progress(500, 400)) < 1.0);
        assert_eq!(share(&progress(0, 0)).to_bits(), 0.0_f64.to_bits());
    }
}
