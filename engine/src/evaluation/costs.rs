//! What it takes to prove a position, by what a glance at it tells.
//!
//! For each number of empty squares, number of replies, and margin of the evaluation over what is to
//! be proved there are two numbers: how many nodes a search took on average, and how often
//! it was a proof. They are measured by the crate `outflank-training` and stored with
//! the weights that the margins belong to.

use std::fmt;

use super::UNIT;

/// The numbers of empty squares that are measured; others are taken for the nearest of the same
/// parity.
pub const MEASURED: std::ops::RangeInclusive<u32> = 9..=18;

const SIZES: usize = (*MEASURED.end() - *MEASURED.start() + 1) as usize;

/// Replies are counted up to this number, less one.
pub const REPLIES: usize = 16;

/// The number of margins that are told apart, each a disc wide.
pub const MARGINS: usize = 64;

/// The margin of the first, in discs; what is below belongs to it, too.
const LEAST_MARGIN: i32 = -(MARGINS as i32) / 2;

const CELLS: usize = SIZES * REPLIES * MARGINS;

/// Steps of a power of two, as a power of two: logarithms of nodes are stored in them.
pub const STEPS: i32 = 64;

/// A certain proof, as chances are stored.
pub const CERTAIN: i16 = 1 << 14;

/// Returns the number of the cell for a position with so many `empties` (0–64) in which the player
/// has so many `replies`, and the opponent, who wants to prove a bound, is expected to be above it by
/// `margin` units of the evaluation.
#[inline(always)]
#[must_use]
pub fn cell(empties: u32, replies: u32, margin: i32) -> usize {
    let (first, last) = (*MEASURED.start(), *MEASURED.end());
    let measured = if empties < first {
        first + (first ^ empties) % 2
    } else if empties > last {
        last - (last ^ empties) % 2
    } else {
        empties
    };
    let replies = (replies as usize).min(REPLIES - 1);
    let discs = (margin + UNIT / 2).div_euclid(UNIT);
    let margin = (discs - LEAST_MARGIN).clamp(0, MARGINS as i32 - 1) as usize;
    ((measured - first) as usize * REPLIES + replies) * MARGINS + margin
}

/// The measured numbers as they are stored, in the order of [`cell`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostParameters {
    /// The logarithm of the nodes of each cell, in [`STEPS`] of a power of two.
    pub(super) nodes: Vec<i16>,
    /// The chance of a proof in each cell, as a part of [`CERTAIN`].
    pub(super) chances: Vec<i16>,
    /// The logarithm of the nodes on average for each measured number of empty squares.
    pub(super) means: Vec<i16>,
}

impl CostParameters {
    /// How many numbers there are: of cells twice, and of measured numbers of empty squares.
    pub const COUNTS: [usize; 3] = [CELLS, CELLS, SIZES];

    /// The largest logarithm of nodes that is stored: more than any search takes.
    pub const MOST: i16 = 60 * STEPS as i16;

    /// Returns the parameters, or `None` if there are not as many as [`COUNTS`](Self::COUNTS) says,
    /// or a logarithm is not from 0 to [`MOST`](Self::MOST) or a chance not from 1 to [`CERTAIN`].
    #[must_use]
    pub fn new(nodes: Vec<i16>, chances: Vec<i16>, means: Vec<i16>) -> Option<Self> {
        let logarithms = |list: &[i16]| list.iter().all(|number| (0..=Self::MOST).contains(number));
        let valid = [nodes.len(), chances.len(), means.len()] == Self::COUNTS
            && logarithms(&nodes)
            && logarithms(&means)
            && chances.iter().all(|chance| (1..=CERTAIN).contains(chance));
        valid.then_some(Self { nodes, chances, means })
    }

    /// Returns a guess, good enough to search with until something is measured: a square more is
    /// nearly twice the nodes, replies multiply them, and a value far above what is to be proved halves
    /// them and makes a proof likely.
    #[must_use]
    pub fn guess() -> Self {
        let (mut nodes, mut chances, mut means) = (Vec::new(), Vec::new(), Vec::new());
        let stored = |logarithm: f64| (logarithm * f64::from(STEPS)).round().max(0.0) as i16;
        for empties in MEASURED {
            let size = 0.9 * f64::from(empties);
            means.push(stored(size));
            for replies in 0..REPLIES {
                let width = 1.5 * ((replies as f64 + 0.5) / 5.0).log2();
                for margin in 0..MARGINS as i32 {
                    let discs = f64::from(margin + LEAST_MARGIN);
                    let chance = 1.0 / (1.0 + (-discs / 4.0).exp());
                    nodes.push(stored(size + width - discs.max(0.0) / 8.0));
                    chances.push((chance * f64::from(CERTAIN)).round().max(1.0) as i16);
                }
            }
        }
        Self { nodes, chances, means }
    }
}

/// What a search for a proof takes, and how likely it finds one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prospect {
    /// Nodes.
    pub cost: f32,
    /// The chance of a proof, above 0 and at most 1.
    pub chance: f32,
}

impl Prospect {
    /// Returns the cost for the chance: of several attempts the one where it is least comes first.
    #[inline(always)]
    #[must_use]
    pub fn ratio(self) -> f32 {
        self.cost / self.chance
    }
}

