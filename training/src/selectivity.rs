//! How far shallow searches are from deep ones: the parameters of cutting by probability.
//!
//! Positions are searched to all depths up to eight plies, and exactly where that is quick. The
//! difference of two depths has a mean and a spread, which are fitted as functions of the depths and
//! the number of empty squares (M. Buro's ProbCut with a fit for all pairs at once). How often
//! differences are how many spreads away is counted on the half of the positions that the fit has
//! not seen: the tails are fatter than those of a normal distribution.

use outflank_engine::Position;
use outflank_engine::evaluation::{Selectivity, UNIT, Weights};
use outflank_kernel::Isa;

use crate::samples::{Purpose, positions};
use crate::{Progress, TrainingError, labels};

/// The numbers of empty squares that are measured.
const EMPTIES: [u32; 12] = [12, 13, 14, 15, 16, 18, 20, 22, 24, 27, 30, 34];
/// There must be two different ones for anything to be fitted.
pub(crate) const FEWEST_EMPTIES: u32 = EMPTIES[1];
/// With fewer games nothing is left for the quantiles: the first four positions are for the fit.
pub(crate) const FEWEST_GAMES: usize = 5;
/// The deepest search, in plies.
const DEEPEST: u32 = 8;
/// The most empty squares for which the exact value is measured too.
const EXACT: u32 = 20;
/// The most empty squares for which it is measured for every position; above, for every fourth.
const EXACT_ALWAYS: u32 = 16;
/// Factors of mean and spread.
const TERMS: usize = Selectivity::TERMS;
/// Positions whose static value is further from a draw, in discs, are left out: nearly decided ones
/// would make the spread look small.
const OPEN: i32 = 24;

/// The values of one position in units of the evaluation.
struct Row {
    empties: u32,
    /// By depth, from 0 on.
    searched: Vec<i16>,
    exact: Option<i16>,
}

/// One pair of depths: the difference deep less shallow in discs, and what it may depend on.
struct Difference {
    empties: u32,
    shallow: u32,
    deep: u32,
    discs: f64,
}

/// Returns what is measured with `games` games for each number of empty squares.
///
/// # Errors
/// If there is no memory for the engine, or so few games that nothing can be fitted.
pub fn selectivity(
    weights: &Weights,
    isa: Isa,
    seed: u64,
    games: usize,
    progress: &Progress,
) -> Result<Selectivity, TrainingError> {
    let (_, most) = weights.trained();
    let mut halves = [Vec::new(), Vec::new()];
    for empties in EMPTIES.into_iter().filter(|&empties| empties <= most) {
        let positions = positions(seed, Purpose::Selectivity, &[empties], games, progress);
        let rows = rows(weights, isa, &positions, progress)?;
        for (number, row) in rows.iter().enumerate() {
            // Not every other one: exact values are those of every fourth position.
            halves[number / 4 % 2].extend(differences(row));
        }
    }
    let too_few = || TrainingError::TooFew { count: games, what: "games", result: "selectivity" };
    let mean = fit_mean(&halves[0]).ok_or_else(too_few)?;
    let mut found = Selectivity { mean, log_spread: [0.0; TERMS], quantiles: [0.0; 5] };
    found.log_spread = fit_log_spread(&found, &halves[0]).ok_or_else(too_few)?;
    found.quantiles = quantiles(&found, &halves[1]).ok_or_else(too_few)?;
    Ok(found)
}

/// Searches positions of the same number of empty squares to all depths.
fn rows(
    weights: &Weights,
    isa: Isa,
    positions: &[Position],
    progress: &Progress,
) -> Result<Vec<Row>, TrainingError> {
    let fixed = labels::searched(isa, weights, positions, 0, progress);
    let open: Vec<Position> = positions
        .iter()
        .zip(fixed)
        .filter(|&(_, value)| i32::from(value).abs() <= OPEN * UNIT)
        .map(|(&position, _)| position)
        .collect();
    let depths: Vec<_> =
        (0..=DEEPEST).map(|plies| labels::searched(isa, weights, &open, plies, progress)).collect();
    let empties = open.first().map_or(0, |position| position.empties());
    let step = if empties <= EXACT_ALWAYS {
        1
    } else if empties <= EXACT {
        4
    } else {
        usize::MAX // no exact values
    };
    let solved: Vec<Position> = match step {
        usize::MAX => Vec::new(),
        step => open.iter().copied().step_by(step).collect(),
    };
    let exact = labels::exact(isa, &solved, progress)?;
    let row = |(number, position): (usize, &Position)| Row {
        empties: position.empties(),
        searched: depths.iter().map(|values| values[number]).collect(),
        exact: number.is_multiple_of(step).then(|| exact.get(number / step).copied()).flatten(),
    };
    Ok(open.iter().enumerate().map(row).collect())
}

/// Returns the differences of all pairs of depths of one position: of searches those of the same
/// parity, which is what a search compares, and of exact values all.
fn differences(row: &Row) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut add = |shallow: u32, deep: u32, value: i16| {
        let units = i32::from(value) - i32::from(row.searched[shallow as usize]);
        let discs = f64::from(units) / f64::from(UNIT);
        differences.push(Difference { empties: row.empties, shallow, deep, discs });
    };
    for shallow in 0..=DEEPEST {
        for deep in (shallow + 2..=DEEPEST).step_by(2) {
            add(shallow, deep, row.searched[deep as usize]);
        }
        if let Some(exact) = row.exact {
            add(shallow, row.empties, exact);
        }
    }
    differences
}

