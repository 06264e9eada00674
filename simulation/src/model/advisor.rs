//! What the coordinator believes of positions in the model.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use outflank_coordinator::advisor::predicted_nodes;
use outflank_coordinator::core::Advisor;
use outflank_engine::evaluation::{UNIT, Weights, look_ahead};
use outflank_engine::{Position, Window};
use outflank_kernel::Isa;

/// The plies of a quick and of a careful estimate. The real ones are deeper, and so are the trees
/// whose values they guess.
const PLIES: [u32; 2] = [2, 4];

/// The nodes that a quick estimate of the real advisor takes.
const QUICK: u64 = 5_000;

/// With fewer nodes a careful estimate is a quick one.
const FEWEST_NODES: u64 = 200_000;

/// Looks ahead in the model, and counts the nodes that the real advisor would take.
#[derive(Debug)]
pub struct ModelAdvisor {
    weights: &'static Weights,
    isa: Isa,
    thought: Arc<AtomicU64>,
    beliefs: BTreeMap<Position, i32>,
}

impl ModelAdvisor {
    /// Returns an advisor that adds its nodes to `thought` and, when it thinks carefully, has these
    /// `beliefs` of canonical positions; or `None` if the program has no evaluation.
    #[must_use]
    pub fn new(thought: Arc<AtomicU64>, beliefs: &[(Position, i32)]) -> Option<Self> {
        let weights = Weights::embedded().ok()?;
        let beliefs = beliefs.iter().copied().collect();
        Some(Self { weights, isa: Isa::detect(), thought, beliefs })
    }

    fn look(&self, position: Position, plies: u32, nodes: u64) -> i32 {
        self.thought.fetch_add(nodes, Ordering::Relaxed);
        let values = look_ahead(self.isa, self.weights, &[position], plies);
        (values[0] as f32 / UNIT as f32).round() as i32
    }
}

impl Advisor for ModelAdvisor {
    fn estimate(&self, position: Position) -> i32 {
        self.look(position, PLIES[0], QUICK)
    }

    fn careful_estimate(&self, position: Position, nodes: u64) -> i32 {
        if nodes < FEWEST_NODES {
            return self.estimate(position);
        }
        if let Some(&belief) = self.beliefs.get(&position) {
            self.thought.fetch_add(nodes, Ordering::Relaxed);
            return belief;
        }
        self.look(position, PLIES[1], nodes)
    }

    fn predicted_nodes(&self, position: Position, window: Window, estimate: i32) -> f64 {
        predicted_nodes(position, window, estimate)
    }
}
