//! Logs that are torn, damaged or shortened.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use outflank_coordinator::store::{
    Extent, Problem, Store, StoreError, TakenBack, repair, repair_after, verify,
};

use crate::support::{content, copy_of_log, flip_byte, numbered, provenance, segment, segments_of};

/// Makes a store with frames of the given numbers of records, and returns the length of the log
/// after each.
fn store_of(path: &Path, frames: &[u64]) -> Vec<u64> {
    let (store, _) = Store::open(path).unwrap();
    let mut next = 0..;
    let append = |&records: &u64| {
        let records: Vec<_> = next.by_ref().take(records as usize).map(numbered).collect();
        store.append(&records).unwrap();
        fs::metadata(segment(path, 1)).unwrap().len()
    };
    frames.iter().map(append).collect()
}

fn assert_holds(store: &Store, records: u64) {
    let expected = (0..records).map(|index| (numbered(index).position, numbered(index).bound));
    assert_eq!(content(store), expected.collect());
}

#[test]
fn a_log_cut_anywhere_in_its_last_frames_opens_with_everything_before() {
    let folder = tempfile::tempdir().unwrap();
    let ends = store_of(folder.path(), &[3, 1, 2]);
    // A killed process leaves no manifest beyond what it synced: none here.
    for length in ends[0]..ends[2] {
        let copy = copy_of_log(folder.path(), false);
        let log = fs::OpenOptions::new().write(true).open(segment(copy.path(), 1)).unwrap();
        log.set_len(length).unwrap();
        let (store, opened) = Store::open(copy.path()).unwrap();
        let (records, end) = if length < ends[1] { (3, ends[0]) } else { (4, ends[1]) };
        assert_holds(&store, records);
        let cut = opened.cut.map(|cut| (cut.offset, cut.bytes));
        assert_eq!(cut, (length > end).then_some((end, length - end)), "cut at {length}");
        // The store goes on where it was cut.
        store.append(&[numbered(records)]).unwrap();
        drop(store);
        let found = verify(copy.path()).unwrap();
        assert!(found.is_sound() && !found.torn, "cut at {length}: {found:?}");
        assert_eq!(found.positions, records + 1);
    }
}

#[test]
fn a_log_cut_anywhere_before_its_first_frame_is_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    store_of(folder.path(), &[1]);
    for length in 0..=32 {
        let copy = copy_of_log(folder.path(), false);
        let log = fs::OpenOptions::new().write(true).open(segment(copy.path(), 1)).unwrap();
        log.set_len(length).unwrap();
        let (store, _) = Store::open(copy.path()).unwrap();
        assert_eq!(store.records(), 0);
        store.append(&[numbered(0)]).unwrap();
        drop(store);
        assert!(verify(copy.path()).unwrap().is_sound());
    }
}

#[test]
fn a_new_segment_cut_anywhere_leaves_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open_with(folder.path(), &segments_of(60)).unwrap();
    for index in 0..3 {
        store.append(&[numbered(index)]).unwrap();
    }
    let last = (1..).take_while(|&number| segment(folder.path(), number).exists()).last().unwrap();
    assert!(last > 1);
    let whole = fs::metadata(segment(folder.path(), last)).unwrap().len();
    for length in 0..whole {
        let copy = copy_of_log(folder.path(), false);
        let log = fs::OpenOptions::new().write(true).open(segment(copy.path(), last)).unwrap();
        log.set_len(length).unwrap();
        let (store, _) = Store::open_with(copy.path(), &segments_of(60)).unwrap();
        assert_holds(&store, 2);
        store.append(&[numbered(2)]).unwrap();
        drop(store);
        assert!(verify(copy.path()).unwrap().is_sound(), "cut at {length}");
    }
}

#[test]
fn zeros_behind_the_last_frame_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    let ends = store_of(folder.path(), &[2]);
    let copy = copy_of_log(folder.path(), false);
    let log = fs::OpenOptions::new().write(true).open(segment(copy.path(), 1)).unwrap();
    log.set_len(ends[0] + 4096).unwrap();
    let (store, opened) = Store::open(copy.path()).unwrap();
    assert_holds(&store, 2);
    assert_eq!(opened.cut.map(|cut| (cut.offset, cut.bytes)), Some((ends[0], 4096)));
}

