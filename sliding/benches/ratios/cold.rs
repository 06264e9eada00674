//! Cold use: after the sliders of each position, other data streams through the cache, as an
//! evaluation by a neural network would do.
//!
//! A chunk is 16 positions of five sliders. Methods take turns chunk by chunk, and each begins at
//! another chunk, so that none warms another's positions. The figure is the median of what a chunk
//! takes longer than one without queries in the same round, for each slider.

use std::time::Instant;

use sliding::Attacks;
use sliding::catalogue::{Visitor, visit_all};

use crate::data::{keep, keep_in_memory, random};
use crate::figures::Figures;

const POSITIONS: usize = 8192;
const CHUNK: usize = 16;
const CHUNKS: usize = POSITIONS / CHUNK;
const ROUNDS: usize = 8 * CHUNKS;
/// The size of the buffer that is streamed from, in rows of 1 KiB.
const ROWS: usize = 16 * 1024;

/// The methods that are compared.
const METHODS: [&str; 8] = [
    "best as compiled",
    "G4 Hyperbola Quintessence, rank table",
    "G5 Hyperbola Quintessence, AVX2",
    "G1-G3 Okuhara, AVX2",
    "G1 Okuhara, AVX-512VL",
    "G7 PEXT",
    "G7 PEXT and PDEP",
    "G7 fancy magic",
];

/// A board and the squares of two rooks, two bishops and a queen.
#[derive(Clone, Copy)]
struct Five {
    occupied: u64,
    squares: [u8; 5],
}

/// Makes the queries of a chunk, with a state for random numbers; the result only has to be used.
type Run<'a> = Box<dyn FnMut(&[Five], &mut u64) -> u64 + 'a>;
type Chunk<'a> = (&'static str, Run<'a>);

pub(crate) fn measure(figures: &mut Figures) {
    let mut state = 3;
    let positions: Vec<Five> = (0..POSITIONS)
        .map(|_| Five {
            occupied: random(&mut state) & random(&mut state),
            squares: random(&mut state)
                .to_le_bytes()
                .first_chunk()
                .map_or([0; 5], |b| b.map(|b| b % 64)),
        })
        .collect();
    let rows: Vec<[u64; 128]> = (0..ROWS).map(|row| [row as u64; 128]).collect();
    for (group, kibibytes) in
        [("cold, 0 KiB", 0), ("cold, 1 KiB", 1), ("cold, 4 KiB", 4), ("cold, 16 KiB", 16)]
    {
        let mut methods = Methods { rows: &rows, kibibytes, all: Vec::new() };
        // The position has to be read without queries too.
        let without = methods.chunk(|&Five { occupied, squares: [a, b, c, d, e] }| {
            keep(occupied) ^ [a, b, c, d, e].into_iter().fold(0, |sum, s| sum ^ keep(s.into()))
        });
        methods.all.push(("without queries", without));
        visit_all(&mut methods);
        figures.add(group, medians(&positions, methods.all));
    }
}

/// Returns nanoseconds a slider for each method but the first, which makes no queries.
fn medians(positions: &[Five], mut methods: Vec<Chunk<'_>>) -> Vec<(&'static str, f64)> {
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
        added[added.len() / 2] / (CHUNK * 5) as f64
    };
    methods.iter().skip(1).zip(with).map(|((name, _), times)| (*name, median(times))).collect()
}

struct Methods<'a> {
    rows: &'a [[u64; 128]],
    kibibytes: usize,
    all: Vec<Chunk<'a>>,
}

impl<'a> Methods<'a> {
    fn chunk(&self, query: impl Fn(&Five) -> u64 + 'a) -> Run<'a> {
        let (rows, kibibytes) = (self.rows, self.kibibytes);
        Box::new(move |positions, state| {
            let mut sum = 0;
            for position in positions {
                keep_in_memory(position);
                sum ^= query(position);
                for _ in 0..kibibytes {
                    let row = &rows[random(state) as usize % ROWS];
                    sum ^= row.iter().fold(0, |sum, word| sum ^ word);
                }
            }
            sum
        })
    }
}

impl Visitor for Methods<'_> {
    fn visit<A: Attacks>(&mut self, name: &'static str, attacks: A) {
        if !METHODS.contains(&name) {
            return; // few, since the code of each evicts that of the others
        }
        let chunk = self.chunk(move |&Five { occupied, squares: [a, b, c, d, e] }| {
            keep(attacks.rook(a, occupied))
                ^ keep(attacks.rook(b, occupied))
                ^ keep(attacks.bishop(c, occupied))
                ^ keep(attacks.bishop(d, occupied))
                ^ keep(attacks.queen(e, occupied))
        });
        self.all.push((name, chunk));
    }
}
