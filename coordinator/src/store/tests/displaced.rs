//! Stores that are moved, or lose their lock, in the middle of a write.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::record;
use crate::store::disk::{Disk, DiskFile, SystemDisk};
use crate::store::log::Log;
use crate::store::pace::Told;
use crate::store::scan::{Place, segment_path};
use crate::store::{Options, Store, StoreError, open, verify};

/// A disk on which a file loses its name at the next sync after it was told so.
#[derive(Clone, Debug)]
struct Losing {
    unlinked: PathBuf,
    is_due: Arc<AtomicBool>,
}

#[derive(Debug)]
struct LosingFile(Box<dyn DiskFile>, Losing);

impl Disk for Losing {
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(LosingFile(SystemDisk.open(path)?, self.clone())))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(LosingFile(SystemDisk.create(path)?, self.clone())))
    }
}

impl DiskFile for LosingFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.append(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.1.is_due.swap(false, Ordering::Relaxed) {
            fs::remove_file(&self.1.unlinked)?;
        }
        self.0.sync()
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.0.truncate(length)
    }
}

/// Whoever takes the lock then may have read the log before the frame was in it.
#[test]
fn what_is_on_disk_is_not_acknowledged_if_the_lock_was_lost_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let disk = Losing { unlinked: path.join("LOCK"), is_due: Arc::default() };
    let is_due = Arc::clone(&disk.is_due);
    let disk: Arc<dyn Disk> = Arc::new(disk);
    let (store, _) = open::open(path, &Options::default(), &disk, Told::default()).unwrap();
    store.append(&[record(0)]).unwrap();
    is_due.store(true, Ordering::Relaxed);
    let refused = store.append(&[record(1)]).unwrap_err();
    assert!(matches!(refused, StoreError::Displaced { .. }), "{refused}");
    assert!(store.get(record(1).position).is_none());
    is_due.store(true, Ordering::Relaxed);
    fs::write(path.join("LOCK"), "").unwrap();
    let manifest = fs::read(path.join("MANIFEST")).unwrap();
    drop(store);
    assert_eq!(fs::read(path.join("MANIFEST")).unwrap(), manifest, "the index lacks a frame");
    let (store, opened) = Store::open(path).unwrap();
    assert_eq!((store.records(), opened.rebuilt), (2, None), "it is caught up with");
    drop(store);
    assert!(verify(path).unwrap().is_sound());
}

#[test]
fn a_segment_that_somebody_else_has_begun_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let end = Place { offset: 0, ..Place::START };
    let mut log = Log::open(Arc::new(SystemDisk), folder.path(), end, 60).unwrap();
    log.append(&[7; 40]).unwrap();
    let next = segment_path(folder.path(), 2);
    fs::write(&next, "proofs").unwrap();
    for _ in 0..2 {
        let refused = log.append(&[7; 40]).unwrap_err();
        assert_eq!(refused.to_string(), format!("creating {}", next.display()));
        assert_eq!(fs::read_to_string(&next).unwrap(), "proofs");
    }
    fs::remove_file(&next).unwrap();
    log.append(&[7; 40]).unwrap();
    assert_eq!(log.end().segment, 2);
}
