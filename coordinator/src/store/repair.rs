//! Keeping everything good of a damaged store.
//!
//! Where the log is whole it stays as it is, and a lost index is made again from it. Otherwise:
//! The good frames go into a new log in the folder `salvage`, which is renamed to `salvaged` when
//! it is complete. From then on it only takes the place of the log, which `finish` does, also
//! after an interruption. The old log is kept aside. A damaged quarantine is dealt with in the same way.

use std::path::{Path, PathBuf};

use super::Store;
use super::error::StoreError;
use super::layout::{Layout, remove_folder};
use super::lock::Lock;
use super::manifest::{Found, Manifest};
use super::open::is_store;
use super::pace::Told;
use super::read_only;
use super::salvage::{rename, salvage, salvage_quarantine};
use super::scan::Cut;
use super::verify::{PROBLEMS, Problem, Verification, check};

/// What a repair did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// How much of the store had to be made again.
    pub extent: Extent,
    /// Good frames.
    pub frames: u64,
    /// Claims in them that were kept.
    pub claims: u64,
    /// Places with damage, in the log and beside it.
    pub damages: u64,
    /// The first thousand of them.
    pub described: Vec<Problem>,
    /// Frames of the log that are lost, as far as the numbers of the others and the manifest tell.
    pub lost: u64,
    /// Claims whose origin was in a damaged frame; they are kept with an empty origin.
    pub without_origin: u64,
    /// Positions that were taken back once more, because what had taken them back may be lost.
    pub taken_back: u64,
    /// Claims in good frames that are not kept, because what took them back may be lost, and nobody can tell.
    pub dropped: u64,
    /// Whether what a lost frame took back may stand again: nobody knows whose claims were ever taken back.
    pub is_unsure: bool,
    /// The write at the end of the log that was not completed, and that was cut off, if there was one.
    pub cut: Option<Cut>,
    /// Where the old log, the old index and an old quarantine lie now.
    pub aside: Vec<PathBuf>,
    /// What earlier repairs and rebuilds have moved aside; nothing reads it.
    pub left: Vec<PathBuf>,
    /// Positions in the repaired store.
    pub records: u64,
}

impl Repair {
    /// Counts a place with damage.
    pub(super) fn note(&mut self, problem: Problem) {
        self.damages += 1;
        if self.described.len() < PROBLEMS {
            self.described.push(problem);
        }
    }
}

/// How much of a store a repair has made again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Nothing: the log is as it was, and only what opening a store brings up to date may have changed.
    Nothing,
    /// The index, from a log that was whole and is as it was.
    Index,
    /// Everything, from the good frames of the log.
    #[default]
    Log,
}

/// Whose claims were ever taken back in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenBack {
    /// Workers whose claims were.
    pub workers: Vec<String>,
    /// Whether those of nobody else were.
    pub is_all: bool,
}

impl TakenBack {
    /// Nobody can tell any more.
    pub const UNKNOWN: Self = Self { workers: Vec::new(), is_all: false };

    /// Returns under which names claims are not to be believed: that of nobody is among them if there are any, since a
    /// repair keeps claims whose author it cannot tell.
    pub(super) fn names(&self) -> Vec<&str> {
        let nobody = (!self.workers.is_empty()).then_some("");
        nobody.into_iter().chain(self.workers.iter().map(String::as_str)).collect()
    }
}

/// Keeps every good frame of the log, puts the old log aside and makes the index again. Of a store whose log is
/// whole only the index is made again, and that only if it is lost. It does not know whose claims were ever taken back.
///
/// # Errors
/// If there is no store at `store`, if it is in use, of another schema version, or if the system
/// refuses. The store is then as it was, or the next open completes the repair.
pub fn repair(store: &Path) -> Result<Repair, StoreError> {
    repair_after(store, |_| Ok(TakenBack::UNKNOWN))
}

/// As [`repair`], but calls `first` with what is to be made again before anything is changed, when nobody else can
/// use the store. It says whose claims were ever taken back: nothing of that stands again where a frame is lost that
/// may have taken it back.
///
/// # Errors
/// As [`repair`], and what `first` returns.
pub fn repair_after(
    store: &Path,
    first: impl FnOnce(Extent) -> Result<TakenBack, StoreError>,
) -> Result<Repair, StoreError> {
    repair_and_tell(store, first, Told::default())
}

/// As [`repair_after`], and tells how far it is.
///
/// # Errors
/// As [`repair_after`].
pub fn repair_and_tell(
    store: &Path,
    first: impl FnOnce(Extent) -> Result<TakenBack, StoreError>,
    told: Told<'_>,
) -> Result<Repair, StoreError> {
    if !is_store(store)? {
        return Err(StoreError::NoStore { path: store.to_owned() });
    }
    let layout = Layout::new(store);
    read_only::check_writable(&layout)?;
    let lock = Lock::take(store)?;
    // A copy of a store in use, or what is left of one: what took claims back may have come behind its end.
    let may_lack_end = lacks_manifest(store)?;
    let checked = with_whole_log(&layout, may_lack_end, told);
    // To read the log takes long, and from now on files are moved.
    lock.check()?;
    let (whole, seen) = checked?;
    let extent = match &whole {
        Some(found) if found.is_sound() => Extent::Nothing,
        Some(_) => Extent::Index,
        None => Extent::Log,
    };
    let taken_back = first(extent)?;
    remove_old_indexes(&layout)?;
    let mut done = match whole {
        Some(found) => keep_log(&layout, extent, &found)?,
        None => salvage_everything(&layout, &taken_back, told)?,
    };
    if extent == Extent::Log && done.damages == 0 {
        // What the index knows and the log does not say, or claims that contradict each other.
        (done.damages, done.described) = seen;
    }
    lock.check()?;
    drop(lock);
    let (opened_store, opened) = Store::open_and_tell(store, told)?;
    if may_lack_end && extent != Extent::Log {
        done.taken_back = take_back(&opened_store, &taken_back)?;
    }
    done.aside.extend(opened.rebuilt.and_then(|rebuilt| rebuilt.aside));
    done.cut = opened.cut;
    done.records = opened_store.records();
    done.left = layout.asides("")?;
    done.left.retain(|path| !done.aside.contains(path));
    Ok(done)
}

