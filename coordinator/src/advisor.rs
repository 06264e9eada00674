//! What the core believes of positions: the engine's estimates, which are never proofs.

use outflank_engine::{Position, Window};

use crate::core::Advisor;

/// Asks the engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineAdvisor;

impl Advisor for EngineAdvisor {
    fn estimate(&self, position: Position) -> i32 {
        outflank_engine::estimate(position).discs()
    }

    fn predicted_nodes(&self, position: Position, window: Window) -> f64 {
        outflank_engine::predicted_nodes(position, window)
    }
}
