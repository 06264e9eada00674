//! The parallel prefix of [`portable`](super::portable) with two directions in each register; USHL
//! shifts up by positive and down by negative counts.
//!
//! Slower than the scalar form on every core that the documents measured, because there a shift is
//! part of the logic instruction.
//!
//! 90 instructions on aarch64.
//!
//! Ours.

use core::arch::aarch64::*;

use super::INNER;

/// The distances of two lines, and which masks of opponents belong to them.
const PAIRS: [([i64; 2], [u64; 2]); 2] =
    [([1, 8], [INNER[0], INNER[1]]), ([9, 7], [INNER[2], INNER[3]])];

/// Returns the squares where the player can move.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn moves(player: u64, opponent: u64) -> u64 {
    let (players, opponents) = (vdupq_n_u64(player), vdupq_n_u64(opponent));
    let mut moves = vdupq_n_u64(0);
    for (steps, inner) in PAIRS {
        let inner = vcombine_u64(vcreate_u64(inner[0]), vcreate_u64(inner[1]));
        let steps = vcombine_s64(
            vcreate_s64(steps[0].cast_unsigned()),
            vcreate_s64(steps[1].cast_unsigned()),
        );
        let opponents = vandq_u64(opponents, inner);
        moves = vorrq_u64(moves, run(players, opponents, steps));
        moves = vorrq_u64(moves, run(players, opponents, vnegq_s64(steps)));
    }
    (vgetq_lane_u64::<0>(moves) | vgetq_lane_u64::<1>(moves)) & !(player | opponent)
}

/// Returns the squares behind runs of opponents.
#[inline]
#[target_feature(enable = "neon")]
fn run(players: uint64x2_t, opponents: uint64x2_t, one: int64x2_t) -> uint64x2_t {
    let two = vaddq_s64(one, one);
    let pairs = vandq_u64(opponents, vshlq_u64(opponents, one));
    let mut run = vandq_u64(opponents, vshlq_u64(players, one));
    run = vorrq_u64(run, vandq_u64(opponents, vshlq_u64(run, one)));
    run = vorrq_u64(run, vandq_u64(pairs, vshlq_u64(run, two)));
    run = vorrq_u64(run, vandq_u64(pairs, vshlq_u64(run, two)));
    vshlq_u64(run, one)
}
