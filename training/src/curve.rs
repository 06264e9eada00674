//! Learning curves: how the error falls as positions are added.

use std::path::Path;

use outflank_engine::evaluation::{PARAMETERS, TERMS, stage_of};
use outflank_kernel::Isa;

use crate::regression::Problem;
use crate::samples::{Purpose, positions};
use crate::stage::{fit, problem};
use crate::train::{RIDGE_BASE, RIDGE_STAGE};
use crate::work::Work;
use crate::{Progress, Samples, TrainingError, labels};

/// The error after fitting to a part of the searched labels of a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The number of labels.
    pub labels: usize,
    /// Mean absolute error against exact values in discs, fitted without a prior.
    pub alone: f64,
    /// The same, fitted towards the weights of the neighbouring stage.
    pub with_prior: f64,
}

/// Fits the stage of `empties` to the searched labels in the folder of a training, to all of them and
/// to parts down to 5,000 by halves, and compares each fit with exact values of `tests` games that training
/// never sees. Corrections by exact values are left out; the bias is taken out of the errors.
///
/// # Errors
/// If the folder lacks the samples of that stage or the weights of the one before, or is damaged, or
/// there is no memory for the engine.
pub fn curve(
    work: &Path,
    isa: Isa,
    empties: u32,
    tests: usize,
    progress: &Progress,
) -> Result<Vec<CurvePoint>, TrainingError> {
    let stage = stage_of(empties);
    let work = Work::existing(work);
    let samples = work.finished_samples(&format!("stage-{stage:02}-searched"))?;
    let prior = work.finished_fitted(stage - 1)?.weights;
    let test = positions(1, Purpose::Test, &[empties], tests, progress);
    let labels = labels::exact(isa, &test, progress)?;
    let test = problem(&Samples { positions: test, labels });
    let mut points = Vec::new();
    let mut stride = 1;
    while stride == 1 || samples.labels.len() / stride >= 5_000 {
        let part = problem(&part(&samples, stride));
        let error = |prior: &[f64], ridge| {
            let (weights, _) = fit(&part, prior, ridge, progress);
            unbiased_error(&test, &weights)
        };
        points.push(CurvePoint {
            labels: part.labels.len(),
            alone: error(&vec![0.0; PARAMETERS], RIDGE_BASE),
            with_prior: error(&prior, RIDGE_STAGE),
        });
        stride *= 2;
    }
    points.reverse();
    Ok(points)
}

/// Returns every `stride`-th sample. They are sorted by their boards, so that this is a fair draw.
fn part(samples: &Samples, stride: usize) -> Samples {
    Samples {
        positions: samples.positions.iter().copied().step_by(stride).collect(),
        labels: samples.labels.iter().copied().step_by(stride).collect(),
    }
}

/// Returns the mean absolute error of the clamped predictions after their mean error is taken out.
fn unbiased_error(test: &Problem<TERMS>, weights: &[f64]) -> f64 {
    let residuals = test.residuals(weights);
    let errors: Vec<f64> = residuals
        .iter()
        .zip(&test.labels)
        .map(|(&residual, &label)| {
            f64::from(label) - f64::from(label - residual).clamp(-64.0, 64.0)
        })
        .collect();
    let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
    errors.iter().map(|error| (error - mean).abs()).sum::<f64>() / errors.len().max(1) as f64
}
