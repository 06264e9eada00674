//! The cold workload: the sliders of a position, then other data streamed through the cache.

use sliding::Attacks;
use sliding::catalogue::{Visitor, visit_all};

use crate::clock::Clock;
use crate::data::{keep, random};

/// Positions of the workload.
pub(crate) const POSITIONS: usize = 16 * CHUNK;
/// The sliders of a position.
pub(crate) const SLIDERS: usize = 5;
/// Positions of a chunk: enough for a table of 841 KiB to come into the cache as far as it can.
pub(crate) const CHUNK: usize = 4096;
/// The size of the buffer that is streamed from, in rows of 1 KiB.
const ROWS: usize = 16 * 1024;

/// The methods that are compared: few, since the code of each evicts that of the others.
const METHODS: [&str; 9] = [
    "best as compiled",
    "G4 Hyperbola Quintessence, rank table",
    "G5 Hyperbola Quintessence, AVX2",
    "G1-G3 Okuhara, AVX2",
    "G1 Okuhara, AVX-512VL",
    "G7 PEXT",
    "G7 PEXT and PDEP",
    "G7 fancy magic",
    "G7 black magic",
];

/// Makes the queries of a chunk, with a state for random numbers, and adds the ticks that each
/// position took.
pub(crate) type Run<'a> = Box<dyn FnMut(&[Five], &mut u64, &mut Vec<u64>) + 'a>;

/// A board and the squares of two rooks, two bishops and a queen.
#[derive(Clone, Copy)]
pub(crate) struct Five {
    occupied: u64,
    squares: [u8; SLIDERS],
}

/// Returns random positions, occupied at a quarter.
pub(crate) fn fives() -> Vec<Five> {
    let mut state = 3;
    (0..POSITIONS)
        .map(|_| {
            let occupied = random(&mut state) & random(&mut state);
            let [a, b, c, d, e, ..] = random(&mut state).to_le_bytes().map(|byte| byte % 64);
            Five { occupied, squares: [a, b, c, d, e] }
        })
        .collect()
}

/// Other data, larger than the caches of a core, and a clock.
pub(crate) struct Rows {
    rows: Vec<[u64; 128]>,
    pub(crate) clock: Clock,
}

impl Rows {
    pub(crate) fn new() -> Self {
        let rows = (0..ROWS).map(|row| [row as u64; 128]).collect();
        Self { rows, clock: Clock::new() }
    }

    /// Returns the methods, of which the first makes no queries, with so many KiB after each
    /// position.
    pub(crate) fn methods(&self, kibibytes: usize) -> Vec<(&'static str, Run<'_>)> {
        let mut methods = Methods { rows: self, kibibytes, all: Vec::new() };
        methods.add("without queries", nothing);
        visit_all(&mut methods);
        methods.all
    }

    /// Takes the time of a query for each position, and reads so many random rows after it; `state`
    /// is of random numbers.
    fn between(
        &self,
        kibibytes: usize,
        positions: &[Five],
        state: &mut u64,
        times: &mut Vec<u64>,
        query: impl Fn(&Five) -> u64,
    ) {
        for position in positions {
            keep(nothing(position)); // the position itself is in the cache
            let start = self.clock.ticks();
            keep(query(position));
            times.push(self.clock.ticks() - start);
            for _ in 0..kibibytes {
                let row = &self.rows[random(state) as usize % ROWS];
                keep(row.iter().fold(0, |sum, word| sum ^ word));
            }
        }
    }
}

/// Returns the attacks of the five sliders.
#[inline(always)]
fn attacks<A: Attacks>(by: A, position: &Five) -> u64 {
    let Five { occupied, squares: [a, b, c, d, e] } = *position;
    keep(by.rook(a, occupied))
        ^ keep(by.rook(b, occupied))
        ^ keep(by.bishop(c, occupied))
        ^ keep(by.bishop(d, occupied))
        ^ keep(by.queen(e, occupied))
}

/// Only reads the position, which has to be read without queries too.
#[inline(always)]
fn nothing(position: &Five) -> u64 {
    let squares = position.squares.into_iter();
    squares.fold(keep(position.occupied), |sum, square| sum ^ keep(square.into()))
}

struct Methods<'a> {
    rows: &'a Rows,
    kibibytes: usize,
    all: Vec<(&'static str, Run<'a>)>,
}

impl<'a> Methods<'a> {
    fn add(&mut self, name: &'static str, query: impl Fn(&Five) -> u64 + 'a) {
        let (rows, kibibytes) = (self.rows, self.kibibytes);
        let run = move |positions: &[Five], state: &mut u64, times: &mut Vec<u64>| {
            rows.between(kibibytes, positions, state, times, &query);
        };
        self.all.push((name, Box::new(run)));
    }
}

impl Visitor for Methods<'_> {
    fn visit<A: Attacks>(&mut self, name: &'static str, by: A) {
        if METHODS.contains(&name) {
            self.add(name, move |position| attacks(by, position));
        }
    }
}
