//! Keeping everything good of a damaged store.
//!
//! Where the log is whole it stays as it is, and a lost index is made again from it. Otherwise:
//! The good frames go into a new log in the folder `salvage`, which is renamed to `salvaged` when
//! it is complete. From then on it only takes the place of the log, which `finish` does, also
//! after an interruption. The old log is kept aside. A damaged quarantine is dealt with in the same way.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Store;
use super::disk::{SystemDisk, sync_folder};
use super::error::StoreError;
use super::files::{Layout, remove_folder};
use super::frame::{self, FULL_BODY, Frame};
use super::lock::Lock;
use super::log::Log;
use super::open::{Options, is_store};
use super::read_only;
use super::record::Origin;
use super::scan::{Met, Place, Scan};
use super::verify::{Verification, check};

/// What a repair did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// How much of the store had to be made again.
    pub extent: Extent,
    /// Good frames that were kept.
    pub frames: u64,
    /// Claims in them.
    pub claims: u64,
    /// Places of the log with damage.
    pub damages: u64,
    /// Claims whose origin was in a damaged frame; they are kept with an empty origin.
    pub without_origin: u64,
    /// Where the old log, the old index and an old quarantine lie now.
    pub aside: Vec<PathBuf>,
    /// What earlier repairs and rebuilds have moved aside; nothing reads it.
    pub left: Vec<PathBuf>,
    /// Positions in the repaired store.
    pub records: u64,
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

/// Keeps every good frame of the log, puts the old log aside and makes the index again. Of a store whose log is
/// whole only the index is made again, and that only if it is lost.
///
/// # Errors
/// If there is no store at `store`, if it is in use, of another schema version, or if the system
/// refuses. The store is then as it was, or the next open completes the repair.
pub fn repair(store: &Path) -> Result<Repair, StoreError> {
    repair_after(store, |_| Ok(()))
}

