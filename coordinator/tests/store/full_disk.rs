//! A real file system that is full.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use outflank_coordinator::store::{
    Extent, Options, Store, StoreError, TakenBack, Told, Unread, repair, repair_after, verify,
};

use crate::support::{copy_folder, numbered};
use crate::tmpfs::Tmpfs;

#[test]
fn a_full_disk_is_an_error_and_loses_nothing_acknowledged() {
    let Some(disk) = Tmpfs::mount(6) else {
        eprintln!("SKIPPED: no tmpfs can be mounted here; the failing disk of the unit tests ran");
        return;
    };
    let path = disk.path().join("store");
    let options = Options { segment_bytes: 300_000, checkpoint_bytes: 100_000 };
    let (store, _) = Store::open_with(&path, &options).unwrap();
    let mut acknowledged = BTreeMap::new();
    let mut refused = Vec::new();
    let mut next = 0;
    while refused.len() < 20 {
        assert!(next < 10_000_000, "the disk never fills");
        let records: Vec<_> = (next..next + 500).map(numbered).collect();
        next += 500;
        match store.append(&records) {
            Ok(_) => acknowledged.extend(records.iter().map(|it| (it.position, it.bound))),
            Err(error) => refused.push(error.to_string()),
        }
    }
    assert!(!acknowledged.is_empty());
    drop(store);
    grow(&disk, 64);
    let (store, opened) = Store::open_with(&path, &options).unwrap();
    for (&position, &bound) in &acknowledged {
        let stored = store.get(position);
        assert_eq!(stored.map(|stored| stored.bound), Some(bound), "{opened:?} {refused:?}");
    }
    store.append(&[numbered(next)]).unwrap();
    drop(store);
    let found = verify(&path).unwrap();
    assert!(found.is_sound(), "{found:?}");
}

#[test]
fn a_full_disk_gives_up_the_old_index_for_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("store");
    let (store, _) = Store::open(&whole).unwrap();
    let mut next = 0;
    while next < 60_000 {
        store.append(&(next..next + 500).map(numbered).collect::<Vec<_>>()).unwrap();
        next += 500;
    }
    drop(store);
    fs::write(whole.join("INDEX-IN-DOUBT"), "it has a scratch").unwrap();
    let mut failures = 0;
    // A new index takes some 6 MB: what there is no room for may be nearly all of it, or little.
    for room in [1_500_000, 3_000_000, 4_500_000, 5_000_000, 5_500_000, 6_000_000] {
        let Some(disk) = Tmpfs::mount(64) else {
            eprintln!("SKIPPED: no tmpfs can be mounted here");
            return;
        };
        let path = disk.path().join("store");
        copy_folder(&whole, &path);
        fill(disk.path(), room);
        let first = Store::open(&path).map(drop);
        if let Err(error) = first {
            // The first try makes room.
            assert!(is_full(&error), "{room}: {error}");
            assert!(!path.join("index.aside-1").exists(), "{room}");
            failures += 1;
        }
        // sled lets its files go a little later than it is dropped, and their room with them.
        let deadline = Instant::now() + Duration::from_secs(10);
        let opened = loop {
            match Store::open(&path) {
                Err(error) if is_full(&error) && Instant::now() < deadline => {
                    thread::park_timeout(Duration::from_millis(10));
                }
                opened => break opened,
            }
        };
        let (store, opened) = opened.unwrap();
        assert_eq!(opened.records, next, "{room}");
        drop(store);
        assert!(verify(&path).unwrap().is_sound(), "{room}");
    }
    assert!(failures >= 3, "{failures}");
}

/// The check failed, and the repair took a log that it could not check for a damaged one.
#[test]
fn a_store_whose_index_has_no_room_can_be_looked_at_and_is_not_repaired() {
    let Some(disk) = Tmpfs::mount(64) else {
        eprintln!("SKIPPED: no tmpfs can be mounted here");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    for batch in 0..40 {
        store.append(&(0..500).map(|it| numbered(500 * batch + it)).collect::<Vec<_>>()).unwrap();
    }
    // As a kill leaves it, for which sled writes a snapshot when it opens the index.
    let path = disk.path().join("store");
    copy_folder(folder.path(), &path);
    drop(store);
    fill(disk.path(), 0);
    let before = files(&path);
    let found = verify(&path).unwrap();
    assert!(found.is_sound(), "{found:?}");
    assert_eq!((found.positions, found.index_unread), (20_000, Some(Unread::NoRoom)));
    assert_eq!(files(&path), before);
    let (store, opened) = Store::open_to_look(&path, Told::default()).unwrap();
    assert_eq!((opened.records, store.stats().unwrap().records), (20_000, 20_000));
    let reason = opened.only_read.unwrap();
    assert!(reason.contains("/index: No space left on device"), "{reason}");
    let refused = store.append(&[numbered(0)]).unwrap_err().to_string();
    assert!(refused.ends_with("/index"), "{refused}");
    drop(store);
    let error = repair_after(&path, |extent| -> Result<TakenBack, _> { panic!("{extent:?}") });
    assert!(is_full(&error.unwrap_err()));
    assert_eq!(files(&path), before);
    fs::remove_file(disk.path().join("ballast")).unwrap();
    assert_eq!(verify(&path).unwrap().index_unread, None);
    assert_eq!(repair(&path).unwrap().extent, Extent::Nothing);
}

/// Returns all files below `folder`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

fn is_full(error: &StoreError) -> bool {
    matches!(error, StoreError::Io { source, .. } if source.kind() == ErrorKind::StorageFull)
}

/// Makes the file system larger.
fn grow(disk: &Tmpfs, megabytes: u32) {
    let size = format!("remount,size={megabytes}m");
    let grown = Command::new("mount").args(["-o", &size]).arg(disk.path()).status();
    assert!(grown.unwrap().success());
}

/// Leaves room for so many bytes in the file system at `path`.
fn fill(path: &Path, room: u64) {
    let mut ballast = fs::File::create(path.join("ballast")).unwrap();
    while ballast.write_all(&[0xa5; 4096]).is_ok() {}
    ballast.set_len(ballast.metadata().unwrap().len() - room).unwrap();
}
