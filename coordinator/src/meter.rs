//! How fast a campaign or a worker searches, or rows are decided: a mean over the last minute.

use std::collections::VecDeque;
use std::time::Duration;

const SPAN: Duration = Duration::from_secs(60);
const GRAIN: Duration = Duration::from_millis(900);

/// Counts of nodes and the times when they were taken.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    samples: VecDeque<(Duration, u64)>,
}

impl Meter {
    /// Notes that `nodes` nodes have been searched at time `now`.
    pub(crate) fn note(&mut self, now: Duration, nodes: u64) {
        if self.samples.back().is_some_and(|&(last, _)| now < last + GRAIN) {
            return;
        }
        self.samples.push_back((now, nodes));
        while self.samples.len() > 2 && self.samples.front().is_some_and(|&(at, _)| at + SPAN < now)
        {
            self.samples.pop_front();
        }
    }

    /// Returns nodes a second; 0 while there is nothing to compare.
    pub(crate) fn rate(&self) -> f64 {
        let time = self.span().map_or(0.0, |[(start, _), (end, _)]| (end - start).as_secs_f64());
        if time > 0.0 { self.gain() as f64 / time } else { 0.0 }
    }

    /// Returns the nodes of the last minute.
    pub(crate) fn gain(&self) -> u64 {
        self.span().map_or(0, |[(_, fewer), (_, more)]| more.saturating_sub(fewer))
    }

    /// Returns the first and the last sample of the last minute.
    fn span(&self) -> Option<[(Duration, u64); 2]> {
        Some([*self.samples.front()?, *self.samples.back()?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_minute_counts() {
        let mut meter = Meter::default();
        meter.note(Duration::ZERO, 0);
        assert_eq!(meter.rate().to_bits(), 0.0_f64.to_bits());
        for second in 1..=60 {
            meter.note(Duration::from_secs(second), 1000 * second);
        }
        assert!((meter.rate() - 1000.0).abs() < 1e-6);
        assert_eq!(meter.gain(), 60_000);
        for second in 61..=200 {
            meter.note(Duration::from_secs(second), 60_000);
        }
        assert_eq!(meter.rate().to_bits(), 0.0_f64.to_bits());
    }
}
