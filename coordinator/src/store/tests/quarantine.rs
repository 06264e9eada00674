//! What the quarantine keeps of a contradiction: both claims, and who made them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use outflank_engine::{Bound, Position, Score};

use crate::store::claim::{Claim, Source};
use crate::store::disk::SystemDisk;
use crate::store::frame;
use crate::store::index::Index;
use crate::store::layout::Layout;
use crate::store::log::Log;
use crate::store::manifest::{Found, Manifest};
use crate::store::origins::Origins;
use crate::store::replay::Replay;
use crate::store::scan::{self, Met, Place, Scan, segment_path};
use crate::store::sled_index::SledIndex;
use crate::store::{
    Extent, Method, Origin, Provenance, Record, Repair, Store, repair, salvage, verify,
};

fn bound(lower: i32, upper: i32) -> Bound {
    let score = |discs| Score::new(discs).unwrap();
    Bound::new(score(lower), score(upper)).unwrap()
}

/// Returns what `worker` says of the one position that all are about.
fn by(worker: &str, lower: i32, upper: i32) -> Record {
    let origin = Origin { worker: worker.to_owned(), ..Origin::default() };
    Record {
        position: Position::START.canonical(),
        bound: bound(lower, upper),
        best_move: None,
        nodes: 1,
        provenance: Provenance { method: Method::Search, origin: Arc::new(origin) },
    }
}

/// Two workers have proved a side each: together 0 to 4.
fn two_sides(path: &Path) -> Store {
    let (store, _) = Store::open(path).unwrap();
    store.append(&[by("low", 0, 64), by("high", -64, 4)]).unwrap();
    store
}

/// Returns the pairs in quarantine, each claim with its worker, the one that was held first.
fn kept(path: &Path) -> Vec<Vec<(String, Bound)>> {
    let mut scan = Scan::new(&Layout::new(path).quarantine(), Place::START).unwrap();
    let mut pairs = Vec::new();
    while let Some(met) = scan.next().unwrap() {
        let Met::Frame(frame) = met else { panic!("{met:?}") };
        let worker = |claim: &Claim| {
            let mut origins = frame.origins.iter();
            origins.find(|(id, _)| *id == claim.source.origin).unwrap().1.worker.clone()
        };
        pairs.push(frame.claims.iter().map(|claim| (worker(claim), claim.bound)).collect());
    }
    pairs
}

/// Returns the pair of the claim and of the side that it contradicts.
fn pair(held_by: &str, claim: &Record) -> Vec<(String, Bound)> {
    let worker = claim.provenance.origin.worker.clone();
    vec![(held_by.to_owned(), bound(0, 4)), (worker, claim.bound)]
}

#[test]
fn a_claim_is_held_against_who_proved_the_side_that_it_contradicts() {
    let folder = tempfile::tempdir().unwrap();
    let store = two_sides(folder.path());
    let (above, below) = (by("above", 6, 64), by("below", -64, -2));
    let appended = store.append(&[above.clone(), below.clone()]).unwrap();
    assert_eq!(appended.contradicted.len(), 2);
    drop(store);
    assert_eq!(kept(folder.path()), [pair("high", &above), pair("low", &below)]);
}

#[test]
fn what_a_call_has_proved_itself_is_held_with_who_proved_it() {
    let store = Store::in_memory();
    let held = by("first", 0, 4);
    let appended = store.append(&[held.clone(), by("second", 6, 64)]).unwrap();
    assert_eq!(appended.contradicted[0].held.upper_from, held.provenance);
}

/// Writes a frame with a claim to the log of a closed store, as no store does.
fn smuggle(path: &Path, record: &Record) {
    let Found::Manifest(Manifest { place, origins, .. }) = Manifest::read(path).unwrap() else {
        panic!("a closed store has a manifest")
    };
    let log = Layout::new(path).log();
    let mut log = Log::open(Arc::new(SystemDisk), &log, place, 1 << 20).unwrap();
    let Record { position, bound, best_move, nodes, ref provenance } = *record;
    let source = Source { method: provenance.method, origin: origins };
    let mut body = Vec::new();
    frame::push_origin(&mut body, origins, &provenance.origin);
    frame::push_claim(&mut body, &Claim { position, bound, best_move, nodes, source });
    log.append(&body).unwrap();
}

#[test]
fn claims_of_the_log_that_contradict_each_other_are_put_aside_when_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    drop(two_sides(folder.path()));
    let (above, below) = (by("above", 6, 64), by("below", -64, -2));
    let expected = [pair("high", &above), pair("low", &below)];
    for (number, claim) in (1..).zip([&above, &below]) {
        smuggle(folder.path(), claim);
        let (store, opened) = Store::open(folder.path()).unwrap();
        assert_eq!((opened.contradictions, opened.rebuilt), (1, None));
        assert_eq!(store.get(claim.position).unwrap().bound, bound(0, 4));
        drop(store);
        assert_eq!(kept(folder.path()), expected[..number]);
    }
    fs::remove_dir_all(folder.path().join("index")).unwrap();
    let (store, opened) = Store::open(folder.path()).unwrap();
    assert_eq!((opened.contradictions, opened.records), (2, 1));
    assert_eq!(store.get(above.position).unwrap().bound, bound(0, 4));
    drop(store);
    assert_eq!(kept(folder.path()), expected, "no pair is put aside twice");
}

