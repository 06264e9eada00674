//! Stores that this process can only read: a snapshot, a backup on a read-only mount, the store of another user, or one on
//! a full disk.
//!
//! sled cannot open an index without writing beside it. So the index on disk is left alone, and one in memory is made
//! from the log, which takes the time and the memory that the whole log needs. Nothing is written: no lock is signed,
//! no torn end cut, no contradiction put into quarantine, and an interrupted repair is read as if it were completed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nix::errno::Errno;
use nix::unistd::{AccessFlags, eaccess};

use super::Store;
use super::error::StoreError;
use super::index::{Index, MemoryIndex};
use super::layout::Layout;
use super::lock::Lock;
use super::manifest::{Found, Manifest};
use super::open::{self, Opened};
use super::origins::Origins;
use super::pace::{Doing, Telling, Told};
use super::rebuild::Whole;
use super::replay::Replay;
use super::scan::{self, Place, segment_path};

/// What a store that can only be read keeps while it is open.
#[derive(Debug)]
pub(super) struct Looked {
    pub(super) layout: Layout,
    /// The folder of the log that was read.
    pub(super) log: PathBuf,
    /// Why it cannot be written.
    pub(super) refusal: StoreError,
    _lock: Option<Lock>,
}

/// Returns an error if opening the store would have to write something that this process may not.
pub(super) fn check_writable(layout: &Layout) -> Result<(), StoreError> {
    for part in written(layout)? {
        // What is missing is made in a folder that is looked at, too; other trouble shows when it is opened.
        let Err(refused @ (Errno::EACCES | Errno::EPERM | Errno::EROFS)) =
            eaccess(&part, AccessFlags::W_OK)
        else {
            continue;
        };
        // A filter of system calls that is older than this one forbids the question, and not the answer.
        if refused == Errno::EPERM && eaccess(&part, AccessFlags::F_OK) == Err(Errno::EPERM) {
            continue;
        }
        let (path, source) = (layout.store.clone(), Arc::new(io::Error::from(refused)));
        return Err(StoreError::ReadOnly { path, part, source });
    }
    Ok(())
}

/// Returns the files and folders to which opening the store writes.
fn written(layout: &Layout) -> Result<Vec<PathBuf>, StoreError> {
    let (store, index) = (layout.store.clone(), layout.index());
    let mut parts = vec![store.join("LOCK"), index.join("db"), index, store];
    for log in [layout.log(), layout.quarantine()] {
        if !log.is_dir() {
            continue;
        }
        let last = scan::segments(&log)?.pop();
        parts.extend(last.map(|last| segment_path(&log, last)));
        parts.push(log);
    }
    Ok(parts)
}

/// Opens the store of `layout`, which exists, without writing anything; `refusal` is why it cannot be written.
pub(super) fn open(
    layout: Layout,
    refusal: StoreError,
    told: Told<'_>,
) -> Result<(Store, Opened), StoreError> {
    let lock = Lock::share(&layout.store)?;
    let is_salvaged = layout.salvaged().exists();
    // The manifest is that of the log which the salvage replaces.
    let manifest = match Manifest::read(&layout.store)? {
        Found::Manifest(manifest) if !is_salvaged => Some(manifest),
        _ => None,
    };
    let log = if is_salvaged { layout.salvaged() } else { layout.log() };
    if let Some(manifest) = &manifest {
        open::check_length(&log, manifest)?;
    }
    let index = MemoryIndex::default();
    let whole = match log.is_dir() {
        true => read_whole(&log, &index, manifest.as_ref(), told)?,
        // A store that was only about to become one.
        false => Whole::default(),
    };
    lock.as_ref().map_or(Ok(()), Lock::check)?;
    let Whole { origins, clashes, mut opened, .. } = whole;
    opened.contradictions = clashes.values().map(|pairs| pairs.len() as u64).sum();
    opened.only_read = Some(reason(&refusal));
    let looked = Looked { layout, log, refusal, _lock: lock };
    Ok((Store::with_look(index, origins, opened.records, looked), opened))
}

/// Puts what the log in the folder `log` says into an empty index.
fn read_whole(
    log: &Path,
    index: &dyn Index,
    manifest: Option<&Manifest>,
    told: Told<'_>,
) -> Result<Whole, StoreError> {
    let mut replay = Replay::new(index, log, Origins::default());
    let synced = manifest.map(|manifest| manifest.place);
    let mut telling = Telling::of_log(told, Doing::ReadingLog, log)?;
    let (end, cut) = scan::read_to_end(log, Place::START, synced, &mut |frame| {
        telling.frame(&frame);
        replay.apply(frame)
    })?;
    replay.flush()?;
    telling.end();
    let Replay { origins, added, removed, frames: replayed, gathered, .. } = replay;
    let records = added - removed;
    let opened = Opened { records, replayed, cut, ..Opened::default() };
    Ok(Whole { origins, end, clashes: gathered.clashes, opened })
}

/// Returns what cannot be written, and why.
fn reason(refusal: &StoreError) -> String {
    match refusal {
        StoreError::ReadOnly { part, source, .. } => format!("{}: {source}", part.display()),
        StoreError::Io { source, .. } => format!("{refusal}: {source}"),
        other => other.to_string(),
    }
}