/// Returns whether the store in the folder `store` has no manifest, as a copy that was taken while it was in use: the
/// end of its log may be missing, and nothing would tell.
///
/// # Errors
/// If the manifest cannot be read.
pub fn lacks_manifest(store: &Path) -> Result<bool, StoreError> {
    Ok(matches!(Manifest::read(store)?, Found::Nothing))
}

/// Takes back what these workers claimed, and what may rest on it, and what nobody is known to have claimed; returns
/// the number of positions.
fn take_back(store: &Store, taken_back: &TakenBack) -> Result<u64, StoreError> {
    let mut positions = 0;
    for worker in taken_back.names() {
        positions += store.withdraw(worker)?;
    }
    Ok(positions)
}

/// Leaves the log of a store as it is.
fn keep_log(layout: &Layout, extent: Extent, found: &Verification) -> Result<Repair, StoreError> {
    let mut done = Repair { extent, ..Repair::default() };
    (done.frames, done.claims) = (found.frames, found.claims);
    if extent == Extent::Index {
        // Opening the store makes the index again where there is none.
        done.aside.extend(layout.move_index_aside()?);
    }
    Ok(done)
}

/// Makes a new log of the good frames of the old one.
fn salvage_everything(
    layout: &Layout,
    taken_back: &TakenBack,
    told: Told<'_>,
) -> Result<Repair, StoreError> {
    finish(layout)?;
    let mut done = Repair::default();
    salvage(layout, taken_back, told, &mut done).inspect_err(|_| clear_up(layout))?;
    done.aside.extend(layout.move_aside("MANIFEST")?);
    done.aside.extend(layout.move_index_aside()?);
    salvage_quarantine(layout, &mut done).inspect_err(|_| clear_up(layout))?;
    done.aside.extend(finish(layout)?);
    Ok(done)
}

/// Removes what a copy that could not be made has left: it may take the room that was wanting.
fn clear_up(layout: &Layout) {
    for path in [layout.salvage(), layout.salvage_index()].iter().filter(|path| path.exists()) {
        if let Err(error) = remove_folder(path) {
            tracing::warn!(%error, "a copy that is useless stays");
        }
    }
}

/// Removes all indexes but the last that were moved aside: earlier releases left one for each rebuild that was
/// interrupted.
fn remove_old_indexes(layout: &Layout) -> Result<(), StoreError> {
    let mut asides = layout.asides("index")?;
    asides.pop();
    asides.iter().try_for_each(|path| remove_folder(path))
}

/// A store in which nothing is damaged but perhaps the index, or `None` if something may be, and then how many problems
/// there are, and the first of them.
type Seen = (Option<Verification>, (u64, Vec<Problem>));

/// Returns what there is in a store. A write that was not completed counts as damage where the manifest is lost.
fn with_whole_log(layout: &Layout, is_lost: bool, told: Told<'_>) -> Result<Seen, StoreError> {
    if layout.salvaged().exists() {
        return Ok((None, (0, Vec::new()))); // an earlier repair is to be completed
    }
    seen(layout, is_lost, check(layout, told))
}

/// Returns what a check says of a store, unless there was no room for what it has to write: that says nothing of the log.
pub(super) fn seen(
    layout: &Layout,
    is_lost: bool,
    checked: Result<Verification, StoreError>,
) -> Result<Seen, StoreError> {
    match checked {
        Ok(found) if found.has_whole_log(is_lost) => Ok((Some(found), (0, Vec::new()))),
        Ok(found) => Ok((None, (found.problems, found.described))),
        Err(error) if error.is_full_disk() => Err(error),
        // Whoever refuses to open the index says nothing of the log either.
        Err(StoreError::Io { path, action, source })
            if [layout.parts(), layout.index()].iter().any(|part| path.starts_with(part)) =>
        {
            Err(StoreError::Io { path, action, source })
        }
        // What cannot be checked otherwise is for the repair to deal with, or to refuse.
        Err(_) => Ok((None, (0, Vec::new()))),
    }
}

/// Lets completed salvages take the places of the log and of the quarantine. Returns where the old ones lie.
pub(super) fn finish(layout: &Layout) -> Result<Vec<PathBuf>, StoreError> {
    let mut aside = Vec::new();
    if layout.salvaged().exists() {
        // The manifest and the index are those of the old log.
        layout.move_aside("MANIFEST")?;
        layout.move_index_aside()?;
        aside.extend(layout.move_aside("log")?);
        rename(layout, &layout.salvaged(), &layout.log())?;
    }
    if layout.salvaged_quarantine().exists() {
        aside.extend(layout.move_aside("quarantine")?);
        rename(layout, &layout.salvaged_quarantine(), &layout.quarantine())?;
    }
    Ok(aside)
}
