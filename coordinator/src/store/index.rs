//! The index: finds what is known about a position. It can always be made again from the log.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::{PoisonError, RwLock};

use outflank_engine::Position;

use super::claim::Entry;
use super::error::StoreError;
use super::manifest::Manifest;
use super::record::Origin;

/// Is handed each entry of an index and says whether it wants another.
pub(super) type Visitor<'a> = dyn FnMut(Position, Entry) -> ControlFlow<()> + 'a;

/// What the store asks of an index.
pub(super) trait Index: Debug + Send + Sync {
    /// Returns the entry of `position`; never waits for a write to reach the disk.
    fn get(&self, position: Position) -> Result<Option<Entry>, StoreError>;
    /// Puts the entries of different positions, by number of empties and position, in place of the former ones; returns
    /// the number of positions of which there was none.
    fn put_all(&self, entries: &[(Position, Entry)]) -> Result<u64, StoreError>;
    /// Removes the entries of different `positions`, which come in any order; returns how many there were.
    fn remove_all(&self, positions: &[Position]) -> Result<u64, StoreError>;
    /// Hands all entries to `visit`, by number of empties and position.
    fn visit(&self, visit: &mut Visitor<'_>) -> Result<(), StoreError>;
    /// Keeps origin number `id`.
    fn put_origin(&self, id: u32, origin: &Origin) -> Result<(), StoreError>;
    /// Makes everything durable, with a note that it covers `new` and that `old` is the manifest
    /// which `new` will replace.
    fn checkpoint(&self, old: Option<&Manifest>, new: &Manifest) -> Result<(), StoreError>;
}

/// The index of a store that keeps nothing.
#[derive(Debug, Default)]
pub(super) struct MemoryIndex {
    entries: RwLock<BTreeMap<(u32, Position), Entry>>,
}

impl Index for MemoryIndex {
    fn get(&self, position: Position) -> Result<Option<Entry>, StoreError> {
        // Entries are put whole: a panic elsewhere leaves no half one.
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        Ok(entries.get(&(position.empties(), position)).copied())
    }

    fn put_all(&self, entries: &[(Position, Entry)]) -> Result<u64, StoreError> {
        let mut held = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let mut added = 0;
        for &(position, entry) in entries {
            added += u64::from(held.insert((position.empties(), position), entry).is_none());
        }
        Ok(added)
    }

    fn remove_all(&self, positions: &[Position]) -> Result<u64, StoreError> {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let mut removed = 0;
        for &position in positions {
            removed += u64::from(entries.remove(&(position.empties(), position)).is_some());
        }
        Ok(removed)
    }

    fn visit(&self, visit: &mut Visitor<'_>) -> Result<(), StoreError> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let _stopped =
            entries.iter().try_for_each(|(&(_, position), entry)| visit(position, *entry));
        Ok(())
    }

    fn put_origin(&self, _: u32, _: &Origin) -> Result<(), StoreError> {
        Ok(())
    }

    fn checkpoint(&self, _: Option<&Manifest>, _: &Manifest) -> Result<(), StoreError> {
        Ok(())
    }
}
