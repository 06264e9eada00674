//! What was sent to the store lately: the store may be a few writes behind.

use std::collections::{BTreeMap, VecDeque};

use outflank_engine::Position;

use super::graph::Known;
use super::message::{Proof, Proofs};

/// The number of positions remembered: many seconds of the fastest cluster.
const CAPACITY: usize = 1 << 16;

/// The latest proofs, oldest forgotten first.
#[derive(Debug, Default)]
pub(super) struct Recent {
    known: BTreeMap<Position, Known>,
    order: VecDeque<Position>,
}

impl Recent {
    /// Returns what is proved of `position`, canonical: by the rules, lately, or in the store.
    pub(super) fn known(&self, proofs: &dyn Proofs, position: Position) -> Known {
        if let Some(&known) = self.known.get(&position) {
            return known;
        }
        if position.is_over() {
            return Known::finished(position);
        }
        proofs.get(position).map_or(Known::NOTHING, |(bound, best_move)| Known {
            bound,
            best_move,
            from_store: true,
        })
    }

    /// Remembers `proof`, given what was `known` before and does not contradict it.
    pub(super) fn note(&mut self, known: Known, proof: &Proof) {
        let merged = Known {
            bound: known.bound.merge(proof.bound).unwrap_or(known.bound),
            best_move: proof.best_move.or(known.best_move),
            from_store: false,
        };
        if self.known.insert(proof.position, merged).is_none() {
            self.order.push_back(proof.position);
            if self.order.len() > CAPACITY {
                self.order.pop_front().and_then(|oldest| self.known.remove(&oldest));
            }
        }
    }
}
