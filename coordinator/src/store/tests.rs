//! The store on a disk that fails: what was acknowledged is there, whatever happened.

mod buckets;
mod displaced;
mod index;
mod passes;
mod quarantine;
mod read_only;
mod rebuild;
mod telling;
#[path = "../../tests/store/tmpfs.rs"]
mod tmpfs;
mod withdrawal;

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};

use outflank_engine::{Bound, Position, Score};

use super::claim::Entry;
use super::disk::{Disk, DiskFile, SystemDisk};
use super::index::Index;
use super::log::Log;
use super::pace::Told;
use super::scan::Place;
use super::sled_index::SledIndex;
use super::{Method, Options, Provenance, Record, Store, StoreError, open, verify};

/// What goes wrong at a certain write, sync or cut of the log.
#[derive(Clone, Copy, Debug)]
enum Failure {
    /// This many bytes are written, then the disk is full.
    Full { written: usize },
    /// The disk is full and the log cannot be cut back either.
    FullForGood { written: usize },
    /// All is written but the sync fails.
    NoSync,
}

/// Counts the operations of all files and lets one of them fail.
#[derive(Debug)]
struct Plan {
    failure: Failure,
    /// Operations until the failure.
    wait: u32,
    struck: bool,
}

#[derive(Clone, Debug)]
struct FailingDisk(Arc<Mutex<Plan>>);

#[derive(Debug)]
struct FailingFile(Box<dyn DiskFile>, Arc<Mutex<Plan>>);

impl Disk for FailingDisk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(FailingFile(SystemDisk.open(path)?, Arc::clone(&self.0))))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(FailingFile(SystemDisk.create(path)?, Arc::clone(&self.0))))
    }
}

impl Plan {
    /// Returns what strikes now, if `fits` says that it can strike here.
    fn strike(&mut self, fits: impl Fn(Failure) -> bool) -> Option<Failure> {
        if self.struck || !fits(self.failure) {
            return None;
        }
        self.struck = self.wait == 0;
        self.wait = self.wait.saturating_sub(1);
        self.struck.then_some(self.failure)
    }
}

impl DiskFile for FailingFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let full = |failure| !matches!(failure, Failure::NoSync);
        match self.1.lock().unwrap().strike(full) {
            Some(Failure::Full { written } | Failure::FullForGood { written }) => {
                self.0.append(&bytes[..written.min(bytes.len())])?;
                Err(ErrorKind::StorageFull.into())
            }
            _ => self.0.append(bytes),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        let no_sync = |failure| matches!(failure, Failure::NoSync);
        match self.1.lock().unwrap().strike(no_sync) {
            Some(_) => Err(io::Error::other("the cable is loose")),
            None => self.0.sync(),
        }
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let plan = self.1.lock().unwrap();
        if plan.struck && matches!(plan.failure, Failure::FullForGood { .. }) {
            return Err(io::Error::other("the disk is read-only now"));
        }
        self.0.truncate(length)
    }
}

/// Returns one of some positions on several plies; they lie in the order of keys in another order than their numbers.
fn scattered(number: u64) -> Position {
    let player = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) & !0xff | 1;
    let opponent = (number << 1 | 2) & !player;
    Position::new(player, opponent).unwrap()
}

/// Returns all that an index says, in its order.
fn all(index: &dyn Index) -> Vec<(Position, Entry)> {
    let mut all = Vec::new();
    index
        .visit(&mut |position, entry| {
            all.push((position, entry));
            ControlFlow::Continue(())
        })
        .unwrap();
    all
}

fn record(index: u64) -> Record {
    Record {
        position: Position::new(index + 1, 1 << 40).unwrap().canonical(),
        bound: Bound::exact(Score::DRAW),
        best_move: None,
        nodes: index,
        provenance: Provenance { method: Method::Search, origin: Arc::default() },
    }
}

/// Appends ten batches while `failure` strikes at its operation number `wait`; checks what is left
/// and returns whether it struck after the store was open.
fn strikes_harmlessly(failure: Failure, wait: u32) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let plan = Arc::new(Mutex::new(Plan { failure, wait, struck: false }));
    let disk: Arc<dyn Disk> = Arc::new(FailingDisk(Arc::clone(&plan)));
    let options = Options { segment_bytes: 150, checkpoint_bytes: 200 };
    let mut acknowledged = BTreeSet::new();
    let mut errors = Vec::new();
    let first = open::open(folder.path(), &options, &disk, Told::default());
    let was_open = first.is_ok();
    if let Ok((store, _)) = first {
        for batch in 0..10 {
            let records = [record(2 * batch), record(2 * batch + 1)];
            match store.append(&records) {
                Ok(_) => acknowledged.extend(records.map(|record| record.position)),
                Err(error) => errors.push(error),
            }
            assert!(acknowledged.iter().all(|&position| store.get(position).is_some()));
        }
    }
    let struck = !errors.is_empty();
    check_errors(failure, &errors);
    let (store, opened) = Store::open_with(folder.path(), &options).unwrap();
    // A store that was never open has no manifest yet.
    assert_eq!(opened.rebuilt.is_some(), !was_open);
    assert!(acknowledged.iter().all(|&position| store.get(position).is_some()), "{opened:?}");
    assert!(store.append(&[record(100)]).unwrap().written == 1);
    drop(store);
    let found = verify(folder.path()).unwrap();
    assert!(found.is_sound() && !found.torn, "{failure:?} at {wait}: {found:?}");
    struck
}

