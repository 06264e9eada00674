//! What follows when a worker, or a bound that is held, was found to be false.

use outflank_engine::{Bound, Position};

use crate::core::{Method as CoreMethod, Proof};
use crate::reach;
use crate::store::{Method, Record, Stored};

use super::ProofStore;

/// Who or what is to blame for a false bound.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// A worker searched it.
    Worker(Box<Record>),
    /// It was inferred from these bounds, one of which must be false.
    Bounds(Vec<Proof>),
}

/// Returns who or what is to blame for the side of `held`, a bound of `position`, that contradicts `truth`.
pub(super) fn blame(
    store: &dyn ProofStore,
    position: Position,
    held: Bound,
    truth: Bound,
) -> Blame {
    let lower_is_false = held.lower() > truth.upper();
    if let Some(stored) = store.get(position) {
        let (from, is_stored) = if lower_is_false {
            (stored.lower_from, stored.bound.lower() >= held.lower())
        } else {
            (stored.upper_from, stored.bound.upper() <= held.upper())
        };
        if is_stored && from.method == Method::Search {
            let Stored { best_move, nodes, .. } = stored;
            let record = Record { position, bound: held, best_move, nodes, provenance: from };
            return Blame::Worker(Box::new(record));
        }
    }
    let below = reach::below(position).filter_map(|child| Some((child, store.get(child)?)));
    let blamed = below.filter_map(|(child, known)| supports(held, &known, lower_is_false, child));
    Blame::Bounds(blamed.collect())
}

/// Returns the part of a child's bound from which the false side of `held` was inferred.
fn supports(held: Bound, known: &Stored, lower: bool, child: Position) -> Option<Proof> {
    let bound = if lower {
        let proves = -known.bound.upper() >= held.lower();
        proves.then(|| Bound::at_most(known.bound.upper()))?
    } else {
        Bound::at_least(known.bound.lower())
    };
    let claim = Proof::of(child, bound, CoreMethod::Inference);
    (bound != Bound::UNKNOWN && !child.is_over()).then_some(claim)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use outflank_engine::{Score, Square};

    use super::*;
    use crate::store::{Origin, Provenance, Store};

    fn record(position: Position, bound: Bound, method: Method, worker: &str) -> Record {
        let origin = Arc::new(Origin { worker: worker.to_owned(), ..Origin::default() });
        let provenance = Provenance { method, origin };
        Record { position, bound, best_move: None, nodes: 1, provenance }
    }

    fn score(discs: i32) -> Score {
        Score::new(discs).expect("even and in range")
    }

    /// Returns a position whose three moves lead to different ones, and these.
    fn parent() -> (Position, Vec<Position>) {
        let first = Square::lowest(Position::START.moves()).expect("it has four moves");
        let position = Position::START.play(first).expect("it is legal").canonical();
        let below: Vec<Position> = reach::below(position).collect();
        assert_eq!(below.len(), 3);
        (position, below)
    }

    fn blamed(blame: Blame) -> Vec<(Position, Bound)> {
        match blame {
            Blame::Bounds(claims) => {
                claims.into_iter().map(|claim| (claim.position, claim.bound)).collect()
            }
            Blame::Worker(record) => panic!("nobody is to blame, found {record:?}"),
        }
    }

    #[test]
    fn the_worker_is_to_blame_that_has_searched_the_side_which_is_false() {
        let store = Store::in_memory();
        let (position, _) = parent();
        let (low, high) = (Bound::at_least(score(-2)), Bound::at_most(score(4)));
        store
            .append(&[
                record(position, low, Method::Search, "low/1"),
                record(position, high, Method::Search, "high/2"),
            ])
            .expect("it is memory");
        let held = Bound::new(score(-2), score(4)).expect("ordered");
        for (truth, expected) in [(score(-4), "low/1"), (score(6), "high/2")] {
            let Blame::Worker(found) = blame(&store, position, held, Bound::exact(truth)) else {
                panic!("a worker has searched it")
            };
            assert_eq!(found.provenance.origin.worker, expected);
            assert_eq!((found.position, found.bound), (position, held));
        }
    }

    #[test]
    fn a_false_lower_bound_was_inferred_from_a_move_that_seemed_to_reach_it() {
        let store = Store::in_memory();
        let (position, below) = parent();
        let at_least = Bound::at_least(score(2));
        let records = [
            record(position, at_least, Method::Inference, ""),
            record(below[0], Bound::at_most(score(0)), Method::Search, "one/1"),
            record(below[1], Bound::exact(score(-4)), Method::Search, "two/2"),
        ];
        store.append(&records).expect("it is memory");
        let found = blame(&store, position, at_least, Bound::at_most(score(0)));
        assert_eq!(blamed(found), [(below[1], Bound::at_most(score(-4)))]);
    }

    #[test]
    fn a_false_upper_bound_was_inferred_from_all_moves() {
        let store = Store::in_memory();
        let (position, below) = parent();
        let at_most = Bound::at_most(score(2));
        let mut records = vec![record(position, at_most, Method::Inference, "")];
        for &child in &below {
            records.push(record(child, Bound::exact(score(-2)), Method::Search, "one/1"));
        }
        store.append(&records).expect("it is memory");
        let found = blame(&store, position, at_most, Bound::at_least(score(4)));
        let expected: Vec<_> =
            below.iter().map(|&child| (child, Bound::at_least(score(-2)))).collect();
        assert_eq!(blamed(found), expected);
    }

    #[test]
    fn what_the_store_does_not_hold_so_tightly_was_inferred() {
        let store = Store::in_memory();
        let (position, below) = parent();
        let records = [
            record(
                position,
                Bound::new(score(0), score(6)).expect("ordered"),
                Method::Search,
                "one/1",
            ),
            record(below[0], Bound::exact(score(-2)), Method::Search, "two/2"),
        ];
        store.append(&records).expect("it is memory");
        let found = blame(&store, position, Bound::at_least(score(2)), Bound::at_most(score(0)));
        assert_eq!(blamed(found), [(below[0], Bound::at_most(score(-2)))]);
        let found = blame(&store, position, Bound::at_most(score(4)), Bound::at_least(score(6)));
        assert_eq!(blamed(found), [(below[0], Bound::at_least(score(-2)))]);
    }
}
