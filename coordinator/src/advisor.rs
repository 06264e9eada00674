//! What the core believes of positions: the engine's estimates, which are never proofs.

use outflank_engine::{Engine, EngineError, Position, Settings, Window};
use outflank_kernel::Isa;

use crate::core::Advisor;

/// Memory for the careful estimates.
const TABLE_BYTES: usize = 64 << 20;

/// Nodes for a careful estimate: a tenth of a second or two.
const NODE_LIMIT: u64 = 4_000_000;

/// Asks the engine.
#[derive(Debug)]
pub struct EngineAdvisor {
    engine: Engine,
}

impl EngineAdvisor {
    /// Returns an advisor with a small engine of its own.
    ///
    /// # Errors
    /// [`EngineError`] if there is no memory for it.
    pub fn new() -> Result<Self, EngineError> {
        let settings = Settings { isa: Isa::detect(), table_bytes: TABLE_BYTES };
        Engine::new(&settings).map(|engine| Self { engine })
    }
}

impl Advisor for EngineAdvisor {
    fn estimate(&self, position: Position) -> i32 {
        outflank_engine::estimate(position).discs()
    }

    fn careful_estimate(&self, position: Position) -> i32 {
        self.engine.believe(position, NODE_LIMIT).discs()
    }

    fn predicted_nodes(&self, position: Position, window: Window) -> f64 {
        outflank_engine::predicted_nodes(position, window)
    }
}
