//! The plainest solver there is: the reference that tests compare the engine and the cluster with.
//!
//! No window, no table, no order: it visits the whole tree. Up to about ten empties it is quick
//! enough.

use crate::{Position, Score, Square};

/// Returns the value of `position` by visiting every position that can follow.
#[must_use]
pub fn value(position: Position) -> Score {
    if position.must_pass() {
        return -value(position.pass());
    }
    Square::all(position.empty())
        .filter_map(|square| position.play(square))
        .map(|child| -value(child))
        .max()
        .unwrap_or_else(|| position.final_score())
}
