//! What is measured, and how it is told.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What workers wait for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wait {
    /// From the hello to the welcome.
    Welcome,
    /// From a report to the next job.
    Acquire,
    /// From a report to its acknowledgement: its bounds are on disk.
    Acknowledge,
    /// From a heartbeat that names a job which the coordinator does not know to its answer.
    Heartbeat,
}

const NAMES: [&str; 4] = ["welcome", "acquire", "acknowledge", "heartbeat"];

/// The times of all workers.
#[derive(Debug, Default)]
pub(super) struct Measures {
    counts: AtomicBool,
    welcomed: AtomicU64,
    reconnected: AtomicU64,
    /// Messages that told what others had proved, and the bounds in them.
    told: AtomicU64,
    told_bounds: AtomicU64,
    /// Microseconds, by kind.
    times: [Mutex<Vec<u32>>; 4],
}

impl Measures {
    /// Counts from now on.
    pub(super) fn begin(&self) {
        self.counts.store(true, Ordering::Relaxed);
    }

    /// Counts no longer.
    pub(super) fn end(&self) {
        self.counts.store(false, Ordering::Relaxed);
    }

    /// Returns the number of welcomes so far.
    pub(super) fn joined(&self) -> u64 {
        self.welcomed.load(Ordering::Relaxed)
    }

    /// Notes that somebody has lost its connection.
    pub(super) fn lost(&self) {
        self.reconnected.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a worker was told so many bounds of others while its job went on.
    pub(super) fn told(&self, bounds: usize) {
        if self.counts.load(Ordering::Relaxed) {
            self.told.fetch_add(1, Ordering::Relaxed);
            self.told_bounds.fetch_add(bounds as u64, Ordering::Relaxed);
        }
    }

    /// Returns whether any worker was told bounds of others while its job went on.
    pub(super) fn have_told(&self) -> bool {
        self.told_bounds.load(Ordering::Relaxed) > 0
    }

    /// Notes a time.
    pub(super) fn note(&self, wait: Wait, time: Duration) {
        if let Wait::Welcome = wait {
            self.welcomed.fetch_add(1, Ordering::Relaxed);
        } else if !self.counts.load(Ordering::Relaxed) {
            return;
        }
        let micros = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
        let mut times = self.times[wait as usize].lock().unwrap_or_else(PoisonError::into_inner);
        times.push(micros);
    }

    /// Prints everything.
    pub(super) fn print(&self, seconds: f64) {
        println!(
            "{:<13} {:>9} {:>9} {:>9} {:>9} {:>9}",
            "", "count", "p50 ms", "p99 ms", "max ms", "a second"
        );
        for (name, times) in NAMES.iter().zip(&self.times) {
            let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
            times.sort_unstable();
            let at = |share: f64| match times.len() {
                0 => f64::NAN,
                count => f64::from(times[((count - 1) as f64 * share) as usize]) / 1000.0,
            };
            let (count, rate) = (times.len(), times.len() as f64 / seconds);
            println!(
                "{name:<13} {count:>9} {:>9.2} {:>9.2} {:>9.2} {rate:>9.1}",
                at(0.5),
                at(0.99),
                at(1.0)
            );
        }
        println!("lost          {} connections", self.reconnected.load(Ordering::Relaxed));
        let (told, bounds) =
            (self.told.load(Ordering::Relaxed), self.told_bounds.load(Ordering::Relaxed));
        println!(
            "told          {bounds} bounds from inside other jobs in {told} messages to running jobs: {:.1} bounds a second",
            bounds as f64 / seconds
        );
    }
}
