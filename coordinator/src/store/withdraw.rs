//! Taking back what a worker claimed, and everything that may rest on it.
//!
//! A worker that was found to be wrong once cannot be believed at all. Its claims fall, and with them
//! each bound of a position above one that falls: that bound may have been inferred from a false one,
//! or searched with it. A search may also have been told of bounds from deep inside the jobs of others: so each bound
//! falls from whose position one of the claims may be reached by moves. Discs never leave the board, so that only
//! squares that are filled in the claim can be filled there. More falls than must, since nobody recorded what a
//! bound rests on; it is simply searched again. The log keeps the claims, so that the case can be looked into later.
//!
//! All this may take several frames of the log, and end behind any of them when the process is killed or the disk is
//! full. Who does it again starts from what the worker claimed and is still there, so what falls because of something
//! must go before it, or in the same frame. That is so if positions go in this order: those with more empty squares
//! first; of those with equally many, first the ones that rest on others and must pass, then the others that rest on
//! others, and what the worker claimed itself last. For whatever it has not claimed falls for one of two reasons:
//!
//! - A position one ply below falls. After a move that has one empty square less. After a pass it has as many, and is
//!   none that must pass, since its player has a move; so it is of a later kind.
//! - It was searched, and a claim of the worker may be reached from it. The claim has no more empty squares, and if it
//!   has as many it goes last.
//!
//! So what is left behind any frame has all its reasons, which lead to claims of the worker that are left, too: all of
//! it falls when it is done again, and nothing else, since fewer entries are no new reasons.

mod falling;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Instant;

use outflank_engine::Position;

use self::falling::Falling;
use super::Store;
use super::claim::{Entry, Source};
use super::error::StoreError;
use super::filled::Filled;
use super::frame::{self, FULL_BODY, WITHDRAWAL_BYTES};
use super::index::Index;
use super::pace::Pace;
use super::queue::guard;
use super::record::Method;
use crate::reach::{fillings, may_come};

/// The number of positions that fill a frame of the log.
pub(super) const A_FRAME: usize = FULL_BODY / WITHDRAWAL_BYTES;
/// After so many positions the clock is read.
const LOOK_EVERY: u64 = 1 << 10;

/// Tells the log every half minute how far something is that takes long in a large store.
#[derive(Debug)]
struct Progress {
    positions: u64,
    done: u64,
    pace: Pace,
}

impl Progress {
    /// Begins to look at so many `positions`, or to take them back.
    pub(super) fn new(positions: u64) -> Self {
        Self { positions, done: 0, pace: Pace::new() }
    }

    /// Counts so many more positions, and tells the log what is being done if that is due.
    fn count(&mut self, more: u64, what: &str) {
        let looked = self.done / LOOK_EVERY;
        self.done += more;
        if self.done / LOOK_EVERY != looked && self.pace.is_due(Instant::now()) {
            tracing::info!(done = self.done, of = self.positions, "{what}");
        }
    }
}

/// Returns the positions of which nothing is to be believed any more when the claims of the origins `guilty` are not, in
/// the order in which they have to be taken back. The index has about so many `positions`.
pub(super) fn fallen(
    index: &dyn Index,
    positions: u64,
    guilty: &BTreeSet<u32>,
) -> Result<Vec<Position>, StoreError> {
    let is_of_guilty = |entry: &Entry| {
        guilty.contains(&entry.lower_from.origin) || guilty.contains(&entry.upper_from.origin)
    };
    let mut filled = Vec::new();
    let mut progress = Progress::new(positions);
    index.visit(&mut |position, entry| {
        if is_of_guilty(&entry) {
            filled.push(!position.empty());
        }
        progress.count(1, "looking for the claims that fall");
        ControlFlow::Continue(())
    })?;
    if filled.is_empty() {
        return Ok(Vec::new());
    }
    falling(index, positions, filled, |_, entry| is_of_guilty(entry))
}

/// Returns the positions of which nothing is to be believed any more when what is said of `position` is false, although
/// it was inferred from what is true or lost: as if a worker had claimed it.
pub(super) fn fallen_with(
    index: &dyn Index,
    positions: u64,
    position: Position,
) -> Result<Vec<Position>, StoreError> {
    if index.get(position)?.is_none() {
        return Ok(Vec::new());
    }
    falling(index, positions, vec![!position.empty()], |other, _| other == position)
}

/// Returns what falls, in order, when what `is_claimed` does, where these squares are `filled`.
fn falling(
    index: &dyn Index,
    positions: u64,
    filled: Vec<u64>,
    is_claimed: impl Fn(Position, &Entry) -> bool,
) -> Result<Vec<Position>, StoreError> {
    let filled = Filled::new(filled);
    let mut falling = Falling::new(&filled, positions);
    let mut progress = Progress::new(positions);
    index.visit(&mut |position, entry| {
        if is_claimed(position, &entry) {
            falling.claimed(position);
        } else {
            let sources = [entry.lower_from, entry.upper_from];
            let is_searched = sources.iter().any(|source| source.method == Method::Search);
            falling.other(position, is_searched);
        }
        progress.count(1, "looking for what may rest on the claims that fall");
        ControlFlow::Continue(())
    })?;
    Ok(falling.in_order())
}

