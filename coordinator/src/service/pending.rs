//! Proofs on their way to the disk, which the core must see already.
//!
//! Between the core's `Persist` and the store's append a proof would be invisible: the core could
//! ask for the same work again. This small table covers the gap.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use outflank_engine::{Bound, Position, Square};

use super::ProofStore;
use crate::best_move;
use crate::core::{Proof, Proofs};

#[derive(Clone, Copy, Debug)]
struct Entry {
    bound: Bound,
    best_move: Option<Square>,
    /// The last batch that brought a proof of this position.
    batch: u64,
}

/// The proofs that the writer has not written yet.
#[derive(Debug, Default)]
pub(super) struct Pending {
    entries: Mutex<HashMap<Position, Entry>>,
}

impl Pending {
    fn entries(&self) -> MutexGuard<'_, HashMap<Position, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a proof that goes to the writer in batch number `batch`.
    pub(super) fn insert(&self, proof: &Proof, batch: u64) {
        let fresh = Entry { bound: proof.bound, best_move: proof.best_move, batch };
        let mut entries = self.entries();
        let entry = entries.entry(proof.position).or_insert(fresh);
        *entry = Entry { batch, ..joined(*entry, fresh) };
    }

    /// Forgets the proofs of `positions` that were in batch number `batch` or before: the store
    /// has them.
    pub(super) fn settle(&self, positions: impl Iterator<Item = Position>, batch: u64) {
        let mut entries = self.entries();
        for position in positions {
            if entries.get(&position).is_some_and(|entry| entry.batch <= batch) {
                entries.remove(&position);
            }
        }
    }
}

/// Returns what both entries prove; the first one alone if they contradict each other, which the
/// core or the store reports.
fn joined(held: Entry, other: Entry) -> Entry {
    let Ok(bound) = held.bound.merge(other.bound) else { return held };
    let best_move = best_move::merged((held.bound, held.best_move), (other.bound, other.best_move));
    Entry { bound, best_move, batch: held.batch }
}

/// All proved bounds: those in the store and those on their way to it.
#[derive(Debug)]
pub(super) struct View {
    pub(super) store: Arc<dyn ProofStore>,
    pub(super) pending: Arc<Pending>,
}

impl Proofs for View {
    fn get(&self, position: Position) -> Option<(Bound, Option<Square>)> {
        // This order: a proof leaves the table only after the store has it.
        let pending = self.pending.entries().get(&position).copied();
        let stored = self.store.get(position).map(|stored| Entry {
            bound: stored.bound,
            best_move: stored.best_move,
            batch: 0,
        });
        let entry = match (stored, pending) {
            (Some(stored), Some(pending)) => joined(stored, pending),
            (stored, pending) => stored.or(pending)?,
        };
        Some((entry.bound, entry.best_move))
    }

    fn kept(&self, position: Position) -> Bound {
        self.store.bound(position)
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::Score;

    use super::*;
    use crate::core::Method;
    use crate::service::convert;
    use crate::store::Store;

    fn proof(bound: Bound) -> Proof {
        let position = Position::START.canonical();
        Proof::of(position, bound, Method::Search)
    }

    #[test]
    fn a_proof_stays_visible_until_its_last_batch_is_written() {
        let view = View { store: Arc::new(Store::in_memory()), pending: Arc::default() };
        let (low, high) = (Bound::at_least(Score::DRAW), Bound::at_most(Score::DRAW));
        let position = proof(low).position;
        let bound = |view: &View| view.get(position).map(|(bound, _)| bound);
        assert_eq!(bound(&view), None);
        view.pending.insert(&proof(low), 1);
        view.pending.insert(&proof(high), 2);
        assert_eq!(bound(&view), Some(Bound::exact(Score::DRAW)));
        view.pending.settle([position].into_iter(), 1);
        assert_eq!(bound(&view), Some(Bound::exact(Score::DRAW)));
        view.pending.settle([position].into_iter(), 2);
        assert_eq!(bound(&view), None);
    }

    #[test]
    fn the_move_that_is_seen_belongs_to_the_largest_lower_bound() {
        let (low, high) = (Bound::at_least(Score::DRAW), Bound::at_most(Score::DRAW));
        let (best, other) = (Square::new(19), Square::new(26));
        let claim = |bound, best_move| Proof { best_move, ..proof(bound) };
        let seen = |first: Proof, second: Proof, is_written: bool| {
            let store = Store::in_memory();
            if is_written {
                store.append(&[convert::record(&first, Arc::default())]).expect("it is memory");
            }
            let view = View { store: Arc::new(store), pending: Arc::default() };
            if !is_written {
                view.pending.insert(&first, 1);
            }
            view.pending.insert(&second, 2);
            view.get(first.position).expect("it is proved")
        };
        for is_written in [false, true] {
            for (first, second) in [
                ((low, best), (high, other)),
                ((high, other), (low, best)),
                ((low, None), (high, other)),
                ((high, other), (low, None)),
            ] {
                let best = [first, second]
                    .into_iter()
                    .find_map(|(bound, square)| (bound == low).then_some(square));
                let (first, second) = (claim(first.0, first.1), claim(second.0, second.1));
                let found = seen(first, second, is_written);
                let expected = (Bound::exact(Score::DRAW), best.flatten());
                assert_eq!(found, expected, "{first:?}, then {second:?}");
            }
        }
    }
}
