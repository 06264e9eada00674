//! The index in sled says what a map would say, whatever was divided, and whatever a kill left of that.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use outflank_engine::{Bound, Position, Score};
use proptest::prelude::*;

use crate::store::bucket::{self, MOST};
use crate::store::claim::{self, Claim, Entry, Source};
use crate::store::index::{Index, MemoryIndex};
use crate::store::sled_index::SledIndex;
use crate::store::tests::{all, scattered as position};
use crate::store::{Method, Store, record::Origin};

fn entry(number: u64, nodes: u64) -> Entry {
    let source = Source { method: Method::Search, origin: 0 };
    let (position, bound) = (position(number), Bound::exact(Score::DRAW));
    Entry::first(&Claim { position, bound, best_move: None, nodes, source })
}

/// Returns the entries of these positions, in the order of keys.
fn entries(numbers: impl IntoIterator<Item = u64>, nodes: u64) -> Vec<(Position, Entry)> {
    let mut entries: BTreeMap<_, _> = BTreeMap::new();
    for number in numbers {
        entries.insert(claim::key(position(number)), (position(number), entry(number, nodes)));
    }
    entries.into_values().collect()
}

fn assert_same(index: &SledIndex, model: &MemoryIndex, numbers: u64) {
    assert_eq!(all(index), all(model));
    for number in 0..numbers {
        let position = position(number);
        assert_eq!(index.get(position).unwrap(), model.get(position).unwrap(), "{number}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn an_index_says_what_a_map_says(
        steps in proptest::collection::vec(
            (proptest::collection::vec(0_u64..400, 1..60), any::<bool>(), 0_u64..9), 1..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let index = SledIndex::open(folder.path()).unwrap();
        let model = MemoryIndex::default();
        for (numbers, removes, nodes) in steps {
            if removes {
                let mut positions: Vec<Position> = Vec::new();
                for position in numbers.into_iter().map(position) {
                    if !positions.contains(&position) {
                        positions.push(position);
                    }
                }
                let removed = index.remove_all(&positions).unwrap();
                prop_assert_eq!(removed, model.remove_all(&positions).unwrap());
            } else {
                let entries = entries(numbers, nodes);
                prop_assert_eq!(index.put_all(&entries).unwrap(), model.put_all(&entries).unwrap());
            }
        }
        assert_same(&index, &model, 400);
        drop(index);
        assert_same(&SledIndex::open(folder.path()).unwrap(), &model, 400);
    }
}

/// Opens what an index has written; one that was dropped may hold its lock a little longer.
fn database(path: &Path) -> sled::Db {
    loop {
        match sled::Config::new().path(path).open() {
            Ok(database) => return database,
            Err(error) if error.to_string().contains("lock") => thread::yield_now(),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Returns the keys of the buckets, and the number of entries in each.
fn buckets(path: &Path) -> Vec<(claim::Key, usize)> {
    let tree = database(path).open_tree("buckets.v1").unwrap();
    let bucket = |(key, bytes): (sled::IVec, sled::IVec)| {
        (key.as_ref().try_into().unwrap(), bucket::open(&key, &bytes).unwrap().len())
    };
    tree.iter().map(|found| bucket(found.unwrap())).collect()
}

#[test]
fn buckets_are_full_where_an_index_is_filled_in_order_and_half_full_at_least_otherwise() {
    let numbers = 3000;
    let folder = tempfile::tempdir().unwrap();
    SledIndex::open(folder.path()).unwrap().put_all(&entries(0..numbers, 0)).unwrap();
    let filled = buckets(folder.path());
    assert!(filled.len() <= numbers as usize / MOST * 5 / 4, "{}", filled.len());
    let folder = tempfile::tempdir().unwrap();
    let index = SledIndex::open(folder.path()).unwrap();
    for number in 0..numbers {
        index.put_all(&entries([number], 0)).unwrap();
    }
    drop(index);
    let divided = buckets(folder.path());
    assert!(divided.iter().all(|&(_, count)| (MOST / 2..=MOST).contains(&count)), "{divided:?}");
}

/// What is above the place where a bucket is divided is written first: a kill may leave that alone.
#[test]
fn a_bucket_that_a_kill_left_half_divided_is_whole() {
    for upper_parts in 1..3 {
        let folder = tempfile::tempdir().unwrap();
        let model = MemoryIndex::default();
        let put = |index: &SledIndex, entries: &[(Position, Entry)]| {
            index.put_all(entries).unwrap();
            model.put_all(entries).unwrap();
        };
        let index = SledIndex::open(folder.path()).unwrap();
        put(&index, &entries(0..16, 1));
        drop(index);
        // The lower bucket stays as it was, and what is new is in the upper parts.
        let mut slots: Vec<_> =
            all(&model).iter().map(|(position, entry)| bucket::slot(*position, entry)).collect();
        for (position, entry) in entries(16..36, 2) {
            slots = bucket::merged(&slots, &[bucket::slot(position, &entry)]).0;
        }
        let parts = bucket::parted(&slots);
        assert_eq!(parts.len(), 3);
        let tree = database(folder.path()).open_tree("buckets.v1").unwrap();
        for part in &parts[3 - upper_parts..] {
            let key = *bucket::key_of(&part[0]);
            tree.insert(key, bucket::seal(&key, part)).unwrap();
            let read: Vec<_> = part.iter().map(|slot| bucket::read(slot).unwrap()).collect();
            model.put_all(&read).unwrap();
        }
        drop(tree);
        let index = SledIndex::open(folder.path()).unwrap();
        assert_same(&index, &model, 40);
        // What leaves an upper bucket does not come back from the lower one, and that one may be divided again.
        for number in 0..40 {
            let removed = index.remove_all(&[position(number)]).unwrap();
            assert_eq!(removed, model.remove_all(&[position(number)]).unwrap(), "{number}");
            assert_same(&index, &model, 40);
            if number % 2 == 0 {
                put(&index, &entries((number + 40)..(number + 44), 3));
                assert_same(&index, &model, 90);
            }
        }
    }
}

#[test]
fn nothing_is_missed_while_buckets_are_divided() {
    let folder = tempfile::tempdir().unwrap();
    let index = SledIndex::open(folder.path()).unwrap();
    let there = entries((0..4000).step_by(4), 0);
    index.put_all(&there).unwrap();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in (0..4000).filter(|number| number % 4 != 0) {
                index.put_all(&entries([number], 1)).unwrap();
            }
            is_over.store(true, Ordering::Relaxed);
        });
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for (position, entry) in &there {
                    assert_eq!(index.get(*position).unwrap(), Some(*entry));
                }
            }
        });
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let met = all(&index);
                assert!(met.is_sorted_by_key(|(position, _)| claim::key(*position)));
                assert_eq!(met.iter().filter(|(_, entry)| entry.nodes == 0).count(), there.len());
            }
        });
    });
    assert_eq!(all(&index).len(), 4000);
}

