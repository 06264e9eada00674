//! The steps of the selectivity ladder.

use crate::evaluation::{UNIT, Weights};
use crate::table::Effort;

/// How sure a search must be before it cuts by probability. The last level is exact: it never does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Level(u8);

/// Standard deviations that a shallow value must be beyond the window at each selective level, where
/// the weights do not bring their own: 73, 87, 95, 98 and 99 % of a normal distribution.
const DEVIATIONS: [f32; 5] = [1.1, 1.5, 2.0, 2.6, 3.3];

impl Level {
    /// Nothing is cut by probability.
    pub(crate) const EXACT: Self = Self(DEVIATIONS.len() as u8);

    /// Returns the level at a step of the ladder, from 0 on; `None` above the exact one.
    pub(crate) fn at(step: u32) -> Option<Self> {
        u8::try_from(step).ok().map(Self).filter(|&level| level <= Self::EXACT)
    }

    /// Returns the step of the ladder.
    pub(crate) const fn step(self) -> u32 {
        self.0 as u32
    }

    /// Returns the levels to go through before the exact search of a position with that many
    /// `empties`: the deeper the search, the more a rough one before it saves.
    pub(crate) fn ladder(empties: u32) -> impl Iterator<Item = Self> {
        let steps: &[u8] = match empties {
            0..18 => &[],
            18..22 => &[0],
            22..27 => &[0, 2],
            _ => &[0, 1, 2],
        };
        steps.iter().map(|&step| Self(step))
    }

    /// Returns the effort of a search to the end at this level.
    pub(crate) const fn effort(self, empties: u32) -> Effort {
        Effort { plies: empties as u8, level: self.0 }
    }

    /// Returns the number of standard deviations of this selective level.
    pub(crate) fn deviations(self, weights: &Weights) -> f32 {
        let step = usize::from(self.0);
        let measured = weights.selectivity().and_then(|measured| measured.quantiles.get(step));
        measured
            .map(|&quantile| quantile as f32)
            .or_else(|| DEVIATIONS.get(step).copied())
            .unwrap_or(f32::INFINITY)
    }
}

/// What a search of `shallow` plies says of the exact value of a position with that many `empties`:
/// its mean error and its standard deviation, in units of the evaluation.
pub(crate) fn error_of(weights: &Weights, empties: u32, shallow: u32) -> (f32, f32) {
    if let Some(measured) = weights.selectivity() {
        let mean = measured.mean(empties, shallow, empties);
        let spread = measured.spread(empties, shallow, empties);
        return ((mean * f64::from(UNIT)) as f32, (spread * f64::from(UNIT)) as f32);
    }
    // Until the trainer has measured it: a fit by eye to values published for such evaluations.
    let (shallow, gap) = (shallow as f32, (empties - shallow) as f32);
    let spread = 7.6 * (-0.09 * shallow).exp() * (1.0 - (-0.25 * gap).exp());
    (0.0, spread * UNIT as f32)
}
