//! The store does what a map does, over any number of reopenings.

use std::collections::BTreeMap;

use outflank_coordinator::store::{
    Appended, Contradicted, Method, Origin, Provenance, Record, Store, StoreError,
};
use outflank_engine::{Bound, Position, Square};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{bound, content, position, provenance, record, segments_of};

/// What a test does with a store.
#[derive(Clone, Debug)]
enum Step {
    Append(Vec<Record>),
    Reopen,
}

prop_compose! {
    pub(crate) fn any_record()(
        index in 0_u64..12, lower in -4_i32..=4, width in 0_i32..=4, low in any::<bool>(),
        high in any::<bool>(), square in 0_u32..70, nodes in 0_u64..9, worker in 0_u8..3,
        inferred in any::<bool>(),
    ) -> Record {
        let lower_end = if low { -64 } else { 2 * lower };
        let upper_end = if high { 64 } else { 2 * (lower + width) };
        let method = if inferred { Method::Inference } else { Method::Search };
        let origin = Origin { worker: format!("worker-{worker}"), ..Origin::default() };
        Record {
            position: position(index),
            bound: bound(lower_end, upper_end),
            best_move: Square::new(square),
            nodes,
            provenance: Provenance { method, origin: origin.into() },
        }
    }
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => vec(any_record(), 0..8).prop_map(Step::Append),
        1 => Just(Step::Reopen),
    ]
}

/// What is known about one position.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    bound: Bound,
    best_move: Option<Square>,
    nodes: u64,
    lower_from: Provenance,
    upper_from: Provenance,
}

type Model = BTreeMap<Position, Known>;

/// Applies a record to the model; returns what the store must count it as.
fn apply(model: &mut Model, record: &Record) -> &'static str {
    let Record { position, bound, best_move, nodes, provenance } = record.clone();
    let from = provenance;
    let Some(known) = model.get_mut(&position) else {
        if bound == Bound::UNKNOWN {
            return "known";
        }
        let (lower_from, upper_from) = (from.clone(), from);
        model.insert(position, Known { bound, best_move, nodes, lower_from, upper_from });
        return "written";
    };
    let Ok(merged) = known.bound.merge(bound) else { return "contradicted" };
    let rises = bound.lower() > known.bound.lower();
    let falls = bound.upper() < known.bound.upper();
    let names =
        bound.lower() == known.bound.lower() && known.best_move.is_none() && best_move.is_some();
    if !rises && !falls && !names {
        return "known";
    }
    if rises || names {
        known.best_move = best_move;
    }
    if rises {
        known.lower_from = from.clone();
    }
    if falls {
        known.upper_from = from;
    }
    known.bound = merged;
    known.nodes = known.nodes.max(nodes);
    "written"
}

fn check(store: &Store, model: &Model) -> Result<(), TestCaseError> {
    prop_assert_eq!(store.records(), model.len() as u64);
    for index in 0..12 {
        let stored = store.get(position(index)).map(|stored| Known {
            bound: stored.bound,
            best_move: stored.best_move,
            nodes: stored.nodes,
            lower_from: stored.lower_from,
            upper_from: stored.upper_from,
        });
        prop_assert_eq!(stored.as_ref(), model.get(&position(index)));
    }
    let bounds: BTreeMap<_, _> = model.iter().map(|(&key, known)| (key, known.bound)).collect();
    prop_assert_eq!(content(store), bounds);
    Ok(())
}

