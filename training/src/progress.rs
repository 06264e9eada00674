//! Bars for people who wait.

use std::fmt;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::TrainingError;

/// Where training says how far it is: bars on a terminal, and lines to whoever listens.
pub struct Progress {
    bars: Option<MultiProgress>,
    say: Box<dyn Fn(&str) + Send + Sync>,
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("bars", &self.bars).finish_non_exhaustive()
    }
}

impl Progress {
    /// Returns a progress that shows bars on standard error, if that is a terminal, and hands each
    /// line of the log to `say`.
    #[must_use]
    pub fn new(say: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { bars: Some(MultiProgress::new()), say: Box::new(say) }
    }

    /// Returns a progress that nobody sees.
    #[must_use]
    pub fn hidden() -> Self {
        Self { bars: None, say: Box::new(|_| ()) }
    }

    /// Adds a line to the log.
    pub fn say(&self, line: &str) {
        match &self.bars {
            Some(bars) => bars.suspend(|| (self.say)(line)),
            None => (self.say)(line),
        }
    }

    /// Returns what was measured, or nothing if that was too little, and says so: weights that took hours to train are
    /// worth having without it.
    pub(crate) fn if_enough<T>(
        &self,
        measured: Result<T, TrainingError>,
    ) -> Result<Option<T>, TrainingError> {
        match measured {
            Err(error @ TrainingError::TooFew { .. }) => {
                self.say(&format!("warning: {error}; the weights are written as with 0"));
                Ok(None)
            }
            measured => measured.map(Some),
        }
    }

    /// Returns a bar of `length` steps; it vanishes when it is dropped.
    pub(crate) fn bar(&self, what: &'static str, length: usize) -> ProgressBar {
        let Some(bars) = &self.bars else { return ProgressBar::hidden() };
        let template = "{msg:16} {bar:40} {human_pos}/{human_len} {per_sec}, {eta} left";
        let style = ProgressStyle::with_template(template).expect("the template is valid");
        let bar = ProgressBar::new(length as u64).with_style(style).with_message(what);
        bars.add(bar)
    }
}
