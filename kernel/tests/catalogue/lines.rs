//! Full lines.

use outflank_kernel::lines::{VARIANTS, columns, diagonals, portable, rows, scalar};

use crate::common;
use crate::run::{FEW, check, each_of, each_position, runnable};

/// Checks all families of lines on one board, of which `reference` knows the lines.
fn checker(reference: fn(u64) -> [u64; 4]) -> impl Fn(u64) {
    let all = runnable("lines", VARIANTS);
    let rows = runnable("rows", rows::VARIANTS);
    let columns = runnable("columns", columns::VARIANTS);
    let diagonals = runnable("diagonals", diagonals::VARIANTS);
    move |discs| {
        let expected = reference(discs);
        let [row, column, diagonal, antidiagonal] = expected;
        check(&all, &expected, discs, |full_lines| full_lines(discs));
        check(&rows, &row, discs, |full_rows| full_rows(discs));
        check(&columns, &column, discs, |full_columns| full_columns(discs));
        check(&diagonals, &[diagonal, antidiagonal], discs, |full| full(discs));
    }
}

#[test]
fn full_lines() {
    each_of(FEW, |player, opponent| {
        let discs = player | opponent;
        assert_eq!(portable::full_lines(discs), scalar::full_lines(discs), "{discs:#x}");
    });
    let check = checker(portable::full_lines);
    each_position(|player, opponent| {
        for discs in [player | opponent, !(player & opponent.rotate_left(19))] {
            check(discs);
        }
    });
}

/// All patterns of every line, the rest of the board being empty or full.
#[test]
fn every_pattern_of_every_line() {
    let check = checker(scalar::full_lines);
    for square in (0..64).step_by(if cfg!(miri) { 9 } else { 1 }) {
        for (right, up) in &common::STEPS[..4] {
            let line = 1 << square
                | common::walk(square, *right, *up, 7)
                | common::walk(square, -right, -up, 7);
            if line.trailing_zeros() != square as u32 {
                continue; // once a line, from its lowest square
            }
            for pattern in common::subsets(line).step_by(if cfg!(miri) { 97 } else { 1 }) {
                check(pattern);
                check(pattern | !line);
            }
        }
    }
}