fn append(store: &Store, model: &mut Model, records: &[Record]) -> Result<(), TestCaseError> {
    let appended = store.append(records).unwrap();
    let fates: Vec<_> = records.iter().map(|record| apply(model, record)).collect();
    let count = |fate| fates.iter().filter(|&&it| it == fate).count() as u64;
    prop_assert_eq!(appended.written, count("written"));
    prop_assert_eq!(appended.known, count("known"));
    prop_assert_eq!(appended.contradicted.len() as u64, count("contradicted"));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_store_on_disk_is_a_map_that_survives_reopening(steps in vec(any_step(), 1..16)) {
        let folder = tempfile::tempdir().unwrap();
        let options = segments_of(200);
        let (mut store, _) = Store::open_with(folder.path(), &options).unwrap();
        let mut model = Model::new();
        for step in steps {
            match step {
                Step::Append(records) => append(&store, &mut model, &records)?,
                Step::Reopen => {
                    drop(store);
                    let opened;
                    (store, opened) = Store::open_with(folder.path(), &options).unwrap();
                    prop_assert_eq!((opened.rebuilt, opened.cut, opened.replayed), (None, None, 0));
                }
            }
            check(&store, &model)?;
        }
        drop(store);
        let found = outflank_coordinator::store::verify(folder.path()).unwrap();
        prop_assert!(found.is_sound() && !found.torn && !found.behind, "{:?}", found);
        prop_assert_eq!(found.positions, model.len() as u64);
    }

    #[test]
    fn a_store_in_memory_is_a_map(batches in vec(vec(any_record(), 0..8), 1..32)) {
        let (store, mut model) = (Store::in_memory(), Model::new());
        for records in batches {
            append(&store, &mut model, &records)?;
            check(&store, &model)?;
        }
    }

    #[test]
    fn an_index_made_from_the_log_says_what_the_old_one_said(
        batches in vec(vec(any_record(), 1..8), 1..16)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open_with(folder.path(), &segments_of(300)).unwrap();
        let mut model = Model::new();
        for records in &batches {
            append(&store, &mut model, records)?;
        }
        drop(store);
        std::fs::remove_dir_all(folder.path().join("index")).unwrap();
        let (store, opened) = Store::open(folder.path()).unwrap();
        prop_assert_eq!(opened.rebuilt.unwrap().reason, "there is no index");
        check(&store, &model)?;
    }
}

#[test]
fn a_contradiction_is_put_aside_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let (held, claim) = (record(position(1), 4, 4), record(position(1), 6, 64));
    let other = record(position(2), 0, 0);
    store.append(std::slice::from_ref(&held)).unwrap();
    let Appended { written, known, contradicted } = store.append(&[claim.clone(), other]).unwrap();
    assert_eq!((written, known), (1, 0));
    let [Contradicted { held: stored, claim: refused }] = &contradicted[..] else {
        panic!("{contradicted:?}")
    };
    assert_eq!((stored.bound, refused), (held.bound, &claim));
    assert_eq!(stored.upper_from, provenance());
    assert_eq!(store.get(position(1)).unwrap().bound, held.bound);
    assert_eq!(store.get(position(2)).unwrap().bound, bound(0, 0));
    drop(store);
    let found = outflank_coordinator::store::verify(folder.path()).unwrap();
    assert!(found.is_sound(), "{found:?}");
    assert_eq!((found.quarantined, found.positions), (1, 2));
    let (store, _) = Store::open(folder.path()).unwrap();
    assert!(store.stats().unwrap().quarantine_bytes > 0);
}

/// A frame that is too large is written, acknowledged, and never read again.
#[test]
fn a_call_of_any_size_is_kept_in_frames_that_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    // A payload has at most 8 MiB; the texts of these origins have more.
    let text = "x".repeat(Origin::LONGEST);
    let records: Vec<Record> = (0..1650)
        .map(|index| {
            let [weights, worker, host, run] = [(); 4].map(|()| text.clone());
            let origin = Origin { build: format!("{index:<1024}"), weights, worker, host, run };
            let provenance = Provenance { origin: origin.into(), ..provenance() };
            Record { provenance, ..record(position(index), 2, 4) }
        })
        .collect();
    assert_eq!(store.append(&records).unwrap().written, 1650);
    drop(store);
    std::fs::remove_dir_all(folder.path().join("index")).unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let stored = store.get(position(1649)).unwrap();
    assert_eq!((store.records(), stored.lower_from), (1650, records[1649].provenance.clone()));
}

