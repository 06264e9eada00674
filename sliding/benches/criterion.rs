//! The queries of the benchmark `ratios` through criterion: throughput, dependent latency, cold use,
//! batches, unions and lists.
//!
//! ```console
//! $ RUSTFLAGS="-C target-cpu=native" cargo bench -p sliding --bench criterion
//! $ RUSTFLAGS="-C target-cpu=native" cargo bench -p sliding --bench criterion -- 'queen, throughput'
//! ```
//! Criterion measures one method after the other. On a busy machine, ratios are better taken from
//! `ratios`, where methods take turns and every pass of one has a pass of the others beside it.
#![allow(missing_docs, reason = "the macros of criterion make public functions")]
#![allow(unsafe_code, reason = "an empty piece of assembly keeps results apart")]

#[path = "ratios/chess.rs"]
mod chess;
#[path = "ratios/clock.rs"]
mod clock;
#[path = "ratios/data.rs"]
mod data;
#[path = "ratios/stream.rs"]
mod stream;

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use stream::{CHUNK, Rows, SLIDERS, fives};

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = hot, cold
}
criterion_main!(benches);

/// Single queries, independent and in a chain; batches, unions and lists.
fn hot(criterion: &mut Criterion) {
    for (name, methods) in chess::Questions::new(data::QUERIES).groups() {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(data::QUERIES as u64));
        for mut method in methods {
            group.bench_function(method.name, |bencher| bencher.iter(|| (method.pass)()));
        }
    }
}

/// Five sliders a position, right after 16 KiB of other data; the figure of "without queries" is to be
/// taken away from the others.
fn cold(criterion: &mut Criterion) {
    let (positions, rows) = (fives(), Rows::new());
    let mut group = criterion.benchmark_group("cold, 16 KiB");
    group.throughput(Throughput::Elements(SLIDERS as u64));
    for (name, mut run) in rows.methods(16) {
        let mut chunks = positions.chunks_exact(CHUNK).cycle();
        let mut state = 7;
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                let mut times = Vec::new();
                while (times.len() as u64) < iterations {
                    let chunk = chunks.next().expect("a cycle does not end");
                    run(chunk, &mut state, &mut times);
                }
                let mean = rows.clock.nanoseconds_of(&mut times);
                Duration::from_secs_f64(mean * iterations as f64 / 1e9)
            });
        });
    }
}
