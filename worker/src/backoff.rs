//! How long to wait before the next try: decorrelated jitter, so that a thousand workers that lost
//! the same coordinator do not come back in the same instant.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(10);

/// A row of waiting times, each between the shortest and three times the one before.
#[derive(Debug)]
pub(crate) struct Backoff {
    last: Duration,
    random: RandomState,
    drawn: u64,
}

impl Backoff {
    pub(crate) fn new() -> Self {
        Self { last: SHORTEST, random: RandomState::new(), drawn: 0 }
    }

    /// Starts again with short times, after a success.
    pub(crate) fn reset(&mut self) {
        self.last = SHORTEST;
    }

    /// Returns how long to wait this time.
    pub(crate) fn next(&mut self) -> Duration {
        self.drawn += 1;
        let share = self.random.hash_one(self.drawn) as f64 / u64::MAX as f64;
        let range = self.last.saturating_mul(3).saturating_sub(SHORTEST);
        self.last = (SHORTEST + range.mul_f64(share)).min(LONGEST);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_times_grow_within_their_limits_and_differ_between_workers() {
        let mut one = Backoff::new();
        let mut other = Backoff::new();
        let times: Vec<_> = (0..50).map(|_| one.next()).collect();
        assert!(times.iter().all(|time| (SHORTEST..=LONGEST).contains(time)));
        assert!(times[0] <= 3 * SHORTEST);
        assert_ne!(times, (0..50).map(|_| other.next()).collect::<Vec<_>>());
        one.reset();
        assert!(one.next() <= 3 * SHORTEST);
    }
}