#[test]
fn records_that_add_nothing_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    store.append(&[record(position(1), 4, 4)]).unwrap();
    let length = || std::fs::metadata(crate::support::segment(folder.path(), 1)).unwrap().len();
    let before = length();
    let mut weaker = record(position(1), 2, 64);
    weaker.provenance.origin = Origin { run: "run-2".to_owned(), ..Origin::default() }.into();
    let unknown = record(position(2), -64, 64);
    let appended = store.append(&[weaker, unknown]).unwrap();
    assert_eq!((appended.written, appended.known), (0, 2));
    assert_eq!(length(), before);
    assert_eq!(store.get(position(2)), None);
}

#[test]
fn a_claim_against_a_bound_that_is_not_stored_is_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    store.quarantine(&record(position(1), 4, 4), bound(6, 64)).unwrap();
    assert_eq!(store.get(position(1)), None);
    drop(store);
    let found = outflank_coordinator::store::verify(folder.path()).unwrap();
    assert!(found.is_sound(), "{found:?}");
    assert_eq!((found.quarantined, found.claims), (1, 0));
}

#[test]
fn records_that_the_store_cannot_keep_are_named() {
    let store = Store::in_memory();
    let mirrored = Position::new(1 << 63, 1 << 62).unwrap();
    let error = store.append(&[record(mirrored, 0, 0)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "position 0x8000000000000000/0x4000000000000000 is not in canonical form, expected \
         0x0000000000000001/0x0000000000000002"
    );
    let mut long = record(position(1), 0, 0);
    let origin = Origin { host: "h".repeat(1025), ..Origin::default() };
    long.provenance.origin = origin.into();
    let error = store.append(&[long]).unwrap_err();
    assert!(matches!(error, StoreError::OriginTooLong { field: "host", length: 1025, .. }));
    assert_eq!(store.records(), 0);
}

#[test]
fn the_export_is_a_line_of_json_for_each_position() {
    let store = Store::in_memory();
    let start = Position::START.canonical();
    let (player, opponent) = (start.player(), start.opponent());
    let mut inferred = record(Position::new(player, opponent).unwrap(), 2, 64);
    inferred.provenance.method = Method::Inference;
    let mut full = record(Position::new(!0, 0).unwrap(), 64, 64);
    full.best_move = None;
    store.append(&[inferred, full]).unwrap();
    let mut lines = Vec::new();
    assert_eq!(store.export(&mut lines).unwrap(), 2);
    let lines = String::from_utf8(lines).unwrap();
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = serde_json::json!({
        "position": format!("{} X", "X".repeat(64)), "lower": 64, "upper": 64,
        "best_move": null, "nodes": 1000, "method": "search",
    });
    assert_eq!(lines[0], expected);
    let expected = serde_json::json!({
        "position": format!("{}OX------XO{} X", "-".repeat(27), "-".repeat(27)),
        "lower": 2, "upper": 64, "best_move": "d3", "nodes": 1000, "method": "inference",
    });
    assert_eq!(lines[1], expected);
}

#[test]
fn an_origin_is_written_once_however_its_records_come() {
    let by = |index, worker: &str| {
        let origin = Origin { worker: worker.to_owned(), ..Origin::default() };
        let provenance = Provenance { method: Method::Search, origin: origin.into() };
        Record { provenance, ..record(position(index), 0, 2) }
    };
    let store = Store::in_memory();
    store.append(&[by(1, "one"), by(2, "other"), by(3, "one")]).unwrap();
    store.append(&[by(4, "other"), by(5, "one")]).unwrap();
    assert_eq!(store.stats().unwrap().origins, 2);
    assert_eq!(store.get(position(3)).unwrap().lower_from.origin.worker, "one");
}

#[test]
fn statistics_count_positions_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    store.append(&[record(position(1), 4, 4), record(position(2), 4, 6)]).unwrap();
    let stats = store.stats().unwrap();
    assert_eq!((stats.records, stats.exact, stats.origins), (2, 1, 1));
    assert_eq!(stats.by_empties.iter().sum::<u64>(), 2);
    assert_eq!(stats.by_empties.len(), 65);
    assert!(stats.log_bytes > 64 && stats.index_bytes > 0);
    assert_eq!(stats.quarantine_bytes, 0);
}
