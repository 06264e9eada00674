//! Stores that are only looked at: they say what they say to who may write, and stay as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outflank_engine::{Bound, Position, Score};

use super::index::copy;
use super::record;
use crate::store::layout::Layout;
use crate::store::pace::Told;
use crate::store::scan::segment_path;
use crate::store::verify::look;
use crate::store::{
    Opened, Options, Origin, Provenance, Record, Store, StoreError, Unread, Verification,
    read_only, verify,
};

/// Returns how a store that can only be read refuses to be written.
fn refusal(store: &Path) -> StoreError {
    let source = Arc::new(io::Error::from(ErrorKind::ReadOnlyFilesystem));
    StoreError::ReadOnly { path: store.to_owned(), part: store.join("LOCK"), source }
}

/// Opens the store as if it could only be read.
fn open_only_readable(store: &Path) -> Result<(Store, Opened), StoreError> {
    read_only::open(Layout::new(store), refusal(store), Told::default())
}

/// Verifies the store as if it could only be read.
fn verified(store: &Path) -> Verification {
    look(&Layout::new(store), Unread::ReadOnly, Told::default()).unwrap()
}

/// Returns all files below `folder`, each with what it holds and when it was written.
fn files(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, about) = (entry.path(), entry.metadata().unwrap());
        let bytes = if about.is_dir() { Vec::new() } else { fs::read(&path).unwrap() };
        if about.is_dir() {
            files.extend(self::files(&path));
        }
        files.insert(path, (bytes, about.modified().unwrap()));
    }
    files
}

fn content(store: &Store) -> BTreeSet<(Position, i32, i32)> {
    let mut content = BTreeSet::new();
    let visited = store.for_each(|position, stored| {
        content.insert((position, stored.bound.lower().discs(), stored.bound.upper().discs()));
        Ok::<(), StoreError>(())
    });
    visited.unwrap();
    content
}

/// Makes a store of several segments, of which a part was taken back, and returns what it says.
fn store_in(folder: &Path) -> BTreeSet<(Position, i32, i32)> {
    let options = Options { segment_bytes: 300, ..Options::default() };
    let (store, _) = Store::open_with(folder, &options).unwrap();
    for index in 0..20 {
        store.append(&[record(index)]).unwrap();
    }
    let origin = Arc::new(Origin { worker: "liar".to_owned(), ..Origin::default() });
    let provenance = Provenance { origin, ..record(0).provenance };
    let lie = Record { bound: Bound::at_least(Score::MAX), provenance, ..record(70) };
    store.append(&[lie]).unwrap();
    assert!(store.withdraw("liar").unwrap() > 0);
    content(&store)
}

#[test]
fn a_store_that_can_only_be_read_says_the_same_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let expected = store_in(folder.path());
    let (found, stats) = {
        let found = verify(folder.path()).unwrap();
        (found, Store::open(folder.path()).unwrap().0.stats().unwrap())
    };
    // What was not completed is left out, and left.
    let last = (1..).take_while(|&it| segment_path(&folder.path().join("log"), it).exists());
    let last = segment_path(&folder.path().join("log"), last.last().unwrap());
    OpenOptions::new().append(true).open(&last).unwrap().write_all(b"torn").unwrap();
    let before = files(folder.path());
    let (store, opened) = open_only_readable(folder.path()).unwrap();
    assert_eq!(content(&store), expected);
    let cut = opened.cut.map(|cut| (cut.path, cut.bytes));
    assert_eq!((opened.records, cut), (expected.len() as u64, Some((last, 4))));
    let reason = opened.only_read.unwrap();
    assert!(reason.contains("LOCK: read-only filesystem"), "{reason}");
    let looked = store.stats().unwrap();
    assert_eq!((looked.records, looked.exact), (stats.records, stats.exact));
    assert_eq!((looked.by_empties, looked.origins), (stats.by_empties, stats.origins));
    assert_eq!((looked.log_bytes, looked.index_bytes), (stats.log_bytes + 4, stats.index_bytes));
    drop(store);
    let seen = verified(folder.path());
    assert!(seen.is_sound() && seen.torn, "{seen:?}");
    let index_unread = Some(Unread::ReadOnly);
    assert_eq!(seen, Verification { torn: true, index_unread, ..found });
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_copy_of_the_log_alone_can_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let expected = store_in(folder.path());
    for part in ["LOCK", "MANIFEST"] {
        fs::remove_file(folder.path().join(part)).unwrap();
    }
    for part in ["index", "quarantine"] {
        fs::remove_dir_all(folder.path().join(part)).unwrap();
    }
    let before = files(folder.path());
    let (store, opened) = open_only_readable(folder.path()).unwrap();
    assert_eq!((content(&store), opened.cut), (expected.clone(), None));
    assert_eq!(store.stats().unwrap().index_bytes, 0);
    let seen = verified(folder.path());
    assert!(seen.is_sound() && seen.behind && seen.index_unread.is_none(), "{seen:?}");
    assert_eq!(seen.positions, expected.len() as u64);
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_store_that_is_only_looked_at_takes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let expected = store_in(folder.path());
    let (store, _) = open_only_readable(folder.path()).unwrap();
    let refused = [
        store.append(&[record(30)]).unwrap_err(),
        store.quarantine(&record(1), Bound::exact(Score::MAX)).unwrap_err(),
        store.withdraw("").unwrap_err(),
    ];
    for error in refused {
        assert_eq!(error.to_string(), refusal(folder.path()).to_string());
    }
    assert_eq!(content(&store), expected);
}

