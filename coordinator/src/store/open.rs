//! Opening a store: the lock, the end of the log, and an index that agrees with it.

use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::Disk;
use super::error::StoreError;
use super::files::Files;
use super::frame::HEAD_BYTES;
use super::index::Index;
use super::layout::Layout;
use super::lock::Lock;
use super::log::Log;
use super::manifest::{Found, Manifest};
use super::origins::Origins;
use super::pace::{Doing, Telling, Told};
use super::rebuild;
use super::replay::{Clashes, Replay};
use super::scan::{self, Cut, Place, segment_path};
use super::sled_index::SledIndex;
use super::{Store, parts, read_only, repair};
use crate::durable::{create_folders, sync_folder};

/// How a store is laid out on disk and how often it takes stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The size at which a segment of the log is closed and the next one begun, in bytes.
    pub segment_bytes: u64,
    /// The growth of the log after which the index is made durable, in bytes. A store that was not
    /// closed reads this much of its log again when it is opened.
    pub checkpoint_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { segment_bytes: 1 << 30, checkpoint_bytes: 16 << 20 }
    }
}

/// What opening a store found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// Positions in the store.
    pub records: u64,
    /// Frames of the log that the index did not surely hold and that were read again.
    pub replayed: u64,
    /// The torn end of the log that was cut off, if there was one.
    pub cut: Option<Cut>,
    /// Why the index was made again, if it was.
    pub rebuilt: Option<Rebuilt>,
    /// Pairs of claims in the log that contradict each other and were not taken back; they are in quarantine, unless
    /// the store can only be read.
    pub contradictions: u64,
    /// Why the store could only be read, if that is so: the index is then one in memory.
    pub only_read: Option<String>,
}

/// Why the index was made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// What was wrong with the old one.
    pub reason: String,
    /// Where the old one lies now, if there was one.
    pub aside: Option<PathBuf>,
}

/// Why an index is in doubt if its file says nothing: there was no room, or an operator has made it.
const UNKNOWN: &str = "no reason was noted, as where the disk is full";

/// An index that agrees with the log, and what it took.
pub(super) struct Agreed {
    pub(super) index: SledIndex,
    pub(super) origins: Origins,
    pub(super) end: Place,
    pub(super) clashes: Clashes,
    pub(super) opened: Opened,
}

/// Opens the store in the folder `store`, which is created if it is missing.
pub(super) fn open(
    store: &Path,
    options: &Options,
    disk: &Arc<dyn Disk>,
    told: Told<'_>,
) -> Result<(Store, Opened), StoreError> {
    create(store)?;
    let layout = Layout::new(store);
    read_only::check_writable(&layout)?;
    let lock = Arc::new(Lock::take(store)?);
    repair::finish(&layout)?;
    parts::clear_up(&layout);
    let log = layout.log();
    for folder in [&log, &layout.quarantine()] {
        fs::create_dir_all(folder).map_err(StoreError::io("creating", folder))?;
    }
    sync_folder(store).map_err(StoreError::io("syncing", store))?;
    let found = Manifest::read(store)?;
    let manifest = if let Found::Manifest(manifest) = found { Some(manifest) } else { None };
    if let Some(manifest) = &manifest {
        check_length(&log, manifest)?;
    }
    let agreed = match examine(&layout, &found)? {
        Ok(index) => match catch_up(&layout, index, manifest.as_ref(), told) {
            Err(StoreError::Index { reason, .. }) => {
                rebuild::rebuild(&layout, reason, manifest.as_ref(), told)
            }
            agreed => agreed,
        },
        Err(reason) => rebuild::rebuild(&layout, reason, manifest.as_ref(), told),
    }?;
    let Agreed { index, origins, end, clashes, mut opened } = agreed;
    let Options { segment_bytes, checkpoint_bytes } = *options;
    // To make an index takes long, and whatever lies behind the end is cut off now.
    lock.check()?;
    let log = Log::open(Arc::clone(disk), &log, end, segment_bytes)?;
    let quarantine = open_quarantine(&layout, segment_bytes, disk)?;
    // A new index knows nothing of the old manifest.
    let manifest = manifest.filter(|_| opened.rebuilt.is_none());
    let mut files =
        Files { layout, log, quarantine, manifest, checkpoint_bytes, uncovered: 0, lock };
    opened.contradictions = files.quarantine(clashes, &origins)?;
    files.checkpoint(&index, opened.records, origins.count())?;
    remove_doubt(&files.layout)?;
    Ok((Store::with_files(index, origins, opened.records, files), opened))
}

