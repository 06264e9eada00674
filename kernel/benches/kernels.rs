//! Nanoseconds a call for every variant of every family that this CPU has, by
//! `cargo bench -p outflank-kernel`.
//!
//! The variants of a family are measured in turns, and the best of the rounds counts. Each is a
//! call through a pointer, and the calls do not depend on each other: figures compare variants of
//! a family, they do not tell what a kernel costs in the search, where it is inlined.
#![allow(clippy::print_stdout, reason = "a benchmark reports on standard output")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::Instant;

use outflank_kernel::catalogue::Variant;
use outflank_kernel::{flip, hash, last_flip, lines, mobility, stability, symmetry};

const ROUNDS: u32 = 9;

/// Measures the variants of a family in turns; `call` makes one call from a position.
fn measure<F: Copy>(
    family: &str,
    variants: &[Variant<F>],
    positions: &[(u64, u64)],
    call: impl Fn(F, u64, u64) -> u64,
) {
    let variants: Vec<_> = variants
        .iter()
        .filter_map(|variant| Some((variant.entry().name, variant.function()?)))
        .collect();
    let mut best = vec![f64::INFINITY; variants.len()];
    for _ in 0..ROUNDS {
        for ((_, variant), best) in variants.iter().zip(&mut best) {
            let start = Instant::now();
            let results = positions
                .iter()
                .fold(0, |sum: u64, &(a, b)| sum.wrapping_add(call(*variant, a, b)));
            black_box(results);
            *best = best.min(start.elapsed().as_secs_f64() * 1e9 / positions.len() as f64);
        }
    }
    for ((name, _), best) in variants.iter().zip(best) {
        println!("{family:10} {best:8.2} ns  {name}");
    }
}

/// Returns an empty square that depends on the position, or any square of a full board.
fn some_empty(player: u64, opponent: u64) -> u32 {
    let empty = !(player | opponent).rotate_left(29);
    empty.trailing_zeros().wrapping_sub(29) & 63
}

fn main() {
    let positions = common::game_positions(100);
    println!("{} positions of random games, best of {ROUNDS} rounds", positions.len());
    measure("flip", flip::VARIANTS, &positions, |flip, player, opponent| {
        flip(player, opponent, some_empty(player, opponent))
    });
    measure("moves", mobility::VARIANTS, &positions, |moves, player, opponent| {
        moves(player, opponent)
    });
    measure("last flip", last_flip::both::VARIANTS, &positions, |last_flip, player, opponent| {
        let (turned, back) = last_flip(player, some_empty(player, opponent));
        u64::from(turned + back)
    });
    measure("full lines", lines::VARIANTS, &positions, |full_lines, player, opponent| {
        full_lines(player | opponent).into_iter().fold(0, |union, squares| union ^ squares)
    });
    measure("stability", stability::VARIANTS, &positions, |stable, player, opponent| {
        stable(player, opponent)
    });
    measure("hash", hash::VARIANTS, &positions, |hash, player, opponent| hash(player, opponent));
    measure("canonical", symmetry::VARIANTS, &positions, |canonical, player, opponent| {
        let (player, opponent) = canonical(player, opponent);
        player ^ opponent
    });
}
