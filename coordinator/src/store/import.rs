//! Taking over what another store has proved.

use outflank_engine::notation::{self, Side};
use outflank_engine::{Bound, Position, Score};

use super::Store;
use super::error::StoreError;
use super::record::{Method, Provenance, Record, Stored};

/// The records that are appended at once, as a frame of the log, and lost together if a bit of it flips: few enough for
/// that, and enough that syncing the disk for each batch takes no time beside the index.
const A_BATCH: usize = 1 << 12;

/// What an import came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Positions of the other store.
    pub positions: u64,
    /// Bounds that say more than what was known: one for each position, or two where its sides come from two origins.
    pub written: u64,
    /// Bounds that were known.
    pub known: u64,
}

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many positions do not contradict what is known.
    Compared(u64),
    /// So many positions are taken over.
    TakenOver(u64),
}

/// Why nothing, or not all, was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// One of the stores could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The two stores contradict each other: one of them has a false proof, and whatever rests on it may be false, too.
    #[error(
        "the two stores contradict each other: {held} and {found} are proved of {}, by {} and by {}",
        notation::board(*position, Side::Black),
        authors(held_from),
        authors(found_from)
    )]
    Contradiction {
        /// The position, in canonical form.
        position: Position,
        /// What is proved of it here.
        held: Bound,
        /// By whom, the lower and the upper bound.
        held_from: Box<[Provenance; 2]>,
        /// What is proved of it in the other store.
        found: Bound,
        /// By whom, the lower and the upper bound.
        found_from: Box<[Provenance; 2]>,
    },
}

/// Names who proved the two sides of a bound.
fn authors([lower, upper]: &[Provenance; 2]) -> String {
    let name = |from: &Provenance| match from.origin.worker.as_str() {
        "" => format!("{} of unknown origin", from.method.name()),
        worker => worker.to_owned(),
    };
    let (lower, upper) = (name(lower), name(upper));
    if lower == upper { lower } else { format!("{lower} and {upper}") }
}

impl Store {
    /// Takes over all that `other` has proved, with where it comes from, and says `told` how far that is. What contradicts
    /// is looked for before anything is written. Positions with fewer empty squares come first, so that whatever stops
    /// this leaves no inference without what it rests on; doing it again takes over the rest.
    ///
    /// # Errors
    /// [`ImportError::Contradiction`], then nothing was taken over; [`ImportError::Store`] if one of the two cannot be
    /// read, or this one cannot be written.
    pub fn import(&self, other: &Self, told: impl FnMut(Step)) -> Result<Imported, ImportError> {
        self.import_after(other, || Ok(()), told)
    }

    /// As [`Store::import`], with something that is done `first` when the two do not contradict each other.
    ///
    /// # Errors
    /// As [`Store::import`], and that of `first`: then nothing was taken over.
    pub fn import_after(
        &self,
        other: &Self,
        first: impl FnOnce() -> Result<(), StoreError>,
        mut told: impl FnMut(Step),
    ) -> Result<Imported, ImportError> {
        let mut compared = 0;
        other.for_each(|position, found| {
            self.compare(position, &found)?;
            compared += 1;
            told(Step::Compared(compared));
            Ok::<(), ImportError>(())
        })?;
        self.check_in_place()?;
        first()?;
        let (mut imported, mut batch) = (Imported::default(), Vec::with_capacity(A_BATCH));
        other.for_each(|position, found| {
            batch.extend(records(position, &found));
            imported.positions += 1;
            if batch.len() >= A_BATCH {
                self.take_over(&mut batch, &mut imported)?;
            }
            told(Step::TakenOver(imported.positions));
            Ok::<(), ImportError>(())
        })?;
        self.take_over(&mut batch, &mut imported)?;
        Ok(imported)
    }

    /// Returns an error if what is known of `position` contradicts what is `found` of it.
    fn compare(&self, position: Position, found: &Stored) -> Result<(), ImportError> {
        let Some(entry) = self.look_up(position)? else { return Ok(()) };
        let held = Self::stored(&self.origins(), &entry);
        if held.bound.merge(found.bound).is_ok() {
            return Ok(());
        }
        let from = |stored: &Stored| [stored.lower_from.clone(), stored.upper_from.clone()].into();
        Err(ImportError::Contradiction {
            position,
            held: held.bound,
            held_from: from(&held),
            found: found.bound,
            found_from: from(found),
        })
    }

    fn take_over(
        &self,
        batch: &mut Vec<Record>,
        imported: &mut Imported,
    ) -> Result<(), StoreError> {
        let appended = self.append(batch)?;
        imported.written += appended.written;
        imported.known += appended.known;
        batch.clear();
        Ok(())
    }
}

/// Returns what is stored of a position as records: one, or two if the sides of the bound come from two origins.
fn records(position: Position, stored: &Stored) -> impl Iterator<Item = Record> + use<> {
    let Stored { bound, best_move, lower_from, upper_from, .. } = stored;
    let record = |bound, best_move, from: &Provenance| {
        let nodes = if from.method == Method::Search { stored.nodes } else { 0 };
        Record { position, bound, best_move, nodes, provenance: from.clone() }
    };
    let (says_least, says_most) = (bound.lower() > Score::MIN, bound.upper() < Score::MAX);
    let both = match (says_least, says_most) {
        (true, true) if lower_from != upper_from => [
            Some(record(Bound::at_least(bound.lower()), *best_move, lower_from)),
            Some(record(Bound::at_most(bound.upper()), None, upper_from)),
        ],
        (false, true) => [Some(record(*bound, *best_move, upper_from)), None],
        _ => [Some(record(*bound, *best_move, lower_from)), None],
    };
    both.into_iter().flatten()
}