/// Makes the folder, and refuses one that holds something else.
fn create(store: &Path) -> Result<(), StoreError> {
    let not_a_store = |found| Err(StoreError::NotAStore { path: store.to_owned(), found });
    if store.exists() && !store.is_dir() {
        return not_a_store("a file".to_owned());
    }
    if !store.exists() {
        return create_folders(store).map_err(StoreError::io("creating", store));
    }
    if is_store(store)? {
        return Ok(());
    }
    for file in fs::read_dir(store).map_err(StoreError::io("listing", store))? {
        let name = file.map_err(StoreError::io("listing", store))?.file_name();
        // The root of a file system has this folder, and is a fine place for a store.
        if name != "lost+found" {
            return not_a_store(format!("{}, but no proof log", name.display()));
        }
    }
    Ok(())
}

/// Returns whether the folder `store` is or was about to become a store; fails where it may not be looked into.
pub(super) fn is_store(store: &Path) -> Result<bool, StoreError> {
    let layout = Layout::new(store);
    for part in [layout.log(), layout.salvaged(), store.join("LOCK")] {
        match part.try_exists() {
            Ok(false) => {}
            // Below a file there is nothing.
            Err(error) if error.kind() == ErrorKind::NotADirectory => {}
            Ok(true) => return Ok(true),
            Err(error) => return Err(StoreError::io("looking into", store)(error)),
        }
    }
    Ok(false)
}

/// Returns an error if the log ends before the place up to which the manifest saw it synced.
pub(super) fn check_length(log: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    let Place { segment, offset, .. } = manifest.place;
    let present = scan::segments(log)?;
    let missing = (1..=segment).find(|segment| !present.contains(segment));
    let path = segment_path(log, missing.unwrap_or(segment));
    let damaged = |offset, found: &str, expected| {
        Err(StoreError::Damaged { path: path.clone(), offset, found: found.to_owned(), expected })
    };
    if missing.is_some() {
        return damaged(0, "no such file", "a segment that the manifest covers".to_owned());
    }
    let length = fs::metadata(&path).map_err(StoreError::io("reading", &path))?.len();
    if length < offset {
        let expected = format!("proofs up to offset {offset}, which the manifest covers");
        return damaged(length, "the end of the file", expected);
    }
    Ok(())
}

/// Returns the index if it holds what the manifest says, or why it cannot be trusted.
fn examine(layout: &Layout, found: &Found) -> Result<Result<SledIndex, String>, StoreError> {
    let doubt = layout.doubt();
    if doubt.exists() {
        let reason = fs::read_to_string(&doubt).map_err(StoreError::io("reading", &doubt))?;
        return Ok(Err(if reason.is_empty() { UNKNOWN.to_owned() } else { reason }));
    }
    if layout.unfinished().exists() {
        return Ok(Err("it was not completed".to_owned()));
    }
    let manifest = match found {
        Found::Nonsense => return Ok(Err("the manifest is damaged".to_owned())),
        Found::Nothing if layout.index().exists() || !scan::segments(&layout.log())?.is_empty() => {
            return Ok(Err("there is no manifest".to_owned()));
        }
        Found::Nothing => return SledIndex::open(&layout.index()).map(Ok),
        Found::Manifest(_) if !layout.index().exists() => {
            return Ok(Err("there is no index".to_owned()));
        }
        Found::Manifest(manifest) => manifest,
    };
    let checked = SledIndex::open(&layout.index()).and_then(|index| {
        let covers = index.covers(manifest)?;
        Ok((index, covers))
    });
    Ok(match checked {
        Ok((index, true)) => Ok(index),
        Ok((_, false)) => Err("it does not hold what the manifest says".to_owned()),
        Err(StoreError::Index { reason, .. }) => Err(reason),
        Err(error) => return Err(error),
    })
}