/// Pages of sled begin at a part of their first key, the shortest that is behind the page before. Whoever looks for what
/// is between reads that page, finds nothing, and reads the one before: if a bucket is divided meanwhile, its upper part
/// goes to the first page when it was read, and leaves the other before it is.
#[test]
fn nothing_is_missed_where_a_bucket_is_divided_across_two_pages() {
    const READERS: usize = 6;
    const BUCKETS: u64 = 128;
    let at = |number: u64| Position::new(number, !number).unwrap();
    let stored = |number: u64| (at(number), Entry { nodes: number, ..entry(0, 0) });
    // Sixteen each: the first four end in bytes from 0x80, the others in bytes up to that.
    let held = |bucket: u64| {
        let below = (4..8).map(move |step| bucket << 8 | step << 5);
        below.chain((0..12).map(move |step| (bucket + 1) << 8 | step << 3))
    };
    let folder = tempfile::tempdir().unwrap();
    let index = SledIndex::open(folder.path()).unwrap();
    index.put_all(&(0..BUCKETS).flat_map(held).map(stored).collect::<Vec<_>>()).unwrap();
    let (divided, missed, is_over) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let looked: [AtomicU64; READERS] = Default::default();
    thread::scope(|scope| {
        for looked in &looked {
            let (index, divided, missed, is_over) = (&index, &divided, &missed, &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let bucket = divided.load(Ordering::Acquire);
                    let (position, last) = stored(held(bucket).last().unwrap());
                    if index.get(position).unwrap() != Some(last) {
                        missed.fetch_add(1, Ordering::Relaxed);
                    }
                    looked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for bucket in 0..BUCKETS {
            divided.store(bucket, Ordering::Release);
            let before: Vec<u64> = looked.iter().map(|it| it.load(Ordering::Relaxed)).collect();
            let has_looked =
                |(it, before): (&AtomicU64, &u64)| it.load(Ordering::Relaxed) > *before;
            while !looked.iter().zip(&before).all(has_looked) {
                thread::yield_now();
            }
            index.put_all(&[stored((bucket + 1) << 8 | 0x70)]).unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    drop(index);
    assert_eq!(buckets(folder.path()).len() as u64, 2 * BUCKETS, "each was divided");
    assert_eq!(missed.into_inner(), 0, "of {looked:?}");
}

#[test]
fn an_index_of_before_there_were_buckets_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let record = super::record(3);
    Store::open(folder.path()).unwrap().0.append(std::slice::from_ref(&record)).unwrap();
    let database = database(&folder.path().join("index"));
    database.open_tree("bounds.v1").unwrap().insert("key", "entry").unwrap();
    drop(database);
    let (store, opened) = Store::open(folder.path()).unwrap();
    assert_eq!(opened.rebuilt.unwrap().reason, "it was made by an earlier version");
    assert_eq!(store.get(record.position).unwrap().lower_from.origin, Origin::default().into());
    drop(store);
    assert_eq!(Store::open(folder.path()).unwrap().1.rebuilt, None);
}
