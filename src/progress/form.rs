//! What progress looks like: a bar on a terminal, a line now and then elsewhere, or nothing.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// The time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// How progress is shown on standard error.
#[derive(Debug)]
pub(crate) enum Form {
    /// As a bar with a text.
    Bar(ProgressBar),
    /// As lines; the last one was printed, or the first one waited for, since this time.
    Lines { last: Instant },
    /// Not at all.
    Nothing,
}

impl Form {
    /// Returns `bar` if standard error is a terminal, otherwise lines; nothing if `quiet`.
    pub(crate) fn new(quiet: bool, bar: impl FnOnce() -> ProgressBar) -> Self {
        match (quiet, io::stderr().is_terminal()) {
            (true, _) => Self::Nothing,
            (false, true) => {
                let bar = bar();
                bar.enable_steady_tick(Duration::from_millis(100));
                Self::Bar(bar)
            }
            (false, false) => Self::Lines { last: Instant::now() },
        }
    }

    /// Returns whether it is time for another line, which is to be printed then.
    pub(crate) fn is_line_due(&mut self) -> bool {
        let Self::Lines { last } = self else { return false };
        let is_due = last.elapsed() >= LINE_EVERY;
        if is_due {
            *last = Instant::now();
        }
        is_due
    }
}

/// Returns a bar of so many steps on standard error, which looks as `template` says.
pub(crate) fn bar(steps: u64, template: &str) -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(10);
    let style = ProgressStyle::with_template(template).expect("the template is well-formed");
    ProgressBar::with_draw_target(Some(steps), target)
        .with_finish(ProgressFinish::AndClear) // an interrupted command clears its bar, too
        .with_style(style.progress_chars("=> "))
}