#[test]
fn an_old_frame_behind_the_end_is_no_proof_that_follows_damage() {
    let folder = tempfile::tempdir().unwrap();
    let ends = store_of(folder.path(), &[1, 1]);
    let copy = copy_of_log(folder.path(), false);
    // What a disk may leave there of the time before: half a frame, and the first one whole.
    let mut log = fs::read(segment(copy.path(), 1)).unwrap();
    log.extend_from_within(40..50);
    log.extend_from_within(32..ends[0] as usize);
    fs::write(segment(copy.path(), 1), log).unwrap();
    let (store, opened) = Store::open(copy.path()).unwrap();
    assert_holds(&store, 2);
    assert_eq!(opened.cut.map(|cut| cut.offset), Some(ends[1]));
}

#[test]
fn a_flipped_byte_anywhere_is_found_and_refused() {
    let folder = tempfile::tempdir().unwrap();
    let ends = store_of(folder.path(), &[1, 1, 1]);
    let copy = copy_of_log(folder.path(), true);
    let log = segment(copy.path(), 1);
    for offset in 0..ends[2] {
        flip_byte(&log, offset as usize);
        let start = ends.iter().rev().find(|&&end| end <= offset).copied();
        let start = start.unwrap_or(if offset < 32 { 0 } else { 32 });
        let found = verify(copy.path()).unwrap();
        let named = |problem: &&Problem| problem.path == log && problem.offset == Some(start);
        assert_eq!(found.described.iter().filter(named).count(), 1, "{offset}: {found:?}");
        let error = Store::open(copy.path()).unwrap_err();
        // The whole log is behind the manifest, so that none of it may be cut.
        assert!(matches!(error, StoreError::Damaged { .. }), "offset {offset}: {error}");
        flip_byte(&log, offset as usize);
    }
    assert_eq!(Store::open(copy.path()).unwrap().1.records, 3);
}

#[test]
fn repair_keeps_every_frame_but_the_damaged_one() {
    let folder = tempfile::tempdir().unwrap();
    let ends = store_of(folder.path(), &[1, 1, 1]);
    for offset in (0..ends[2]).step_by(11) {
        let copy = copy_of_log(folder.path(), true);
        flip_byte(&segment(copy.path(), 1), offset as usize);
        let done = repair(copy.path()).unwrap();
        let names = ["MANIFEST.aside-1", "log.aside-1"].map(|name| copy.path().join(name));
        assert!(names.iter().all(|path| done.aside.contains(path)), "{done:?}");
        let lost = ends.iter().position(|&end| offset < end).filter(|_| offset >= 32);
        let (store, opened) = Store::open(copy.path()).unwrap();
        assert_eq!(opened.rebuilt, None);
        assert_eq!(store.records(), if lost.is_some() { 2 } else { 3 }, "offset {offset}");
        for index in (0..3).filter(|&index| lost != Some(index as usize)) {
            let stored = store.get(numbered(index).position).unwrap();
            assert_eq!(stored.bound, numbered(index).bound);
            // The first frame introduces the origin of all.
            let named = stored.lower_from == provenance();
            assert_eq!(named, lost != Some(0), "offset {offset}");
        }
        drop(store);
        assert!(verify(copy.path()).unwrap().is_sound(), "offset {offset}");
    }
}

#[test]
fn a_repair_of_a_sound_store_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    store_of(folder.path(), &[1, 2]);
    let parts = || {
        let names = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
        let names: BTreeSet<_> = names.collect();
        let files = ["log/000001.log", "MANIFEST"].map(|name| folder.path().join(name));
        (names, files.map(|file| fs::read(file).unwrap()))
    };
    let before = parts();
    let told = Cell::new(None);
    let first = |extent| {
        told.set(Some(extent));
        Ok(TakenBack::UNKNOWN)
    };
    let done = repair_after(folder.path(), first).unwrap();
    assert_eq!((done.extent, told.get()), (Extent::Nothing, Some(Extent::Nothing)), "{done:?}");
    assert_eq!((done.frames, done.claims, done.records), (2, 3, 3));
    assert_eq!(parts(), before);
    // Behind a lost manifest damage at the end may be a write that was not completed, or not.
    flip_byte(&segment(folder.path(), 1), before.1[0].len() - 1);
    fs::remove_file(folder.path().join("MANIFEST")).unwrap();
    let done = repair_after(folder.path(), first).unwrap();
    assert_eq!((done.extent, told.get()), (Extent::Log, Some(Extent::Log)), "{done:?}");
    assert_eq!((done.damages, done.records), (1, 1));
}

