//! Telling how far something is that takes minutes where a store has many millions of positions.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use super::error::StoreError;
use super::frame::Frame;
use super::scan;

const LOGGED_EVERY: Duration = Duration::from_secs(30);
/// Something is told of in about so many steps.
const STEPS: u64 = 1000;

/// What a store does that may take long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It reads its log.
    ReadingLog,
    /// It parts its log into files, each of which fits into memory.
    PartingLog,
    /// It copies the good frames of its log.
    CopyingLog,
    /// It makes an index.
    WritingIndex,
    /// It reads the entries of its index.
    ReadingIndex,
    /// It compares what the log says with itself, and with the index.
    Comparing,
}

impl Doing {
    /// Returns what is done, in words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::ReadingLog => "reading the log",
            Self::PartingLog => "parting the log",
            Self::CopyingLog => "copying the log",
            Self::WritingIndex => "making the index",
            Self::ReadingIndex => "reading the index",
            Self::Comparing => "comparing proofs",
        }
    }
}

/// How far something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Far {
    /// What.
    pub doing: Doing,
    /// How much is done, in a unit of its own; as much as there is only at the end, which is always told.
    pub done: u64,
    /// How much there is, as far as that is known beforehand; never 0.
    pub of: u64,
}

/// Who is told how far a store is; otherwise its log is, twice a minute.
#[derive(Clone, Copy, Default)]
pub struct Told<'a>(Option<&'a dyn Fn(Far)>);

impl<'a> Told<'a> {
    /// Has `told` told instead of the log, about a thousand times from the beginning of each thing to its end.
    #[must_use]
    pub fn by(told: &'a dyn Fn(Far)) -> Self {
        Self(Some(told))
    }
}

impl fmt::Debug for Told<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Told").field(&self.0.is_some()).finish()
    }
}

/// Says when it is time to log again.
#[derive(Debug)]
pub(super) struct Pace {
    told: Instant,
}

impl Pace {
    /// Starts now: what is over soon is not told of.
    pub(super) fn new() -> Self {
        Self { told: Instant::now() }
    }

    /// Returns whether it is time, `now`, which it is not again for half a minute.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now.saturating_duration_since(self.told) >= LOGGED_EVERY;
        if is_due {
            self.told = now;
        }
        is_due
    }
}

/// Tells how far one thing is.
#[derive(Debug)]
pub(super) struct Telling<'a> {
    told: Told<'a>,
    doing: Doing,
    done: u64,
    of: u64,
    /// What has to be done before the next step is told.
    next: u64,
    pace: Pace,
}

impl<'a> Telling<'a> {
    /// Tells of something that has about `of` parts.
    pub(super) fn new(told: Told<'a>, doing: Doing, of: u64) -> Self {
        Self { told, doing, done: 0, of: of.max(1), next: 0, pace: Pace::new() }
    }

    /// Tells of something that is done with each frame of the log in the folder `log`.
    pub(super) fn of_log(told: Told<'a>, doing: Doing, log: &Path) -> Result<Self, StoreError> {
        Ok(Self::new(told, doing, scan::bytes(log)?))
    }

    /// Notes that it has come past `frame`.
    pub(super) fn frame(&mut self, frame: &Frame) {
        self.add(frame.bytes());
    }

    /// Notes that so much more is done.
    pub(super) fn add(&mut self, more: u64) {
        self.done += more;
        // Not with each one: millions a second are no news. Where there is more than thought the end is still to come.
        if self.done >= self.next && self.done < self.of {
            self.next = self.done + (self.of / STEPS).max(1);
            self.tell(self.done);
        }
    }

    /// Notes that it is done, whatever had been thought how much it is.
    pub(super) fn end(mut self) {
        self.tell(self.of);
    }

    fn tell(&mut self, done: u64) {
        let Self { doing, of, .. } = *self;
        match self.told.0 {
            Some(told) => told(Far { doing, done, of }),
            None if self.pace.is_due(Instant::now()) => {
                tracing::info!(
                    percent = u128::from(done) * 100 / u128::from(of),
                    "{}",
                    doing.text()
                );
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn it_is_time_every_half_minute() {
        let mut pace = Pace::new();
        let start = pace.told;
        let due = [29, 30, 59, 60, 95, 124, 125]
            .map(|seconds| pace.is_due(start + Duration::from_secs(seconds)));
        assert_eq!(due, [false, true, false, true, true, false, true]);
    }

    #[test]
    fn whoever_is_told_hears_of_each_step_and_of_the_end() {
        // Fewer than thought, as many, and more.
        for (of, parts) in [(90_000, 80_000), (80_000, 80_000), (70_000, 80_000), (3, 3), (0, 0)] {
            let heard = RefCell::new(Vec::new());
            let told = |far: Far| heard.borrow_mut().push((far.done, far.of));
            let mut telling = Telling::new(Told::by(&told), Doing::ReadingIndex, of);
            (0..parts).for_each(|_| telling.add(1));
            telling.end();
            let heard = heard.into_inner();
            assert!(heard.is_sorted_by(|one, next| one.0 < next.0), "{of}: {heard:?}");
            assert_eq!(heard.last(), Some(&(of.max(1), of.max(1))));
            let steps = if of < 1000 { of.max(1) } else { parts.min(of) * 1000 / of };
            assert!(heard.len().abs_diff(steps as usize) <= 2, "{of}: {}", heard.len());
        }
    }
}