#[test]
fn those_who_look_share_a_store_that_nobody_else_uses() {
    let folder = tempfile::tempdir().unwrap();
    store_in(folder.path());
    let path = folder.path().display();
    let (writer, _) = Store::open(folder.path()).unwrap();
    let error = open_only_readable(folder.path()).unwrap_err();
    let expected = format!("the store at {path} is in use by process {}", std::process::id());
    assert_eq!(error.to_string(), expected);
    let error = look(&Layout::new(folder.path()), Unread::ReadOnly, Told::default()).unwrap_err();
    assert_eq!(error.to_string(), expected);
    drop(writer);
    let first = open_only_readable(folder.path()).unwrap();
    let second = open_only_readable(folder.path()).unwrap();
    assert!(verified(folder.path()).is_sound());
    let error = Store::open(folder.path()).unwrap_err();
    assert_eq!(error.to_string(), format!("the store at {path} is in use by another process"));
    drop((first, second));
    Store::open(folder.path()).unwrap();
}

#[test]
fn damage_is_refused_by_who_looks_and_named_by_who_verifies() {
    let folder = tempfile::tempdir().unwrap();
    store_in(folder.path());
    let path = segment_path(&folder.path().join("log"), 2);
    let whole = fs::read(&path).unwrap();
    let mut damaged = whole.clone();
    damaged[40] ^= 1;
    fs::write(&path, &damaged).unwrap();
    let before = files(folder.path());
    let error = open_only_readable(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { offset: 32, .. }), "{error}");
    let seen = verified(folder.path());
    assert_eq!((seen.problems, seen.described[0].offset), (1, Some(32)), "{seen:?}");
    assert_eq!(files(folder.path()), before);
    fs::write(&path, &whole).unwrap();
    // Proofs that the manifest covers are missing at the end.
    let last = (1..).take_while(|&it| segment_path(&folder.path().join("log"), it).exists());
    fs::remove_file(segment_path(&folder.path().join("log"), last.last().unwrap())).unwrap();
    let error = open_only_readable(folder.path()).unwrap_err().to_string();
    assert!(error.contains("expected a segment that the manifest covers"), "{error}");
    assert!(!verified(folder.path()).is_sound());
}

#[test]
fn claims_that_contradict_each_other_are_counted_and_not_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    for (path, bound) in [(&one, Bound::exact(Score::DRAW)), (&other, Bound::exact(Score::MAX))] {
        let (store, _) = Store::open(path).unwrap();
        store.append(&[record(5), Record { bound, ..record(6) }]).unwrap();
    }
    // The frame of the other follows that of the first one, with its number.
    let frame = fs::read(segment_path(&other.join("log"), 1)).unwrap()[32..].to_vec();
    let mut log = fs::read(segment_path(&one.join("log"), 1)).unwrap();
    let mut second = frame.clone();
    second[8] = 1;
    let checksum = crc32fast::hash(&second[8..]);
    second[4..8].copy_from_slice(&checksum.to_le_bytes());
    log.extend_from_slice(&second);
    fs::write(segment_path(&one.join("log"), 1), log).unwrap();
    let before = files(&one);
    let (_store, opened) = open_only_readable(&one).unwrap();
    assert_eq!((opened.records, opened.contradictions), (2, 1));
    assert_eq!(verified(&one).problems, 1);
    assert_eq!(files(&one), before);
}

#[test]
fn a_repair_that_was_interrupted_is_read_as_if_it_were_completed() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let expected = store_in(&store);
    let whole = folder.path().join("whole");
    copy(&store, &whole);
    fs::rename(whole.join("log"), store.join("salvaged")).unwrap();
    fs::write(segment_path(&store.join("log"), 2), "damaged").unwrap();
    for is_moved in [false, true] {
        if is_moved {
            fs::rename(store.join("log"), store.join("log.aside-1")).unwrap();
        }
        let before = files(&store);
        let (looked, _) = open_only_readable(&store).unwrap();
        assert_eq!(content(&looked), expected);
        assert_eq!(looked.stats().unwrap().records, expected.len() as u64);
        assert_eq!(files(&store), before);
    }
}

#[test]
fn a_store_that_was_only_begun_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("LOCK"), "").unwrap();
    let (store, opened) = open_only_readable(folder.path()).unwrap();
    assert_eq!((store.records(), opened.records), (0, 0));
}
