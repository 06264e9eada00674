//! The hash spreads positions over all bits of both halves.

mod common;

use std::collections::HashSet;

use common::each_set;
use outflank_kernel::{KernelSet, Scalar};

/// Returns the rank of the vectors over the field of two elements.
fn rank(vectors: impl Iterator<Item = u64>) -> usize {
    let mut basis: Vec<u64> = Vec::new();
    for vector in vectors {
        let reduced = basis.iter().fold(vector, |rest, &base| rest.min(rest ^ base));
        if reduced != 0 {
            basis.push(reduced);
            basis.sort_unstable_by(|a, b| b.cmp(a));
        }
    }
    basis.len()
}

/// CRC32C is linear, so its images of single squares tell how well it separates positions.
#[test]
fn each_board_alone_decides_nearly_all_bits() {
    let kernels = Scalar::new();
    let images = |square: u32| [kernels.hash(1 << square, 0), kernels.hash(0, 1 << square)];
    let both = |bits: u64| rank((0..64).flat_map(images).map(|hash| hash & bits));
    assert_eq!(both(0xffff_ffff), 32, "low half");
    assert_eq!(both(!0xffff_ffff), 32, "high half");
    assert!(both(!0) >= 63, "both halves: {}", both(!0));
    for side in 0..2 {
        let one = rank((0..64).map(|square| images(square)[side]));
        assert!(one >= 63, "board {side}: {one} of 64 bits");
    }
}

#[test]
fn positions_of_games_collide_in_neither_half_more_than_chance_allows() {
    let positions: HashSet<_> = common::game_positions(2_000).into_iter().collect();
    each_set!(|kernels, name| {
        let hashes = || positions.iter().map(|&(player, opponent)| kernels.hash(player, opponent));
        let whole: HashSet<u64> = hashes().collect();
        assert_eq!(whole.len(), positions.len(), "{name}: 64 bits");
        for shift in [0, 32] {
            let half: HashSet<u32> = hashes().map(|hash| (hash >> shift) as u32).collect();
            // about 1.6 pairs are expected of 118,000 positions in 2^32 values
            let lost = positions.len() - half.len();
            assert!(lost <= 12, "{name}: {lost} collisions in the half at bit {shift}");
        }
    });
}
