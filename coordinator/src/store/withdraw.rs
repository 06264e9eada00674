//! Taking back what a worker claimed, and everything that may rest on it.
//!
//! A worker that was found to be wrong once cannot be believed at all. Its claims fall, and with them
//! each bound of a position above one that falls: that bound may have been inferred from a false one,
//! or searched with it. More falls than must, since nobody recorded what a bound rests on; it is
//! simply searched again. The log keeps the claims, so that the case can be looked into later.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use outflank_engine::{Position, Square};

use super::claim::Entry;
use super::error::StoreError;
use super::files::Files;
use super::frame::{self, FULL_BODY};
use super::index::Index;
use super::origins::Origins;

/// Returns the positions of which nothing is to be believed any more when `worker` is not.
pub(super) fn fallen(
    index: &dyn Index,
    origins: &Origins,
    worker: &str,
) -> Result<HashSet<Position>, StoreError> {
    let guilty: BTreeSet<u32> = (0..origins.count())
        .filter(|&id| origins.get(id).is_some_and(|origin| origin.worker == worker))
        .collect();
    let is_of_guilty = |entry: &Entry| {
        guilty.contains(&entry.lower_from.origin) || guilty.contains(&entry.upper_from.origin)
    };
    let mut fallen = HashSet::new();
    loop {
        let before = fallen.len();
        // By number of empties: what is below comes first, but for passes.
        index.visit(&mut |position, entry| {
            if is_of_guilty(&entry) || below(position).any(|child| fallen.contains(&child)) {
                fallen.insert(position);
            }
            ControlFlow::Continue(())
        })?;
        if fallen.len() == before {
            return Ok(fallen);
        }
    }
}

/// Returns the positions one ply below, canonical; a pass is a ply.
fn below(position: Position) -> impl Iterator<Item = Position> {
    let passed = position.must_pass().then(|| position.pass());
    let played = Square::all(position.moves()).filter_map(move |square| position.play(square));
    passed.into_iter().chain(played).map(Position::canonical)
}

/// Writes to the log that everything claimed of `positions` is withdrawn; returns when that is on
/// disk.
pub(super) fn write(files: &mut Files, positions: &HashSet<Position>) -> Result<(), StoreError> {
    let mut sorted: Vec<Position> = positions.iter().copied().collect();
    sorted.sort();
    let mut body = Vec::new();
    for position in sorted {
        frame::push_withdrawal(&mut body, position);
        if body.len() >= FULL_BODY {
            files.log.append(&body)?;
            body.clear();
        }
    }
    if body.is_empty() { Ok(()) } else { files.log.append(&body) }
}
