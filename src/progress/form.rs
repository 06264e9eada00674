//! What progress looks like: a bar on a terminal, a line now and then elsewhere, or nothing.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// The least and the greatest time between two lines where there is no terminal.
const LINE_EVERY: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(600)];

/// Between those, a line comes after this part of the time that has passed: weeks of waiting fill no disk with lines.
const PART_OF_THE_WAY: u32 = 60;

/// How progress is shown on standard error.
#[derive(Debug)]
pub(crate) enum Form {
    /// As a bar with a text.
    Bar(ProgressBar),
    /// As lines since `start`; the last one was printed, or the first one waited for, at `last`.
    Lines { start: Instant, last: Instant },
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
            (false, false) => {
                let now = Instant::now();
                Self::Lines { start: now, last: now }
            }
        }
    }

    /// Returns whether it is time for another line, which is to be printed then.
    pub(crate) fn is_line_due(&mut self) -> bool {
        let Self::Lines { start, last } = self else { return false };
        let now = Instant::now();
        let is_due = now - *last >= pause(*last - *start);
        if is_due {
            *last = now;
        }
        is_due
    }
}

/// Returns the time until the next line after one that came so long after the start.
fn pause(after: Duration) -> Duration {
    let [least, greatest] = LINE_EVERY;
    (after / PART_OF_THE_WAY).clamp(least, greatest)
}

/// Returns a bar of so many steps on standard error, which looks as `template` says.
pub(crate) fn bar(steps: u64, template: &str) -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(10);
    let style = ProgressStyle::with_template(template).expect("the template is well-formed");
    ProgressBar::with_draw_target(Some(steps), target)
        .with_finish(ProgressFinish::AndClear) // an interrupted command clears its bar, too
        .with_style(style.progress_chars("=> "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_rarer() {
        let lines = |hours: u64| {
            let (mut at, mut lines) = (Duration::ZERO, 0);
            while at < Duration::from_secs(3600 * hours) {
                at += pause(at);
                lines += 1;
            }
            lines
        };
        assert_eq!(pause(Duration::from_secs(60)), Duration::from_secs(5));
        assert_eq!(pause(Duration::from_secs(3600)), Duration::from_secs(60));
        assert!((180..220).contains(&lines(1)), "{}", lines(1));
        assert!(lines(24 * 21) < 4_000, "{}", lines(24 * 21));
    }
}
