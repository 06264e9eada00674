//! Indexes that are missing, damaged or old are made again from the log.

use std::fs;
use std::path::Path;

use outflank_coordinator::store::{
    Extent, Opened, Options, Origin, Repair, Store, TakenBack, repair, repair_after, verify,
};

use crate::support::{content, copy_folder, mix, numbered};

const RECORDS: u64 = 3000;

fn filled(path: &Path, from: u64, to: u64) {
    let (store, _) = Store::open(path).unwrap();
    store.append(&(from..to).map(numbered).collect::<Vec<_>>()).unwrap();
}

/// Opens the store and checks every record.
fn open_and_check(path: &Path, records: u64) -> Opened {
    let (store, opened) = Store::open(path).unwrap();
    assert_eq!((store.records(), opened.records), (records, records));
    let expected = (0..records).map(|index| (numbered(index).position, numbered(index).bound));
    assert_eq!(content(&store), expected.collect());
    opened
}

#[test]
fn a_missing_index_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, RECORDS);
    fs::remove_dir_all(folder.path().join("index")).unwrap();
    assert!(!verify(folder.path()).unwrap().is_sound());
    let rebuilt = open_and_check(folder.path(), RECORDS).rebuilt.unwrap();
    assert_eq!((rebuilt.reason.as_str(), rebuilt.aside), ("there is no index", None));
    assert_eq!(open_and_check(folder.path(), RECORDS).rebuilt, None);
    assert!(verify(folder.path()).unwrap().is_sound());
}

/// Returns the files of the log with their bytes.
fn log(path: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let files = fs::read_dir(path.join("log")).unwrap().map(Result::unwrap);
    let mut files: Vec<_> =
        files.map(|file| (file.file_name(), fs::read(file.path()).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn a_repair_of_a_lost_index_makes_it_again_and_leaves_the_log_alone() {
    type Ruin = fn(&Path);
    let ruins: [(&str, Ruin); 4] = [
        ("no folder", |index| fs::remove_dir_all(index).unwrap()),
        ("an empty folder", |index| {
            fs::remove_dir_all(index).unwrap();
            fs::create_dir(index).unwrap();
        }),
        ("no data", |index| fs::remove_file(index.join("db")).unwrap()),
        ("nonsense", |index| {
            let length = fs::metadata(index.join("db")).unwrap().len();
            fs::write(index.join("db"), vec![0xa5; length as usize]).unwrap();
        }),
    ];
    for (name, ruin) in ruins {
        let folder = tempfile::tempdir().unwrap();
        // Several frames, and a claim that was put aside.
        filled(folder.path(), 0, 100);
        filled(folder.path(), 100, RECORDS + 1);
        let (store, _) = Store::open(folder.path()).unwrap();
        store.quarantine(&numbered(7), numbered(7).bound).unwrap();
        drop(store);
        let before = (log(folder.path()), verify(folder.path()).unwrap());
        ruin(&folder.path().join("index"));
        let first = |extent| {
            assert_eq!(
                extent,
                Extent::Index,
                "nothing is lost for which verdicts are to be reopened"
            );
            Ok(TakenBack::UNKNOWN)
        };
        let done = repair_after(folder.path(), first).unwrap();
        let Repair { extent, damages, without_origin, records, .. } = done;
        assert_eq!((extent, damages, without_origin), (Extent::Index, 0, 0), "{name}: {done:?}");
        assert_eq!(records, RECORDS + 1, "{name}");
        assert!(!folder.path().join("log.aside-1").exists(), "{name}");
        let after = (log(folder.path()), verify(folder.path()).unwrap());
        assert_eq!(after, before, "{name}");
        assert_eq!(open_and_check(folder.path(), RECORDS + 1).rebuilt, None, "{name}");
        assert_eq!(repair(folder.path()).unwrap().extent, Extent::Nothing, "{name}");
    }
}

#[test]
fn a_repair_of_a_lost_index_and_a_damaged_log_keeps_what_is_good() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, 100);
    filled(folder.path(), 100, 101);
    fs::remove_dir_all(folder.path().join("index")).unwrap();
    crate::support::flip_byte(&crate::support::segment(folder.path(), 1), 60);
    let done = repair(folder.path()).unwrap();
    assert_eq!((done.extent, done.damages, done.records), (Extent::Log, 1, 1), "{done:?}");
}

#[test]
fn an_index_that_knows_more_than_the_log_is_no_lost_index() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, 10);
    let manifest = fs::read(folder.path().join("MANIFEST")).unwrap();
    let short = fs::metadata(folder.path().join("log/000001.log")).unwrap().len();
    filled(folder.path(), 10, 12);
    // The log's end is gone, as on a disk that does not sync: nobody knows what verdicts were in it.
    fs::write(folder.path().join("MANIFEST"), manifest).unwrap();
    let file = fs::OpenOptions::new().write(true).open(folder.path().join("log/000001.log"));
    file.unwrap().set_len(short).unwrap();
    let told = std::cell::Cell::new(None);
    let first = |extent| {
        told.set(Some(extent));
        Ok(TakenBack::UNKNOWN)
    };
    assert_eq!(repair_after(folder.path(), first).unwrap().extent, Extent::Log);
    assert_eq!(told.get(), Some(Extent::Log));
}

