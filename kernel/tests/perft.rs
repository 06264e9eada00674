//! Perft: the number of move sequences from the start position, with every set of this CPU.
//!
//! A forced pass counts as one ply. The figures are the well-known ones for Othello.

mod common;

use common::{START, each_set};
use outflank_kernel::{Isa, KernelSet};

const COUNTS: [u64; 11] =
    [4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288, 24_571_284, 212_258_800];

/// Returns the number of sequences of `depth` plies.
fn perft<K: KernelSet>(kernels: K, player: u64, opponent: u64, depth: u32) -> u64 {
    let mut moves = kernels.moves(player, opponent);
    if moves == 0 {
        let pass = kernels.moves(opponent, player) != 0;
        return if !pass || depth == 1 { 1 } else { perft(kernels, opponent, player, depth - 1) };
    }
    if depth == 1 {
        return u64::from(kernels.count(moves));
    }
    let mut leaves = 0;
    while moves != 0 {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flipped = kernels.flip(player, opponent, square);
        let moved = player ^ flipped ^ 1_u64.rotate_left(square);
        leaves += perft(kernels, opponent ^ flipped, moved, depth - 1);
    }
    leaves
}

#[test]
fn perft_from_the_start() {
    common::print_coverage();
    each_set!(|kernels, name| {
        let deepest = if isa_is_best(name) { 11 } else { 9 };
        for depth in 1..=deepest {
            let expected = COUNTS[depth as usize - 1];
            assert_eq!(perft(kernels, START.0, START.1, depth), expected, "{name}, depth {depth}");
        }
        println!("{name}: right to depth {deepest}");
    });
}

fn isa_is_best(name: &str) -> bool {
    Isa::detect().name() == name
}
