//! Averages of what proofs cost: for each number of empty squares, of replies, and margin of the
//! evaluation, and over neighbouring ones as far as there are few samples.
//!
//! The average is the arithmetic mean: few replies can take very many nodes, and a geometric mean
//! would not notice.

use outflank_engine::CostSample;
use outflank_engine::evaluation::CostParameters;
use outflank_engine::evaluation::costs::{CERTAIN, MARGINS, MEASURED, REPLIES, STEPS, cell};

/// What is added up in a cell.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    samples: f64,
    proofs: f64,
    /// Over all samples.
    nodes: f64,
}

impl Sum {
    fn plus(self, weight: f64, other: Self) -> Self {
        Self {
            samples: self.samples + weight * other.samples,
            proofs: self.proofs + weight * other.proofs,
            nodes: self.nodes + weight * other.nodes,
        }
    }
}

/// A sum for each cell.
pub(super) struct Sums(Vec<Sum>);

/// The cells of one number of empty squares.
const CELLS: usize = REPLIES * MARGINS;

impl Sums {
    /// How many [`numbers`](Self::numbers) there are.
    pub(super) const NUMBERS: usize = 3 * CostParameters::COUNTS[0];

    /// Returns sums without samples.
    pub(super) fn new() -> Self {
        Self(vec![Sum::default(); CELLS * MEASURED.count()])
    }

    /// Adds a sample of a position with so many empty squares.
    pub(super) fn add(&mut self, empties: u32, sample: CostSample) {
        let CostSample { replies, margin, holds, nodes } = sample;
        let one = Sum { samples: 1.0, proofs: f64::from(u8::from(holds)), nodes: nodes as f64 };
        let sum = &mut self.0[cell(empties, replies, margin)];
        *sum = sum.plus(1.0, one);
    }

    /// Returns the sums as numbers in a row.
    pub(super) fn numbers(&self) -> Vec<f64> {
        self.0.iter().flat_map(|sum| [sum.samples, sum.proofs, sum.nodes]).collect()
    }

    /// Returns what [`numbers`](Self::numbers) has put in a row.
    pub(super) fn of(numbers: &[f64]) -> Self {
        let (rows, _) = numbers.as_chunks();
        let sum = |&[samples, proofs, nodes]: &[f64; 3]| Sum { samples, proofs, nodes };
        Self(rows.iter().map(sum).collect())
    }

    /// Returns how many samples there are.
    pub(super) fn samples(&self) -> f64 {
        self.0.iter().map(|sum| sum.samples).sum()
    }

    /// Returns the sums of both.
    pub(super) fn plus(self, other: &Self) -> Self {
        Self(self.0.into_iter().zip(&other.0).map(|(one, &other)| one.plus(1.0, other)).collect())
    }

    /// Returns the averages as they are stored, `None` if there is a number of empty squares without
    /// samples.
    pub(super) fn parameters(&self) -> Option<CostParameters> {
        let (mut nodes, mut chances, mut means) = (Vec::new(), Vec::new(), Vec::new());
        let stored = |nodes: f64| {
            let most = f64::from(CostParameters::MOST);
            (nodes.log2() * f64::from(STEPS)).round().clamp(0.0, most) as i16
        };
        for sums in self.0.chunks_exact(CELLS) {
            let all = sums.iter().fold(Sum::default(), |all, &sum| all.plus(1.0, sum));
            if all.samples == 0.0 {
                return None;
            }
            means.push(stored(all.nodes / all.samples));
            for (mean, chance) in smooth(sums) {
                nodes.push(stored(mean));
                let most = f64::from(CERTAIN);
                chances.push((chance * most).round().clamp(most / 512.0, most) as i16);
            }
        }
        CostParameters::new(nodes, chances, means)
    }
}

/// The widths of the windows over which neighbours are averaged, in replies and in discs, the widest
/// first: each average is pulled towards the one before.
const WIDTHS: [(f64, f64); 4] = [(4.0, 12.0), (2.0, 6.0), (1.0, 3.0), (0.45, 1.5)];

