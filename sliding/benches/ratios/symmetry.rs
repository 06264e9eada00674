//! Canonical forms against the naive form, which makes each image from the start.

use sliding::Native;
use sliding::canonical::Symmetry;

use crate::data::{Eight, Method, QUERIES, aligned, keep, keep_in_memory, random};
use crate::figures::Figures;

const ROUNDS: u32 = 200;

pub(crate) fn measure(figures: &mut Figures) {
    let mut state = 5;
    let (players, opponents): (Vec<u64>, Vec<u64>) = (0..QUERIES)
        .map(|_| {
            let (some, more) = (random(&mut state), random(&mut state));
            (some & more, some & !more)
        })
        .unzip();
    let positions = || players.iter().copied().zip(opponents.iter().copied());
    let single = |canonical: fn(u64, u64) -> (u64, u64)| {
        positions().fold(0, |sum, (player, opponent)| {
            let (player, opponent) = canonical(player, opponent);
            sum ^ keep(player) ^ keep(opponent)
        })
    };
    let best = || {
        positions().fold(0, |sum, (player, opponent)| {
            let (player, opponent) = Native.canonical(player, opponent);
            sum ^ keep(player) ^ keep(opponent)
        })
    };
    let methods = vec![
        Method { name: "naive", pass: Box::new(|| single(naive)) },
        Method { name: "best as compiled", pass: Box::new(best) },
    ];
    figures.measure("canonical", QUERIES, ROUNDS, methods);
    let (eight_players, eight_opponents) = (aligned(&players), aligned(&opponents));
    let batches = || {
        for (Eight(players), Eight(opponents)) in eight_players.iter().zip(&eight_opponents) {
            let (players, opponents) = Native.canonical8(*players, *opponents);
            keep_in_memory(&[Eight(players), Eight(opponents)]);
        }
        0
    };
    let methods = vec![Method { name: "best as compiled", pass: Box::new(batches) }];
    figures.measure("canonical, batch of 8", QUERIES, ROUNDS, methods);
}

/// Returns the smallest of the eight images, each made by up to three mirrors.
fn naive(player: u64, opponent: u64) -> (u64, u64) {
    (1..8).map(|s| (image(player, s), image(opponent, s))).fold((player, opponent), Ord::min)
}

fn image(board: u64, symmetry: u32) -> u64 {
    use outflank_kernel::bits::{mirror_files, mirror_ranks, transpose};
    let board = if symmetry & 1 != 0 { mirror_files(board) } else { board };
    let board = if symmetry & 2 != 0 { mirror_ranks(board) } else { board };
    if symmetry & 4 != 0 { transpose(board) } else { board }
}
