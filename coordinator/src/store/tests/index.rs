//! Indexes that cannot be trusted, or that fail while the store is open.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use outflank_engine::Position;

use super::record;
use crate::store::claim::Entry;
use crate::store::disk::SystemDisk;
use crate::store::files::Files;
use crate::store::index::{Index, MemoryIndex, Visitor};
use crate::store::layout::Layout;
use crate::store::lock::Lock;
use crate::store::log::Log;
use crate::store::manifest::{Found, Manifest};
use crate::store::origins::Origins;
use crate::store::scan::Place;
use crate::store::sled_index::SledIndex;
use crate::store::{Options, Origin, Record, Store, StoreError, verify};

/// An index that takes no entry, or that lets none go.
#[derive(Debug)]
struct Scratched {
    index: MemoryIndex,
    takes: bool,
}

impl Scratched {
    fn new(takes: bool) -> Self {
        Self { index: MemoryIndex::default(), takes }
    }

    fn scratch() -> StoreError {
        StoreError::Index { path: "index".into(), reason: "it has a scratch".to_owned() }
    }
}

impl Index for Scratched {
    fn get(&self, position: Position) -> Result<Option<Entry>, StoreError> {
        self.index.get(position)
    }

    fn put_all(&self, entries: &[(Position, Entry)]) -> Result<u64, StoreError> {
        if self.takes { self.index.put_all(entries) } else { Err(Self::scratch()) }
    }

    fn remove_all(&self, positions: &[Position]) -> Result<u64, StoreError> {
        if self.takes { Err(Self::scratch()) } else { self.index.remove_all(positions) }
    }

    fn visit(&self, visit: &mut Visitor<'_>) -> Result<(), StoreError> {
        self.index.visit(visit)
    }

    fn put_origin(&self, id: u32, origin: &Origin) -> Result<(), StoreError> {
        self.index.put_origin(id, origin)
    }

    fn checkpoint(&self, old: Option<&Manifest>, new: &Manifest) -> Result<(), StoreError> {
        self.index.checkpoint(old, new)
    }
}

/// Returns the files of a new store.
fn files(path: &Path) -> Files {
    let layout = Layout::new(path);
    let Options { segment_bytes, checkpoint_bytes } = Options::default();
    let log = |folder: &Path| {
        fs::create_dir(folder).unwrap();
        let start = Place { offset: 0, ..Place::START };
        Log::open(Arc::new(SystemDisk), folder, start, segment_bytes).unwrap()
    };
    let (log, quarantine) = (log(&layout.log()), log(&layout.quarantine()));
    let (manifest, uncovered, lock) = (None, 0, Arc::new(Lock::take(path).unwrap()));
    Files { layout, log, quarantine, manifest, checkpoint_bytes, uncovered, lock }
}

/// Otherwise a manifest could say one day that the index holds what it lacks.
#[test]
fn a_store_whose_index_fails_takes_no_more_and_makes_it_again_when_it_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let store = Store::with_files(Scratched::new(false), Origins::default(), 0, files);
    let error = store.append(&[record(0)]).unwrap_err();
    assert!(matches!(error, StoreError::Index { .. }), "{error}");
    let error = store.append(&[record(1)]).unwrap_err();
    let expected = "the index does not hold what the log holds: ";
    assert!(matches!(error, StoreError::Refusing { .. }), "{error}");
    assert!(error.to_string().contains(expected), "{error}");
    drop(store);
    assert!(!folder.path().join("MANIFEST").exists(), "nothing says what the index holds");
    let (store, opened) = Store::open(folder.path()).unwrap();
    let reason = opened.rebuilt.unwrap().reason;
    assert!(reason.contains("it has a scratch"), "{reason}");
    assert!(store.get(record(0).position).is_some() && store.get(record(1).position).is_none());
}

