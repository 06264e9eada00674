//! Perft: the number of move sequences from the start position, with every set of this CPU.
//!
//! A forced pass counts as one ply. The figures are the well-known ones for Othello. The code is
//! compiled once for each set with its features, as the search is.

mod common;

use common::{START, each_set};
#[cfg(target_arch = "aarch64")]
use outflank_kernel::Neon;
#[cfg(target_arch = "x86_64")]
use outflank_kernel::{Avx2, Avx512};
use outflank_kernel::{Isa, KernelSet, Scalar};

const COUNTS: [u64; 11] =
    [4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288, 24_571_284, 212_258_800];

/// A set whose perft is compiled with its features.
trait Perft: KernelSet {
    /// Returns the number of sequences of `depth` plies.
    fn perft(self, player: u64, opponent: u64, depth: u32) -> u64;
}

/// Returns the number of sequences of `depth` plies; `deeper` is the entry that called this.
#[inline(always)]
fn perft<K: KernelSet>(
    kernels: K,
    player: u64,
    opponent: u64,
    depth: u32,
    deeper: impl Fn(u64, u64, u32) -> u64,
) -> u64 {
    let mut moves = kernels.moves(player, opponent);
    if moves == 0 {
        let pass = kernels.moves(opponent, player) != 0;
        return if !pass || depth == 1 { 1 } else { deeper(opponent, player, depth - 1) };
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
        leaves += deeper(opponent ^ flipped, moved, depth - 1);
    }
    leaves
}

macro_rules! entry {
    ([$($feature:tt),*] $token:ty) => {
        impl Perft for $token {
            #[allow(unsafe_code, unused_unsafe, reason = "entering a set; the lowest is safe")]
            fn perft(self, player: u64, opponent: u64, depth: u32) -> u64 {
                $(#[target_feature(enable = $feature)])*
                fn entered(kernels: $token, player: u64, opponent: u64, depth: u32) -> u64 {
                    perft(kernels, player, opponent, depth, |player, opponent, depth| {
                        entered(kernels, player, opponent, depth)
                    })
                }
                // SAFETY: the token proves the features.
                unsafe { entered(self, player, opponent, depth) }
            }
        }
    };
}
entry!([] Scalar);
#[cfg(target_arch = "x86_64")]
outflank_kernel::avx2_features!(entry!(Avx2));
#[cfg(target_arch = "x86_64")]
outflank_kernel::avx512_features!(entry!(Avx512));
#[cfg(target_arch = "aarch64")]
outflank_kernel::neon_features!(entry!(Neon));

#[test]
fn perft_from_the_start() {
    common::print_coverage();
    let best = Isa::detect().name();
    each_set!(|kernels, name| {
        let deepest = if name == best { 11 } else { 9 };
        for depth in 1..=deepest {
            let expected = COUNTS[depth as usize - 1];
            assert_eq!(kernels.perft(START.0, START.1, depth), expected, "{name}, depth {depth}");
        }
        println!("{name}: right to depth {deepest}");
    });
}
