//! One process a store, many threads in it, and folders that are no stores.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use outflank_coordinator::store::{Store, StoreError, repair, verify};

use crate::support::{numbered, position};

#[test]
fn a_store_in_use_is_refused_by_everything_that_opens_it() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let path = folder.path().display();
    let expected = format!("the store at {path} is in use by process {}", std::process::id());
    assert_eq!(Store::open(folder.path()).unwrap_err().to_string(), expected);
    assert_eq!(verify(folder.path()).unwrap_err().to_string(), expected);
    assert_eq!(repair(folder.path()).unwrap_err().to_string(), expected);
    drop(store);
    assert!(Store::open(folder.path()).is_ok());
}

#[test]
fn threads_that_append_at_once_all_find_their_records() {
    const THREADS: u64 = 8;
    const EACH: u64 = 40;
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let last = store.get(position(EACH - 1));
                assert!(last.is_none_or(|stored| stored.bound == numbered(EACH - 1).bound));
            }
        });
        let writers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let store = &store;
                scope.spawn(move || {
                    for index in thread * EACH..(thread + 1) * EACH {
                        assert_eq!(store.append(&[numbered(index)]).unwrap().written, 1);
                        let stored = store.get(position(index)).unwrap();
                        assert_eq!(stored.bound, numbered(index).bound);
                    }
                })
            })
            .collect();
        let outcomes: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Relaxed);
        assert!(outcomes.iter().all(Result::is_ok) && reader.join().is_ok());
    });
    assert_eq!(store.records(), THREADS * EACH);
    drop(store);
    let found = verify(folder.path()).unwrap();
    assert!(found.is_sound(), "{found:?}");
    assert_eq!(found.claims, THREADS * EACH);
}

#[test]
fn a_folder_with_other_content_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "…").unwrap();
    let error = Store::open(folder.path()).unwrap_err();
    let path = folder.path().display();
    assert_eq!(
        error.to_string(),
        format!(
            "{path} is not a store: found thesis.tex, but no proof log, expected an empty folder \
             or one with a proof log"
        )
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let file = folder.path().join("thesis.tex");
    assert!(matches!(Store::open(&file), Err(StoreError::NotAStore { .. })));
    assert!(matches!(Store::open_existing(&file), Err(StoreError::NotAStore { .. })));
}

#[test]
fn a_missing_store_is_made_only_where_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a").join("b");
    assert!(matches!(Store::open_existing(&path), Err(StoreError::NoStore { .. })));
    assert!(matches!(verify(&path), Err(StoreError::NoStore { .. })));
    assert!(matches!(repair(&path), Err(StoreError::NoStore { .. })));
    assert!(!path.exists());
    let (store, opened) = Store::open(&path).unwrap();
    assert_eq!(opened, outflank_coordinator::store::Opened::default());
    drop(store);
    assert!(Store::open_existing(&path).is_ok());
}

#[test]
fn another_schema_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let path = folder.path().join("log").join("000001.log");
    let mut head = fs::read(&path).unwrap();
    head[8] = 7;
    let checksum = crc32fast::hash(&head[..28]);
    head[28..32].copy_from_slice(&checksum.to_le_bytes());
    fs::write(&path, head).unwrap();
    let expected = format!("{} has schema version 7, this program reads version 1", path.display());
    // The manifest spares reading the head of a log that has not grown.
    fs::remove_file(folder.path().join("MANIFEST")).unwrap();
    assert_eq!(Store::open(folder.path()).unwrap_err().to_string(), expected);
    assert_eq!(verify(folder.path()).unwrap_err().to_string(), expected);
    assert_eq!(repair(folder.path()).unwrap_err().to_string(), expected);
}