#[test]
fn a_store_whose_index_lets_nothing_go_takes_no_more_and_makes_it_again_when_it_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let store = Store::with_files(Scratched::new(true), Origins::default(), 0, files);
    store.append(&[by("liar", 0), by("honest", 1)]).unwrap();
    let error = store.withdraw("liar").unwrap_err();
    assert!(matches!(error, StoreError::Index { .. }), "{error}");
    let error = store.append(&[by("honest", 2)]).unwrap_err();
    assert!(matches!(error, StoreError::Refusing { .. }), "{error}");
    drop(store);
    let (store, opened) = Store::open(folder.path()).unwrap();
    assert!(opened.rebuilt.is_some_and(|rebuilt| rebuilt.reason.contains("it has a scratch")));
    assert_eq!([0, 1].map(|index| store.get(record(index).position).is_some()), [false, true]);
}

fn by(worker: &str, index: u64) -> Record {
    let mut record = record(index);
    record.provenance.origin = Arc::new(Origin { worker: worker.to_owned(), ..Origin::default() });
    record
}

/// Opens the store, appends the records, and closes it.
fn append(path: &Path, records: &[Record]) {
    Store::open(path).unwrap().0.append(records).unwrap();
}

/// Copies the folder `from`.
pub(super) fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for file in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(file.file_name());
        match file.metadata().unwrap().is_dir() {
            true => copy(&file.path(), &target),
            false => drop(fs::copy(file.path(), target).unwrap()),
        }
    }
}

/// Returns why an index was made again that is older than it says: it was put back to what it was after the first
/// of these calls and told that it holds what the manifest after the second says.
fn reason(calls: [&[Record]; 3]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (path, index) = (folder.path(), folder.path().join("index"));
    let old = tempfile::tempdir().unwrap();
    append(path, calls[0]);
    copy(&index, &old.path().join("index"));
    append(path, calls[1]);
    let Found::Manifest(manifest) = Manifest::read(path).unwrap() else { panic!("a manifest") };
    if !calls[2].is_empty() {
        append(path, calls[2]);
        manifest.write(path).unwrap();
    }
    fs::remove_dir_all(&index).unwrap();
    copy(&old.path().join("index"), &index);
    SledIndex::open(&index).unwrap().checkpoint(None, &manifest).unwrap();
    let (store, opened) = Store::open(path).unwrap();
    let all = calls.concat();
    assert!(all.iter().all(|record| store.get(record.position).is_some()), "{opened:?}");
    opened.rebuilt.map(|rebuilt| rebuilt.reason).unwrap_or_default()
}

#[test]
fn an_index_that_holds_less_than_the_manifest_says_is_made_again() {
    let (one, two) = ([by("one", 0)], [by("two", 1)]);
    assert_eq!(reason([&one, &two, &[]]), "it has 1 origins, expected 2");
    let (more, last) = ([by("one", 1), by("one", 2)], [by("one", 3)]);
    assert_eq!(reason([&one, &more, &last]), "it has 1 positions, expected 3");
}

#[test]
fn an_index_that_lacks_an_origin_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    append(folder.path(), &[by("one", 0)]);
    let index = SledIndex::open(&folder.path().join("index")).unwrap();
    index.put_origin(2, &Origin::default()).unwrap();
    drop(index);
    let (store, opened) = Store::open(folder.path()).unwrap();
    let reason = opened.rebuilt.unwrap().reason;
    assert!(reason.contains("origin number 1 is missing"), "{reason}");
    assert_eq!(store.get(record(0).position).unwrap().lower_from, by("one", 0).provenance);
}

#[test]
fn an_index_that_is_ahead_does_not_make_up_for_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    append(folder.path(), &[by("one", 0), by("one", 1), by("one", 2)]);
    let manifest = fs::read(folder.path().join("MANIFEST")).unwrap();
    append(folder.path(), &[by("one", 3), by("one", 4), by("one", 5)]);
    fs::write(folder.path().join("MANIFEST"), manifest).unwrap();
    let index = SledIndex::open(&folder.path().join("index")).unwrap();
    assert_eq!(index.remove_all(&[record(1).position]).unwrap(), 1);
    drop(index);
    let found = verify(folder.path()).unwrap();
    assert_eq!(found.problems, 1, "{found:?}");
    assert_eq!(found.described[0].what, "1 positions of the log are missing");
}
