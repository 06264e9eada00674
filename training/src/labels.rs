//! Values of positions, by searching.

use outflank_engine::evaluation::{UNIT, Weights, look_ahead};
use outflank_engine::{Engine, EngineError, Position, Settings};
use outflank_kernel::Isa;
use rayon::prelude::*;

use crate::progress::Progress;

/// Positions that a thread takes at once: small enough to share the work evenly.
const PORTION: usize = 256;

/// Returns the exact value of each position, in units of the evaluation.
///
/// # Errors
/// If there is no memory for the engine's table.
pub fn exact(
    isa: Isa,
    positions: &[Position],
    progress: &Progress,
) -> Result<Vec<i16>, EngineError> {
    let bar = progress.bar("exact values", positions.len());
    let most = positions.iter().map(|position| position.empties()).max().unwrap_or(0);
    let table_bytes = 1_usize << (most + 10).clamp(18, 24);
    let portion = if most <= 12 { PORTION } else { 8 };
    let solved = positions.par_chunks(portion).map_init(
        || Engine::new(&Settings { isa, table_bytes }),
        |engine, positions| {
            let values = usable(engine)?.values(positions);
            bar.inc(positions.len() as u64);
            Ok(values.into_iter().map(|value| (UNIT * value.discs()) as i16).collect())
        },
    );
    let solved: Vec<Vec<i16>> = solved.collect::<Result<_, EngineError>>()?;
    Ok(solved.concat())
}

/// Returns the engine that a thread has set up for itself, or why it could not.
pub(crate) fn usable(engine: &mut Result<Engine, EngineError>) -> Result<&Engine, EngineError> {
    engine.as_ref().map_err(|error| {
        let EngineError::Memory { bytes, source } = error;
        EngineError::Memory { bytes: *bytes, source: source.kind().into() }
    })
}

/// Returns the value of each position by a search of `plies` plies, in units of the evaluation.
#[must_use]
pub fn searched(
    isa: Isa,
    weights: &Weights,
    positions: &[Position],
    plies: u32,
    progress: &Progress,
) -> Vec<i16> {
    let bar = progress.bar("searched values", positions.len());
    let portions = positions.par_chunks(PORTION).map(|positions| {
        let values = look_ahead(isa, weights, positions, plies);
        bar.inc(positions.len() as u64);
        values.into_iter().map(|value| value as i16).collect()
    });
    portions.collect::<Vec<Vec<i16>>>().concat()
}
