//! CRC32C by the instruction of SSE4.2, eight bytes a step.

use core::arch::x86_64::_mm_crc32_u64;

/// Returns the hash of a position.
#[inline]
#[target_feature(enable = "sse4.2")]
#[must_use]
pub(crate) fn hash(player: u64, opponent: u64) -> u64 {
    super::combine(player, opponent, |state, board| _mm_crc32_u64(u64::from(state), board) as u32)
}
