//! A variant with its calls, and the measurement of many in turns.

use std::fmt;
use std::hint::black_box;
use std::time::Instant;

use outflank_engine::Position;
use outflank_kernel::Level;
use outflank_kernel::catalogue::{Entry, Variant};

use super::clock;

/// The shortest time that is measured at once, in seconds: well above the resolution of clocks.
const SLICE: f64 = 50e-6;

/// What a call gets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) player: u64,
    pub(super) opponent: u64,
    /// A legal move, or an empty square if there is none.
    pub(super) square: u32,
}

impl Sample {
    /// Returns the position with the first legal move from a square that depends on it.
    pub(super) fn new(position: Position) -> Self {
        let (player, opponent) = (position.player(), position.opponent());
        let moves = if position.moves() == 0 { position.empty() } else { position.moves() };
        let start = (player.count_ones() * 7 + opponent.count_ones()) % 64;
        let square = (moves.rotate_right(start).trailing_zeros() + start) % 64;
        Self { player, opponent, square }
    }

    /// Returns another empty square, or the same if there is only one.
    #[inline(always)]
    pub(super) fn another(self) -> u32 {
        let others = !(self.player | self.opponent | 1 << self.square);
        if others == 0 { self.square } else { others.trailing_zeros() }
    }

    /// Returns the same after `bits`, which are zero without the compiler's knowing.
    #[inline(always)]
    fn after(self, bits: u64) -> Self {
        Self {
            player: self.player ^ bits,
            opponent: self.opponent ^ bits,
            square: self.square ^ bits as u32,
        }
    }
}

type Pass = Box<dyn Fn(&[Sample]) -> u64>;

/// A variant of a family, ready to be called on all samples.
pub(super) struct Runner {
    pub(super) family: &'static str,
    pub(super) entry: &'static Entry,
    /// The levels on which the engine enters it.
    pub(super) chosen: Vec<Level>,
    /// Calls that do not depend on each other.
    pub(super) throughput: Pass,
    /// Calls that wait for the one before.
    pub(super) latency: Pass,
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.family, self.entry.name)
    }
}

/// Returns the variants of a family that this CPU can run; `call` makes one call and folds the
/// result into 64 bits.
pub(super) fn runners<F: Copy>(
    family: &'static str,
    variants: &'static [Variant<F>],
    choice: Option<fn(Level) -> &'static str>,
    call: impl Fn(F, Sample) -> u64 + Copy + 'static,
) -> impl Iterator<Item = Runner> {
    variants.iter().filter_map(move |variant| {
        let function = variant.function()?;
        let entered =
            |level: &Level| choice.is_some_and(|name| name(*level) == variant.entry().name);
        Some(Runner {
            family,
            entry: variant.entry(),
            chosen: Level::COMPILED.iter().copied().filter(entered).collect(),
            throughput: Box::new(move |samples| {
                samples.iter().fold(0, |sum, &sample| sum ^ call(function, sample))
            }),
            latency: Box::new(move |samples| {
                let zero = black_box(0);
                samples.iter().fold(0, |last, &sample| call(function, sample.after(last & zero)))
            }),
        })
    })
}

/// A variant with its times in seconds a call.
#[derive(Debug)]
pub(super) struct Measured<'a> {
    pub(super) runner: &'a Runner,
    pub(super) throughput: f64,
    pub(super) latency: f64,
}

/// The times of all variants, and the clock.
#[derive(Debug)]
pub(super) struct Measurement<'a> {
    pub(super) variants: Vec<Measured<'a>>,
    pub(super) hertz: f64,
}

/// Measures the variants in turns, for a number of rounds, and keeps the best of each.
pub(super) fn measure<'a>(
    runners: &'a [Runner],
    samples: &[Sample],
    rounds: u32,
) -> Measurement<'a> {
    let mut variants: Vec<_> = runners
        .iter()
        .map(|runner| Measured { runner, throughput: f64::INFINITY, latency: f64::INFINITY })
        .collect();
    let mut hertz: f64 = 0.0;
    for _ in 0..rounds {
        hertz = hertz.max(clock::hertz());
        for variant in &mut variants {
            let throughput = slice(&variant.runner.throughput, samples, variant.throughput);
            variant.throughput = variant.throughput.min(throughput);
            let latency = slice(&variant.runner.latency, samples, variant.latency);
            variant.latency = variant.latency.min(latency);
        }
    }
    Measurement { variants, hertz }
}

/// Returns seconds a call, from passes that together take about a slice, if a call takes `expected`.
fn slice(pass: &Pass, samples: &[Sample], expected: f64) -> f64 {
    let one = expected * samples.len() as f64;
    let passes = (SLICE / one).clamp(1.0, 1000.0) as u32; // the first time it is one
    let start = Instant::now();
    for _ in 0..passes {
        black_box(pass(black_box(samples)));
    }
    start.elapsed().as_secs_f64() / f64::from(passes) / samples.len() as f64
}
