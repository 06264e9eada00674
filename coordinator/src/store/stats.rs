//! How large a store is.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use super::Store;
use super::error::StoreError;
use super::frame;
use super::pace::{Doing, Telling, Told};
use super::queue::guard;
use super::read_only::Looked;

/// Sizes of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Positions.
    pub records: u64,
    /// Positions whose value is proved exactly.
    pub exact: u64,
    /// Positions by their number of empty squares, 0 to 64.
    pub by_empties: Vec<u64>,
    /// Sessions that proved bounds.
    pub origins: u64,
    /// The size of the proof log, in bytes.
    pub log_bytes: u64,
    /// The size of the index, in bytes.
    pub index_bytes: u64,
    /// The size of the quarantine without its head, in bytes: 0 if nothing was ever contradicted.
    pub quarantine_bytes: u64,
}

impl Store {
    /// Returns the store's sizes; reads the whole index.
    ///
    /// # Errors
    /// If the index or the folder cannot be read.
    pub fn stats(&self) -> Result<Stats, StoreError> {
        self.stats_and_tell(Told::default())
    }

    /// As [`Store::stats`], and tells how far it is.
    ///
    /// # Errors
    /// As [`Store::stats`].
    pub fn stats_and_tell(&self, told: Told<'_>) -> Result<Stats, StoreError> {
        let origins = u64::from(self.origins().count());
        let mut stats = Stats { by_empties: vec![0; 65], origins, ..Stats::default() };
        let mut telling = Telling::new(told, Doing::ReadingIndex, self.records());
        self.index.visit(&mut |position, entry| {
            stats.records += 1;
            stats.exact += u64::from(entry.bound.value().is_some());
            stats.by_empties[position.empties() as usize] += 1;
            telling.add(1);
            ControlFlow::Continue(())
        })?;
        telling.end();
        if let Some(files) = &*guard(&self.files) {
            stats.log_bytes = size(&files.layout.log())?;
            stats.index_bytes = size(&files.layout.index())?;
        }
        if let Some(Looked { layout, log, .. }) = &self.looked {
            // What was never begun, or not copied, is missing.
            let size = |path: &Path| if path.is_dir() { size(path) } else { Ok(0) };
            stats.log_bytes = size(log)?;
            stats.index_bytes = size(&layout.index())?;
        }
        stats.quarantine_bytes = self.quarantine_bytes()?;
        Ok(stats)
    }

    /// Returns the bytes of the claims that were put aside, 0 if there is none.
    ///
    /// # Errors
    /// If their size cannot be read.
    pub fn quarantine_bytes(&self) -> Result<u64, StoreError> {
        let own = guard(&self.files).as_ref().map(|files| files.layout.quarantine());
        let looked = self.looked.as_ref().map(|looked| looked.layout.quarantine());
        // What was never begun, or not copied, is missing.
        match own.or(looked).filter(|path| path.is_dir()) {
            Some(path) => Ok(quarantined(size(&path)?)),
            None => Ok(0),
        }
    }
}

/// Returns how much there is in a quarantine of so many bytes.
fn quarantined(bytes: u64) -> u64 {
    bytes.saturating_sub(frame::HEAD_BYTES as u64)
}

/// Returns the size of the files in the folder `path`, in bytes.
fn size(path: &Path) -> Result<u64, StoreError> {
    let failed = || StoreError::io("listing", path);
    let mut bytes = 0;
    for file in fs::read_dir(path).map_err(failed())? {
        let file = file.map_err(failed())?;
        // sled removes files while it runs.
        let Ok(data) = file.metadata() else { continue };
        bytes += if data.is_dir() { size(&file.path())? } else { data.len() };
    }
    Ok(bytes)
}
