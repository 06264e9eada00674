//! Measures the proof store: rate of appends by batch size, time to open, and size on disk.
//!
//! `cargo run --release -p outflank-coordinator --example store_bench -- FOLDER [RECORDS]`
//!
//! The folder must be empty or missing; it should lie on the disk of which the figures are wanted.

#![allow(clippy::print_stdout, reason = "the figures are its output")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use outflank_coordinator::store::{Method, Origin, Provenance, Record, Store, StoreError, verify};
use outflank_engine::{Bound, Position, Score, Square};

/// Appends of the small batches.
const APPENDS: u64 = 300;
/// Threads that append one record at a time.
const THREADS: u64 = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let usage = "expected a folder and, if wanted, the number of records";
    let folder = arguments.next().ok_or(usage)?;
    let records = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let small = folder.join("small");
    let (store, _) = Store::open(&small)?;
    let one = measure(&store, 0, 1, APPENDS)?;
    report("appends of 1 record, 1 thread", APPENDS, one);
    report("appends of 1 record, 16 threads", APPENDS * THREADS, together(&store)?);
    let ten = measure(&store, 1 << 32, 10, APPENDS)?;
    report("records in appends of 10", 10 * APPENDS, ten);
    drop(store);
    fill(&folder.join("large"), records)?;
    open_and_read(&folder.join("large"), records)
}

/// Returns the time of `appends` appends of `size` records each, from record number `first` on.
fn measure(store: &Store, first: u64, size: u64, appends: u64) -> Result<Duration, StoreError> {
    let origin = Arc::new(Origin::default());
    let start = Instant::now();
    for append in 0..appends {
        let from = first + append * size;
        let records: Vec<_> = (from..from + size).map(|index| record(index, &origin)).collect();
        store.append(&records)?;
    }
    Ok(start.elapsed())
}

fn together(store: &Store) -> Result<Duration, StoreError> {
    let start = Instant::now();
    thread::scope(|scope| {
        let begin = |thread: u64| {
            scope.spawn(move || measure(store, (thread + 1) << 24, 1, APPENDS).map(drop))
        };
        let threads: Vec<_> = (0..THREADS).map(begin).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("appending does not panic"))
    })?;
    Ok(start.elapsed())
}

fn fill(path: &Path, records: u64) -> Result<(), Box<dyn Error>> {
    let (store, _) = Store::open(path)?;
    let elapsed = measure(&store, 0, 1000, records / 1000)?;
    report("records in appends of 1000", store.records(), elapsed);
    let start = Instant::now();
    let stats = store.stats()?;
    report("entries read in key order", stats.records, start.elapsed());
    println!("log {} bytes, index {} bytes", stats.log_bytes, stats.index_bytes);
    let start = Instant::now();
    drop(store);
    println!("closing: {:.3} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn open_and_read(path: &Path, records: u64) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let (store, opened) = Store::open(path)?;
    println!("opening after closing: {:.3} s, {opened:?}", start.elapsed().as_secs_f64());
    let origin = Arc::new(Origin::default());
    let start = Instant::now();
    // A large odd step visits the records in an order that the index does not know.
    let scattered = (0..records).map(|step| step.wrapping_mul(0x9e37_79b1) % records).take(200_000);
    let found = scattered.filter(|&index| store.get(record(index, &origin).position).is_some());
    let found = found.count() as u64;
    report("look-ups", found, start.elapsed());
    drop(store);
    fs::remove_dir_all(path.join("index"))?;
    let start = Instant::now();
    drop(Store::open(path)?);
    println!("opening without an index: {:.3} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let found = verify(path)?;
    println!("verifying: {:.3} s, sound: {}", start.elapsed().as_secs_f64(), found.is_sound());
    Ok(())
}

fn report(what: &str, count: u64, elapsed: Duration) {
    let seconds = elapsed.as_secs_f64();
    println!("{what}: {count} in {seconds:.3} s, {:.0}/s", count as f64 / seconds);
}

/// Returns record number `index`: a random position with a random exact value.
fn record(index: u64, origin: &Arc<Origin>) -> Record {
    let (occupied, split) = (mix(index), mix(!index));
    let position = Position::new(occupied & split, occupied & !split);
    let value = Score::floor((mix(index ^ 1 << 63) % 129) as i32 - 64);
    Record {
        position: position.expect("the two boards are disjoint").canonical(),
        bound: Bound::exact(value),
        best_move: Square::lowest(!occupied),
        nodes: index,
        provenance: Provenance { method: Method::Search, origin: Arc::clone(origin) },
    }
}

/// Returns 64 well-mixed bits (the finaliser of `SplitMix64`).
fn mix(index: u64) -> u64 {
    let mut bits = index.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}
