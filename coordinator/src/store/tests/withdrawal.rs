//! Taking back that is interrupted: doing it again takes back the rest, wherever it ended.

mod falling;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::sync::{Arc, Mutex};

use outflank_engine::{Bound, Position, Score, Square, Symmetry};

use super::{FailingDisk, Failure, Plan};
use crate::store::claim::{Claim, Entry, Source};
use crate::store::disk::Disk;
use crate::store::index::{Index, MemoryIndex};
use crate::store::manifest::{Found, Manifest};
use crate::store::origins::Origins;
use crate::store::pace::Told;
use crate::store::scan::{Place, Scan, segment_path};
use crate::store::sled_index::SledIndex;
use crate::store::withdraw::{fallen, withdraw};
use crate::store::{
    Method, Options, Origin, Provenance, Record, Repair, Store, StoreError, TakenBack, open,
    repair_after, verify,
};

/// The output function of SplitMix64.
fn mixed(seed: u64) -> u64 {
    let word = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// Returns the positions one ply below, canonical; a pass is a ply.
fn below(position: Position) -> Vec<Position> {
    if position.must_pass() {
        return vec![position.pass().canonical()];
    }
    let played = Square::all(position.moves()).filter_map(|square| position.play(square));
    played.map(Position::canonical).collect()
}

/// Returns what can come within so many plies from a position late in a game, which follows from `seed`.
fn late_tree(seed: u64, plies: u32) -> BTreeSet<Position> {
    let mut position = Position::START;
    for ply in 0.. {
        let next = below(position);
        if position.empties() <= 8 || next.is_empty() {
            break;
        }
        position = next[mixed(seed << 8 | ply) as usize % next.len()];
    }
    let mut tree = BTreeSet::from([position.canonical()]);
    for _ in 0..plies {
        let deeper: Vec<Position> = tree.iter().copied().flat_map(below).collect();
        tree.extend(deeper);
    }
    tree
}

/// Returns a record for each of `positions`: searched by a liar, searched by another, or inferred, as follows from
/// `seed`.
fn claims(seed: u64, positions: &BTreeSet<Position>) -> Vec<Record> {
    let record = |(number, &position): (u64, &Position)| {
        let (worker, method) = match mixed(mixed(seed) ^ number) % 16 {
            0 => ("liar", Method::Search),
            1..6 => ("honest", Method::Search),
            _ => ("coordinator", Method::Inference),
        };
        let origin = Arc::new(Origin { worker: worker.to_owned(), ..Origin::default() });
        Record {
            position,
            bound: Bound::exact(Score::DRAW),
            best_move: None,
            nodes: 1,
            provenance: Provenance { method, origin },
        }
    };
    (0..).zip(positions).map(record).collect()
}

/// Returns an index of `records`, without a log.
fn indexed(records: &[Record]) -> (MemoryIndex, Origins) {
    let (index, mut origins) = (MemoryIndex::default(), Origins::default());
    for record in records {
        let origin = &record.provenance.origin;
        let id = origins.id(origin).unwrap_or_else(|| {
            origins.push(Arc::clone(origin));
            origins.count() - 1
        });
        let source = Source { method: record.provenance.method, origin: id };
        let Record { position, bound, best_move, nodes, .. } = *record;
        let claim = Claim { position, bound, best_move, nodes, source };
        index.put_all(&[(position, Entry::first(&claim))]).unwrap();
    }
    (index, origins)
}

/// Returns whether the same squares are filled in both, in some of their symmetries.
fn fill_the_same(one: Position, other: Position) -> bool {
    let images = Symmetry::all().map(|symmetry| symmetry.position(one));
    images.into_iter().any(|image| image.empty() == other.empty())
}

/// A pass leads to a position of as many empties, which may come later where they are gone through.
#[test]
fn nothing_stands_from_which_a_move_or_a_pass_leads_to_what_falls() {
    let mut passes = 0;
    for seed in 0..512 {
        let tree = late_tree(seed, 3);
        let records = claims(seed, &tree);
        let (index, origins) = indexed(&records);
        let fallen: BTreeSet<_> = fallen(&index, records.len() as u64, &origins.of(&["liar"]))
            .unwrap()
            .into_iter()
            .collect();
        for &position in tree.difference(&fallen) {
            let leads_to = below(position).into_iter().find(|child| fallen.contains(child));
            assert_eq!(leads_to, None, "{seed}: {position:?} stands");
        }
        passes += fallen.iter().filter(|position| position.must_pass()).count();
    }
    assert!(passes >= 10, "{passes} passes fall");
}

#[test]
fn what_falls_is_what_may_rest_on_a_claim_and_nothing_else() {
    let (mut told, mut above) = (0, 0);
    for seed in 0..48 {
        let records = claims(seed, &late_tree(seed, 3));
        let (lies, others): (Vec<Record>, Vec<Record>) =
            records.iter().cloned().partition(|it| it.provenance.origin.worker == "liar");
        let lies: BTreeSet<Position> = lies.iter().map(|record| record.position).collect();
        let comes_to_a_lie = |position: Position| {
            let images = Symmetry::all().map(|symmetry| !symmetry.position(position).empty());
            images.into_iter().any(|image| lies.iter().any(|lie| lie.empty() & image == 0))
        };
        let mut expected = lies.clone();
        expected.extend(
            others
                .iter()
                .filter(|it| it.provenance.method == Method::Search && comes_to_a_lie(it.position))
                .map(|it| it.position),
        );
        told += expected.len() - lies.len();
        let from_claims = expected.len();
        let leads_there = |fallen: &BTreeSet<Position>, position: Position| {
            !fallen.contains(&position) && below(position).iter().any(|it| fallen.contains(it))
        };
        while let Some(more) = others.iter().find(|it| leads_there(&expected, it.position)) {
            expected.insert(more.position);
        }
        above += expected.len() - from_claims;
        let (index, origins) = indexed(&records);
        let found = fallen(&index, records.len() as u64, &origins.of(&["liar"])).unwrap();
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{seed}");
    }
    assert!(told >= 100 && above >= 100, "{told} searched, {above} above");
}

#[test]
fn whatever_part_was_taken_back_the_rest_is_found_again() {
    let (mut passes, mut abreast) = (0, 0);
    let trees = (0..).map(|seed| (seed, late_tree(seed, 3)));
    let with_passes = trees.filter(|(_, tree)| tree.iter().filter(|it| it.must_pass()).count() > 4);
    for (seed, tree) in with_passes.take(16) {
        let records = claims(seed, &tree);
        let (index, origins) = indexed(&records);
        let all = fallen(&index, records.len() as u64, &origins.of(&["liar"])).unwrap();
        for (number, &position) in all.iter().enumerate() {
            let rest: BTreeSet<Position> = all[number..].iter().copied().collect();
            let found = fallen(&index, records.len() as u64, &origins.of(&["liar"])).unwrap();
            assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), rest, "{seed}, {number}");
            passes += u32::from(position.must_pass());
            let liars = records.iter().filter(|record| record.provenance.origin.worker == "liar");
            let mut liars = liars.map(|record| record.position);
            abreast += u32::from(liars.any(|it| it != position && fill_the_same(it, position)));
            index.remove_all(&[position]).unwrap();
        }
    }
    // What the order is for that empty squares do not tell.
    assert!(passes >= 10 && abreast >= 10, "{passes} passes, {abreast} as full as a lie");
}