#[test]
fn a_missing_or_damaged_manifest_makes_the_index_doubtful() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, 10);
    let manifest = folder.path().join("MANIFEST");
    fs::remove_file(&manifest).unwrap();
    let rebuilt = open_and_check(folder.path(), 10).rebuilt.unwrap();
    assert_eq!(rebuilt.reason, "there is no manifest");
    assert_eq!(rebuilt.aside, Some(folder.path().join("index.aside-1")));
    let text = fs::read_to_string(&manifest).unwrap();
    for damaged in [text.replace("records 10", "records 11"), String::new(), "\u{fe}".to_owned()] {
        fs::write(&manifest, damaged).unwrap();
        let rebuilt = open_and_check(folder.path(), 10).rebuilt.unwrap();
        assert_eq!(rebuilt.reason, "the manifest is damaged");
    }
}

/// Makes it look as if the process had been killed while it made the index again.
fn interrupt_rebuild(store: &Path) {
    fs::write(store.join("INDEX-IN-DOUBT"), "").unwrap();
    fs::write(store.join("index/UNFINISHED"), "").unwrap();
}

/// Returns the names of what was moved aside.
fn asides(store: &Path) -> Vec<String> {
    let names = fs::read_dir(store).unwrap().map(|file| file.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let mut asides: Vec<_> = names.filter(|name| name.contains(".aside-")).collect();
    asides.sort();
    asides
}

#[test]
fn rebuilds_that_are_interrupted_leave_one_index_aside_at_most() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, 10);
    for _ in 0..3 {
        fs::write(folder.path().join("INDEX-IN-DOUBT"), "it has a scratch").unwrap();
        let rebuilt = open_and_check(folder.path(), 10).rebuilt.unwrap();
        assert_eq!(rebuilt.reason, "it has a scratch");
        assert_eq!(asides(folder.path()), ["index.aside-1"]);
    }
    fs::remove_dir_all(folder.path().join("index.aside-1")).unwrap();
    for _ in 0..3 {
        interrupt_rebuild(folder.path());
        let rebuilt = open_and_check(folder.path(), 10).rebuilt.unwrap();
        assert!(rebuilt.reason.contains("no reason was noted"), "{rebuilt:?}");
        assert_eq!(rebuilt.aside, None);
        assert!(asides(folder.path()).is_empty());
    }
    assert!(!folder.path().join("index/UNFINISHED").exists());
    assert_eq!(open_and_check(folder.path(), 10).rebuilt, None);
}

#[test]
fn an_unfinished_index_is_not_trusted_even_if_nothing_else_says_so() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, 10);
    fs::write(folder.path().join("index/UNFINISHED"), "").unwrap();
    assert!(!verify(folder.path()).unwrap().is_sound());
    let rebuilt = open_and_check(folder.path(), 10).rebuilt.unwrap();
    assert_eq!((rebuilt.reason.as_str(), rebuilt.aside), ("it was not completed", None));
}

#[test]
fn a_repair_removes_what_interrupted_rebuilds_have_left_and_names_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, 10);
    let left = ["index.aside-2", "index.aside-9", "index.aside-10", "log.aside-1"];
    for name in left {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    let done = repair(folder.path()).unwrap();
    let kept = ["log.aside-1", "index.aside-10"].map(|name| folder.path().join(name));
    assert_eq!((done.extent, done.left.as_slice()), (Extent::Nothing, kept.as_slice()));
    assert_eq!(asides(folder.path()), ["index.aside-10", "log.aside-1"]);
}

#[test]
fn an_index_cut_anywhere_is_made_again_or_whole() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, RECORDS);
    let whole = fs::metadata(folder.path().join("index/db")).unwrap().len();
    let mut rebuilt = 0;
    for eighth in 0..8 {
        let copy = tempfile::tempdir().unwrap();
        let store = copy.path().join("store");
        copy_folder(folder.path(), &store);
        let data = fs::OpenOptions::new().write(true).open(store.join("index/db")).unwrap();
        data.set_len(whole * eighth / 8).unwrap();
        rebuilt += u32::from(open_and_check(&store, RECORDS).rebuilt.is_some());
    }
    // sled allocates its file in advance: the end of it may be empty.
    assert!(rebuilt >= 2, "{rebuilt} of 8");
}

#[test]
fn false_snapshots_of_an_interrupted_open_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, RECORDS);
    let index = folder.path().join("index");
    for name in ["snap.00000000000FFFFF.generating", "snap.0000000000FFFFFF"] {
        fs::write(index.join(name), []).unwrap();
    }
    assert_eq!(open_and_check(folder.path(), RECORDS).rebuilt, None);
}

#[test]
fn an_older_index_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, RECORDS);
    let old = tempfile::tempdir().unwrap();
    copy_folder(&folder.path().join("index"), &old.path().join("index"));
    filled(folder.path(), RECORDS, RECORDS + 5);
    filled(folder.path(), RECORDS + 5, RECORDS + 10);
    fs::remove_dir_all(folder.path().join("index")).unwrap();
    copy_folder(&old.path().join("index"), &folder.path().join("index"));
    assert!(!verify(folder.path()).unwrap().is_sound());
    let rebuilt = open_and_check(folder.path(), RECORDS + 10).rebuilt.unwrap();
    assert_eq!(rebuilt.reason, "it does not hold what the manifest says");
}