/// It is what a killed process leaves, and opening the store cuts it off.
#[test]
fn a_repair_cuts_off_what_is_torn_behind_the_manifest_and_leaves_the_rest_alone() {
    let folder = tempfile::tempdir().unwrap();
    let ends = store_of(folder.path(), &[1, 2]);
    let path = segment(folder.path(), 1);
    let whole = fs::read(&path).unwrap();
    let mut torn = whole.clone();
    torn.extend_from_slice(&whole[ends[0] as usize..ends[1] as usize - 1]);
    fs::write(&path, &torn).unwrap();
    let found = verify(folder.path()).unwrap();
    assert!(found.is_sound() && found.torn, "{found:?}");
    let done = repair(folder.path()).unwrap();
    assert_eq!((done.extent, done.damages, done.records), (Extent::Nothing, 0, 3), "{done:?}");
    let cut = done.cut.map(|cut| (cut.path, cut.offset, cut.bytes));
    assert_eq!(cut, Some((path.clone(), ends[1], ends[1] - ends[0] - 1)));
    assert_eq!((fs::read(&path).unwrap(), done.aside), (whole, Vec::new()));
}

#[test]
fn damage_with_good_frames_behind_it_is_never_cut() {
    let folder = tempfile::tempdir().unwrap();
    let ends = store_of(folder.path(), &[1, 1, 1]);
    for offset in ends[0]..ends[1] {
        let copy = copy_of_log(folder.path(), false);
        let path = segment(copy.path(), 1);
        flip_byte(&path, offset as usize);
        let before = fs::read(&path).unwrap();
        let error = Store::open(copy.path()).unwrap_err().to_string();
        let place = format!("damage at offset {} of {}: found", ends[0], path.display());
        assert!(error.starts_with(&place), "{error}");
        assert!(error.contains("run `outflank store repair`"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
        // Failing again and again leaves nothing behind.
        assert!(Store::open(copy.path()).is_err());
        assert!(!copy.path().join("index.aside-1").exists());
    }
}

#[test]
fn a_log_that_lost_synced_proofs_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let ends = store_of(folder.path(), &[1, 1]);
    for length in [0, 31, ends[0], ends[1] - 1] {
        let copy = copy_of_log(folder.path(), true);
        let log = fs::OpenOptions::new().write(true).open(segment(copy.path(), 1)).unwrap();
        log.set_len(length).unwrap();
        let error = Store::open(copy.path()).unwrap_err().to_string();
        assert!(error.contains("which the manifest covers"), "{error}");
        assert!(!verify(copy.path()).unwrap().is_sound());
        let done = repair(copy.path()).unwrap();
        let kept = u64::from(length >= ends[0]);
        assert_eq!((done.records, done.damages, done.lost), (kept, 1, 2 - kept), "{length}");
        let place = format!("{} at offset", segment(copy.path(), 1).display());
        assert!(done.described[0].to_string().starts_with(&place), "{done:?}");
    }
    fs::remove_file(segment(folder.path(), 1)).unwrap();
    let error = Store::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("found no such file"), "{error}");
}

#[test]
fn a_missing_segment_is_named_and_repair_keeps_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open_with(folder.path(), &segments_of(100)).unwrap();
    for index in 0..6 {
        store.append(&[numbered(index)]).unwrap();
    }
    drop(store);
    let missing = segment(folder.path(), 2);
    fs::remove_file(&missing).unwrap();
    let error = Store::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains(&missing.display().to_string()), "{error}");
    let found = verify(folder.path()).unwrap();
    assert!(!found.is_sound());
    let lost = 6 - found.claims;
    assert!(lost > 0);
    assert_eq!(repair(folder.path()).unwrap().records, 6 - lost);
    assert!(verify(folder.path()).unwrap().is_sound());
}

#[test]
fn a_repair_says_what_is_missing_however_little_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open_with(folder.path(), &segments_of(100)).unwrap();
    for index in 0..6 {
        store.append(&[numbered(index)]).unwrap();
    }
    drop(store);
    let last = (1..).take_while(|&it| segment(folder.path(), it).exists()).last().unwrap();
    assert!(last >= 3);
    let missing: [(&dyn Fn(u32) -> bool, u32); 4] =
        [(&|it| it == 1, 1), (&|_| true, 1), (&|it| it == last, last), (&|it| it >= 2, 2)];
    for (number, (is_missing, named)) in missing.into_iter().enumerate() {
        let copy = copy_of_log(folder.path(), true);
        for it in (1..=last).filter(|&it| is_missing(it)) {
            fs::remove_file(segment(copy.path(), it)).unwrap();
        }
        let done = repair(copy.path()).unwrap();
        assert_eq!(done.damages, 1, "case {number}: {done:?}");
        assert_eq!(done.described[0].path, segment(copy.path(), named), "case {number}: {done:?}");
        assert!(done.described[0].what.starts_with("found no such file"), "{done:?}");
        assert_eq!((done.frames + done.lost, done.frames), (6, done.records), "{done:?}");
        assert!(done.lost > 0);
    }
    // Without a manifest only the index knows that there was a log.
    let store = folder.path();
    fs::remove_file(store.join("MANIFEST")).unwrap();
    (1..=last).for_each(|it| fs::remove_file(segment(store, it)).unwrap());
    let done = repair(store).unwrap();
    assert_eq!((done.damages, done.records), (1, 0), "{done:?}");
    assert_eq!(done.described[0].path, segment(store, 1), "{done:?}");
}

