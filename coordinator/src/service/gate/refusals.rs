//! What the log says of calls that were not let through, and of connections whose encryption was not agreed on: who
//! asks again and again must not fill it.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The shortest time between two lines about them.
const BETWEEN: Duration = Duration::from_secs(60);

/// What is refused.
#[derive(Clone, Copy, Debug)]
pub(in crate::service) enum Refused {
    Calls,
    /// Before there can be a call.
    Connections,
}

/// The calls, or connections, that were refused.
#[derive(Debug)]
pub(in crate::service) struct Refusals {
    of: Refused,
    since: Mutex<Since>,
}

/// Those since the last line.
#[derive(Debug, Default)]
struct Since {
    count: u64,
    /// The last of them, as long as there is any.
    last: Option<Refusal>,
    said: Option<Instant>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Refusal {
    address: Option<SocketAddr>,
    reason: String,
}

impl Refusals {
    pub(in crate::service) fn new(of: Refused) -> Self {
        Self { of, since: Mutex::default() }
    }

    /// Notes one, and says so unless that was done a moment ago.
    pub(in crate::service) fn note(&self, address: Option<SocketAddr>, reason: &str) {
        self.add(Refusal { address, reason: reason.to_owned() });
        self.tell_in_time();
    }

    /// Says what was noted since the last line, unless that was a moment ago.
    pub(in crate::service) fn tell_in_time(&self) {
        self.tell(self.due(Instant::now()));
    }

    /// Says what was noted since the last line: there will be no other.
    pub(in crate::service) fn tell_rest(&self) {
        self.tell(self.take(Instant::now()));
    }

    fn add(&self, refusal: Refusal) {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        since.count += 1;
        since.last = Some(refusal);
    }

    /// Returns the last one and how many there were since the last line, if it is time for another.
    fn due(&self, now: Instant) -> Option<(Refusal, u64)> {
        let said = self.since.lock().unwrap_or_else(PoisonError::into_inner).said;
        let is_time = said.is_none_or(|said| now.duration_since(said) >= BETWEEN);
        if is_time { self.take(now) } else { None }
    }

    /// Returns the last one and how many there were since the last line, if there were any.
    fn take(&self, now: Instant) -> Option<(Refusal, u64)> {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        let last = since.last.take()?;
        since.said = Some(now);
        Some((last, std::mem::take(&mut since.count)))
    }

    fn tell(&self, refused: Option<(Refusal, u64)>) {
        let Some((Refusal { address, reason }, count)) = refused else { return };
        let address = address.map(tracing::field::display);
        match self.of {
            Refused::Calls => tracing::warn!(
                address,
                reason,
                calls = count,
                "refusing calls: this one, and those since the last such line"
            ),
            Refused::Connections => tracing::warn!(
                address,
                reason,
                connections = count,
                "no encrypted connection was made: this one, and those since the last such line; \
                 RUST_LOG=info,tonic::transport::server::io_stream=debug says why"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(reason: &str) -> Refusal {
        Refusal { address: None, reason: reason.to_owned() }
    }

    #[test]
    fn there_is_a_line_a_minute_that_counts_all_since_the_last() {
        let (refusals, start) = (Refusals::new(Refused::Calls), Instant::now());
        let counts = [0, 1, 59, 60, 61, 200].map(|seconds| {
            refusals.add(refusal("no"));
            refusals.due(start + Duration::from_secs(seconds)).map(|(_, calls)| calls)
        });
        assert_eq!(counts, [Some(1), None, None, Some(3), None, Some(2)]);
    }

    /// They were told of only when there was another call, and never if the coordinator stopped before.
    #[test]
    fn the_last_calls_are_told_of_though_no_other_comes() {
        let (refusals, start) = (Refusals::new(Refused::Calls), Instant::now());
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
