//! What the core believes of positions: the engine's estimates, which are never proofs.

use outflank_engine::{Engine, EngineError, Position, Settings, Window};
use outflank_kernel::Isa;

use crate::core::Advisor;

/// Memory for the careful estimates.
const TABLE_BYTES: usize = 64 << 20;

/// With fewer nodes a selective search comes to no opinion.
const FEWEST_NODES: u64 = 200_000;

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

    fn careful_estimate(&self, position: Position, nodes: u64) -> i32 {
        if nodes < FEWEST_NODES {
            return self.estimate(position);
        }
        self.engine.believe(position, nodes).discs()
    }

    fn predicted_nodes(&self, position: Position, window: Window, estimate: i32) -> f64 {
        predicted_nodes(position, window, estimate)
    }
}

/// Returns about how many nodes a search of `position`, whose likely value is `estimate` discs, will
/// take in `window`: right within a factor of two and a half two times out of three if all is asked, of
/// three and a half if a goal is. Fitted to positions of 20 to 31 empties; `docs/simulation.md` has
/// the fit.
#[must_use]
pub fn predicted_nodes(position: Position, window: Window, estimate: i32) -> f64 {
    if position.walls() != 0 {
        return predicted_small(position, window, estimate);
    }
    let whole = 0.63 * f64::from(position.empties()) + 0.85 * f64::from(choice(position)).ln();
    if !window.is_null() {
        return whole.exp();
    }
    let distance = f64::from((estimate - (window.upper().discs() - 1)).abs());
    (whole - 0.9 - 0.11 * distance).exp()
}

/// Returns the number of moves, at least 1; after a pass those of the other side.
fn choice(position: Position) -> u32 {
    let mover = if position.must_pass() { position.pass() } else { position };
    mover.moves().count_ones().max(1)
}

/// The same on boards smaller than 8x8, where moves are fewer: fitted to 6x6 positions of 16 to 31
/// empties.
fn predicted_small(position: Position, window: Window, estimate: i32) -> f64 {
    let null = (-1.6 + 0.72 * f64::from(position.empties())).exp();
    if !window.is_null() {
        return 2.0 * null;
    }
    let distance = f64::from((estimate - (window.upper().discs() - 1)).abs());
    null * (-0.08 * distance).exp()
}
