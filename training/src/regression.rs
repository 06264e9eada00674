//! Ridge regression by conjugate gradients.
//!
//! Each sample is a sum of a few weights and should equal its label. Minimised is
//! `sum (label - x·w)^2 + ridge * sum (w - prior)^2`: with the few samples that a rare pattern has,
//! its weight stays near the prior. The normal equations for the correction `d = w - prior`,
//! `(X'X + ridge I) d = X'(label - X prior)`, are solved by conjugate gradients (M. Hestenes,
//! E. Stiefel 1952) with the diagonal as preconditioner (Jacobi).
//!
//! Sums are taken over a fixed number of parts in double precision and added up in a fixed order:
//! the result does not depend on the number of threads.

use rayon::prelude::*;

use crate::progress::Progress;

/// Parts that the samples are divided into, whatever the number of threads.
const PARTS: usize = 16;

/// Samples as lists of the weights that they add up.
#[derive(Clone, Debug)]
pub struct Problem<const TERMS: usize> {
    /// The numbers of the weights that each sample adds up, below `parameters`.
    pub terms: Vec<[u32; TERMS]>,
    /// The label of each sample.
    pub labels: Vec<f32>,
    /// The number of weights.
    pub parameters: usize,
}

impl<const TERMS: usize> Problem<TERMS> {
    /// Returns the weights that fit the labels best, pulled towards `prior` with the force `ridge`
    /// (above 0), after `iterations` steps or when nothing is left to improve.
    ///
    /// # Panics
    /// If `prior` has not a weight for each parameter.
    #[must_use]
    pub fn solve(
        &self,
        prior: &[f64],
        ridge: f64,
        iterations: usize,
        progress: &Progress,
    ) -> Vec<f64> {
        assert_eq!(prior.len(), self.parameters, "the prior has a weight for each parameter");
        let bar = progress.bar("least squares", iterations);
        let diagonal = self.diagonal(ridge);
        let mut parts = vec![vec![0.0; self.parameters]; PARTS];
        let mut residual = self.backward(&self.residuals(prior), &mut parts);
        let mut weights = prior.to_vec();
        let mut scaled = quotient(&residual, &diagonal);
        let mut direction = scaled.clone();
        let mut force = dot(&residual, &scaled);
        let target = force * 1e-12;
        for _ in 0..iterations {
            if force <= target {
                break;
            }
            let mut image = self.backward(&self.forward(&direction), &mut parts);
            add(&mut image, ridge, &direction);
            let step = force / dot(&direction, &image);
            add(&mut weights, step, &direction);
            add(&mut residual, -step, &image);
            scaled = quotient(&residual, &diagonal);
            let next = dot(&residual, &scaled);
            let keep = next / force;
            for (direction, scaled) in direction.iter_mut().zip(&scaled) {
                *direction = scaled + keep * *direction;
            }
            force = next;
            bar.inc(1);
        }
        weights
    }

    /// Returns label less prediction for each sample.
    #[must_use]
    pub fn residuals(&self, weights: &[f64]) -> Vec<f32> {
        let predictions = self.forward(weights);
        self.labels.iter().zip(predictions).map(|(label, prediction)| label - prediction).collect()
    }

    /// Returns the sum of the weights of each sample: `X w`.
    fn forward(&self, weights: &[f64]) -> Vec<f32> {
        let weights: Vec<f32> = weights.iter().map(|&weight| weight as f32).collect();
        let sum = |terms: &[u32; TERMS]| -> f32 {
            let sum: f64 = terms.iter().map(|&term| f64::from(weights[term as usize])).sum();
            sum as f32
        };
        self.terms.par_iter().map(sum).collect()
    }