/// Applies to a trusted index what the log holds beyond the manifest.
fn catch_up(
    layout: &Layout,
    index: SledIndex,
    manifest: Option<&Manifest>,
    told: Told<'_>,
) -> Result<Agreed, StoreError> {
    let in_doubt = |reason| Err(StoreError::Index { path: layout.index(), reason });
    let log = layout.log();
    let mut origins = Origins::default();
    for origin in index.origins()? {
        origins.push(Arc::new(origin));
    }
    let covered = manifest.map_or(0, |manifest| manifest.origins);
    if origins.count() < covered {
        return in_doubt(format!("it has {} origins, expected {covered}", origins.count()));
    }
    let from = manifest.map_or(Place::START, |manifest| manifest.place);
    let covered = manifest.map_or(0, |manifest| manifest.records);
    // Without a tail the index is as it was when the manifest was written.
    let held = if is_end(&log, from)? { covered } else { count(&index, covered, told)? };
    let mut replay = Replay::new(&index, &log, origins);
    let (end, cut) = scan::read_to_end(&log, from, Some(from), &mut |frame| replay.apply(frame))?;
    replay.flush()?;
    let Replay { origins, added, removed, withdrawn, frames: replayed, gathered, .. } = replay;
    // What was taken back since may have left the index before the manifest that says so was written.
    if held.saturating_add(withdrawn) < covered {
        return in_doubt(format!("it has {held} positions, expected {covered}"));
    }
    let records = held + added - removed;
    let opened = Opened { records, replayed, cut, ..Opened::default() };
    Ok(Agreed { index, origins, end, clashes: gathered.clashes, opened })
}

/// Returns whether nothing lies behind `place`.
fn is_end(log: &Path, place: Place) -> Result<bool, StoreError> {
    let path = segment_path(log, place.segment);
    if scan::segments(log)?.last().is_none_or(|&last| last != place.segment) {
        return Ok(false);
    }
    let length = fs::metadata(&path).map_err(StoreError::io("reading", &path))?.len();
    Ok(length == place.offset)
}

/// Returns the number of entries, about as many as `expected`, each of which is read and checked.
fn count(index: &SledIndex, expected: u64, told: Told<'_>) -> Result<u64, StoreError> {
    let mut telling = Telling::new(told, Doing::ReadingIndex, expected);
    let mut count = 0;
    index.visit(&mut |_, _| {
        count += 1;
        telling.add(1);
        ControlFlow::Continue(())
    })?;
    telling.end();
    Ok(count)
}

fn open_quarantine(
    layout: &Layout,
    segment_bytes: u64,
    disk: &Arc<dyn Disk>,
) -> Result<Log, StoreError> {
    let folder = layout.quarantine();
    let (end, cut) = scan::read_to_end(&folder, Place::START, None, &mut |_| Ok(()))?;
    if let Some(cut) = cut {
        tracing::warn!(path = %cut.path.display(), cut.offset, "the quarantine's torn end is cut");
    }
    debug_assert!(end.offset == 0 || end.offset >= HEAD_BYTES as u64, "{end:?}");
    Log::open(Arc::clone(disk), &folder, end, segment_bytes)
}

fn remove_doubt(layout: &Layout) -> Result<(), StoreError> {
    let doubt = layout.doubt();
    if !doubt.exists() {
        return Ok(());
    }
    // In this order: who finds the index in doubt and complete moves it aside, which is safe.
    for file in [layout.unfinished(), doubt].iter().filter(|file| file.exists()) {
        fs::remove_file(file).map_err(StoreError::io("removing", file))?;
    }
    sync_folder(&layout.store).map_err(StoreError::io("syncing", &layout.store))
}
