//! Counts the instructions of each generator, as a Markdown table:
//! `RUSTFLAGS="-C target-cpu=native" cargo run --release -p sliding --example instructions --features std,magic,pext`.
//!
//! Each query is a function of its own here. `objdump` (of binutils; the variable `OBJDUMP` names
//! another, as for aarch64) disassembles this program, and
//! the instructions of these functions are counted without the return, the clearing of upper halves
//! before it, and padding. A `+` stands behind a function with a loop or a call, whose instructions
//! are executed more than once or are elsewhere; a dash for a function that was joined with an equal one.
#![allow(unsafe_code, reason = "the functions have to be found by their names")]
#![allow(clippy::print_stdout, reason = "an example prints what it counts")]

use std::process::Command;

use sliding::Attacks;

/// What is counted, a column each.
const QUERIES: [&str; 7] = ["rook", "bishop", "queen", "rooks8", "bishops8", "queens8", "union"];

/// Defines the queries of back-ends as functions that the linker keeps, and the list of the rows.
macro_rules! back_ends {
    ($($(#[$only:meta])* $row:literal, $module:ident, $back_end:ty;)+) => {
        $(
            $(#[$only])*
            mod $module {
                use super::*;

                type BackEnd = $back_end;

                single!(rook, $module);
                single!(bishop, $module);
                single!(queen, $module);
                batch!(rooks8, $module);
                batch!(bishops8, $module);
                batch!(queens8, $module);

                #[unsafe(export_name = concat!("count_union_", stringify!($module)))]
                fn union(by: BackEnd, rooks: u64, bishops: u64, occupied: u64) -> u64 {
                    by.union(rooks, bishops, occupied)
                }

                /// Makes the linker keep the functions.
                pub(super) fn keep() {
                    std::hint::black_box((
                        rook as fn(_, _, _) -> _,
                        bishop as fn(_, _, _) -> _,
                        queen as fn(_, _, _) -> _,
                        rooks8 as fn(_, _, _, _),
                        bishops8 as fn(_, _, _, _),
                        queens8 as fn(_, _, _, _),
                        union as fn(_, _, _, _) -> _,
                    ));
                }
            }
        )+

        const ROWS: &[(&str, &str)] = &[$($(#[$only])* ($row, stringify!($module)),)+];

        fn keep() {
            $($(#[$only])* $module::keep();)+
        }
    };
}

macro_rules! single {
    ($query:ident, $module:ident) => {
        #[unsafe(export_name = concat!("count_", stringify!($query), "_", stringify!($module)))]
        fn $query(by: BackEnd, square: u8, occupied: u64) -> u64 {
            by.$query(square, occupied)
        }
    };
}

macro_rules! batch {
    ($query:ident, $module:ident) => {
        #[unsafe(export_name = concat!("count_", stringify!($query), "_", stringify!($module)))]
        fn $query(by: BackEnd, squares: [u8; 8], occupied: &[u64; 8], attacks: &mut [u64; 8]) {
            *attacks = by.$query(squares, *occupied);
        }
    };
}

back_ends! {
    "best as compiled", native, sliding::Native;
    "low latency", low_latency, sliding::LowLatency;
    "Hyperbola Quintessence, rank table", hyperbola, sliding::Hyperbola;
    #[cfg(target_arch = "x86_64")]
    "Hyperbola Quintessence, AVX2", hyperbola_avx2, sliding::HyperbolaAvx2;
    #[cfg(target_arch = "x86_64")]
    "Okuhara, AVX2", okuhara_avx2, sliding::OkuharaAvx2;
    "Hyperbola Quintessence, rank by diagonal", hyperbola_diagonal, sliding::HyperbolaDiagonal;
    "classical rays", classical, sliding::ClassicalRays;
    "obstruction difference", obstruction, sliding::ObstructionDifference;
    "Kogge-Stone", kogge_stone, sliding::KoggeStone;
    #[cfg(target_arch = "aarch64")]
    "Hyperbola Quintessence, bit reversal", hyperbola_reverse, sliding::HyperbolaReverse;
    #[cfg(target_arch = "aarch64")]
    "Hyperbola Quintessence, NEON", hyperbola_neon, sliding::HyperbolaNeon;
    #[cfg(target_arch = "aarch64")]
    "Kogge-Stone, NEON", kogge_stone_neon, sliding::KoggeStoneNeon;
    #[cfg(all(target_arch = "x86_64", feature = "pext"))]
    "PEXT", pext, sliding::Pext;
    #[cfg(all(target_arch = "x86_64", feature = "pext"))]
    "PEXT and PDEP", pext_pdep, sliding::PextPdep;
    #[cfg(feature = "magic")]
    "fancy magic", fancy_magic, sliding::FancyMagic;
    #[cfg(feature = "magic")]
    "black magic", black_magic, sliding::BlackMagic;
}

fn main() {
    keep();
    let program = std::env::current_exe().expect("this program has a path");
    let objdump = std::env::var_os("OBJDUMP").unwrap_or("objdump".into());
    let output = Command::new(objdump)
        .args(["--disassemble", "--no-show-raw-insn"])
        .arg(program)
        .output()
        .expect("objdump of binutils is installed");
    let listing = String::from_utf8_lossy(&output.stdout);
    println!("| method | {} |\n| --- |{}", QUERIES.join(" | "), " ---: |".repeat(QUERIES.len()));
    for (row, module) in ROWS {
        let counts = QUERIES.map(|query| count(&listing, &format!("<count_{query}_{module}>:")));
        println!("| {row} | {} |", counts.join(" | "));
    }
}

/// Returns the number of instructions of the function whose listing begins with `label`.
fn count(listing: &str, label: &str) -> String {
    let mut lines = listing.lines().skip_while(|line| !line.ends_with(label));
    if lines.next().is_none() {
        return "–".to_owned();
    }
    let body: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    let (mut instructions, mut repeated) = (0, false);
    for line in body {
        let (address, instruction) = line.split_once(":\t").expect("an address comes first");
        let (name, operands) = instruction.split_once(' ').unwrap_or((instruction, ""));
        let padding = ["nop", "int3", "data16", "cs", "xchg", "ret", "vzeroupper"];
        if padding.iter().any(|prefix| name.trim_end().starts_with(prefix)) {
            continue;
        }
        instructions += 1;
        // The target is the first operand on x86-64 and the last on aarch64, before its name.
        let mut words = operands.split('<').next().unwrap_or("").split_whitespace().rev();
        let target = words.next().map(|word| u64::from_str_radix(word, 16));
        let address = u64::from_str_radix(address.trim(), 16);
        let backward = matches!((target, address), (Some(Ok(to)), Ok(from)) if to <= from);
        let jumps = ["j", "b", "cb", "tb"].iter().any(|prefix| name.starts_with(prefix));
        repeated |= name.starts_with("call") || name.trim_end() == "bl" || (jumps && backward);
    }
    format!("{instructions}{}", if repeated { "+" } else { "" })
}
