//! RBIT mirrors each byte of a vector, REV64 their order: for boards that are in vector registers
//! already. The scalar RBIT does both in one instruction.
//!
//! 5 instructions; the scalar RBIT is 2 with its return, and wins for all other boards.
//!
//! Source: `reversi-bitboard-techniques`, NEON RBIT.

use core::arch::aarch64::*;

/// Returns the board turned by 180 degrees.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn reverse(board: u64) -> u64 {
    vget_lane_u64::<0>(vreinterpret_u64_u8(vrev64_u8(vrbit_u8(vcreate_u8(board)))))
}
