//! The origins of bounds and the numbers that stand for them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::claim::Source;
use super::error::StoreError;
use super::record::{Origin, Provenance};

/// All origins of a store; an origin's number is its place.
#[derive(Debug, Default)]
pub(super) struct Origins {
    list: Vec<Arc<Origin>>,
    ids: HashMap<Arc<Origin>, u32>,
}

impl Origins {
    /// Returns the number of origins, which is the number that the next one gets.
    pub(super) fn count(&self) -> u32 {
        self.list.len() as u32
    }

    /// Returns the number of `origin`, if it has one.
    pub(super) fn id(&self, origin: &Origin) -> Option<u32> {
        self.ids.get(origin).copied()
    }

    /// Returns origin number `id`.
    pub(super) fn get(&self, id: u32) -> Option<&Arc<Origin>> {
        self.list.get(id as usize)
    }

    /// Returns the names of all workers.
    pub(super) fn workers(&self) -> BTreeSet<String> {
        self.list.iter().map(|origin| origin.worker.clone()).collect()
    }

    /// Returns the numbers of all origins of these workers.
    pub(super) fn of(&self, workers: &[&str]) -> BTreeSet<u32> {
        let all = (0..).zip(&self.list);
        let theirs = all.filter(|(_, origin)| workers.contains(&origin.worker.as_str()));
        theirs.map(|(id, _)| id).collect()
    }

    /// Adds an origin that has no number yet.
    pub(super) fn push(&mut self, origin: Arc<Origin>) {
        self.ids.insert(Arc::clone(&origin), self.count());
        self.list.push(origin);
    }

    /// Returns the provenance for which `source` stands; an origin that is not in the list is
    /// empty.
    pub(super) fn provenance(&self, source: Source) -> Provenance {
        let origin = self.get(source.origin).cloned().unwrap_or_default();
        Provenance { method: source.method, origin }
    }
}

/// Returns an error if a text of `origin` is too long to be stored.
pub(super) fn check(origin: &Origin) -> Result<(), StoreError> {
    let limit = Origin::LONGEST;
    match origin.fields().into_iter().find(|(_, text)| text.len() > limit) {
        None => Ok(()),
        Some((field, text)) => Err(StoreError::OriginTooLong { field, length: text.len(), limit }),
    }
}
