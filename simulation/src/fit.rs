//! What jobs cost and how far estimates are off, fitted to jobs that were searched.

use std::fmt;

use outflank_engine::{Bound, Position, Window};

/// A job that answered its goal.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The position.
    pub position: Position,
    /// The goal's window.
    pub window: Window,
    /// What was proved.
    pub bound: Bound,
    /// The nodes searched.
    pub nodes: u64,
}

/// The logarithm of the nodes of a goal as a linear function, and the error of estimates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The number of jobs.
    pub jobs: usize,
    /// The value without empty squares and distance, extrapolated.
    pub cost: f64,
    /// What each empty square adds.
    pub cost_of_empty: f64,
    /// What each factor of e of the number of moves adds.
    pub cost_of_move: f64,
    /// What each disc between the estimate and the threshold takes away.
    pub cost_of_distance: f64,
    /// The standard deviation of what is left.
    pub spread: f64,
    /// The scale, in discs, of the logistic distribution of the estimates' errors under which the
    /// outcomes are most likely.
    pub scale: f64,
}

/// With fewer jobs nothing is fitted.
const FEWEST: usize = 20;

impl Fit {
    /// Returns the fit to `samples` by least squares, or `None` if they are too few or too much
    /// alike.
    #[must_use]
    pub fn of(samples: &[Sample]) -> Option<Self> {
        if samples.len() < FEWEST {
            return None;
        }
        let rows: Vec<Row> = samples.iter().map(row).collect();
        let factors = least_squares(&rows)?;
        let left = |row: &Row| {
            let fitted: f64 = factors.iter().zip(row).map(|(factor, term)| factor * term).sum();
            row[TERMS] - fitted
        };
        let squares: f64 = rows.iter().map(|row| left(row).powi(2)).sum();
        let spread = (squares / (rows.len() - TERMS) as f64).sqrt();
        let scale = likeliest_scale(samples);
        let [cost, cost_of_empty, cost_of_move, of_distance] = factors;
        let cost_of_distance = -of_distance;
        let jobs = rows.len();
        Some(Self { jobs, cost, cost_of_empty, cost_of_move, cost_of_distance, spread, scale })
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { jobs, cost, cost_of_empty, cost_of_move, cost_of_distance, spread, scale } =
            self;
        write!(
            f,
            "{jobs} goals: ln nodes = {cost:.2} {cost_of_empty:+.3}·empties {cost_of_move:+.2}·ln moves {:+.3}·|estimate − threshold|, \
             residual {spread:.2}; errors of estimates: logistic, scale {scale:.1} discs",
            -cost_of_distance
        )
    }
}

fn margin(sample: &Sample) -> f64 {
    let estimate = outflank_engine::estimate(sample.position).discs();
    f64::from(estimate - (sample.window.upper().discs() - 1))
}

/// The number of regressors.
const TERMS: usize = 4;

/// The regressors and the logarithm of the nodes.
type Row = [f64; TERMS + 1];

fn row(sample: &Sample) -> Row {
    let empties = f64::from(sample.position.empties());
    let moves = f64::from(sample.position.moves().count_ones().max(1)).ln();
    [1.0, empties, moves, margin(sample).abs(), (sample.nodes.max(1) as f64).ln()]
}

/// Solves the normal equations by Gauss's elimination with the largest pivots.
fn least_squares(rows: &[Row]) -> Option<[f64; TERMS]> {
    let mut system = [[0.0; TERMS + 1]; TERMS];
    for row in rows {
        for (equation, factor) in system.iter_mut().zip(row) {
            equation.iter_mut().zip(row).for_each(|(sum, term)| *sum += factor * term);
        }
    }
    for column in 0..TERMS {
        let size = |line: &usize| system[*line][column].abs();
        let pivot = (column..TERMS).max_by(|first, second| size(first).total_cmp(&size(second)))?;
        system.swap(column, pivot);
        let pivot = system[column];
        if pivot[column].abs() < 1e-9 {
            return None;
        }
        for line in (0..TERMS).filter(|&line| line != column) {
            let factor = system[line][column] / pivot[column];
            system[line].iter_mut().zip(pivot).for_each(|(sum, term)| *sum -= factor * term);
        }
    }
    Some(std::array::from_fn(|line| system[line][TERMS] / system[line][line]))
}

/// Returns the scale, to a tenth of a disc, under which the outcomes are most likely.
fn likeliest_scale(samples: &[Sample]) -> f64 {
    let outcomes: Vec<f64> = samples
        .iter()
        .map(|sample| {
            let holds = sample.bound.lower() >= sample.window.upper();
            if holds { margin(sample) } else { -margin(sample) }
        })
        .collect();
    let surprise =
        |scale: f64| -> f64 { outcomes.iter().map(|margin| (-margin / scale).exp().ln_1p()).sum() };
    let scales = (5..=150).map(|tenths| f64::from(tenths) / 10.0);
    scales.min_by(|first, second| surprise(*first).total_cmp(&surprise(*second))).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, roots};
    use crate::random::{hash, unit};

    /// Goals around estimates that are off by a logistic error of scale 2.
    fn samples(empties: std::ops::Range<u32>) -> Vec<Sample> {
        let mut samples = Vec::new();
        for empties in empties {
            for request in roots(7, empties, 40, Kind::Value).expect("weights") {
                let position = request.position;
                let estimate = outflank_engine::estimate(position).discs();
                let luck = unit(hash(1, position, 1));
                let value = f64::from(estimate) + 2.0 * (luck / (1.0 - luck)).ln();
                let off = (hash(1, position, 2) % 9) as i32 - 4;
                let threshold = outflank_engine::Score::floor(estimate + off);
                let Some(window) = Window::at_least(threshold) else { continue };
                let holds = value >= f64::from(threshold.discs() - 1);
                let bound = match holds {
                    true => Bound::at_least(threshold),
                    false => Bound::at_most(threshold.down()),
                };
                let mut sample = Sample { position, window, bound, nodes: 0 };
                let moves = f64::from(position.moves().count_ones()).ln();
                let cost =
                    2.0 + 0.6 * f64::from(empties) + 0.7 * moves - 0.1 * margin(&sample).abs();
                sample.nodes = cost.exp() as u64;
                samples.push(sample);
            }
        }
        samples
    }

    #[test]
    fn a_known_law_is_found_again() {
        let fit = Fit::of(&samples(20..26)).expect("many jobs");
        assert!((fit.cost - 2.0).abs() < 0.05, "{fit}");
        assert!((fit.cost_of_empty - 0.6).abs() < 0.005, "{fit}");
        assert!((fit.cost_of_move - 0.7).abs() < 0.005, "{fit}");
        assert!((fit.cost_of_distance - 0.1).abs() < 0.005, "{fit}");
        assert!(fit.spread < 0.01, "{fit}");
        assert!((1.2..3.5).contains(&fit.scale), "{fit}");
    }

    #[test]
    fn each_term_of_a_fit_is_written_with_its_sign() {
        let fit = Fit {
            jobs: 20,
            cost: 3.0,
            cost_of_empty: -0.1,
            cost_of_move: 0.5,
            cost_of_distance: -0.2,
            spread: 1.0,
            scale: 2.0,
        };
        let written = fit.to_string();
        assert!(written.contains("= 3.00 -0.100·empties +0.50·ln moves +0.200·|"), "{written}");
    }

    #[test]
    fn jobs_that_are_few_or_alike_give_no_fit() {
        let samples = samples(20..21);
        assert_eq!(Fit::of(&samples[..10]), None);
        let alike = vec![samples[0]; 30];
        assert_eq!(Fit::of(&alike), None);
    }
}
