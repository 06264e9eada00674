//! A proof log whose checksums are right and whose items are anything, with damage on top: the store opens or names the
//! damage, a check agrees with it, a repair leaves a store that opens, and what is appended then is there.

#![no_main]
#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use outflank_coordinator::store::{
    Method, Origin, Provenance, Record, Store, StoreError, repair, verify,
};
use outflank_engine::{Bound, Position, Score};

#[derive(Arbitrary, Debug)]
struct Log<'a> {
    frames: Vec<Frame<'a>>,
    tail: &'a [u8],
    damage: Option<(u16, u8)>,
}

#[derive(Arbitrary, Debug)]
struct Frame<'a> {
    /// By how much its number is not the next one.
    skipped: u8,
    items: &'a [u8],
}

fuzz_target!(|log: Log<'_>| {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("store");
    fs::create_dir_all(store.join("log")).expect("a folder");
    fs::write(store.join("log/000001.log"), bytes(&log)).expect("a file");

    match Store::open(&store) {
        Ok((opened, _)) => {
            append(&opened);
            drop(opened);
            let found = verify(&store).expect("it was opened a moment ago");
            assert!(found.is_sound(), "{:?}", found.described);
        }
        Err(StoreError::Damaged { .. }) => {
            let found = verify(&store).expect("damage is no error of a check");
            assert!(!found.is_sound(), "damage that a check does not see");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if repair(&store).is_ok() {
        reopen(&store);
    }
});

/// Returns the segment: its head, the frames, what follows them.
fn bytes(log: &Log<'_>) -> Vec<u8> {
    let mut bytes = b"OUTFLANK".to_vec();
    bytes.extend([1_u32, 1].iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend([0; 12]);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    let mut number = 0_u64;
    for frame in &log.frames {
        number += u64::from(frame.skipped);
        let payload = [&number.to_le_bytes()[..], frame.items].concat();
        bytes.extend((payload.len() as u32).to_le_bytes());
        bytes.extend(crc32fast::hash(&payload).to_le_bytes());
        bytes.extend(payload);
        number += 1;
    }
    bytes.extend(log.tail);
    if let Some((place, flipped)) = log.damage {
        let place = usize::from(place) % bytes.len();
        bytes[place] ^= flipped;
    }
    bytes
}

/// Appends a proof of which the log has hardly anything yet.
fn append(store: &Store) {
    let position = Position::new(0b110, 0b1).expect("disjoint").canonical();
    let bound = Bound::at_least(Score::new(-62).expect("a score"));
    let provenance = Provenance { method: Method::Search, origin: Arc::new(Origin::default()) };
    let record = Record { position, bound, best_move: None, nodes: 1, provenance };
    store.append(&[record]).expect("there is room");
    let stored = store.get(position).map_or(Bound::UNKNOWN, |stored| stored.bound);
    assert!(stored.implies(bound) || stored.merge(bound).is_err(), "{stored} is all that is known");
}

fn reopen(path: &Path) {
    let (store, opened) = Store::open(path).expect("it was repaired");
    assert_eq!(opened.cut, None, "a repaired log ends with a whole frame");
    append(&store);
    drop(store);
    let found = verify(path).expect("it was opened a moment ago");
    assert!(found.is_sound(), "{:?}", found.described);
}