fn check_errors(failure: Failure, errors: &[StoreError]) {
    let refusing = |error: &StoreError| matches!(error, StoreError::Refusing { .. });
    let Some((first, later)) = errors.split_first() else { return };
    assert!(matches!(first, StoreError::Io { .. }), "{first}");
    match failure {
        // Later appends have room again.
        Failure::Full { .. } => assert!(later.is_empty(), "{later:?}"),
        // A head that is not written is tried again; a frame is not.
        _ => assert!(
            later.is_empty()
                || later
                    .iter()
                    .all(|error| refusing(error) || matches!(error, StoreError::Io { .. })),
            "{later:?}"
        ),
    }
}

#[test]
fn nothing_acknowledged_is_lost_when_the_disk_fails() {
    let failures = [
        Failure::Full { written: 3 },
        Failure::Full { written: 40 },
        Failure::FullForGood { written: 20 },
        Failure::NoSync,
    ];
    for failure in failures {
        let struck = (0..14).filter(|&wait| strikes_harmlessly(failure, wait)).count();
        assert!(struck >= 10, "{failure:?} struck {struck} times");
    }
}

/// A copy is synced when it is complete, and then only its last segment is open.
#[test]
fn a_copied_log_syncs_each_segment_before_it_begins_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Arc::new(Mutex::new(Plan { failure: Failure::NoSync, wait: 1, struck: false }));
    let disk: Arc<dyn Disk> = Arc::new(FailingDisk(Arc::clone(&plan)));
    let end = Place { offset: 0, ..Place::START };
    let mut log = Log::open(disk, folder.path(), end, 150).unwrap();
    let copied = (1..10).find_map(|number| Some((number, log.copy(&[7; 40]).err()?)));
    let (number, error) = copied.expect("a sync that fails is said");
    assert!(number > 1, "frames are not synced one by one");
    assert_eq!(error.to_string(), format!("syncing {}/000001.log", folder.path().display()));
    assert_eq!(log.end().segment, 1);
    assert!(!folder.path().join("000002.log").exists());
    log.copy(&[7; 40]).unwrap(); // It is tried again.
    assert_eq!(log.end().segment, 2);
}

#[test]
fn a_store_refuses_records_after_a_failed_sync() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan { failure: Failure::NoSync, wait: 3, struck: false };
    let disk: Arc<dyn Disk> = Arc::new(FailingDisk(Arc::new(Mutex::new(plan))));
    let (store, _) =
        open::open(folder.path(), &Options::default(), &disk, Told::default()).unwrap();
    let errors = [0, 1, 2, 3].map(|index| store.append(&[record(index)]).err());
    let texts = errors.map(|error| error.map_or_else(String::new, |error| error.to_string()));
    let path = folder.path().display();
    let expected = format!(
        "the store at {path} takes no more proofs until it is opened again: syncing \
         {path}/log/000001.log failed: the cable is loose"
    );
    assert_eq!(texts[0], "");
    assert_eq!(texts[1], format!("syncing {path}/log/000001.log"));
    assert_eq!(texts[2..], [expected.clone(), expected]);
    assert!(store.get(record(0).position).is_some());
    assert!(store.get(record(1).position).is_none());
    drop(store);
    // Its frame was cut off again: what was not synced is not found by the next open either.
    let (store, opened) = Store::open(folder.path()).unwrap();
    assert_eq!((store.records(), opened.cut), (1, None));
}

#[test]
fn an_index_whose_last_holder_lets_go_late_is_opened_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let holder = SledIndex::open(&folder.path().join("index")).unwrap();
    let (started, starts) = std::sync::mpsc::channel();
    let opener = std::thread::spawn({
        let path = folder.path().to_owned();
        move || {
            started.send(()).unwrap();
            Store::open(&path).map(|(_, opened)| opened.rebuilt)
        }
    });
    starts.recv().unwrap();
    drop(holder);
    assert_eq!(opener.join().unwrap().unwrap(), None);
}

#[test]
fn an_index_that_somebody_else_holds_is_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let holder = SledIndex::open(&folder.path().join("index")).unwrap();
    let error = Store::open(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
    drop(holder);
    let (_, opened) = Store::open(folder.path()).unwrap();
    assert_eq!(opened.rebuilt, None);
}
