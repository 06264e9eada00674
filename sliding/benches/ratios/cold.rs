//! Cold use: after the sliders of each position, other data streams through the cache, as an
//! evaluation by a neural network would do.
//!
//! Methods take turns chunk by chunk, and each begins at another chunk, so that none warms
//! another's positions. A chunk is long enough that what a method finds in the second-level cache
//! is what it has left there itself. The figure is the median of what a chunk takes longer than one
//! without queries in the same round, for each slider.

use std::time::Instant;

use crate::data::keep;
use crate::figures::Figures;
use crate::stream::{CHUNK, Five, POSITIONS, Rows, Run, SLIDERS, fives};

const CHUNKS: usize = POSITIONS / CHUNK;
const ROUNDS: usize = 24 * CHUNKS;

pub(crate) fn measure(figures: &mut Figures) {
    let (positions, rows) = (fives(), Rows::new());
    for (group, kibibytes) in
        [("cold, 0 KiB", 0), ("cold, 1 KiB", 1), ("cold, 4 KiB", 4), ("cold, 16 KiB", 16)]
    {
        figures.add(group, medians(&positions, rows.methods(kibibytes)));
    }
}

/// Returns nanoseconds a slider for each method but the first, which makes no queries.
fn medians(
    positions: &[Five],
    mut methods: Vec<(&'static str, Run<'_>)>,
) -> Vec<(&'static str, f64)> {
    let mut times = vec![Vec::new(); methods.len()];
    let apart = CHUNKS / methods.len();
    let mut states: Vec<u64> = (0..methods.len() as u64).collect();
    for round in 0..ROUNDS {
        for (number, (_, run)) in methods.iter_mut().enumerate() {
            let first = (round + number * apart) % CHUNKS * CHUNK;
            let start = Instant::now();
            keep(run(&positions[first..first + CHUNK], &mut states[number]));
            times[number].push(start.elapsed().as_secs_f64() * 1e9);
        }
    }
    let (without, with) = times.split_at(1);
    let median = |times: &Vec<f64>| {
        // What disturbs a round disturbs all its chunks, so that it drops out of differences.
        let mut added: Vec<f64> = times.iter().zip(&without[0]).map(|(a, b)| a - b).collect();
        added.sort_by(f64::total_cmp);
        added[added.len() / 2] / (CHUNK * SLIDERS) as f64
    };
    methods.iter().skip(1).zip(with).map(|((name, _), times)| (*name, median(times))).collect()
}
