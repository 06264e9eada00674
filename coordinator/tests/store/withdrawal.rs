//! Taking back what a worker that lied has claimed.

use std::sync::Arc;

use outflank_coordinator::store::{Method, Origin, Provenance, Record, Store, repair, verify};
use outflank_engine::{Position, Square, Symmetry};

use crate::support::{copy_of_log, record};

fn by(worker: &str, method: Method, record: &Record) -> Record {
    let origin = Arc::new(Origin { worker: worker.to_owned(), ..Origin::default() });
    Record { provenance: Provenance { method, origin }, ..record.clone() }
}

/// Returns a position, one after a move there, and one after a move there.
fn family() -> [Position; 3] {
    let after = |position: Position| {
        let square = Square::all(position.moves()).next().unwrap();
        position.play(square).unwrap()
    };
    let mut position = Position::START;
    for _ in 0..4 {
        position = after(position);
    }
    [position, after(position), after(after(position))].map(Position::canonical)
}

#[test]
fn what_a_liar_claimed_and_what_rests_on_it_is_withdrawn_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let [above, claimed, below] = family();
    let of_claimed = by("liar", Method::Search, &record(claimed, 4, 64));
    let inferred = by("coordinator", Method::Inference, &record(above, -64, -4));
    let honest = by("honest", Method::Search, &record(below, 2, 2));
    store.append(&[of_claimed.clone(), inferred, honest.clone()]).unwrap();
    assert_eq!(store.withdraw("nobody").unwrap(), 0);
    assert_eq!(store.withdraw("liar").unwrap(), 2);
    assert_eq!((store.records(), store.withdraw("liar").unwrap()), (1, 0));
    assert!(store.get(claimed).is_none() && store.get(above).is_none());
    assert_eq!(store.get(below).unwrap().bound, honest.bound);

    // The truth takes the place, and no index that is made from the log brings the lie back.
    let truth = by("honest", Method::Search, &record(claimed, -64, 0));
    store.append(std::slice::from_ref(&truth)).unwrap();
    for manifest in [true, false] {
        let copy = copy_of_log(folder.path(), manifest);
        let (rebuilt, opened) = Store::open(copy.path()).unwrap();
        assert_eq!((opened.records, opened.contradictions), (2, 0));
        assert_eq!(rebuilt.get(claimed).unwrap().bound, truth.bound);
        assert!(rebuilt.get(above).is_none());
    }
    drop(store);
    let found = verify(folder.path()).unwrap();
    assert!(found.is_sound(), "{found:?}");
    assert_eq!(repair(folder.path()).unwrap().records, 2);
    let (store, opened) = Store::open(folder.path()).unwrap();
    assert_eq!((opened.records, store.get(claimed).unwrap().bound), (2, truth.bound));
}

#[test]
fn what_another_may_have_searched_with_a_claim_from_deep_below_is_withdrawn_and_nothing_else() {
    let store = Store::in_memory();
    let [above, between, claimed] = family();
    let beside = Square::all(above.moves())
        .filter_map(|square| above.play(square))
        .map(Position::canonical)
        .find(|beside| {
            let images = Symmetry::all().map(|turn| turn.position(*beside));
            images.into_iter().all(|image| claimed.empty() & !image.empty() != 0)
        })
        .expect("another move fills a square that is empty in the claim");
    assert_ne!(beside, between);
    let of = |worker, position| by(worker, Method::Search, &record(position, 0, 64));
    store.append(&[of("liar", claimed), of("honest", above), of("honest", beside)]).unwrap();
    assert_eq!(store.withdraw("liar").unwrap(), 2);
    assert!(store.get(claimed).is_none());
    assert!(store.get(above).is_none(), "two plies above, and nothing is known in between");
    assert!(store.get(beside).is_some(), "its discs never leave the board");
}

/// Damage has lost what it was inferred from, so that no worker is to blame.
#[test]
fn what_is_said_of_a_position_is_taken_back_with_what_rests_on_it_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let [above, baseless, below] = family();
    let beside = record(
        family()[0].play(Square::all(above.moves()).last().unwrap()).unwrap().canonical(),
        2,
        2,
    );
    let inferred = |position| by("coordinator", Method::Inference, &record(position, 4, 64));
    let honest = by("honest", Method::Search, &record(below, 2, 2));
    store.append(&[inferred(baseless), inferred(above), honest, beside.clone()]).unwrap();
    assert_eq!(store.retract(baseless).unwrap(), 2);
    assert_eq!(store.retract(baseless).unwrap(), 0, "nothing is left of it");
    store.append(&[by("honest", Method::Search, &record(above, -64, 0))]).unwrap();
    assert_eq!(store.retract(baseless).unwrap(), 0, "it is not there, and others may not fall");
    drop(store);
    assert!(verify(folder.path()).unwrap().is_sound());
    for manifest in [true, false] {
        let copy = copy_of_log(folder.path(), manifest);
        let (store, _) = Store::open(copy.path()).unwrap();
        let held = [above, baseless, below, beside.position].map(|it| store.get(it).is_some());
        assert_eq!(held, [true, false, true, true]);
    }
}
