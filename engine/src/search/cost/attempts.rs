//! What it costs to try one answer after the other until one is a proof.

use crate::evaluation::costs::Prospect;

/// How many answers are evaluated at the last pair.
pub(super) const EVALUATED: usize = 3;

/// Answers that are tried until one is a proof, in the order that costs least.
#[derive(Debug)]
pub(super) struct Attempts {
    /// With the ratio of cost and chance, the least first.
    order: [(f32, Prospect); EVALUATED],
    count: usize,
}

impl Attempts {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { order: [(f32::INFINITY, Prospect { cost: 0.0, chance: 0.0 }); EVALUATED], count: 0 }
    }

    /// Takes another answer into account.
    #[inline(always)]
    pub(super) fn add(&mut self, prospect: Prospect) {
        let ratio = prospect.ratio();
        let mut place = self.count;
        while place > 0 && self.order[place - 1].0 > ratio {
            self.order[place] = self.order[place - 1];
            place -= 1;
        }
        self.order[place] = (ratio, prospect);
        self.count += 1;
    }

    /// Returns what it costs on average to try them; `loss` is what it costs if none is a proof.
    #[inline(always)]
    pub(super) fn cost(&self, loss: f32) -> f32 {
        let (mut sum, mut all_fail) = (0.0, 1.0);
        for place in 0..self.count {
            let Prospect { cost, chance } = self.order[place].1;
            sum += all_fail * cost;
            all_fail *= 1.0 - chance;
        }
        sum + all_fail * loss
    }
}
