//! What the service needs of a store.

use std::fmt::Debug;

use outflank_engine::{Bound, Position};

use crate::store::{Appended, Record, Store, StoreError, Stored};

/// A store of proofs, as the service uses it: the real [`Store`], or one that fails on purpose.
pub trait ProofStore: Debug + Send + Sync + 'static {
    /// Returns what is stored for `position`, which is canonical. It never waits for a disk sync.
    fn get(&self, position: Position) -> Option<Stored>;

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

    /// Returns the number of positions of which something is proved.
    fn count(&self) -> u64;
}

impl ProofStore for Store {
    fn get(&self, position: Position) -> Option<Stored> {
        self.get(position)
    }

    fn append(&self, records: &[Record]) -> Result<Appended, StoreError> {
        self.append(records)
    }

    /// The store itself puts aside what contradicts it. A claim that contradicts only what the core
    /// holds must not reach it: it would be merged.
    fn quarantine(&self, claim: &Record, held: Bound) -> Result<(), StoreError> {
        let stored = self.get(claim.position).map(|stored| stored.bound);
        if stored.is_some_and(|stored| stored.merge(claim.bound).is_err()) {
            self.append(std::slice::from_ref(claim))?;
        } else {
            tracing::error!(?claim, %held, "the store holds nothing against a claim; it is dropped");
        }
        Ok(())
    }

    fn count(&self) -> u64 {
        self.records()
    }
}
