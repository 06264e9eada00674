//! Stores that are moved, replaced or removed while they are in use.

use std::fs;
use std::path::{Path, PathBuf};

use outflank_coordinator::store::{Store, StoreError, TakenBack, repair_after, verify};
use tempfile::TempDir;

use crate::support::{content, numbered, segment, segments_of};

/// An open store at `place` that holds record 0; it may go `elsewhere`.
struct InUse {
    _folder: TempDir,
    place: PathBuf,
    elsewhere: PathBuf,
    store: Store,
}

impl InUse {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [place, elsewhere] = ["place", "elsewhere"].map(|name| folder.path().join(name));
        let (store, _) = Store::open_with(&place, &segments_of(60)).unwrap();
        store.append(&[numbered(0)]).unwrap();
        Self { _folder: folder, place, elsewhere, store }
    }

    /// Checks that the store takes nothing any more and says why.
    fn assert_refuses(&self) {
        let expected = format!(
            "the store at {} was moved, replaced or removed while it was in use: its file LOCK is not the one that \
             this process has locked; put it back, or a backup of it, and start again",
            self.place.display()
        );
        let refusals = [
            self.store.check_in_place().unwrap_err(),
            self.store.append(&[numbered(1)]).unwrap_err(),
            self.store.quarantine(&numbered(1), numbered(2).bound).unwrap_err(),
            self.store.withdraw("worker-1").unwrap_err(),
            self.store.checkpoint().unwrap_err(),
        ];
        assert!(refusals.iter().all(|refusal| refusal.to_string() == expected), "{refusals:?}");
        assert!(self.store.get(numbered(1).position).is_none());
    }
}

fn assert_holds(path: &Path, records: &[u64]) {
    assert!(verify(path).unwrap().is_sound());
    let (store, opened) = Store::open(path).unwrap();
    let expected = records.iter().map(|&index| (numbered(index).position, numbered(index).bound));
    assert_eq!(content(&store), expected.collect());
    assert_eq!(opened.rebuilt, None);
}

#[test]
fn a_store_that_was_moved_takes_nothing_more_and_leaves_the_one_in_its_place_alone() {
    let in_use = InUse::new();
    let [place, elsewhere] = [&in_use.place, &in_use.elsewhere];
    fs::rename(place, elsewhere).unwrap();
    in_use.assert_refuses();
    let (other, _) = Store::open_with(place, &segments_of(60)).unwrap();
    // It has the segment that the first one would begin now.
    (10..14).for_each(|index| drop(other.append(&[numbered(index)]).unwrap()));
    in_use.assert_refuses();
    assert!(matches!(verify(elsewhere), Err(StoreError::InUse { .. })), "it is locked still");
    let (place, elsewhere) = (place.clone(), elsewhere.clone());
    drop(in_use.store);
    other.append(&[numbered(14)]).unwrap();
    drop(other);
    assert_holds(&place, &[10, 11, 12, 13, 14]);
    assert_holds(&elsewhere, &[0]);
}

#[test]
fn a_store_that_comes_back_takes_nothing_until_it_is_opened_again() {
    let in_use = InUse::new();
    fs::rename(&in_use.place, &in_use.elsewhere).unwrap();
    in_use.assert_refuses();
    fs::rename(&in_use.elsewhere, &in_use.place).unwrap();
    in_use.assert_refuses();
    let InUse { store, place, _folder, .. } = in_use;
    drop(store);
    assert_holds(&place, &[0]);
}

#[test]
fn a_store_that_was_removed_takes_nothing_more_and_is_not_begun_again() {
    let in_use = InUse::new();
    fs::remove_dir_all(&in_use.place).unwrap();
    in_use.assert_refuses();
    let InUse { store, place, _folder, .. } = in_use;
    drop(store);
    assert!(!place.exists());
}

#[test]
fn a_store_without_its_lock_takes_nothing_more_since_others_may_use_it() {
    let in_use = InUse::new();
    fs::remove_file(in_use.place.join("LOCK")).unwrap();
    let log = fs::read(segment(&in_use.place, 1)).unwrap();
    in_use.assert_refuses();
    fs::write(in_use.place.join("LOCK"), "").unwrap();
    in_use.assert_refuses();
    assert_eq!(fs::read(segment(&in_use.place, 1)).unwrap(), log);
    assert!(!segment(&in_use.place, 2).exists());
}

#[test]
fn a_store_whose_log_was_removed_or_replaced_takes_nothing_more() {
    for is_replaced in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(folder.path()).unwrap();
        store.append(&[numbered(0)]).unwrap();
        let log = segment(folder.path(), 1);
        let copy = fs::read(&log).unwrap();
        fs::remove_file(&log).unwrap();
        if is_replaced {
            fs::write(&log, &copy).unwrap();
        }
        let StoreError::Io { action, path, source } = store.append(&[numbered(1)]).unwrap_err()
        else {
            panic!("the system has not refused");
        };
        assert_eq!((action, &path), ("syncing", &log));
        let expected = "it was moved, replaced or removed while it was in use";
        assert_eq!(source.to_string(), expected);
        let refused = store.append(&[numbered(1)]).unwrap_err();
        assert!(matches!(refused, StoreError::Refusing { .. }), "{refused}");
        drop(store);
        assert_eq!(log.exists(), is_replaced);
        match Store::open(folder.path()) {
            Ok((store, _)) => assert!(is_replaced && store.records() == 1),
            Err(error) => assert!(!is_replaced && matches!(error, StoreError::Damaged { .. })),
        }
    }
}

#[test]
fn nothing_is_taken_over_by_a_store_that_was_moved() {
    let in_use = InUse::new();
    let other = Store::in_memory();
    other.append(&[numbered(1)]).unwrap();
    fs::rename(&in_use.place, &in_use.elsewhere).unwrap();
    // What comes first writes beside the store.
    let first = || panic!("it would be done to the store that is there now");
    let refused = in_use.store.import_after(&other, first, |_| {}).unwrap_err();
    assert!(refused.to_string().contains("was moved, replaced or removed"), "{refused}");
}

#[test]
fn a_repair_says_nothing_of_another_store_that_is_in_the_place_of_its_own() {
    let InUse { store, place, elsewhere, _folder } = InUse::new();
    drop(store);
    let replaces = |_| {
        fs::rename(&place, &elsewhere).unwrap();
        Store::open(&place)?.0.append(&[numbered(10)])?;
        Ok(TakenBack::UNKNOWN)
    };
    let refused = repair_after(&place, replaces).unwrap_err();
    assert!(matches!(refused, StoreError::Displaced { .. }), "{refused}");
    assert_holds(&place, &[10]);
    assert_holds(&elsewhere, &[0]);
}