    /// Returns for each parameter the sum of the values of the samples that have it: `X' v`. The sums are taken in
    /// `parts`, one for each part of the samples; memory of their own each time would take as long as the sums.
    fn backward(&self, values: &[f32], parts: &mut [Vec<f64>]) -> Vec<f64> {
        let part = self.terms.len().div_ceil(parts.len()).max(1);
        let samples = self.terms.par_chunks(part).zip(values.par_chunks(part));
        parts.par_iter_mut().zip(samples).for_each(|(sums, (terms, values))| {
            sums.fill(0.0);
            for (terms, &value) in terms.iter().zip(values) {
                for &term in terms {
                    sums[term as usize] += f64::from(value);
                }
            }
        });
        let mut total = vec![0.0; self.parameters];
        for sums in parts.iter().take(self.terms.len().div_ceil(part)) {
            add(&mut total, 1.0, sums);
        }
        total
    }

    /// Returns the diagonal of `X'X + ridge I`: for each parameter the number of samples that have
    /// it. (A sample that has it twice counts twice instead of four times; as a preconditioner that
    /// is as good.)
    fn diagonal(&self, ridge: f64) -> Vec<f64> {
        let mut diagonal = vec![ridge; self.parameters];
        for &term in self.terms.as_flattened() {
            diagonal[term as usize] += 1.0;
        }
        diagonal
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// Adds `factor * right` to `left`.
fn add(left: &mut [f64], factor: f64, right: &[f64]) {
    for (left, right) in left.iter_mut().zip(right) {
        *left += factor * right;
    }
}

fn quotient(left: &[f64], right: &[f64]) -> Vec<f64> {
    left.iter().zip(right).map(|(left, right)| left / right).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// A problem whose labels are made of known weights.
    fn problem(weights: &[f64], samples: usize) -> Problem<3> {
        let mut random = Random::stream(1, &[]);
        let mut number = || random.below(weights.len() as u32);
        let terms: Vec<_> = (0..samples).map(|_| [number(), number(), number()]).collect();
        let label =
            |terms: &[u32; 3]| terms.iter().map(|&term| weights[term as usize] as f32).sum();
        Problem { labels: terms.iter().map(label).collect(), terms, parameters: weights.len() }
    }

    #[test]
    fn known_weights_are_found_again() {
        let weights: Vec<f64> = (0..50).map(|number| f64::from(number % 7) - 3.0).collect();
        let problem = problem(&weights, 5000);
        let found = problem.solve(&[0.0; 50], 1e-6, 200, &Progress::hidden());
        for (found, expected) in found.iter().zip(&weights) {
            assert!((found - expected).abs() < 1e-3, "{found} is not {expected}");
        }
    }

    #[test]
    fn two_equations_are_solved_as_by_hand() {
        // One sample: w0 + w0 + w1 = 6. With ridge 1 and prior 0 the gradient gives
        // w0 = 2 w1 and (4 + 1) w0 + 2 w1 = 12, so that w0 = 2 and w1 = 1.
        let problem = Problem { terms: vec![[0, 0, 1]], labels: vec![6.0], parameters: 2 };
        let found = problem.solve(&[0.0, 0.0], 1.0, 10, &Progress::hidden());
        assert!((found[0] - 2.0).abs() < 1e-6 && (found[1] - 1.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn weights_without_samples_keep_their_prior() {
        let problem = Problem { terms: vec![[0, 1, 2]], labels: vec![3.0], parameters: 4 };
        let found = problem.solve(&[0.5, 0.5, 0.5, 7.0], 1.0, 10, &Progress::hidden());
        assert!((found[3] - 7.0).abs() < 1e-12, "{found:?}");
        assert!(found[0] > 0.5 && found[0] < 1.0, "{found:?}");
    }

    #[test]
    fn the_result_does_not_depend_on_the_number_of_threads() {
        let weights: Vec<f64> = (0..200).map(|number| f64::from(number).sin()).collect();
        let problem = problem(&weights, 10_000);
        let solve = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| problem.solve(&[0.0; 200], 5.0, 30, &Progress::hidden()))
        };
        assert_eq!(solve(1), solve(3));
    }
}