/// As many samples as an average counts that is not from here.
const PULL: f64 = 20.0;

/// Returns for each cell the average nodes and the average chance.
///
/// Nodes are averaged as multiples of a power of the replies, which they follow roughly, so that a wide
/// window does not flatten them.
fn smooth(sums: &[Sum]) -> Vec<(f64, f64)> {
    let level = |place: usize| ((place / MARGINS) as f64 + 0.5).powf(1.5);
    let mut relative = sums.to_vec();
    for (place, sum) in relative.iter_mut().enumerate() {
        sum.nodes /= level(place);
    }
    let all = relative.iter().fold(Sum::default(), |all, &sum| all.plus(1.0, sum));
    let mean = (all.nodes / all.samples, all.proofs / all.samples);
    let mut averages = vec![mean; sums.len()];
    for (across, along) in WIDTHS {
        averages = (0..sums.len())
            .map(|place| {
                let near = window(&relative, place, across, along);
                let (nodes, chance) = averages[place];
                let samples = near.samples + PULL;
                ((near.nodes + PULL * nodes) / samples, (near.proofs + PULL * chance) / samples)
            })
            .collect();
    }
    for (place, (nodes, _)) in averages.iter_mut().enumerate() {
        *nodes *= level(place);
    }
    averages
}

/// Returns the sums around a cell, weighted by a normal distribution.
fn window(sums: &[Sum], place: usize, across: f64, along: f64) -> Sum {
    let distance = |one: usize, other: usize, width: f64| one.abs_diff(other) as f64 / width;
    let mut near = Sum::default();
    for (other, &sum) in sums.iter().enumerate().filter(|(_, sum)| sum.samples > 0.0) {
        let replies = distance(place / MARGINS, other / MARGINS, across);
        let margins = distance(place % MARGINS, other % MARGINS, along);
        let square = replies * replies + margins * margins;
        if square < 16.0 {
            near = near.plus((-0.5 * square).exp(), sum);
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums as if nodes and chances followed a law that is known.
    fn lawful(samples: f64) -> Vec<Sum> {
        let sum = |place: usize| {
            let (nodes, chance) = law(place);
            Sum { samples, proofs: samples * chance, nodes: samples * nodes }
        };
        (0..CELLS).map(sum).collect()
    }

    fn law(place: usize) -> (f64, f64) {
        let (replies, discs) = ((place / MARGINS) as f64, (place % MARGINS) as f64 - 32.0);
        let nodes = 32.0 * (replies + 0.5).powf(1.5) * (-discs / 16.0).exp2();
        (nodes, 1.0 / (1.0 + (-discs / 4.0).exp()))
    }

    #[test]
    fn a_known_law_is_found_again() {
        for (place, (nodes, chance)) in smooth(&lawful(1000.0)).into_iter().enumerate() {
            let expected = law(place);
            if (8..MARGINS - 8).contains(&(place % MARGINS)) {
                assert!((nodes / expected.0 - 1.0).abs() < 0.08, "{place}: {nodes}");
                assert!((chance - expected.1).abs() < 0.03, "{place}: {chance}");
            }
        }
    }

    #[test]
    fn cells_without_samples_follow_their_neighbours() {
        let mut sums = lawful(100.0);
        for replies in 12..REPLIES {
            sums[replies * MARGINS..(replies + 1) * MARGINS].fill(Sum::default());
        }
        let place = 13 * MARGINS + 32;
        let (nodes, chance) = smooth(&sums)[place];
        assert!((nodes / law(place).0 - 1.0).abs() < 0.25, "{nodes}");
        assert!((chance - law(place).1).abs() < 0.1, "{chance}");
    }

    #[test]
    fn nothing_is_made_of_too_little() {
        assert_eq!(Sums::new().parameters(), None);
    }
}