/// Returns the places behind the frames of the log.
fn ends(store: &Path) -> Vec<Place> {
    let mut scan = Scan::new(&store.join("log"), Place::START).unwrap();
    let mut ends = Vec::new();
    while scan.next().unwrap().is_some() {
        ends.push(scan.place());
    }
    ends
}

/// Opens a store that has a log up to `end`, and no more.
fn cut_at(end: Place, log: &Path) -> (tempfile::TempDir, Store) {
    let copy = tempfile::tempdir().unwrap();
    fs::create_dir(copy.path().join("log")).unwrap();
    let path = segment_path(&copy.path().join("log"), end.segment);
    fs::copy(segment_path(log, end.segment), &path).unwrap();
    OpenOptions::new().write(true).open(&path).unwrap().set_len(end.offset).unwrap();
    let (store, _) = Store::open(copy.path()).unwrap();
    (copy, store)
}

fn content(store: &Store) -> BTreeMap<Position, Bound> {
    let mut content = BTreeMap::new();
    let visited = store.for_each(|position, stored| {
        content.insert(position, stored.bound);
        Ok::<(), StoreError>(())
    });
    visited.unwrap();
    content
}

#[test]
fn a_process_that_is_killed_between_two_frames_takes_back_the_rest_when_it_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let records = claims(4, &late_tree(4, 4));
    store.append(&records).unwrap();
    let removed = withdraw(&store, "liar", 4).unwrap();
    let (expected, ends) = (content(&store), ends(folder.path()));
    assert!(removed > 40 && ends.len() as u64 == 1 + removed.div_ceil(4), "{removed}, {ends:?}");
    assert_eq!(expected.len() as u64, records.len() as u64 - removed);
    for (&end, gone) in ends.iter().zip((0..).step_by(4)) {
        let (copy, store) = cut_at(end, &folder.path().join("log"));
        assert_eq!(store.records(), records.len() as u64 - removed.min(gone));
        assert_eq!(store.withdraw("liar").unwrap(), removed - removed.min(gone), "cut at {end:?}");
        assert_eq!(content(&store), expected, "cut at {end:?}");
        drop(store);
        let found = verify(copy.path()).unwrap();
        assert!(found.is_sound(), "cut at {end:?}: {found:?}");
    }
}

