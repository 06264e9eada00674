//! Two opposite directions in each of four registers: USHL shifts to the left in one lane and to
//! the right in the other.

use core::arch::aarch64::*;

use outflank_kernel::Neon;

use super::{NOT_1, NOT_8, NOT_A, NOT_H};
use crate::attacks::Attacks;
use crate::geometry::bit;

/// Kogge-Stone with two directions in a register, without tables.
#[derive(Clone, Copy, Debug)]
pub struct KoggeStoneNeon(Neon);

impl KoggeStoneNeon {
    /// Returns the back-end; the token proves that the CPU has the instructions.
    #[must_use]
    pub const fn new(token: Neon) -> Self {
        Self(token)
    }
}

impl Attacks for KoggeStoneNeon {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        self.union(bit(square), 0, occupied)
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        self.union(0, bit(square), occupied)
    }

    #[inline(always)]
    fn queen(self, square: u8, occupied: u64) -> u64 {
        self.union(bit(square), bit(square), occupied)
    }

    #[inline(always)]
    fn union(self, rooks: u64, bishops: u64, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { union(rooks, bishops, occupied) }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn union(rooks: u64, bishops: u64, occupied: u64) -> u64 {
    let empty = vdupq_n_u64(!(occupied | rooks | bishops));
    let (rooks, bishops) = (vdupq_n_u64(rooks), vdupq_n_u64(bishops));
    let ranks = walk(rooks, empty, 1, [NOT_A, NOT_H]);
    let files = walk(rooks, empty, 8, [NOT_1, NOT_8]);
    let diagonals = walk(bishops, empty, 9, [NOT_A & NOT_1, NOT_H & NOT_8]);
    let antidiagonals = walk(bishops, empty, 7, [NOT_H & NOT_1, NOT_A & NOT_8]);
    let all = vorrq_u64(vorrq_u64(ranks, files), vorrq_u64(diagonals, antidiagonals));
    vgetq_lane_u64::<0>(all) | vgetq_lane_u64::<1>(all)
}

/// Returns the attacks of the sliders to higher squares and to lower ones.
#[inline]
#[target_feature(enable = "neon")]
fn walk(sliders: uint64x2_t, empty: uint64x2_t, step: i64, arrive: [u64; 2]) -> uint64x2_t {
    let steps = |count: i64| {
        let step = count * step;
        vcombine_s64(vdup_n_s64(step), vdup_n_s64(-step))
    };
    let arrive = vcombine_u64(vcreate_u64(arrive[0]), vcreate_u64(arrive[1]));
    let (mut reached, mut free) = (sliders, vandq_u64(empty, arrive));
    for steps in [steps(1), steps(2), steps(4)] {
        reached = vorrq_u64(reached, vandq_u64(free, vshlq_u64(reached, steps)));
        free = vandq_u64(free, vshlq_u64(free, steps));
    }
    vandq_u64(vshlq_u64(reached, steps(1)), arrive)
}
