//! Sums the tables of `sliding` that a program has which uses every function of the crate's root:
//! `RUSTFLAGS="-C target-cpu=native" cargo run --release -p sliding --example footprint`.
//!
//! `nm` (of binutils; the variable `NM` names another, as for aarch64) lists the constants of this
//! program with their sizes; those whose names are of the two crates count.
#![allow(clippy::print_stdout, reason = "an example prints what it counts")]

use std::hint::black_box;
use std::process::Command;

fn main() {
    keep();
    let program = std::env::current_exe().expect("this program has a path");
    let nm = std::env::var_os("NM").unwrap_or("nm".into());
    let output = Command::new(nm)
        .args(["--print-size", "--radix=d", "--demangle"])
        .arg(program)
        .output()
        .expect("nm of binutils is installed");
    let (mut total, mut tables) = (0, 0);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        // address, size, kind, name; `r` and `R` are constants, `d` those that hold addresses
        let mut words = line.split_whitespace();
        let (size, kind) = (words.nth(1).unwrap_or(""), words.next().unwrap_or(""));
        let name = words.collect::<Vec<_>>().join(" ");
        let ours = name.starts_with("sliding::") || name.starts_with("outflank_kernel::");
        if "rRdD".contains(kind) && ours {
            let size: usize = size.parse().expect("nm writes sizes as decimal numbers");
            println!("{size:6} {name}");
            (total, tables) = (total + size, tables + 1);
        }
    }
    println!("{total:6} bytes in {tables} tables");
    assert!(tables > 0, "every target has a table of diagonals; is this program stripped?");
}

/// Uses every function of the crate's root with arguments that the compiler does not know.
fn keep() {
    let (square, other) = (black_box(27), black_box(36));
    let (board, pieces) = (black_box(0x0042_1800_8100_2400), black_box(1 << 27));
    black_box((sliding::rook(square, board), sliding::bishop(square, board)));
    black_box((sliding::queen(square, board), sliding::both(square, board)));
    black_box(sliding::rooks8([square; 8], [board; 8]));
    black_box(sliding::bishops8([square; 8], [board; 8]));
    black_box(sliding::queens8([square; 8], [board; 8]));
    black_box(sliding::union(pieces, pieces, board));
    sliding::each(pieces, pieces, board, |square, attacks| {
        black_box((square, attacks));
    });
    black_box(sliding::all_rooks(board));
    black_box(sliding::all_bishops(board));
    black_box(sliding::all_queens(board));
    black_box(sliding::rook_xray(square, board, pieces));
    black_box(sliding::bishop_xray(square, board, pieces));
    black_box((sliding::between(square, other), sliding::line(square, other)));
    black_box(sliding::along(square, board, pieces));
}