/// Takes back while the disk gets full behind so many frames; returns whether it did.
fn is_taken_back_on_a_full_disk(frames: u32, again_at_once: bool) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let failure = Failure::Full { written: 20 };
    let plan = Arc::new(Mutex::new(Plan { failure, wait: u32::MAX, struck: false }));
    let disk: Arc<dyn Disk> = Arc::new(FailingDisk(Arc::clone(&plan)));
    let (store, _) =
        open::open(folder.path(), &Options::default(), &disk, Told::default()).unwrap();
    let records = claims(4, &late_tree(4, 4));
    store.append(&records).unwrap();
    plan.lock().unwrap().wait = frames;
    let Err(error) = withdraw(&store, "liar", 4) else { return false };
    assert!(error.is_full_disk(), "{error}");
    let left = records.len() as u64 - u64::from(4 * frames);
    assert_eq!((store.records(), content(&store).len() as u64), (left, left));
    let store = if again_at_once {
        store
    } else {
        drop(store);
        let found = verify(folder.path()).unwrap();
        assert!(found.is_sound() && !found.behind, "{frames} frames: {found:?}");
        Store::open(folder.path()).unwrap().0
    };
    assert_eq!(store.records(), left);
    let memory = Store::in_memory();
    memory.append(&records).unwrap();
    memory.withdraw("liar").unwrap();
    store.withdraw("liar").unwrap();
    assert_eq!(content(&store), content(&memory), "full behind {frames} frames");
    true
}

#[test]
fn a_disk_that_is_full_between_two_frames_leaves_what_is_taken_back_once_there_is_room() {
    for again_at_once in [true, false] {
        let struck = (0..9).filter(|&it| is_taken_back_on_a_full_disk(it, again_at_once)).count();
        assert_eq!(struck, 9);
    }
}

#[test]
fn an_index_that_does_not_follow_yet_is_behind_and_no_problem() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let records = claims(4, &late_tree(4, 4));
    store.append(&records).unwrap();
    drop(store);
    let behind = tempfile::tempdir().unwrap();
    let behind = behind.path().join("store");
    super::index::copy(folder.path(), &behind);
    let (store, _) = Store::open(folder.path()).unwrap();
    store.withdraw("liar").unwrap();
    // Of what was taken back something is known again, and it is something else.
    let fallen = records.iter().find(|record| store.get(record.position).is_none()).unwrap();
    store.append(&[Record { bound: Bound::exact(Score::MAX), ..fallen.clone() }]).unwrap();
    drop(store);
    // As if the process had been killed, and the index had not been written since.
    let log = |store: &Path| segment_path(&store.join("log"), 1);
    fs::copy(log(folder.path()), log(&behind)).unwrap();
    let found = verify(&behind).unwrap();
    assert_eq!((found.problems, found.behind), (0, true), "{:?}", found.described.first());
}

/// The index forgets as it goes, and may be on disk before the manifest that covers what was taken back.
#[test]
fn an_index_without_what_was_taken_back_since_the_manifest_is_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    Store::open(folder.path()).unwrap().0.append(&claims(4, &late_tree(4, 4))).unwrap();
    let Found::Manifest(before) = Manifest::read(folder.path()).unwrap() else {
        panic!("a manifest")
    };
    let (store, _) = Store::open(folder.path()).unwrap();
    let removed = store.withdraw("liar").unwrap();
    let (left, expected) = (store.records(), content(&store));
    assert!(removed > 0 && left + removed == before.records);
    drop(store);
    // As if the process had been killed before the end.
    before.write(folder.path()).unwrap();
    let index = SledIndex::open(&folder.path().join("index")).unwrap();
    index.checkpoint(None, &before).unwrap();
    drop(index);
    let (store, opened) = Store::open(folder.path()).unwrap();
    assert_eq!(opened.rebuilt.map(|rebuilt| rebuilt.reason), None);
    assert_eq!((store.records(), content(&store)), (left, expected));
}

/// Copies the store, damages these frames of its only segment, and repairs the copy; returns what it says then.
fn repaired_without(
    store: &Path,
    frames: &[usize],
    taken_back: &TakenBack,
) -> (Repair, BTreeMap<Position, Bound>) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("store");
    super::index::copy(store, &copy);
    let (path, ends) = (segment_path(&copy.join("log"), 1), ends(store));
    let mut log = fs::read(&path).unwrap();
    for frame in frames {
        log[ends[*frame].offset as usize - 1] ^= 1;
    }
    fs::write(&path, log).unwrap();
    let done = repair_after(&copy, |_| Ok(taken_back.clone())).unwrap();
    let found = verify(&copy).unwrap();
    assert!(found.is_sound(), "without {frames:?}: {found:?}");
    assert!(!copy.join("salvage-index").exists());
    (done, content(&Store::open(&copy).unwrap().0))
}

