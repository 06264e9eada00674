//! Telling how far something is that takes minutes where a store has many millions of positions.

use std::path::Path;
use std::time::{Duration, Instant};

use super::frame::Frame;
use super::manifest::Manifest;

const TOLD_EVERY: Duration = Duration::from_secs(30);

/// Says when it is time to tell again.
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
        let is_due = now.saturating_duration_since(self.told) >= TOLD_EVERY;
        if is_due {
            self.told = now;
        }
        is_due
    }
}

/// Tells how far a log has been read.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    log: &'a Path,
    /// The number of the last frame, if something is known of it.
    of: Option<u64>,
    pace: Pace,
}

impl<'a> Reading<'a> {
    pub(super) fn new(log: &'a Path, manifest: Option<&Manifest>) -> Self {
        Self { log, of: manifest.map(|manifest| manifest.place.frame), pace: Pace::new() }
    }

    /// Tells that `frame` has been read, if it is time.
    pub(super) fn tell(&mut self, frame: &Frame) {
        if self.pace.is_due(Instant::now()) {
            let (log, of) = (self.log.display(), self.of);
            tracing::info!(%log, frame = frame.number, of, "the log is being read");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_time_every_half_minute() {
        let mut pace = Pace::new();
        let start = pace.told;
        let due = [29, 30, 59, 60, 95, 124, 125]
            .map(|seconds| pace.is_due(start + Duration::from_secs(seconds)));
        assert_eq!(due, [false, true, false, true, true, false, true]);
    }
}
