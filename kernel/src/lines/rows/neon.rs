//! One comparison. Ours, after the SSE2 form.
//!
//! 5 instructions, against 7 for the prefix: it wins by that count, untimed.

use core::arch::aarch64::*;

/// Returns the squares on full rows.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn full_rows(discs: u64) -> u64 {
    let full = vceq_u8(vcreate_u8(discs), vdup_n_u8(0xff));
    vget_lane_u64::<0>(vreinterpret_u64_u8(full))
}