/// A docket that knows of the liar alone.
fn only_liar() -> TakenBack {
    TakenBack { workers: vec!["liar".to_owned()], is_all: true }
}

/// Makes a store with claims in its first frame, what was taken back in the next ones, four positions in each, and in
/// the last one another claim of a position that was taken back. Returns what it says, and the number of positions that
/// were taken back.
fn judged(folder: &Path) -> (BTreeMap<Position, Bound>, u64) {
    let (store, _) = Store::open(folder).unwrap();
    let records = claims(4, &late_tree(4, 4));
    store.append(&records).unwrap();
    let removed = withdraw(&store, "liar", 4).unwrap();
    let fallen = records.iter().find(|record| store.get(record.position).is_none()).unwrap();
    let origin = Arc::new(Origin { worker: "late".to_owned(), ..Origin::default() });
    let provenance = Provenance { method: Method::Search, origin };
    let later = Record { bound: Bound::exact(Score::MAX), provenance, ..fallen.clone() };
    store.append(&[later]).unwrap();
    (content(&store), removed)
}

#[test]
fn whatever_frame_of_those_that_took_back_is_lost_nothing_of_it_stands_again() {
    let folder = tempfile::tempdir().unwrap();
    let (expected, removed) = judged(folder.path());
    let frames = removed.div_ceil(4);
    assert!(frames > 10, "{removed}");
    for frame in 1..=frames {
        let (done, content) = repaired_without(folder.path(), &[frame as usize], &only_liar());
        assert_eq!(content, expected, "without frame {frame}");
        assert_eq!((done.taken_back, done.dropped), (removed - 4 * (frame - 1), 0));
        assert!(!done.is_unsure, "{done:?}");
    }
    // All of them, which leaves no trace of it.
    let all: Vec<usize> = (1..=frames as usize).collect();
    let (done, content) = repaired_without(folder.path(), &all, &only_liar());
    assert_eq!((content, done.taken_back, done.dropped), (expected, removed, 0));
}

#[test]
fn where_nobody_knows_whose_claims_fell_none_is_kept_before_a_part_of_it_that_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, removed) = judged(folder.path());
    let later: BTreeMap<_, _> =
        whole.iter().filter(|(_, bound)| **bound == Bound::exact(Score::MAX)).collect();
    assert_eq!(later.len(), 1);
    let nobody = TakenBack { workers: Vec::new(), is_all: true };
    for unknown in [TakenBack::UNKNOWN, nobody] {
        for frame in [1, 2, removed.div_ceil(4) as usize] {
            let (done, content) = repaired_without(folder.path(), &[frame], &unknown);
            assert_eq!(content.iter().collect::<BTreeMap<_, _>>(), later, "without {frame}");
            assert!(!done.is_unsure && done.dropped > removed, "{done:?}");
        }
    }
}

#[test]
fn between_two_lost_frames_no_claim_is_kept_that_may_rest_on_the_first_and_fell_with_the_second() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let records = claims(4, &late_tree(4, 4));
    let of_liar = |record: &Record| record.provenance.origin.worker == "liar";
    let (lies, others): (Vec<_>, Vec<_>) = records.into_iter().partition(of_liar);
    let (before, between) = others.split_at(40);
    for records in [before, &lies, between] {
        store.append(records).unwrap();
    }
    let fell = store.withdraw("liar").unwrap();
    drop(store);
    let known = |worker: &str| TakenBack { workers: vec![worker.to_owned()], is_all: true };
    let (done, content) = repaired_without(folder.path(), &[1, 3], &known("liar"));
    let expected = before.iter().map(|record| (record.position, record.bound)).collect();
    assert_eq!(content, expected);
    assert_eq!((done.dropped, done.taken_back), (between.len() as u64, 0), "{fell} fell");
    // Without the first frame that is lost what rests on it would stand, and nothing would lead there.
    assert!(fell as usize > lies.len());
}

#[test]
fn where_nothing_was_ever_taken_back_every_good_claim_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let records = claims(4, &late_tree(4, 4));
    for records in records.chunks(20) {
        store.append(records).unwrap();
    }
    drop(store);
    for is_all in [true, false] {
        let taken_back = TakenBack { workers: Vec::new(), is_all };
        let (done, content) = repaired_without(folder.path(), &[2, 5], &taken_back);
        assert_eq!(content.len(), records.len() - 40);
        assert_eq!((done.dropped, done.taken_back, done.is_unsure), (0, 0, !is_all));
    }
}