/// The measured numbers, ready for looking up.
pub struct Costs {
    cells: Box<[Prospect]>,
    means: [f32; SIZES],
}

impl fmt::Debug for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Costs").field("means", &self.means).finish_non_exhaustive()
    }
}

impl Costs {
    /// Returns the numbers of a file.
    #[must_use]
    pub fn new(parameters: &CostParameters) -> Self {
        let prospect = |(&nodes, &chance): (&i16, &i16)| Prospect {
            cost: power_of_two(nodes),
            chance: f32::from(chance) / f32::from(CERTAIN),
        };
        let cells = parameters.nodes.iter().zip(&parameters.chances).map(prospect).collect();
        let mut means = [0.0; SIZES];
        for (mean, &stored) in means.iter_mut().zip(&parameters.means) {
            *mean = power_of_two(stored);
        }
        Self { cells, means }
    }

    /// Returns what is measured of positions as [`cell`] describes them.
    #[inline(always)]
    #[must_use]
    pub fn prospect(&self, empties: u32, replies: u32, margin: i32) -> Prospect {
        self.cells[cell(empties, replies, margin)]
    }

    /// Returns the nodes that positions with so many empty squares took on average.
    #[inline(always)]
    #[must_use]
    pub fn mean(&self, empties: u32) -> f32 {
        self.means[cell(empties, 0, LEAST_MARGIN * UNIT) / (REPLIES * MARGINS)]
    }
}

/// Returns 2 to the power of `exponent` / [`STEPS`], `exponent` being from 0 to
/// [`MOST`](CostParameters::MOST): the same bits on every processor, unlike what the mathematical
/// libraries return.
fn power_of_two(exponent: i16) -> f32 {
    let whole = i32::from(exponent).div_euclid(STEPS);
    let part = i32::from(exponent).rem_euclid(STEPS);
    (0..part).fold(f32::from_bits(((127 + whole) as u32) << 23), |power, _| power * STEP)
}

/// 2 to the power of 1 / [`STEPS`].
const STEP: f32 = 1.010_889_3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_right() {
        for exponent in [0, 1, 63, 64, 65, 700, CostParameters::MOST] {
            let expected = (f64::from(exponent) / f64::from(STEPS)).exp2();
            let found = f64::from(power_of_two(exponent));
            assert!((found / expected - 1.0).abs() < 1e-4, "{exponent}: {found}, not {expected}");
        }
    }

    #[test]
    fn cells_are_numbered_without_gaps_and_the_rest_is_near() {
        let mut next = 0;
        for empties in MEASURED {
            for replies in 0..REPLIES as u32 {
                for margin in 0..MARGINS as i32 {
                    assert_eq!(cell(empties, replies, (margin + LEAST_MARGIN) * UNIT), next);
                    next += 1;
                }
            }
        }
        assert_eq!(next, CELLS);
        assert_eq!(cell(8, 3, 0), cell(10, 3, 0));
        assert_eq!(cell(0, 3, 0), cell(10, 3, 0));
        assert_eq!(cell(7, 3, 0), cell(9, 3, 0));
        assert_eq!(cell(19, 3, 0), cell(17, 3, 0));
        assert_eq!(cell(64, 3, 0), cell(18, 3, 0));
        assert_eq!(cell(12, 40, 0), cell(12, 15, 0));
        assert_eq!(cell(12, 3, -100 * UNIT), cell(12, 3, -32 * UNIT));
        assert_eq!(cell(12, 3, 100 * UNIT), cell(12, 3, 31 * UNIT));
        assert_eq!(cell(12, 3, UNIT / 2 - 1), cell(12, 3, 0));
        assert_eq!(cell(12, 3, -UNIT / 2), cell(12, 3, 0));
    }

    #[test]
    fn the_guess_is_possible_and_sensible() {
        let guess = CostParameters::guess();
        let CostParameters { nodes, chances, means } = guess.clone();
        assert_eq!(CostParameters::new(nodes, chances, means), Some(guess.clone()));
        let costs = Costs::new(&guess);
        let (few, many) = (costs.prospect(12, 2, 0), costs.prospect(12, 9, 0));
        let (likely, larger) = (costs.prospect(12, 2, 20 * UNIT), costs.prospect(14, 2, 0));
        assert!(few.cost < many.cost && few.cost < larger.cost && likely.cost < few.cost);
        assert!(few.chance < likely.chance && costs.mean(12) < costs.mean(13));
    }

    #[test]
    fn impossible_numbers_are_refused() {
        let good = || (vec![64; CELLS], vec![CERTAIN / 2; CELLS], vec![128; SIZES]);
        let (nodes, chances, means) = good();
        let costs = Costs::new(&CostParameters::new(nodes, chances, means).unwrap());
        assert_eq!(costs.prospect(12, 5, 0), Prospect { cost: 2.0, chance: 0.5 });
        assert!((costs.mean(30) - 4.0).abs() < 1e-3);
        let (nodes, mut chances, means) = good();
        chances[7] = 0;
        assert_eq!(CostParameters::new(nodes, chances, means), None);
        let (mut nodes, chances, means) = good();
        nodes[7] = -1;
        assert_eq!(CostParameters::new(nodes, chances, means), None);
        let (nodes, chances, _) = good();
        assert_eq!(CostParameters::new(nodes, chances, vec![128; SIZES - 1]), None);
    }
}
