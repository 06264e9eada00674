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
    let residuals = problem.residuals(&weights);
    let sum: f64 = residuals.iter().map(|residual| f64::from(residual.abs())).sum();
    (weights, sum / residuals.len().max(1) as f64)
}

/// Returns the mean of label less prediction.
pub(crate) fn mean_residual(problem: &Problem<TERMS>, weights: &[f64]) -> f64 {
    let residuals = problem.residuals(weights);
    let sum: f64 = residuals.iter().map(|&residual| f64::from(residual)).sum();
    sum / residuals.len().max(1) as f64
}
