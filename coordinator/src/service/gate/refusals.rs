//! What the log says of calls that were not let through: who asks again and again must not fill it.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The shortest time between two lines about them.
const BETWEEN: Duration = Duration::from_secs(60);

/// The calls that were refused.
#[derive(Debug, Default)]
pub(in crate::service) struct Refusals(Mutex<Since>);

/// Those since the last line.
#[derive(Debug, Default)]
struct Since {
    calls: u64,
    /// The last of them, as long as there is any.
    last: Option<Refusal>,
    said: Option<Instant>,
}

/// A call that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Refusal {
    address: Option<SocketAddr>,
    reason: String,
}

impl Refusals {
    /// Notes a call that was refused, and says so unless that was done a moment ago.
    pub(in crate::service) fn note(&self, address: Option<SocketAddr>, reason: &str) {
        self.add(Refusal { address, reason: reason.to_owned() });
        self.tell_in_time();
    }

    /// Says what was noted since the last line, unless that was a moment ago.
    pub(in crate::service) fn tell_in_time(&self) {
        tell(self.due(Instant::now()));
    }

    /// Says what was noted since the last line: there will be no other.
    pub(in crate::service) fn tell_rest(&self) {
        tell(self.take(Instant::now()));
    }

    fn add(&self, refusal: Refusal) {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        since.calls += 1;
        since.last = Some(refusal);
    }

    /// Returns the last call and how many there were since the last line, if it is time for another.
    fn due(&self, now: Instant) -> Option<(Refusal, u64)> {
        let said = self.0.lock().unwrap_or_else(PoisonError::into_inner).said;
        let is_time = said.is_none_or(|said| now.duration_since(said) >= BETWEEN);
        if is_time { self.take(now) } else { None }
    }

    /// Returns the last call and how many there were since the last line, if there were any.
    fn take(&self, now: Instant) -> Option<(Refusal, u64)> {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = since.last.take()?;
        since.said = Some(now);
        Some((last, std::mem::take(&mut since.calls)))
    }
}

fn tell(refused: Option<(Refusal, u64)>) {
    let Some((Refusal { address, reason }, calls)) = refused else { return };
    let address = address.map(tracing::field::display);
    tracing::warn!(
        address,
        reason,
        calls,
        "refusing calls: this one, and those since the last such line"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(reason: &str) -> Refusal {
        Refusal { address: None, reason: reason.to_owned() }
    }

    #[test]
    fn there_is_a_line_a_minute_that_counts_all_since_the_last() {
        let (refusals, start) = (Refusals::default(), Instant::now());
        let counts = [0, 1, 59, 60, 61, 200].map(|seconds| {
            refusals.add(refusal("no"));
            refusals.due(start + Duration::from_secs(seconds)).map(|(_, calls)| calls)
        });
        assert_eq!(counts, [Some(1), None, None, Some(3), None, Some(2)]);
    }

    /// They were told of only when there was another call, and never if the coordinator stopped before.
    #[test]
    fn the_last_calls_are_told_of_though_no_other_comes() {
        let (refusals, start) = (Refusals::default(), Instant::now());
        let minute = start + BETWEEN;
        assert_eq!(refusals.due(start), None);
        refusals.add(refusal("first"));
        assert_eq!(refusals.due(start), Some((refusal("first"), 1)));
        for reason in ["second", "third"] {
            refusals.add(refusal(reason));
            assert_eq!(refusals.due(start), None);
        }
        assert_eq!(refusals.due(minute), Some((refusal("third"), 2)));
        refusals.add(refusal("fourth"));
        assert_eq!(
            (refusals.due(minute), refusals.take(minute)),
            (None, Some((refusal("fourth"), 1)))
        );
        assert_eq!((refusals.due(minute + BETWEEN), refusals.take(minute)), (None, None));
    }
}
