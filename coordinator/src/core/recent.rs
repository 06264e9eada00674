//! What was sent to the store lately: the store may be a few writes behind.

use std::collections::{BTreeMap, VecDeque};

use outflank_engine::Position;

use super::graph::Known;
use super::message::{Proof, Proofs};

/// The number of positions remembered: many seconds of the fastest cluster.
const CAPACITY: usize = 1 << 16;

/// The latest proofs. Of too many the position is forgotten of which something was proved first.
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
            best_move: known.best_move_with(proof.bound, proof.best_move),
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

#[cfg(test)]
mod tests {
    use outflank_engine::{Bound, Score, Square};

    use super::*;
    use crate::core::message::Method;

    struct Nothing;

    impl Proofs for Nothing {
        fn get(&self, _position: Position) -> Option<(Bound, Option<Square>)> {
            None
        }
    }

    #[test]
    fn the_oldest_of_too_many_proofs_is_forgotten() {
        let mut recent = Recent::default();
        let proof = |discs: u64| {
            let position = Position::new(discs, !0 << 32).expect("no square is taken twice");
            Proof::of(position, Bound::at_least(Score::DRAW), Method::Search)
        };
        for discs in 1..=CAPACITY as u64 + 1 {
            recent.note(Known::NOTHING, &proof(discs));
        }
        let known = |discs| recent.known.contains_key(&proof(discs).position);
        assert!(!known(1) && known(2) && known(CAPACITY as u64 + 1));
        assert_eq!((recent.known.len(), recent.order.len()), (CAPACITY, CAPACITY));
    }

    #[test]
    fn a_better_lower_bound_has_no_move_but_its_own() {
        let mut recent = Recent::default();
        let position = Position::START.canonical();
        for (discs, square) in [(0, Square::new(19)), (2, None)] {
            let bound = Bound::at_least(Score::floor(discs));
            let proof = Proof::of(position, bound, Method::Search);
            let proof = Proof { best_move: square, ..proof };
            recent.note(recent.known(&Nothing, position), &proof);
            assert_eq!(recent.known(&Nothing, position).best_move, square);
        }
    }

    #[test]
    fn a_tighter_upper_bound_does_not_replace_the_move_that_proves_the_lower_one() {
        let position = Position::START.canonical();
        let proof = |bound, square| {
            let proof = Proof::of(position, bound, Method::Search);
            Proof { best_move: Square::new(square), ..proof }
        };
        let (low, high) = (Bound::at_least(Score::DRAW), Bound::at_most(Score::DRAW));
        for both in [[proof(low, 19), proof(high, 26)], [proof(high, 26), proof(low, 19)]] {
            let mut recent = Recent::default();
            for proof in &both {
                recent.note(recent.known(&Nothing, position), proof);
            }
            let known = recent.known(&Nothing, position);
            assert_eq!(
                (known.bound, known.best_move),
                (Bound::exact(Score::DRAW), Square::new(19))
            );
        }
    }
}
