//! One stage of the game: from samples to weights.

use outflank_engine::Position;
use outflank_engine::evaluation::{EvaluationSet, PARAMETERS, StageParameters, TERMS, UNIT, terms};
use outflank_kernel::{KernelSet, Scalar};
use rayon::prelude::*;

use crate::Samples;
use crate::progress::Progress;
use crate::regression::Problem;

/// Steps of the conjugate gradients; more change nothing that can be measured.
const ITERATIONS: usize = 35;

/// The weights of a stage, in discs, before they are rounded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fitted {
    pub(crate) weights: Vec<f64>,
    /// Mean of exact value less prediction before the exact correction, in discs: how far labels
    /// made by searching go wrong in one step. 0 where labels are exact.
    pub(crate) shift: f64,
    /// What was done and how well it fits, for the provenance: one line without its end.
    pub(crate) facts: String,
}

impl Fitted {
    /// Returns the weights of a file's stage, nothing known of how they were fitted.
    pub(crate) fn of(stage: &StageParameters) -> Self {
        let discs = |&weight: &i16| f64::from(weight) / f64::from(UNIT);
        let weights = stage.weights().iter().map(discs).collect();
        Self { weights, shift: 0.0, facts: String::new() }
    }

    /// Returns the weights rounded to units of the evaluation.
    pub(crate) fn parameters(&self) -> StageParameters {
        let unit = f64::from(UNIT);
        // `as` keeps what is beyond the range at its end; no weight comes near.
        let rounded = self.weights.iter().map(|weight| (weight * unit).round() as i16).collect();
        StageParameters::new(rounded).expect("every weight was fitted")
    }

    /// Adds `discs` to both constants.
    pub(crate) fn add_constant(&mut self, discs: f64) {
        for constant in &mut self.weights[PARAMETERS - 2..] {
            *constant += discs;
        }
    }
}

/// Returns the terms and labels of the samples.
pub(crate) fn problem(samples: &Samples) -> Problem<TERMS> {
    let label = |&label: &i16| f32::from(label) / UNIT as f32;
    Problem {
        terms: samples.positions.par_iter().map(|&position| terms_of(position)).collect(),
        labels: samples.labels.iter().map(label).collect(),
        parameters: PARAMETERS,
    }
}

fn terms_of(position: Position) -> [u32; TERMS] {
    let set = Scalar::new();
    let (player, opponent) = (position.player(), position.opponent());
    let count = |player, opponent| set.count(set.moves(player, opponent));
    let moves = (count(player, opponent), count(opponent, player));
    terms(&set.features(player, opponent), position.empties(), moves)
}

/// Returns the weights that fit the problem, pulled towards `prior`, and the mean absolute residual.
pub(crate) fn fit(
    problem: &Problem<TERMS>,
    prior: &[f64],
    ridge: f64,
    progress: &Progress,
) -> (Vec<f64>, f64) {
    let weights = problem.solve(prior, ridge, ITERATIONS, progress);
    let error = mean(problem.residuals(&weights).into_iter().map(f32::abs));
    (weights, error)
}

/// Returns the mean of label less prediction.
pub(crate) fn mean_residual(problem: &Problem<TERMS>, weights: &[f64]) -> f64 {
    mean(problem.residuals(weights).into_iter())
}

/// Returns the mean of the numbers, 0 if there are none.
fn mean(numbers: impl ExactSizeIterator<Item = f32>) -> f64 {
    let count = numbers.len().max(1) as f64;
    // Not `sum`, which is −0 for no numbers, and would be written so.
    numbers.fold(0.0, |sum, number| sum + f64::from(number)) / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_nothing_is_written_without_a_sign() {
        assert_eq!(
            format!("{:.2} {:+.2}", mean([].into_iter()), mean([].into_iter())),
            "0.00 +0.00"
        );
        assert_eq!(mean([1.0, -4.0].into_iter()), -1.5);
    }
}
