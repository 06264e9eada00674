//! How long to wait before the next try: decorrelated jitter (Marc Brooker), so that a thousand who lost the same
//! coordinator do not come back in the same instant.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// A row of waiting times, each between the shortest and three times the one before, up to the longest.
#[derive(Debug)]
pub struct Backoff {
    shortest: Duration,
    longest: Duration,
    last: Duration,
    random: RandomState,
    drawn: u64,
}

impl Backoff {
    /// Returns a row of times from `shortest` to `longest`.
    #[must_use]
    pub fn new(shortest: Duration, longest: Duration) -> Self {
        Self { shortest, longest, last: shortest, random: RandomState::new(), drawn: 0 }
    }

    /// Starts again with short times, after a success.
    pub fn reset(&mut self) {
        self.last = self.shortest;
    }

    /// Returns how long to wait this time.
    pub fn draw(&mut self) -> Duration {
        self.drawn += 1;
        let share = self.random.hash_one(self.drawn) as f64 / u64::MAX as f64;
        let range = self.last.saturating_mul(3).saturating_sub(self.shortest);
        self.last = (self.shortest + range.mul_f64(share)).min(self.longest);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_times_grow_within_their_limits_and_differ_between_those_who_wait() {
        let (shortest, longest) = (Duration::from_millis(100), Duration::from_secs(10));
        let mut one = Backoff::new(shortest, longest);
        let mut other = Backoff::new(shortest, longest);
        let times: Vec<_> = (0..50).map(|_| one.draw()).collect();
        assert!(times.iter().all(|time| (shortest..=longest).contains(time)));
        assert!(times[0] <= 3 * shortest);
        assert_ne!(times, (0..50).map(|_| other.draw()).collect::<Vec<_>>());
        one.reset();
        assert!(one.draw() <= 3 * shortest);
    }
}
