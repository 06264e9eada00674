//! Where the parts of a store lie, and how they get out of the way.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::StoreError;
use crate::durable;

/// Where the parts of a store lie.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) store: PathBuf,
}

impl Layout {
    pub(super) fn new(store: &Path) -> Self {
        Self { store: store.to_owned() }
    }

    pub(super) fn log(&self) -> PathBuf {
        self.store.join("log")
    }

    pub(super) fn index(&self) -> PathBuf {
        self.store.join("index")
    }

    pub(super) fn quarantine(&self) -> PathBuf {
        self.store.join("quarantine")
    }

    /// A file that says that the index must be made again, and why.
    pub(super) fn doubt(&self) -> PathBuf {
        self.store.join("INDEX-IN-DOUBT")
    }

    /// A file in an index that is being made from the log: without its end, that index is worth nothing.
    pub(super) fn unfinished(&self) -> PathBuf {
        self.index().join("UNFINISHED")
    }

    /// The log in parts that fit into memory, for as long as the index is compared with them or made from them.
    pub(super) fn parts(&self) -> PathBuf {
        self.store.join("parts")
    }

    /// Where a repair gathers what it salvages.
    pub(super) fn salvage(&self) -> PathBuf {
        self.store.join("salvage")
    }

    /// An index of what is salvaged, for as long as that takes.
    pub(super) fn salvage_index(&self) -> PathBuf {
        self.store.join("salvage-index")
    }

    /// The salvage once it is complete: it takes the place of the log.
    pub(super) fn salvaged(&self) -> PathBuf {
        self.store.join("salvaged")
    }

    /// The salvage of the quarantine once it is complete: it takes the place of the quarantine.
    pub(super) fn salvaged_quarantine(&self) -> PathBuf {
        self.store.join("salvaged-quarantine")
    }

    /// Moves the file or folder `name` aside, if it is there; returns where it lies now.
    pub(super) fn move_aside(&self, name: &str) -> Result<Option<PathBuf>, StoreError> {
        let from = self.store.join(name);
        if !from.exists() {
            return Ok(None);
        }
        let to = durable::free_aside(&from);
        fs::rename(&from, &to).map_err(StoreError::io("moving aside", &from))?;
        Ok(Some(to))
    }

    /// Takes the index out of the way; returns where it lies now, if it is kept.
    ///
    /// It is kept only for who wants to know what was wrong with it: one at most, and none that was not completed.
    pub(super) fn move_index_aside(&self) -> Result<Option<PathBuf>, StoreError> {
        if self.unfinished().exists() {
            tracing::info!(path = %self.index().display(), "half an index is removed");
            remove_folder(&self.index())?;
        }
        if !self.index().exists() {
            return Ok(None);
        }
        for earlier in self.asides("index")? {
            remove_folder(&earlier)?;
        }
        self.move_aside("index")
    }

    /// Returns what was moved aside, by name: all of it, or what was called `name`.
    pub(super) fn asides(&self, name: &str) -> Result<Vec<PathBuf>, StoreError> {
        let failed = || StoreError::io("listing", &self.store);
        let mut asides = Vec::new();
        for file in fs::read_dir(&self.store).map_err(failed())? {
            let path = file.map_err(failed())?.path();
            let is_aside = |found: &str| {
                let (former, number) = found.split_once(".aside-")?;
                let is_wanted = name.is_empty() || former == name;
                Some(is_wanted && number.parse::<u64>().is_ok())
            };
            let found = path.file_name().and_then(|found| is_aside(found.to_str()?));
            asides.extend(found.filter(|&is_aside| is_aside).map(|_| path));
        }
        // Those with more digits came later.
        asides.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
        Ok(asides)
    }

    /// Begins a new index where there is none.
    pub(super) fn begin_index(&self) -> Result<(), StoreError> {
        let (index, unfinished) = (self.index(), self.unfinished());
        fs::create_dir_all(&index).map_err(StoreError::io("creating", &index))?;
        File::create(&unfinished).map(drop).map_err(StoreError::io("creating", &unfinished))
    }
}

/// Notes in the file `doubt` that the index must be made again, and why. Where the disk is full that there is such a
/// file has to do.
pub(super) fn note_doubt(doubt: &Path, reason: &str) -> io::Result<()> {
    if doubt.exists() {
        return Ok(()); // The first reason explains the later ones.
    }
    let mut file = File::create(doubt)?;
    file.write_all(reason.as_bytes()).or_else(|error| match error.kind() {
        io::ErrorKind::StorageFull => Ok(()),
        _ => Err(error),
    })
}

pub(super) fn remove_folder(path: &Path) -> Result<(), StoreError> {
    fs::remove_dir_all(path).map_err(StoreError::io("removing", path))
}
