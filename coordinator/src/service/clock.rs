//! The core's time: it only goes forward, and stands still while the coordinator does.

use std::time::Duration;

use crate::core::Millis;

/// Turns the times at which events were taken in into the core's time.
///
/// The core hears a tick every tenth of a second. When it has heard nothing for much longer, it was
/// the coordinator that did not live: its process was stopped, its machine slept, its disk
/// stalled. The workers cannot help that, and what they said meanwhile is still to be read: the pause
/// must not end their leases.
#[derive(Debug)]
pub(super) struct Clock {
    longest_pause: u64,
    last: u64,
    skipped: u64,
}

impl Clock {
    pub(super) fn new(longest_pause: Duration) -> Self {
        let longest_pause = u64::try_from(longest_pause.as_millis()).unwrap_or(u64::MAX);
        Self { longest_pause, last: 0, skipped: 0 }
    }

    /// Returns the core's time for an event of this time.
    pub(super) fn read(&mut self, Millis(time): Millis) -> Millis {
        // Two tasks may have read the clock in one order and queued in the other.
        let time = time.max(self.last);
        let pause = time - self.last;
        if pause > self.longest_pause {
            self.skipped += pause - self.longest_pause;
            tracing::warn!(
                milliseconds = pause,
                "the coordinator stood still: leases are prolonged"
            );
        }
        self.last = time;
        Millis(time - self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_forward_and_does_not_leap_when_the_coordinator_stood_still() {
        let mut clock = Clock::new(Duration::from_secs(5));
        let times = [100, 4_000, 3_900, 8_000, 3_608_000, 3_608_100, 3_700_000];
        let read = times.map(|time| clock.read(Millis(time)).0);
        assert_eq!(read, [100, 4_000, 4_000, 8_000, 13_000, 13_100, 18_100]);
    }
}
