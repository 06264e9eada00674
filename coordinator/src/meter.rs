//! How fast a campaign or a worker searches: a mean over the last minute.

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
        let ends = self.samples.front().zip(self.samples.back());
        let Some((&(start, fewer), &(end, more))) = ends else { return 0.0 };
        let time = end.saturating_sub(start).as_secs_f64();
        if time > 0.0 { more.saturating_sub(fewer) as f64 / time } else { 0.0 }
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
        for second in 61..=200 {
            meter.note(Duration::from_secs(second), 60_000);
        }
        assert_eq!(meter.rate().to_bits(), 0.0_f64.to_bits());
    }
}
