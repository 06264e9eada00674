//! The move of a bound that is put together from two.

use std::cmp::Ordering;

use outflank_engine::{Bound, Square};

/// Returns the move that belongs to the lower bound of what `held` and `other` say together, each a bound and its move:
/// a better lower bound has no move but its own.
pub(crate) fn merged(
    held: (Bound, Option<Square>),
    other: (Bound, Option<Square>),
) -> Option<Square> {
    match other.0.lower().cmp(&held.0.lower()) {
        Ordering::Less => held.1,
        Ordering::Equal => held.1.or(other.1),
        Ordering::Greater => other.1,
    }
}
