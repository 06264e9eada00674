//! Cold use: the time of five queries right after other data has streamed through the cache, as an
//! evaluation by a neural network would do.
//!
//! The clock is read before and after the queries of each position, with fences that keep the stream
//! out of the time. Methods take turns chunk by chunk, and each begins at another chunk, so that
//! none warms another's positions; the first half of a chunk only brings the caches to the state of
//! a program that uses this method alone. The figure is the mean of the lowest 95 % above the same without
//! queries, for each slider; the rest is what other programs of the machine do.

use crate::figures::Figures;
use crate::stream::{CHUNK, Five, POSITIONS, Rows, Run, SLIDERS, fives};

const CHUNKS: usize = POSITIONS / CHUNK;
const ROUNDS: usize = CHUNKS;

pub(crate) fn measure(figures: &mut Figures) {
    let (positions, rows) = (fives(), Rows::new());
    for (group, kibibytes) in
        [("cold, 0 KiB", 0), ("cold, 1 KiB", 1), ("cold, 4 KiB", 4), ("cold, 16 KiB", 16)]
    {
        figures.add(group, means(&rows, &positions, rows.methods(kibibytes)));
    }
}

/// Returns nanoseconds a slider for each method but the first, which makes no queries.
fn means(
    rows: &Rows,
    positions: &[Five],
    mut methods: Vec<(&'static str, Run<'_>)>,
) -> Vec<(&'static str, f64)> {
    let mut times = vec![Vec::new(); methods.len()];
    let apart = CHUNKS / methods.len();
    let mut states: Vec<u64> = (0..methods.len() as u64).collect();
    for round in 0..ROUNDS {
        for (number, (_, run)) in methods.iter_mut().enumerate() {
            let first = (round + number * apart) % CHUNKS * CHUNK;
            let mut chunk = Vec::with_capacity(CHUNK);
            run(&positions[first..first + CHUNK], &mut states[number], &mut chunk);
            times[number].extend_from_slice(&chunk[CHUNK / 2..]);
        }
    }
    let means: Vec<f64> = times.iter_mut().map(|times| rows.clock.nanoseconds_of(times)).collect();
    let with = methods.iter().zip(&means).skip(1);
    with.map(|((name, _), mean)| (*name, (mean - means[0]) / SLIDERS as f64)).collect()
}
