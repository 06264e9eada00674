//! The clock of the core, by work whose cycles are known: there may be no counter to ask.

use std::hint::black_box;
use std::time::Instant;

/// Steps of one measurement: some tens of microseconds.
const STEPS: u32 = 20_000;

/// Cycles of a step: a multiplication (three) and an OR (one), on every x86-64 core since 2008 and
/// on most cores of aarch64.
const CYCLES: f64 = 4.0;

/// Returns the clock in hertz, from one measurement; the highest of several is the truest.
pub(super) fn hertz() -> f64 {
    let start = Instant::now();
    let mut value: u64 = black_box(3);
    for _ in 0..STEPS {
        // each step needs the one before, and no algebra shortens it
        value = value.wrapping_mul(value | 1);
    }
    black_box(value);
    f64::from(STEPS) * CYCLES / start.elapsed().as_secs_f64()
}