/// As [`repair`], but calls `first` with what is to be made again before anything is changed, when nobody else can
/// use the store.
///
/// # Errors
/// As [`repair`], and what `first` returns.
pub fn repair_after(
    store: &Path,
    first: impl FnOnce(Extent) -> Result<(), StoreError>,
) -> Result<Repair, StoreError> {
    if !is_store(store)? {
        return Err(StoreError::NoStore { path: store.to_owned() });
    }
    let layout = Layout::new(store);
    read_only::check_writable(&layout)?;
    let lock = Lock::take(store)?;
    let found = with_whole_log(&layout);
    let extent = match &found {
        Some(found) if found.is_sound() => Extent::Nothing,
        Some(_) => Extent::Index,
        None => Extent::Log,
    };
    first(extent)?;
    remove_old_indexes(&layout)?;
    let mut done = match found {
        Some(found) => keep_log(&layout, extent, &found)?,
        None => salvage_everything(&layout)?,
    };
    drop(lock);
    let (_, opened) = Store::open(store)?;
    done.aside.extend(opened.rebuilt.and_then(|rebuilt| rebuilt.aside));
    done.records = opened.records;
    done.left = layout.asides("")?;
    done.left.retain(|path| !done.aside.contains(path));
    Ok(done)
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
fn salvage_everything(layout: &Layout) -> Result<Repair, StoreError> {
    finish(layout)?;
    let mut done = Repair::default();
    salvage(layout, &mut done)?;
    done.aside.extend(layout.move_aside("MANIFEST")?);
    done.aside.extend(layout.move_index_aside()?);
    salvage_quarantine(layout)?;
    done.aside.extend(finish(layout)?);
    Ok(done)
}

/// Removes all indexes but the last that were moved aside: earlier releases left one for each rebuild that was
/// interrupted.
fn remove_old_indexes(layout: &Layout) -> Result<(), StoreError> {
    let mut asides = layout.asides("index")?;
    asides.pop();
    asides.iter().try_for_each(|path| remove_folder(path))
}

/// Returns what there is in a store in which nothing is damaged but perhaps the index, or `None` if something may be. A
/// write that was not completed counts as damage: behind a lost manifest nobody can tell the one from the other.
fn with_whole_log(layout: &Layout) -> Option<Verification> {
    if layout.salvaged().exists() {
        return None; // an earlier repair is to be completed
    }
    // What cannot be checked is for the repair to deal with, or to refuse.
    check(layout).ok().filter(Verification::has_whole_log)
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

/// Gives the folder `from` of the store the name `to`; returns when that is on disk.
fn rename(layout: &Layout, from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::rename(from, to).map_err(StoreError::io("renaming", from))?;
    sync_folder(&layout.store).map_err(StoreError::io("syncing", &layout.store))
}

/// Copies the good frames of the log to a new one.
fn salvage(layout: &Layout, done: &mut Repair) -> Result<(), StoreError> {
    let mut new = new_log(&layout.salvage())?;
    let mut origins = Renumbered::default();
    if layout.log().is_dir() {
        let mut scan = Scan::new(&layout.log(), Place::START)?;
        while let Some(met) = scan.next()? {
            match met {
                Met::Damage(_) => done.damages += 1,
                Met::Frame(frame) => {
                    done.frames += 1;
                    done.claims += frame.claims.len() as u64;
                    for body in origins.bodies(frame, done) {
                        new.append(&body)?;
                    }
                }
            }
        }
    }
    drop(new);
    rename(layout, &layout.salvage(), &layout.salvaged())
}

/// Copies the good frames of a damaged quarantine to a new one.
pub(super) fn salvage_quarantine(layout: &Layout) -> Result<(), StoreError> {
    if !layout.quarantine().is_dir() {
        return Ok(());
    }
    let (mut frames, mut damaged) = (Vec::new(), false);
    let mut scan = Scan::new(&layout.quarantine(), Place::START)?;
    while let Some(met) = scan.next()? {
        match met {
            Met::Damage(damage) => damaged |= !damage.at_end,
            Met::Frame(frame) => frames.push(frame),
        }
    }
    if !damaged {
        return Ok(());
    }
    let mut new = new_log(&layout.salvage())?;
    for frame in &frames {
        new.append(&frame.body())?;
    }
    drop(new);
    rename(layout, &layout.salvage(), &layout.salvaged_quarantine())
}

/// Begins a log in `folder`; what an interrupted repair left there goes.
fn new_log(folder: &Path) -> Result<Log, StoreError> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(StoreError::io("removing", folder))?;
    }
    fs::create_dir(folder).map_err(StoreError::io("creating", folder))?;
    let start = Place { offset: 0, ..Place::START };
    Log::open(Arc::new(SystemDisk), folder, start, Options::default().segment_bytes)
}

/// Origins get new numbers, because some may be lost.
#[derive(Debug, Default)]
struct Renumbered {
    new: HashMap<u32, u32>,
    count: u32,
    lost: Option<u32>,
}

impl Renumbered {
    /// Returns the items of `frame` with the new numbers, in one or more bodies.
    fn bodies(&mut self, frame: Frame, done: &mut Repair) -> Vec<Vec<u8>> {
        let (mut bodies, mut body) = (Vec::new(), Vec::new());
        for (old, origin) in frame.origins {
            let id = self.next();
            self.new.insert(old, id);
            frame::push_origin(&mut body, id, &origin);
        }
        for position in frame.withdrawn {
            frame::push_withdrawal(&mut body, position);
        }
        for mut claim in frame.claims {
            claim.source.origin = match self.new.get(&claim.source.origin) {
                Some(&id) => id,
                None => {
                    done.without_origin += 1;
                    *self.lost.get_or_insert_with(|| {
                        frame::push_origin(&mut body, self.count, &Origin::default());
                        self.count += 1;
                        self.count - 1
                    })
                }
            };
            frame::push_claim(&mut body, &claim);
            if body.len() >= FULL_BODY {
                bodies.push(std::mem::take(&mut body));
            }
        }
        bodies.push(body);
        bodies
    }

    fn next(&mut self) -> u32 {
        self.count += 1;
        self.count - 1
    }
}
