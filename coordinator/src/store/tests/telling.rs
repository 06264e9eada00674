//! Whoever is told how far a store is hears of each thing that takes long, from its beginning to its end.

use std::cell::RefCell;
use std::fs;
use std::path::Path;

use super::record;
use crate::store::layout::Layout;
use crate::store::verify::{Access, check_by};
use crate::store::{
    Doing, Far, Store, StoreError, TakenBack, Told, read_only, repair_and_tell, verify_and_tell,
};

const READING: Doing = Doing::ReadingLog;
const COMPARING: Doing = Doing::Comparing;

fn store_in(folder: &Path) {
    let (store, _) = Store::open(folder).unwrap();
    for index in 0..20 {
        store.append(&[record(3 * index), record(3 * index + 1), record(3 * index + 2)]).unwrap();
    }
}

/// Returns what `work` says that it does, each of which it has to bring to an end.
fn told(work: impl FnOnce(Told<'_>) -> Result<(), StoreError>) -> Vec<Doing> {
    let heard: RefCell<Vec<Far>> = RefCell::default();
    let tell = |far: Far| heard.borrow_mut().push(far);
    work(Told::by(&tell)).unwrap();
    let heard = heard.into_inner();
    for pair in heard.windows(2) {
        let [one, next] = pair else { unreachable!("windows of two") };
        let is_later = one.doing == next.doing && one.of == next.of && one.done < next.done;
        assert!(is_later || one.done == one.of, "{one:?}, {next:?}");
    }
    assert!(heard.last().is_none_or(|last| last.done == last.of), "{heard:?}");
    heard.iter().filter(|far| far.done == far.of).map(|far| far.doing).collect()
}

#[test]
fn a_check_tells_of_each_of_its_steps() {
    let folder = tempfile::tempdir().unwrap();
    store_in(folder.path());
    let layout = Layout::new(folder.path());
    let verified = told(|told| verify_and_tell(folder.path(), told).map(drop));
    assert_eq!(verified, [READING, COMPARING]);
    for access in [Access::Write, Access::Read { scratch: folder.path() }] {
        let checked = told(|told| check_by(&layout, access, 20, told).map(drop));
        assert_eq!(checked, [READING, Doing::PartingLog, COMPARING]);
    }
}

#[test]
fn whoever_looks_hears_of_the_log_and_of_the_index() {
    let folder = tempfile::tempdir().unwrap();
    store_in(folder.path());
    let refusal = StoreError::NoStore { path: folder.path().to_owned() };
    let layout = Layout::new(folder.path());
    assert_eq!(told(|told| read_only::open(layout, refusal, told).map(drop)), [READING]);
    let (store, _) = Store::open(folder.path()).unwrap();
    assert_eq!(told(|told| store.stats_and_tell(told).map(drop)), [Doing::ReadingIndex]);
    let exported = told(|told| {
        store.export_and_tell(std::io::sink(), told).expect("a sink takes everything");
        Ok(())
    });
    assert_eq!(exported, [Doing::ReadingIndex]);
}

#[test]
fn a_repair_tells_of_the_check_of_the_copy_and_of_the_index() {
    let folder = tempfile::tempdir().unwrap();
    store_in(folder.path());
    let log = folder.path().join("log/000001.log");
    let mut bytes = fs::read(&log).unwrap();
    bytes[300] ^= 1;
    fs::write(&log, bytes).unwrap();
    let taken_back = |_| Ok(TakenBack::UNKNOWN);
    let repaired = told(|told| repair_and_tell(folder.path(), taken_back, told).map(drop));
    let expected =
        [READING, COMPARING, READING, Doing::CopyingLog, READING, READING, Doing::WritingIndex];
    assert_eq!(repaired, expected);
}
