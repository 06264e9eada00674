//! Where the nodes of a simulated cluster go, held against those of one undisturbed worker.
//!
//! All nodes of the model are spent on positions at the horizon. So each of them is one of these: spent on an answer
//! that the undisturbed worker finds, too; on one that it does without; on one that somebody else had found already; or on
//! none at all, because the worker was stopped.

use outflank_engine::{Bound, Window};

use super::numbered::{Bounds, Id};

/// Where the nodes of a run have gone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shares {
    /// For answers that one undisturbed worker would find, too, and that were not known.
    pub shared: f64,
    /// For answers that it does without, in jobs that it would have asked.
    pub disordered: f64,
    /// For answers that it does without, in jobs that it would not have asked.
    pub misguided: f64,
    /// For answers that another worker had found, or the same one before its table was full.
    pub again: f64,
    /// For what was stopped and not taken up by the same worker.
    pub broken_off: f64,
}

impl Shares {
    /// Returns the sums of this run and the next.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self {
            shared: self.shared + next.shared,
            disordered: self.disordered + next.disordered,
            misguided: self.misguided + next.misguided,
            again: self.again + next.again,
            broken_off: self.broken_off + next.broken_off,
        }
    }
}

/// What is known at the horizon, and what each answer has cost.
#[derive(Debug, Default)]
pub struct Ledger {
    /// What the undisturbed worker asks, at the horizon and above it.
    alone: Bounds,
    found: Bounds,
    nodes: Shares,
    /// Of all nodes those that were counted.
    counted: f64,
}

impl Ledger {
    /// Notes what the undisturbed worker has found.
    pub(super) fn expect(&mut self, found: impl IntoIterator<Item = (Id, Bound)>) {
        for (id, bound) in found {
            self.alone.merge(id, bound);
        }
    }

    /// Notes that a worker has found a bound of a position at the horizon, for so many nodes, in a job.
    pub(super) fn add(&mut self, job: (Id, Window), id: Id, bound: Bound, cost: f64) {
        let known = self.found.get(id);
        let asked = |id: Id| self.alone.get(id);
        let nodes = &mut self.nodes;
        let account = match () {
            () if known.implies(bound) => &mut nodes.again,
            () if asked(id).implies(bound) => &mut nodes.shared,
            () if asked(job.0).answers(job.1) => &mut nodes.disordered,
            () => &mut nodes.misguided,
        };
        *account += cost;
        self.counted += cost;
        self.found.merge(id, bound);
    }

    /// Returns where `nodes` have gone, which are all that workers have searched.
    #[must_use]
    pub fn shares(&self, nodes: u64) -> Shares {
        Shares { broken_off: nodes as f64 - self.counted, ..self.nodes }
    }
}