#[test]
fn a_missing_segment_of_the_quarantine_is_named_and_repair_keeps_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open_with(folder.path(), &segments_of(100)).unwrap();
    store.append(&[numbered(1)]).unwrap();
    for _ in 0..4 {
        store.quarantine(&numbered(1), numbered(1).bound).unwrap();
    }
    drop(store);
    let missing = folder.path().join("quarantine/000001.log");
    assert!(folder.path().join("quarantine/000002.log").exists());
    fs::remove_file(&missing).unwrap();
    let error = Store::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains(&missing.display().to_string()), "{error}");
    let found = verify(folder.path()).unwrap();
    let named = |problem: &Problem| problem.path == missing;
    assert!(found.described.iter().any(named), "{found:?}");
    let done = repair(folder.path()).unwrap();
    assert_eq!((done.damages, &done.described[0].path), (1, &missing), "{done:?}");
    let mended = verify(folder.path()).unwrap();
    assert!(mended.is_sound(), "{mended:?}");
    assert_eq!(mended.quarantined, found.quarantined);
    assert_eq!(Store::open(folder.path()).unwrap().1.records, 1);
}

#[test]
fn a_missing_segment_before_one_without_frames_is_no_write_that_was_not_completed() {
    for begun in [32, 20, 0] {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(folder.path()).unwrap();
        store.append(&[numbered(1)]).unwrap();
        drop(store);
        // The head of a segment, and what there is of one whose write was not completed.
        let head = fs::read(segment(folder.path(), 1)).unwrap();
        let quarantine = folder.path().join("quarantine");
        fs::remove_file(quarantine.join("000001.log")).ok();
        fs::write(quarantine.join("000002.log"), &head[..begun]).unwrap();
        let error = Store::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("quarantine/000001.log: found no such file"), "{error}");
        assert!(!verify(folder.path()).unwrap().is_sound(), "{begun}");
        repair(folder.path()).unwrap();
        assert_eq!(Store::open(folder.path()).unwrap().1.records, 1);
        assert!(verify(folder.path()).unwrap().is_sound(), "{begun}");
    }
}

#[test]
fn a_repair_that_was_interrupted_before_the_exchange_is_completed_by_the_next_open() {
    let folder = tempfile::tempdir().unwrap();
    store_of(folder.path(), &[1, 2]);
    let salvaged = copy_of_log(folder.path(), false);
    fs::rename(salvaged.path().join("log"), folder.path().join("salvaged")).unwrap();
    flip_byte(&segment(folder.path(), 1), 40);
    let (store, opened) = Store::open(folder.path()).unwrap();
    assert_holds(&store, 3);
    assert!(opened.rebuilt.is_some());
    assert!(folder.path().join("log.aside-1").exists());
}

#[test]
fn a_repair_that_was_interrupted_before_the_exchange_is_completed_by_the_next_repair() {
    let folder = tempfile::tempdir().unwrap();
    store_of(folder.path(), &[1, 2]);
    let salvaged = copy_of_log(folder.path(), false);
    fs::rename(salvaged.path().join("log"), folder.path().join("salvaged")).unwrap();
    flip_byte(&segment(folder.path(), 1), 40);
    let done = repair(folder.path()).unwrap();
    assert_eq!((done.damages, done.claims, done.records), (0, 3, 3), "{done:?}");
    assert_holds(&Store::open(folder.path()).unwrap().0, 3);
}

/// The room that the copy took was wanting for the next try.
#[test]
fn a_repair_that_fails_leaves_no_copy_behind() {
    let folder = tempfile::tempdir().unwrap();
    store_of(folder.path(), &[1, 2]);
    flip_byte(&segment(folder.path(), 1), 40);
    // No folder can take the place of a link, even of one that leads nowhere.
    let salvaged = folder.path().join("salvaged");
    std::os::unix::fs::symlink("nowhere", &salvaged).unwrap();
    repair(folder.path()).unwrap_err();
    for name in ["salvage", "salvage-index"] {
        assert!(!folder.path().join(name).exists(), "{name}");
    }
    fs::remove_file(salvaged).unwrap();
    assert_eq!(repair(folder.path()).unwrap().lost, 1);
}