fn fit_mean(differences: &[Difference]) -> Option<[f64; TERMS]> {
    let rows = differences.iter().map(|difference| {
        let Difference { empties, shallow, deep, discs } = *difference;
        (Selectivity::terms(empties, shallow, deep), discs)
    });
    least_squares(rows)
}

/// Fits the logarithm of the spread around the mean, with the same weight for each combination of
/// empty squares and depths.
fn fit_log_spread(found: &Selectivity, differences: &[Difference]) -> Option<[f64; TERMS]> {
    let mut cells = std::collections::BTreeMap::new();
    for &Difference { empties, shallow, deep, discs } in differences {
        let (sum, count) = cells.entry((empties, shallow, deep)).or_insert((0.0, 0.0));
        *sum += (discs - found.mean(empties, shallow, deep)).powi(2);
        *count += 1.0;
    }
    let rows = cells.into_iter().filter(|&(_, (sum, count))| sum > 0.0 && count > 1.0);
    least_squares(rows.map(|((empties, shallow, deep), (sum, count))| {
        (Selectivity::terms(empties, shallow, deep), (sum / count).ln() / 2.0)
    }))
}

/// Returns how many spreads below the mean the lowest differences are, for each confidence.
fn quantiles(found: &Selectivity, differences: &[Difference]) -> Option<[f64; 5]> {
    let standard = |difference: &Difference| {
        let &Difference { empties, shallow, deep, discs } = difference;
        (discs - found.mean(empties, shallow, deep)) / found.spread(empties, shallow, deep)
    };
    let mut sorted: Vec<f64> = differences.iter().map(standard).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some(Selectivity::CONFIDENCES.map(|confidence| {
        // Both sides are used: a search cuts above the window and below it.
        let place = (confidence * last as f64).round() as usize;
        (sorted[place] - sorted[last - place]) / 2.0
    }))
}

/// Returns the factors that fit the rows (terms, value) best, or `None` if they do not determine
/// them. The normal equations are solved by elimination.
fn least_squares(rows: impl Iterator<Item = ([f64; TERMS], f64)>) -> Option<[f64; TERMS]> {
    let mut system = [[0.0; TERMS + 1]; TERMS];
    for (terms, value) in rows {
        for (row, term) in system.iter_mut().zip(terms) {
            for (cell, other) in row.iter_mut().zip(terms.into_iter().chain([value])) {
                *cell += term * other;
            }
        }
    }
    for column in 0..TERMS {
        let pivot = (column..TERMS)
            .max_by(|&a, &b| system[a][column].abs().total_cmp(&system[b][column].abs()))?;
        system.swap(column, pivot);
        let head = system[column];
        if head[column].abs() < 1e-9 {
            return None;
        }
        for (number, row) in system.iter_mut().enumerate() {
            if number != column {
                let factor = row[column] / head[column];
                for (cell, head) in row.iter_mut().zip(head) {
                    *cell -= factor * head;
                }
            }
        }
    }
    Some(std::array::from_fn(|number| system[number][TERMS] / system[number][number]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Differences of a known mean and spread.
    fn made(known: &Selectivity) -> Vec<Difference> {
        let mut random = Random::stream(1, &[]);
        let mut differences = Vec::new();
        for empties in [12, 16, 20] {
            for (shallow, deep) in [(0, 2), (0, 6), (2, 8), (4, 8), (1, empties), (6, empties)] {
                for _ in 0..2000 {
                    // The sum of twelve even distributions is nearly a normal one of spread 1.
                    let even = |random: &mut Random| f64::from(random.below(1 << 20)) / 1_048_576.0;
                    let normal = (0..12).map(|_| even(&mut random)).sum::<f64>() - 6.0;
                    let spread = known.spread(empties, shallow, deep);
                    let discs = known.mean(empties, shallow, deep) + spread * normal;
                    differences.push(Difference { empties, shallow, deep, discs });
                }
            }
        }
        differences
    }

    #[test]
    fn a_known_mean_and_spread_are_found_again() {
        let known = Selectivity {
            mean: [1.0, -0.05, 0.1, -0.1, -0.5, 0.02, 0.1],
            log_spread: [1.5, 0.01, -0.1, 0.05, 2.0, 0.01, -0.1],
            quantiles: [0.613, 1.126, 1.645, 2.054, 2.326], // those of the normal distribution
        };
        let made = made(&known);
        let mean = fit_mean(&made).unwrap();
        let mut found = Selectivity { mean, ..known.clone() };
        found.log_spread = fit_log_spread(&found, &made).unwrap();
        for (shallow, deep) in [(0, 4), (4, 8), (3, 16)] {
            let means = (found.mean(16, shallow, deep), known.mean(16, shallow, deep));
            assert!((means.0 - means.1).abs() < 0.15, "{means:?}");
            let spreads = (found.spread(16, shallow, deep), known.spread(16, shallow, deep));
            assert!((spreads.0 / spreads.1 - 1.0).abs() < 0.05, "{spreads:?}");
        }
        for (found, expected) in quantiles(&found, &made).unwrap().iter().zip(known.quantiles) {
            assert!((found - expected).abs() < 0.08, "{found} is not {expected}");
        }
    }

    #[test]
    fn too_little_determines_nothing() {
        assert_eq!(fit_mean(&[]), None);
        let one = Difference { empties: 12, shallow: 0, deep: 2, discs: 1.0 };
        assert_eq!(fit_mean(&[one]), None);
    }
}
