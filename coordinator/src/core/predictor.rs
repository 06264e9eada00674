//! What jobs will cost, corrected by what they have cost.

use outflank_engine::Window;

use super::Core;
use super::question::Key;

/// How far the advisor's predictions are off, as learned from reports.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Predictor {
    goals: Correction,
    values: Correction,
}

impl Predictor {
    /// Returns what a job in `window` will probably take if `nodes` was predicted for it.
    pub(super) fn corrected(&self, window: Window, nodes: f64) -> f64 {
        let correction = if window.is_null() { self.goals } else { self.values };
        (nodes * correction.logarithm.exp()).max(1.0)
    }

    /// Learns from a job in `window` that was predicted to take `predicted` nodes and took `nodes`.
    pub(super) fn learn(&mut self, window: Window, predicted: f64, nodes: u64) {
        let correction = if window.is_null() { &mut self.goals } else { &mut self.values };
        correction.learn(nodes.max(1) as f64 / predicted.max(1.0));
    }
}

/// The logarithm of a factor.
#[derive(Clone, Copy, Debug, Default)]
struct Correction {
    logarithm: f64,
    reports: f64,
}

impl Correction {
    /// The advisor's opinion counts as much as so many reports.
    const PRIOR: f64 = 8.0;
    /// A report counts as one of so many, when there are more.
    const MEMORY: f64 = 100.0;
    /// One job says no more than this.
    const OUTLIER: f64 = 3.0;
    /// The largest correction.
    const LIMIT: f64 = 3.0;

    fn learn(&mut self, ratio: f64) {
        self.reports = (self.reports + 1.0).min(Self::MEMORY);
        let error = ratio.ln().clamp(-Self::OUTLIER, Self::OUTLIER);
        let step = error / (self.reports + Self::PRIOR);
        self.logarithm = (self.logarithm + step).clamp(-Self::LIMIT, Self::LIMIT);
    }
}

impl Core {
    /// Returns the nodes that a job for `key`, whose position is in the graph, will probably take.
    pub(super) fn predicted_nodes(&mut self, key: Key) -> f64 {
        let estimate = self.estimate(key.position);
        let nodes = self.advisor.predicted_nodes(key.position, key.window, estimate);
        self.predictor.corrected(key.window, nodes)
    }
}
