//! How well weights predict exact values that training never saw.

use std::fmt;

use outflank_engine::evaluation::{UNIT, Weights};
use outflank_kernel::Isa;

use crate::progress::Progress;
use crate::samples::{Purpose, positions};
use crate::{TrainingError, labels};

/// The errors of the evaluation at one number of empty squares, in discs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The number of empty squares.
    pub empties: u32,
    /// The number of positions.
    pub positions: usize,
    /// Mean of the absolute error.
    pub mean_absolute: f64,
    /// Root of the mean square of the error.
    pub root_mean_square: f64,
    /// Mean of prediction less exact value.
    pub bias: f64,
}

impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { empties, positions, mean_absolute, root_mean_square, bias } = self;
        write!(f, "{empties:>7} {positions:>9} {mean_absolute:>6.2} {root_mean_square:>6.2}")?;
        write!(f, " {bias:>+6.2}")
    }
}

/// Compares the evaluation with exact values of `games` games of `seed`; a game gives at most one
/// position. The games are others than those of the training, whatever the seed.
///
/// # Errors
/// If there is no memory for the engine that finds the exact values.
pub fn report(
    weights: &Weights,
    isa: Isa,
    seed: u64,
    empties: u32,
    games: usize,
    progress: &Progress,
) -> Result<Accuracy, TrainingError> {
    let positions = positions(seed, Purpose::Test, &[empties], games, progress);
    let exact = labels::exact(isa, &positions, progress)?;
    let predicted = labels::searched(isa, weights, &positions, 0, progress);
    let count = positions.len().max(1) as f64;
    let errors = || {
        let pairs = predicted.iter().zip(&exact);
        pairs.map(|(&predicted, &exact)| f64::from(predicted - exact) / f64::from(UNIT))
    };
    Ok(Accuracy {
        empties,
        positions: positions.len(),
        mean_absolute: errors().map(f64::abs).sum::<f64>() / count,
        root_mean_square: (errors().map(|error| error * error).sum::<f64>() / count).sqrt(),
        bias: errors().sum::<f64>() / count,
    })
}
