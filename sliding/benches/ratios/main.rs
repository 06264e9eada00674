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
    for (group, methods) in chess::Questions::new().groups() {
        figures.measure(group, data::QUERIES, ROUNDS, methods);
    }
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
    let mut arguments = std::env::args().skip_while(|argument| argument != "--svg").skip(1);
    if let Some(folder) = arguments.next() {
        plot::write(&figures, &folder).expect("the folder of the plots can be written");
    }
}
