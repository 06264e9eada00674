//! From records to frames: what is new is written, synced, and only then put into the index.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use outflank_engine::{Bound, Position};

use super::Store;
use super::claim::{Claim, Entry, Source};
use super::error::StoreError;
use super::files::Files;
use super::frame::{self, FULL_BODY};
use super::record::{Appended, Contradicted, Origin, Record};

/// The records of several callers on their way to disk together.
#[derive(Debug)]
pub(super) struct Batch<'a> {
    store: &'a Store,
    files: Option<&'a mut Files>,
    /// The items of the frame being filled.
    body: Vec<u8>,
    /// What the index will say when the frame is on disk.
    entries: HashMap<Position, Entry>,
    /// Origins that the frame introduces.
    origins: Vec<Arc<Origin>>,
    /// The origin of the last record and its number: most have the same.
    last: Option<(Arc<Origin>, u32)>,
}

impl<'a> Batch<'a> {
    pub(super) fn new(store: &'a Store, files: Option<&'a mut Files>) -> Self {
        let (body, entries, origins) = (Vec::new(), HashMap::new(), Vec::new());
        Self { store, files, body, entries, origins, last: None }
    }

    /// Takes a caller's records. They are on disk when [`Batch::commit`] has returned.
    pub(super) fn add_all(&mut self, records: &[Record]) -> Result<Appended, StoreError> {
        let mut appended = Appended::default();
        for record in records {
            self.add(record, &mut appended)?;
            if self.body.len() >= FULL_BODY {
                self.commit()?;
            }
        }
        Ok(appended)
    }

    fn add(&mut self, record: &Record, appended: &mut Appended) -> Result<(), StoreError> {
        let Record { position, bound, best_move, nodes, .. } = *record;
        let held = match self.entries.get(&position) {
            Some(entry) => Some(*entry),
            None => self.store.look_up(position)?,
        };
        // The origin gets its number only if the record is written.
        let source = Source { method: record.provenance.method, origin: 0 };
        let draft = Claim { position, bound, best_move, nodes, source };
        let improves = match held.map(|held| (held, held.merge(&Entry::first(&draft)))) {
            None => bound != Bound::UNKNOWN,
            Some((held, Ok(merged))) => held.is_improved_by(&merged),
            Some((held, Err(_))) => {
                appended.contradicted.push(self.quarantine(&held, record)?);
                return Ok(());
            }
        };
        if !improves {
            appended.known += 1;
            return Ok(());
        }
        let source = Source { origin: self.origin_id(record), ..source };
        let claim = Claim { source, ..draft };
        let entry = Entry::first(&claim);
        let merged = held.and_then(|held| held.merge(&entry).ok()).unwrap_or(entry);
        frame::push_claim(&mut self.body, &claim);
        self.entries.insert(position, merged);
        appended.written += 1;
        Ok(())
    }

    /// Returns the number of the record's origin; a new one goes into the frame.
    fn origin_id(&mut self, record: &Record) -> u32 {
        let origin = &record.provenance.origin;
        if let Some((last, id)) = &self.last
            && Arc::ptr_eq(last, origin)
        {
            return *id;
        }
        let known = self.store.origins();
        let count = known.count();
        let new = || (count..).zip(&self.origins).find(|(_, new)| *new == origin);
        let found = known.id(origin).or_else(|| new().map(|(id, _)| id));
        drop(known);
        let id = found.unwrap_or_else(|| {
            let id = count + self.origins.len() as u32;
            debug_assert!(id < Source::ORIGINS, "a store with two thousand million origins");
            frame::push_origin(&mut self.body, id, origin);
            self.origins.push(Arc::clone(origin));
            id
        });
        self.last = Some((Arc::clone(origin), id));
        id
    }

    fn quarantine(&mut self, held: &Entry, record: &Record) -> Result<Contradicted, StoreError> {
        // What is held must be on disk, and its origins known, before it is held against others.
        self.commit()?;
        let held = Store::stored(&self.store.origins(), held);
        if let Some(files) = &mut self.files {
            let above = held.bound.lower() > record.bound.upper();
            let from = if above { &held.lower_from } else { &held.upper_from };
            let against = Record {
                position: record.position,
                bound: held.bound,
                best_move: held.best_move,
                nodes: held.nodes,
                provenance: from.clone(),
            };
            files.put_aside(&against, record)?;
        }
        Ok(Contradicted { held, claim: record.clone() })
    }

    /// Writes the frame; returns when it is on disk and in the index.
    pub(super) fn commit(&mut self) -> Result<(), StoreError> {
        if self.body.is_empty() {
            return Ok(());
        }
        if let Some(files) = &mut self.files {
            files.append(&self.body)?;
        }
        self.body.clear();
        if let Err(error) = self.index() {
            self.store.index_has_failed(self.files.as_deref_mut(), &error);
            return Err(error);
        }
        self.checkpoint_if_due();
        Ok(())
    }

    /// Puts what is on disk now into the index.
    fn index(&mut self) -> Result<(), StoreError> {
        let index = &self.store.index;
        for origin in self.origins.drain(..) {
            let mut known = self.store.origins.write().unwrap_or_else(PoisonError::into_inner);
            index.put_origin(known.count(), &origin)?;
            known.push(origin);
        }
        let mut entries: Vec<(Position, Entry)> = self.entries.drain().collect();
        entries.sort_unstable_by_key(|&(position, _)| (position.empties(), position));
        self.store.count_new(index.put_all(&entries)?);
        Ok(())
    }

    fn checkpoint_if_due(&mut self) {
        let Some(files) = &mut self.files else { return };
        if files.uncovered < files.checkpoint_bytes {
            return;
        }
        let (records, origins) = (self.store.records(), self.store.origins().count());
        if let Err(error) = files.checkpoint(&*self.store.index, records, origins) {
            // The log has everything: only the next open takes longer.
            tracing::warn!(%error, "the index was not made durable");
        }
    }
}