#[test]
fn an_index_that_is_behind_or_ahead_of_its_manifest_catches_up() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, 100);
    let manifest = fs::read(folder.path().join("MANIFEST")).unwrap();
    filled(folder.path(), 100, 150);
    // As if the process had been killed between the index's sync and the new manifest.
    fs::write(folder.path().join("MANIFEST"), manifest).unwrap();
    let found = verify(folder.path()).unwrap();
    assert!(found.is_sound() && found.behind, "{found:?}");
    let opened = open_and_check(folder.path(), 150);
    assert_eq!((opened.rebuilt, opened.replayed), (None, 1));
}

#[test]
fn an_index_that_lacks_what_was_appended_and_withdrawn_since_catches_up() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, 100);
    let copy = tempfile::tempdir().unwrap();
    let store = copy.path().join("store");
    copy_folder(folder.path(), &store);
    let by_liar = |index| {
        let mut record = numbered(index);
        record.provenance.origin = Origin { worker: "liar".into(), ..Origin::default() }.into();
        record
    };
    let (original, _) = Store::open(folder.path()).unwrap();
    original.append(&[by_liar(200), by_liar(201), numbered(202)]).unwrap();
    assert_eq!(original.withdraw("worker-1").unwrap(), 101);
    original.append(&[numbered(203)]).unwrap();
    // As if the process had been killed, and the index had not been written since.
    let log = "log/000001.log";
    fs::copy(folder.path().join(log), store.join(log)).unwrap();
    let (behind, opened) = Store::open(&store).unwrap();
    assert_eq!((opened.rebuilt, opened.replayed, opened.records), (None, 3, 3));
    assert_eq!((behind.records(), content(&behind)), (3, content(&original)));
}

#[test]
fn a_manifest_that_was_replaced_within_a_session_is_still_known() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let mut manifests = Vec::new();
    for index in 0..3 {
        store.append(&[numbered(index)]).unwrap();
        store.checkpoint().unwrap();
        manifests.push(fs::read(folder.path().join("MANIFEST")).unwrap());
    }
    drop(store);
    // As if the process had been killed between the index's sync and the last manifest.
    fs::write(folder.path().join("MANIFEST"), &manifests[1]).unwrap();
    let opened = open_and_check(folder.path(), 3);
    assert_eq!((opened.rebuilt, opened.replayed), (None, 1));
}

#[test]
fn bytes_flipped_in_the_index_never_give_a_wrong_bound() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 0, RECORDS);
    let (mut unharmed, mut rebuilt, mut doubted) = (0, 0, 0);
    for round in 0..12 {
        let copy = tempfile::tempdir().unwrap();
        let store = copy.path().join("store");
        copy_folder(folder.path(), &store);
        let path = store.join("index/db");
        let mut bytes = fs::read(&path).unwrap();
        let used = bytes.iter().rposition(|&byte| byte != 0).unwrap();
        for flip in 0..64 {
            let offset = mix(round * 64 + flip) as usize % used;
            bytes[offset] = !bytes[offset];
        }
        fs::write(&path, bytes).unwrap();
        let (opened, opening) = Store::open(&store).unwrap();
        let missing = (0..RECORDS)
            .filter(|&index| match opened.get(numbered(index).position) {
                None => true,
                Some(stored) => {
                    assert_eq!(stored.bound, numbered(index).bound);
                    false
                }
            })
            .count();
        drop(opened);
        if opening.rebuilt.is_some() {
            rebuilt += 1;
            assert_eq!(missing, 0);
        } else if missing == 0 {
            unharmed += 1;
        } else {
            doubted += 1;
            // What is found damaged while reading is made again by the next open.
            assert!(open_and_check(&store, RECORDS).rebuilt.is_some());
        }
    }
    println!("{unharmed} unharmed, {rebuilt} rebuilt at once, {doubted} at the next open");
    assert!(rebuilt + doubted > 0);
}

#[test]
fn a_store_that_was_not_closed_reads_only_the_end_of_its_log_again() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { checkpoint_bytes: 4000, ..Options::default() };
    let (store, _) = Store::open_with(folder.path(), &options).unwrap();
    for frame in 0..40 {
        let records: Vec<_> = (frame * 20..(frame + 1) * 20).map(numbered).collect();
        store.append(&records).unwrap();
    }
    let (log, manifest) = (folder.path().join("log"), folder.path().join("MANIFEST"));
    let last = fs::read_to_string(manifest).unwrap();
    assert!(last.contains("\nrecords "), "{last}");
    assert!(fs::metadata(log.join("000001.log")).unwrap().len() > 5 * 4000);
    let covered = |line: &str| line.strip_prefix("frames ").map(str::to_owned);
    let covered: u64 = last.lines().find_map(covered).unwrap().parse().unwrap();
    assert!((34..=40).contains(&covered), "{covered}");
}
