//! Nanoseconds for each slider of every generator, and the ratios to the table look-ups.
//!
//! ```console
//! $ RUSTFLAGS="-C target-cpu=native" cargo bench -p sliding --bench ratios
//! $ RUSTFLAGS="-C target-cpu=native" cargo bench -p sliding --bench ratios -- --svg docs/images
//! ```
//! The words `chess`, `cold`, `shogi` and `symmetry` choose parts of it. The word `dispatch` measures what
//! a program gets that is compiled for any x86-64 processor and chooses at run time; without `RUSTFLAGS`:
//!
//! ```console
//! $ cargo bench -p sliding --bench ratios -- dispatch
//! ```
//!
//! The single queries and batches of chess are 4,096, which touch 256 KiB of a big table. With fewer, whose
//! lines of the table fit in the first level of the cache, a look-up has its shortest latency, by board (the
//! occupied squares wait for the last result) as by square (the square does):
//!
//! ```console
//! $ RUSTFLAGS="-C target-cpu=native" cargo bench -p sliding --bench ratios -- chess --queries 64
//! ```
//!
//! Methods of a group take turns, pass by pass, so that a disturbance hits all of them; the best
//! pass counts, and in the cold group the mean time of a position. Results pass through an empty piece of
//! assembly, which keeps the compiler from computing several queries in one vector.
#![allow(clippy::print_stdout, reason = "a benchmark reports on standard output")]
#![allow(unsafe_code, reason = "an empty piece of assembly keeps results apart")]

mod chess;
mod clock;
mod cold;
mod data;
#[cfg(target_arch = "x86_64")]
mod dispatch;
mod figures;
mod plot;
mod shogi;
mod stream;
mod symmetry;

use figures::Figures;

/// Rounds of the single queries and batches of chess.
const ROUNDS: u32 = 300;

/// Measures some groups.
type Section = fn(&mut Figures);

fn measure_chess(figures: &mut Figures) {
    let count = argument("--queries").map_or(data::QUERIES, |count| {
        let count = count.parse().ok().filter(|count| count % 8 == 0 && *count > 0);
        count.expect("--queries is a multiple of 8")
    });
    for (group, methods) in chess::Questions::new(count).groups() {
        let units = if group.ends_with("of a side") { data::QUERIES } else { count };
        figures.measure(group, units, ROUNDS, methods);
    }
}

/// Returns the argument after `option`.
fn argument(option: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != option).nth(1)
}

fn main() {
    let mut figures = Figures::default();
    let sections: &[(&str, Section)] = &[
        ("chess", measure_chess),
        ("cold", cold::measure),
        ("shogi", shogi::measure),
        ("symmetry", symmetry::measure),
        #[cfg(target_arch = "x86_64")]
        ("dispatch", dispatch::measure),
    ];
    let named = |name: &str| std::env::args().any(|argument| argument == name);
    let some = sections.iter().any(|(name, _)| named(name));
    for &(name, measure) in sections {
        if named(name) || !some && name != "dispatch" {
            measure(&mut figures);
        }
    }
    figures.print();
    figures.print_ratios();
    if let Some(folder) = argument("--svg") {
        plot::write(&figures, &folder).expect("the folder of the plots can be written");
    }
}
