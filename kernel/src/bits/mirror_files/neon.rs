//! RBIT on vectors of bytes mirrors each row, without the REV that the scalar form needs.
//!
//! 4 instructions; the scalar RBIT and REV are 3. It wins, by that count and untimed, only
//! for boards that are in vector registers already.
//!
//! Source: `reversi-bitboard-techniques`, mirroring on Arm.

use core::arch::aarch64::*;

/// Returns the board mirrored left-right.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn mirror_files(board: u64) -> u64 {
    vget_lane_u64::<0>(vreinterpret_u64_u8(vrbit_u8(vcreate_u8(board))))
}
