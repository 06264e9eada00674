//! What the coordinator believes of positions in the model.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use outflank_coordinator::advisor::predicted_nodes;
use outflank_coordinator::core::{Advisor, FEWEST_NODES};
use outflank_engine::evaluation::{UNIT, Weights, look_ahead};
use outflank_engine::{Position, Window};
use outflank_kernel::Isa;

use crate::random::{hash, hash_words, normal};

/// The plies of a quick and of a careful estimate. The real ones are deeper, and so are the trees
/// whose values they guess.
const PLIES: [u32; 2] = [2, 4];

/// The nodes that a quick estimate of the real advisor takes.
const QUICK: u64 = 5_000;

/// The standard deviation of a quick estimate from the value, in discs, beyond what the model's own look
/// ahead is off: half of the variance is common to positions with the same corners and edges.
const QUICK_ERROR: f64 = 6.4;

/// The same for a careful estimate of a million nodes; it falls with the fourth root of the nodes.
const CAREFUL_ERROR: f64 = 2.2;

/// Looks ahead in the model, and counts the nodes that the real advisor would take.
#[derive(Debug)]
pub struct ModelAdvisor {
    weights: &'static Weights,
    isa: Isa,
    seed: u64,
    threads: usize,
    thought: Arc<AtomicU64>,
    beliefs: BTreeMap<Position, i32>,
}

impl ModelAdvisor {
    /// Returns an advisor with errors drawn by `seed`, that adds the nodes it waits for to `thought` and, when it thinks
    /// carefully, has these `beliefs` of canonical positions; or `None` if the program has no evaluation.
    #[must_use]
    pub fn new(seed: u64, thought: Arc<AtomicU64>, beliefs: &[(Position, i32)]) -> Option<Self> {
        let weights = Weights::embedded().ok()?;
        let beliefs = beliefs.iter().copied().collect();
        Some(Self { weights, isa: Isa::chosen_or_best(), seed, threads: 1, thought, beliefs })
    }

    /// Returns the advisor with so many threads for careful estimates, at least one.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// Lets the core wait for a search of so many nodes.
    fn charge(&self, nodes: u64) {
        self.thought.fetch_add(nodes, Ordering::Relaxed);
    }

    /// Returns how many searches one after the other it takes to look at all `positions`.
    fn rounds(&self, positions: &[Position]) -> u64 {
        positions.len().div_ceil(self.threads) as u64
    }

    /// Returns the quick opinion, of which nothing is charged.
    fn guess(&self, position: Position) -> i32 {
        self.look(position, PLIES[0], QUICK_ERROR)
    }

    /// Returns the opinion after a careful search of so many nodes, of which nothing is charged.
    fn believe(&self, position: Position, nodes: u64) -> i32 {
        if let Some(&belief) = self.beliefs.get(&position) {
            return belief;
        }
        let error = CAREFUL_ERROR * (1e6 / nodes as f64).powf(0.25);
        self.look(position, PLIES[1], error)
    }

    fn look(&self, position: Position, plies: u32, error: f64) -> i32 {
        let values = look_ahead(self.isa, self.weights, &[position], plies);
        let value = f64::from(values[0]) / f64::from(UNIT);
        let own = normal(hash(self.seed, position, 3));
        (value + error * 0.5_f64.sqrt() * (own + common(self.seed, position))).round() as i32
    }
}

impl Advisor for ModelAdvisor {
    fn estimate(&self, position: Position) -> i32 {
        self.charge(QUICK);
        self.guess(position)
    }

    fn careful_estimate(&self, position: Position, nodes: u64) -> i32 {
        if nodes < FEWEST_NODES {
            return self.estimate(position);
        }
        self.charge(nodes);
        self.believe(position, nodes)
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn estimates(&self, positions: &[Position]) -> Vec<i32> {
        self.charge(QUICK * self.rounds(positions));
        positions.iter().map(|&position| self.guess(position)).collect()
    }

    fn careful_estimates(&self, positions: &[Position], nodes: u64) -> Vec<i32> {
        if nodes < FEWEST_NODES {
            return self.estimates(positions);
        }
        self.charge(nodes * self.rounds(positions));
        positions.iter().map(|&position| self.believe(position, nodes)).collect()
    }

    fn predicted_nodes(&self, position: Position, window: Window, estimate: i32) -> f64 {
        predicted_nodes(position, window, estimate)
    }
}

/// Returns a standard normal number that positions with the same corners and edges have in common, with
/// the other sign for the other player: the errors of an evaluation are those of its patterns.
fn common(seed: u64, position: Position) -> f64 {
    let share = |squares: u64| {
        let (player, opponent) = (position.player() & squares, position.opponent() & squares);
        let draw = |first, second| normal(hash_words(seed, [squares, first, second]));
        draw(player, opponent) - draw(opponent, player)
    };
    REGIONS.into_iter().map(share).sum::<f64>() / (2.0 * REGIONS.len() as f64).sqrt()
}

/// The edges and the corners of three by three squares.
const REGIONS: [u64; 8] = [
    0xFF,
    0xFF << 56,
    0x0101_0101_0101_0101,
    0x8080_8080_8080_8080,
    0x07_0707,
    0xE0_E0E0,
    0x07_0707 << 40,
    0xE0_E0E0 << 40,
];
