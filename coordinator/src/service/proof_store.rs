//! What the service needs of a store.

use std::fmt::Debug;

use outflank_engine::{Bound, Position};

use crate::store::{Appended, Record, Store, StoreError, Stored};

/// A store of proofs, as the service uses it: the real [`Store`], or one that fails on purpose.
pub trait ProofStore: Debug + Send + Sync + 'static {
    /// Returns what is stored for `position`, which is canonical. It never waits for a disk sync.
    fn get(&self, position: Position) -> Option<Stored>;

    /// Returns what is proved of the value of `position`, which is canonical.
    fn bound(&self, position: Position) -> Bound {
        self.get(position).map_or(Bound::UNKNOWN, |stored| stored.bound)
    }

    /// Returns whether something is stored for `position`, which is canonical, from which `bound` follows.
    fn holds(&self, position: Position, bound: Bound) -> bool {
        self.get(position).is_some_and(|stored| stored.bound.implies(bound))
    }

    /// Stores `records` and returns when they are on disk.
    ///
    /// # Errors
    /// [`StoreError`] if that is not certain.
    fn append(&self, records: &[Record]) -> Result<Appended, StoreError>;

    /// Puts `claim`, which contradicts the proved bound `held`, aside and returns when it is on disk.
    ///
    /// # Errors
    /// [`StoreError`] if that is not certain.
    fn quarantine(&self, claim: &Record, held: Bound) -> Result<(), StoreError>;

    /// Takes back everything that the worker called `worker` claimed, and what may rest on it;
    /// returns the number of positions when that is on disk.
    ///
    /// # Errors
    /// [`StoreError`] if that is not certain.
    fn withdraw(&self, worker: &str) -> Result<u64, StoreError>;

    /// Takes back everything that is said of `position`, which is canonical, and what may rest on it; returns the number of
    /// positions when that is on disk.
    ///
    /// # Errors
    /// [`StoreError`] if that is not certain.
    fn retract(&self, position: Position) -> Result<u64, StoreError>;

    /// Returns whether another than `worker` has searched a position that may come from `position` by moves.
    ///
    /// # Errors
    /// [`StoreError`] if that cannot be read.
    fn others_have_searched_below(
        &self,
        position: Position,
        worker: &str,
    ) -> Result<bool, StoreError>;

    /// Returns the number of positions of which something is proved.
    fn count(&self) -> u64;

    /// Returns when the store is known to be where it was opened; waits for no write.
    ///
    /// # Errors
    /// [`StoreError`] if it is not: what is written beside it by a name would land in another one.
    fn check_in_place(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl ProofStore for Store {
    fn get(&self, position: Position) -> Option<Stored> {
        self.get(position)
    }

    fn append(&self, records: &[Record]) -> Result<Appended, StoreError> {
        self.append(records)
    }

    fn quarantine(&self, claim: &Record, held: Bound) -> Result<(), StoreError> {
        Self::quarantine(self, claim, held)
    }

    fn withdraw(&self, worker: &str) -> Result<u64, StoreError> {
        Self::withdraw(self, worker)
    }

    fn retract(&self, position: Position) -> Result<u64, StoreError> {
        Self::retract(self, position)
    }

    fn others_have_searched_below(
        &self,
        position: Position,
        worker: &str,
    ) -> Result<bool, StoreError> {
        Self::others_have_searched_below(self, position, worker)
    }

    fn count(&self) -> u64 {
        self.records()
    }

    fn check_in_place(&self) -> Result<(), StoreError> {
        Self::check_in_place(self)
    }
}