/// Returns whether another than `worker` has searched a position that may come from `position`, and that `worker` can
/// have been told of.
pub(super) fn others_have_searched_below(
    store: &Store,
    position: Position,
    worker: &str,
) -> Result<bool, StoreError> {
    let filled: Vec<u64> = fillings(position).collect();
    let (of_worker, count) = {
        let origins = store.origins(); // Not while the index is read: all who look something up would wait.
        (origins.of(&[worker]), origins.count())
    };
    let is_its = |id| match id < count {
        true => of_worker.contains(&id),
        false => store.origins().get(id).is_some_and(|origin| origin.worker == worker),
    };
    let is_of_another = |source: &Source| source.method == Method::Search && !is_its(source.origin);
    let is_wanted = |below: Position, entry: &Entry| {
        below != position
            && may_come(below, &filled)
            && [entry.lower_from, entry.upper_from].iter().any(is_of_another)
    };
    is_any_of(&*store.index, position.empties(), is_wanted)
}

/// Returns whether one of the entries is wanted of positions with at most so many empties: what may come from a position
/// has no more, and those come first.
pub(super) fn is_any_of(
    index: &dyn Index,
    most_empties: u32,
    is_wanted: impl Fn(Position, &Entry) -> bool,
) -> Result<bool, StoreError> {
    let mut found = false;
    index.visit(&mut |position, entry| {
        let is_beyond = position.empties() > most_empties;
        found = !is_beyond && is_wanted(position, &entry);
        if found || is_beyond { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found)
}

/// Takes back what `worker` claimed and what may rest on it, so many positions in a frame of the log; returns the
/// number of positions of which nothing is known any more.
pub(super) fn withdraw(store: &Store, worker: &str, a_frame: usize) -> Result<u64, StoreError> {
    let positions = store.records.load(Ordering::Relaxed);
    if worker.is_empty() {
        tracing::info!(positions, "looking for all that may rest on claims of nobody knows whom");
    } else {
        tracing::info!(worker, positions, "looking for all that may rest on what a worker claimed");
    }
    take_back(store, a_frame, |index| {
        let guilty = store.origins().of(&[worker]);
        fallen(index, positions, &guilty)
    })
}

impl Store {
    /// Takes back everything that is said of `position`, which is canonical, and every bound that may rest on it, as
    /// [`Store::withdraw`] does: it is false and was inferred, and damage has lost what from. Returns the number of
    /// positions of which nothing is known any more, when that is on disk.
    ///
    /// # Errors
    /// If the disk fails. A part may have been taken back then; doing it again takes back the rest.
    pub fn retract(&self, position: Position) -> Result<u64, StoreError> {
        self.check_writable()?;
        take_back(self, A_FRAME, |index| fallen_with(index, self.records(), position))
    }
}

/// Takes back what `fallen` names while nothing else is written.
fn take_back(
    store: &Store,
    a_frame: usize,
    fallen: impl FnOnce(&dyn Index) -> Result<Vec<Position>, StoreError>,
) -> Result<u64, StoreError> {
    let mut files = guard(&store.files);
    let fallen = fallen(&*store.index).inspect_err(|error| store.doubt_index(error))?;
    let mut removed = 0;
    let mut progress = Progress::new(fallen.len() as u64);
    // The index goes along with the log: what stops this leaves both with the same part taken back.
    for positions in fallen.chunks(a_frame) {
        if let Some(files) = files.as_mut() {
            files.append(&body(positions))?;
        }
        removed += remove(store, positions)
            .inspect_err(|error| store.index_has_failed(files.as_mut(), error))?;
        progress.count(positions.len() as u64, "taking back what falls");
    }
    if let Some(files) = files.as_mut()
        && !fallen.is_empty()
    {
        files.checkpoint(&*store.index, store.records(), store.origins().count())?;
    }
    Ok(removed)
}

/// Returns the items of a frame that withdraws everything claimed of `positions`.
pub(super) fn body(positions: &[Position]) -> Vec<u8> {
    let mut body = Vec::with_capacity(positions.len() * WITHDRAWAL_BYTES);
    for &position in positions {
        frame::push_withdrawal(&mut body, position);
    }
    body
}

/// Removes `positions` from the index; returns how many were there.
fn remove(store: &Store, positions: &[Position]) -> Result<u64, StoreError> {
    let removed = store.index.remove_all(positions)?;
    store.records.fetch_sub(removed, Ordering::Relaxed);
    Ok(removed)
}
