//! What one store takes over from another.

use std::collections::BTreeMap;

use outflank_coordinator::store::{
    ImportError, Imported, Method, Record, Step, Store, StoreError, Stored, verify,
};
use outflank_engine::{Position, Score};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::model::any_record;
use crate::support::{bound, content, numbered, position, record};

/// Returns a store in memory to which `records` were appended one by one.
fn store(records: &[Record]) -> Store {
    let store = Store::in_memory();
    for record in records {
        store.append(std::slice::from_ref(record)).unwrap();
    }
    store
}

/// Returns all that a store says of each position, without the origin of a side that says nothing.
fn whole(store: &Store) -> BTreeMap<Position, Stored> {
    let mut whole = BTreeMap::new();
    store
        .for_each(|position, mut stored| {
            if stored.bound.lower() == Score::MIN {
                stored.lower_from = stored.upper_from.clone();
            }
            if stored.bound.upper() == Score::MAX {
                stored.upper_from = stored.lower_from.clone();
            }
            if [&stored.lower_from, &stored.upper_from]
                .iter()
                .all(|from| from.method == Method::Inference)
            {
                stored.nodes = 0; // They were of a search whose bounds count no more.
            }
            whole.insert(position, stored);
            Ok::<(), StoreError>(())
        })
        .unwrap();
    whole
}

proptest! {
    #[test]
    fn a_new_store_becomes_what_the_other_is(records in vec(any_record(), 0..40)) {
        let (other, new) = (store(&records), Store::in_memory());
        let imported = new.import(&other, |_| {}).unwrap();
        prop_assert_eq!(imported.positions, other.records());
        prop_assert_eq!(whole(&new), whole(&other));
        let again = new.import(&other, |_| {}).unwrap();
        prop_assert_eq!((again.written, again.known), (0, imported.written + imported.known));
    }

    #[test]
    fn two_stores_are_merged_unless_they_contradict_each_other(
        own in vec(any_record(), 0..20), others in vec(any_record(), 0..20),
    ) {
        let (here, other) = (store(&own), store(&others));
        let (before, found) = (content(&here), content(&other));
        let mut merged = before.clone();
        let mut contradicts = false;
        for (&position, &bound) in &found {
            let held = before.get(&position).copied().unwrap_or(bound);
            match held.merge(bound) {
                Ok(both) => drop(merged.insert(position, both)),
                Err(_) => contradicts = true,
            }
        }
        match here.import(&other, |_| {}) {
            Ok(imported) => {
                prop_assert!(!contradicts);
                prop_assert_eq!(imported.positions, other.records());
                prop_assert_eq!(content(&here), merged);
            }
            Err(ImportError::Contradiction { position, held, found: claimed, .. }) => {
                prop_assert!(contradicts);
                prop_assert_eq!((Some(&held), Some(&claimed)), (before.get(&position), found.get(&position)));
                prop_assert_eq!(content(&here), before);
            }
            Err(ImportError::Store(error)) => return Err(TestCaseError::fail(error.to_string())),
        }
        prop_assert_eq!(content(&other), found, "the other store keeps its own");
    }
}

#[test]
fn both_authors_of_a_contradiction_are_named() {
    let (here, other) = (store(&[record(position(1), 4, 4)]), store(&[record(position(1), 6, 64)]));
    let error = here.import(&other, |_| {}).unwrap_err().to_string();
    let said = "the two stores contradict each other: ";
    assert!(error.starts_with(said) && error.ends_with("by worker-1 and by worker-1"), "{error}");
}

/// More records than are appended at once, over several frames and a reopening.
#[test]
fn what_was_taken_over_is_on_disk() {
    const POSITIONS: u64 = 150_000;
    let records: Vec<Record> = (0..POSITIONS).map(numbered).collect();
    let other = Store::in_memory();
    other.append(&records).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (here, _) = Store::open(folder.path()).unwrap();
    here.append(&[record(position(0), -64, 64), record(position(POSITIONS), 0, 2)]).unwrap();
    let (mut compared, mut taken_over) = (0, 0);
    let told = |step| match step {
        Step::Compared(positions) => compared = positions,
        Step::TakenOver(positions) => taken_over = positions,
    };
    let imported = here.import(&other, told).unwrap();
    let all = Imported { positions: POSITIONS, written: POSITIONS, known: 0 };
    assert_eq!((imported, compared, taken_over), (all, POSITIONS, POSITIONS));
    drop(here);
    let found = verify(folder.path()).unwrap();
    assert!(found.is_sound());
    // Damage takes a whole frame, and with the one that names an origin all later claims lose their author.
    assert!(found.frames > POSITIONS / 5_000, "{found:?}");
    let (here, _) = Store::open(folder.path()).unwrap();
    assert_eq!(here.records(), POSITIONS + 1);
    assert_eq!(here.get(position(POSITIONS)).unwrap().bound, bound(0, 2));
    assert!(records.iter().all(|record| here.get(record.position).unwrap().bound == record.bound));
}
