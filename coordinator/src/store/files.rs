//! The files of an open store: log, quarantine, manifest and lock.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::claim::{Claim, Source};
use super::error::StoreError;
use super::frame::Frame;
use super::index::Index;
use super::lock::Lock;
use super::log::Log;
use super::manifest::Manifest;
use super::origins::Origins;
use super::record::{Origin, Record};
use super::replay::Clashes;
use super::scan::{self, Place};

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
        let free = |to: &PathBuf| !to.exists();
        let mut names = (1_u64..).map(|number| self.store.join(format!("{name}.aside-{number}")));
        let to = names.find(free).expect("the names are endless");
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

/// The files to which an open store writes.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) layout: Layout,
    pub(super) log: Log,
    pub(super) quarantine: Log,
    /// The manifest on disk.
    pub(super) manifest: Option<Manifest>,
    /// The number of log bytes after which a new manifest is written.
    pub(super) checkpoint_bytes: u64,
    /// Log bytes since the last manifest.
    pub(super) uncovered: u64,
    pub(super) _lock: Lock,
}

impl Files {
    /// Makes the index durable and writes a manifest, unless the present one says it all.
    pub(super) fn checkpoint(
        &mut self,
        index: &dyn Index,
        records: u64,
        origins: u32,
    ) -> Result<(), StoreError> {
        let manifest = Manifest { place: self.log.end(), records, origins };
        self.uncovered = 0;
        if self.manifest == Some(manifest) {
            return Ok(());
        }
        index.checkpoint(self.manifest.as_ref(), &manifest)?;
        manifest.write(&self.layout.store)?;
        self.manifest = Some(manifest);
        Ok(())
    }

    /// Puts the claims of the log that contradict each other aside, with all that is known of them, unless they lie
    /// there already: every index that is made from the log meets them again. Returns the number of pairs when they are
    /// on disk.
    pub(super) fn quarantine(
        &mut self,
        clashes: Clashes,
        origins: &Origins,
    ) -> Result<u64, StoreError> {
        let record = |claim: Claim| {
            let Claim { position, bound, best_move, nodes, source } = claim;
            Record { position, bound, best_move, nodes, provenance: origins.provenance(source) }
        };
        let pairs = clashes.into_values().flatten();
        let pairs: Vec<Vec<u8>> =
            pairs.map(|(held, claim)| pair(&record(held), &record(claim)).body()).collect();
        if pairs.is_empty() {
            return Ok(0);
        }
        let mut new: HashSet<&[u8]> = pairs.iter().map(Vec::as_slice).collect();
        scan::read_to_end(&self.layout.quarantine(), Place::START, None, &mut |frame| {
            new.remove(frame.body().as_slice());
            Ok(())
        })?;
        for pair in &pairs {
            if new.remove(pair.as_slice()) {
                self.quarantine.append(pair)?;
            }
        }
        Ok(pairs.len() as u64)
    }

    /// Puts two records that contradict each other aside; returns when they are on disk.
    pub(super) fn put_aside(&mut self, held: &Record, claim: &Record) -> Result<(), StoreError> {
        self.quarantine.append(&pair(held, claim).body())
    }
}

/// Returns the frame of the quarantine that keeps these two. It can be read alone: origins 0 and 1 are those of its
/// claims.
fn pair(held: &Record, claim: &Record) -> Frame {
    let mut frame = Frame::default();
    for (id, record) in (0..).zip([held, claim]) {
        let Record { position, bound, best_move, nodes, ref provenance } = *record;
        frame.origins.push((id, Origin::clone(&provenance.origin)));
        let source = Source { method: provenance.method, origin: id };
        frame.claims.push(Claim { position, bound, best_move, nodes, source });
    }
    frame
}
