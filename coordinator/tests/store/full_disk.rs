//! A real file system that is full.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use outflank_coordinator::store::{Options, Store, StoreError, verify};

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
        let is_full = |error: &StoreError| matches!(error, StoreError::Io { source, .. } if source.kind() == ErrorKind::StorageFull);
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
