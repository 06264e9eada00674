//! What the log says of calls that were not let through: who asks again and again must not fill it.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The shortest time between two lines about them.
const BETWEEN: Duration = Duration::from_secs(60);

/// The calls that were refused.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<Since>);

/// Those since the last line.
#[derive(Debug, Default)]
struct Since {
    calls: u64,
    said: Option<Instant>,
}

impl Refusals {
    /// Notes a call that was refused, and says so unless that was done a moment ago.
    pub(super) fn note(&self, address: Option<SocketAddr>, reason: &str) {
        if let Some(calls) = self.count(Instant::now()) {
            let address = address.map(tracing::field::display);
            tracing::warn!(
                address,
                reason,
                calls,
                "refusing calls: this one, and those since the last such line"
            );
        }
    }

    /// Returns how many calls there were since the last line, this one included, if it is time for another.
    fn count(&self, now: Instant) -> Option<u64> {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        since.calls += 1;
        if since.said.is_some_and(|said| now.duration_since(said) < BETWEEN) {
            return None;
        }
        since.said = Some(now);
        Some(std::mem::take(&mut since.calls))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_line_a_minute_that_counts_all_since_the_last() {
        let (refusals, start) = (Refusals::default(), Instant::now());
        let counts = [0, 1, 59, 60, 61, 200]
            .map(|seconds| refusals.count(start + Duration::from_secs(seconds)));
        assert_eq!(counts, [Some(1), None, None, Some(3), None, Some(2)]);
    }
}
