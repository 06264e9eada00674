//! What follows when a worker, or a bound that is held, was found to be false.

use outflank_engine::{Bound, Position, Square};

use crate::core::{Method as CoreMethod, Proof};
use crate::store::{Method, Record, Stored};

use super::ProofStore;

/// Who or what is to blame for a false bound.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A worker searched it.
    Worker(Box<Record>),
    /// It was inferred from these bounds, one of which must be false.
    Bounds(Vec<Proof>),
}

/// Returns where the side of `held`, a bound of `position`, comes from that contradicts `truth`.
pub(super) fn source(
    store: &dyn ProofStore,
    position: Position,
    held: Bound,
    truth: Bound,
) -> Source {
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
            return Source::Worker(Box::new(record));
        }
    }
    let below = children(position).filter_map(|child| Some((child, store.get(child)?)));
    let blamed = below.filter_map(|(child, known)| supports(held, &known, lower_is_false, child));
    Source::Bounds(blamed.collect())
}

/// Returns the part of a child's bound from which the false side of `held` was inferred.
fn supports(held: Bound, known: &Stored, lower: bool, child: Position) -> Option<Proof> {
    let bound = if lower {
        let proves = -known.bound.upper() >= held.lower();
        proves.then(|| Bound::at_most(known.bound.upper()))?
    } else {
        Bound::at_least(known.bound.lower())
    };
    let method = CoreMethod::Inference;
    let claim = Proof { position: child, bound, best_move: None, nodes: 0, method, worker: None };
    (bound != Bound::UNKNOWN && !child.is_over()).then_some(claim)
}

/// Returns the positions one ply below, canonical; a pass is a ply.
fn children(position: Position) -> impl Iterator<Item = Position> {
    let passed = position.must_pass().then(|| position.pass());
    let played = Square::all(position.moves()).filter_map(move |square| position.play(square));
    passed.into_iter().chain(played).map(Position::canonical)
}

/// Returns the text of a position for messages: two boards.
pub(super) fn named(position: Position) -> String {
    format!("{:#018x}/{:#018x}", position.player(), position.opponent())
}
