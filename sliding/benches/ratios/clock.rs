//! A clock for spans of some ten nanoseconds.

use std::time::Instant;

/// Counts ticks between points that everything before has been finished at.
pub(crate) struct Clock {
    #[cfg(not(target_arch = "x86_64"))]
    start: Instant,
    nanoseconds_a_tick: f64,
}

impl Clock {
    /// Returns the clock, after it has been compared with the system's for 20 ms.
    pub(crate) fn new() -> Self {
        let start = Instant::now();
        let mut clock = Self {
            #[cfg(not(target_arch = "x86_64"))]
            start,
            nanoseconds_a_tick: 1.0,
        };
        let first = clock.ticks();
        while start.elapsed().as_millis() < 20 {}
        let ticks = clock.ticks() - first;
        clock.nanoseconds_a_tick = start.elapsed().as_secs_f64() * 1e9 / ticks as f64;
        clock
    }

    /// Returns the mean of the lowest 95 % of the times.
    pub(crate) fn nanoseconds_of(&self, times: &mut [u64]) -> f64 {
        times.sort_unstable();
        let lowest = &times[..times.len() * 95 / 100];
        lowest.iter().sum::<u64>() as f64 * self.nanoseconds_a_tick / lowest.len() as f64
    }

    /// Returns the ticks so far; loads and arithmetic do not move across.
    #[inline(always)]
    pub(crate) fn ticks(&self) -> u64 {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_mm_lfence, _rdtsc};
            // SAFETY: every x86-64 CPU has the fence.
            unsafe { _mm_lfence() };
            // SAFETY: every x86-64 CPU has the counter.
            let ticks = unsafe { _rdtsc() };
            // SAFETY: as above.
            unsafe { _mm_lfence() };
            ticks
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self.start.elapsed().as_nanos() as u64
        }
    }
}