#[test]
fn a_pair_that_an_earlier_release_has_put_aside_is_not_put_aside_again() {
    let folder = tempfile::tempdir().unwrap();
    drop(two_sides(folder.path()));
    let (held, above) = (Record { bound: bound(0, 4), ..by("high", -64, 4) }, by("above", 6, 64));
    smuggle(folder.path(), &above);
    // It wrote each origin before its claim.
    let mut body = Vec::new();
    for (id, record) in (0..).zip([&held, &above]) {
        let Record { position, bound, best_move, nodes, ref provenance } = *record;
        frame::push_origin(&mut body, id, &provenance.origin);
        let source = Source { method: provenance.method, origin: id };
        frame::push_claim(&mut body, &Claim { position, bound, best_move, nodes, source });
    }
    let quarantine = Layout::new(folder.path()).quarantine();
    Log::open(Arc::new(SystemDisk), &quarantine, Place::START, 1 << 20)
        .unwrap()
        .append(&body)
        .unwrap();
    assert_eq!(Store::open(folder.path()).unwrap().1.contradictions, 1);
    assert_eq!(kept(folder.path()), [pair("high", &above)]);
}

/// As after a repair that lost what took the first claim back.
#[test]
fn a_contradiction_is_none_any_more_when_it_was_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    drop(two_sides(folder.path()));
    let above = by("above", 6, 64);
    smuggle(folder.path(), &above);
    let found = verify(folder.path()).unwrap();
    assert_eq!((found.problems, found.quarantined), (1, 0), "{found:?}");
    let (store, opened) = Store::open(folder.path()).unwrap();
    assert_eq!(opened.contradictions, 1);
    assert_eq!(store.withdraw("high").unwrap(), 1);
    store.append(std::slice::from_ref(&above)).unwrap();
    drop(store);
    let found = verify(folder.path()).unwrap();
    assert!(found.is_sound(), "{found:?}");
    assert_eq!(repair(folder.path()).unwrap().extent, Extent::Nothing);
    fs::remove_dir_all(folder.path().join("index")).unwrap();
    let (store, opened) = Store::open(folder.path()).unwrap();
    assert_eq!((opened.contradictions, opened.records), (0, 1));
    assert_eq!(store.get(above.position).unwrap().bound, above.bound);
    drop(store);
    assert_eq!(kept(folder.path()), [pair("high", &above)]);
}

#[test]
fn what_an_index_knows_that_is_ahead_of_its_manifest_contradicts_nothing_that_was_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    store.append(&[by("liar", 0, 4)]).unwrap();
    store.withdraw("liar").unwrap();
    store.append(&[by("honest", 6, 64)]).unwrap();
    drop(store);
    let index = SledIndex::open(&folder.path().join("index")).unwrap();
    // A long log is read in parts: the index meets the lie before it is known that it was taken back.
    let mut replay = Replay::new(&index, folder.path(), Origins::default());
    scan::read_to_end(&folder.path().join("log"), Place::START, None, &mut |frame| {
        replay.apply(frame)?;
        replay.flush()
    })
    .unwrap();
    assert!(replay.gathered.clashes.is_empty(), "{:?}", replay.gathered.clashes);
    assert_eq!(index.get(by("", 0, 0).position).unwrap().unwrap().bound, bound(6, 64));
}

#[test]
fn a_repair_of_the_quarantine_that_is_interrupted_is_completed() {
    for (was_moved, by_repair) in [(true, false), (true, true), (false, false), (false, true)] {
        let folder = tempfile::tempdir().unwrap();
        let store = two_sides(folder.path());
        let claims = ["a", "b", "c"].map(|worker| by(worker, 6, 64));
        store.append(&claims).unwrap();
        drop(store);
        let layout = Layout::new(folder.path());
        let first = segment_path(&layout.quarantine(), 1);
        let mut bytes = fs::read(&first).unwrap();
        bytes[40] = !bytes[40];
        fs::write(&first, bytes).unwrap();
        assert!(Store::open(folder.path()).is_err());
        salvage::salvage_quarantine(&layout, &mut Repair::default()).unwrap();
        if was_moved {
            layout.move_aside("quarantine").unwrap();
        }
        if by_repair {
            repair(folder.path()).unwrap();
        }
        let (store, opened) = Store::open(folder.path()).unwrap();
        assert_eq!((opened.records, opened.contradictions), (1, 0));
        drop(store);
        assert_eq!(kept(folder.path()), [pair("high", &claims[1]), pair("high", &claims[2])]);
        assert_eq!(layout.asides("quarantine").unwrap().len(), 1);
        assert!(![layout.salvage(), layout.salvaged_quarantine()].iter().any(|it| it.exists()));
        assert!(verify(folder.path()).unwrap().is_sound());
    }
}
