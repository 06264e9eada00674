//! What the store knows about a claim's side of a position.

use std::sync::Arc;

use outflank_engine::{Score, Square};

use super::claim::{Claim, Side};
use crate::store::{Method, Origin, Store, Stored};

/// One end of a stored bound.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    /// The end, for the player of the claim.
    pub(super) value: Score,
    /// Whether a worker has found it; otherwise it was inferred.
    pub(super) is_search: bool,
    /// Who has found it.
    pub(super) origin: Arc<Origin>,
    /// Positions searched by the largest search of the position that is stored; 0 if it came along with the search of
    /// another one.
    pub(super) nodes: u64,
    /// The move that seemed best.
    pub(super) best_move: Option<Square>,
}

/// Returns what is stored on the side of `claim`, which is reduced: about its position, or about
/// the one in which the opponent has to pass so that it comes next.
pub(super) fn find(store: &Store, claim: Claim) -> Option<Evidence> {
    let Claim { position, side, .. } = claim;
    let own = store.get(position).map(|stored| Evidence::of(&stored, side));
    let before = position.pass();
    let passed = before.must_pass().then(|| store.get(before.canonical())).flatten();
    let passed = passed.map(|stored| {
        let seen = Evidence::of(&stored, side.other());
        Evidence { value: -seen.value, best_move: None, ..seen }
    });
    match (own, passed) {
        (Some(own), Some(passed)) if side.implies(own.value, passed.value) => Some(own),
        (own, passed) => passed.or(own),
    }
}

impl Evidence {
    fn of(stored: &Stored, side: Side) -> Self {
        let (value, from) = match side {
            Side::AtMost => (stored.bound.upper(), &stored.upper_from),
            Side::AtLeast => (stored.bound.lower(), &stored.lower_from),
        };
        Self {
            value,
            is_search: from.method == Method::Search,
            origin: Arc::clone(&from.origin),
            nodes: stored.nodes,
            best_move: stored.best_move,
        }
    }
}
