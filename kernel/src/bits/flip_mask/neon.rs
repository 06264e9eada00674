//! UQSUB subtracts and stops at nothing, in lanes of 64 bits as in bytes: one instruction.
//!
//! 5 or 6 instructions with the ways in and out of the vector registers, one of them in a kernel
//! that is there already, where it wins.
//!
//! Source: `reversi-bitboard-techniques`, NEON QSUB.

use core::arch::aarch64::*;

/// Returns the squares below the one of `outflank`, none if it is empty.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn below(outflank: u64) -> u64 {
    vget_lane_u64::<0>(vqsub_u64(vcreate_u64(outflank), vcreate_u64(1)))
}

/// Returns, in each row, the squares to the left of the one of `outflank`.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn below_in_rows(outflank: u64) -> u64 {
    vget_lane_u64::<0>(vreinterpret_u64_u8(vqsub_u8(vcreate_u8(outflank), vdup_n_u8(1))))
}
