//! Positions, records and folders for the tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use outflank_coordinator::store::{Method, Options, Origin, Provenance, Record, Store};
use outflank_engine::{Bound, Position, Score, Square};

/// Returns position number `index` of an endless row of different canonical positions.
pub(crate) fn position(index: u64) -> Position {
    let (occupied, split) = (mix(index), mix(!index));
    Position::new(occupied & split, occupied & !split).unwrap().canonical()
}

/// Returns 64 well-mixed bits (the finaliser of SplitMix64).
pub(crate) fn mix(index: u64) -> u64 {
    let mut bits = index.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

pub(crate) fn score(discs: i32) -> Score {
    Score::new(discs).unwrap()
}

pub(crate) fn bound(lower: i32, upper: i32) -> Bound {
    Bound::new(score(lower), score(upper)).unwrap()
}

static ORIGIN: LazyLock<Arc<Origin>> = LazyLock::new(|| {
    let [build, weights, worker, host, run] =
        ["0.1.0", "none", "worker-1", "host-1", "run-1"].map(str::to_owned);
    Arc::new(Origin { build, weights, worker, host, run })
});

pub(crate) fn provenance() -> Provenance {
    Provenance { method: Method::Search, origin: Arc::clone(&ORIGIN) }
}

pub(crate) fn record(position: Position, lower: i32, upper: i32) -> Record {
    let best_move = Square::new(19);
    let bound = bound(lower, upper);
    Record { position, bound, best_move, nodes: 1000, provenance: provenance() }
}

/// Returns the exact record number `index`, whose content follows from its number.
pub(crate) fn numbered(index: u64) -> Record {
    let value = (mix(index) % 65) as i32 * 2 - 64;
    record(position(index), value, value)
}

/// Returns options with segments of `bytes`.
pub(crate) fn segments_of(bytes: u64) -> Options {
    Options { segment_bytes: bytes, ..Options::default() }
}

/// Returns what the store says of each position.
pub(crate) fn content(store: &Store) -> BTreeMap<Position, Bound> {
    let mut content = BTreeMap::new();
    store
        .for_each(|position, stored| {
            content.insert(position, stored.bound);
            Ok::<(), outflank_coordinator::store::StoreError>(())
        })
        .unwrap();
    content
}

/// Copies the log and, if `manifest`, the manifest: what a killed process can count on.
pub(crate) fn copy_of_log(store: &Path, manifest: bool) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    fs::create_dir(copy.path().join("log")).unwrap();
    for file in fs::read_dir(store.join("log")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), copy.path().join("log").join(file.file_name())).unwrap();
    }
    if manifest {
        fs::copy(store.join("MANIFEST"), copy.path().join("MANIFEST")).unwrap();
    }
    copy
}

/// Returns the path of segment `number`.
pub(crate) fn segment(store: &Path, number: u32) -> PathBuf {
    store.join("log").join(format!("{number:06}.log"))
}

/// Inverts all bits of the byte at `offset` of the file at `path`.
pub(crate) fn flip_byte(path: &Path, offset: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[offset] = !bytes[offset];
    fs::write(path, bytes).unwrap();
}

/// Copies a folder with all that is in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let target = to.join(file.file_name());
        if file.metadata().unwrap().is_dir() {
            copy_folder(&file.path(), &target);
        } else {
            fs::copy(file.path(), target).unwrap();
        }
    }
}
