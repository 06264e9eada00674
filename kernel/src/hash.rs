//! A hash of positions made of CRC32C, the same value in every instruction set.
//!
//! Each half comes from two CRC steps over both boards; the high half sees them with their 32-bit
//! halves exchanged and in the other order. So both halves depend on both boards, and positions
//! that share one board are still told apart by 63 of the 64 bits (CRC32C keeps parity, which is
//! the same in both halves).
//!
//! Source: `edax-avx-optimizations` for CRC32C as a hash, the two halves are ours; TECHNIQUES F4.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
pub mod portable;
pub mod scalar;

crate::variants::variants! {
    /// Player, opponent → hash.
    Hash = fn(u64, u64) -> u64, called with (player, opponent);
    scalar: ["reference": scalar::hash, "F4 tables": portable::hash],
    avx2: ["F4 CRC32": avx2::hash],
    avx512: [],
    neon: ["F4 CRC32CX": neon::hash],
}

/// Combines CRC steps `step(state, board)` to the hash of a position.
#[inline(always)]
fn combine(player: u64, opponent: u64, step: impl Fn(u32, u64) -> u32) -> u64 {
    let low = step(step(0, player), opponent);
    let high = step(step(0, opponent.rotate_left(32)), player.rotate_left(32));
    u64::from(high) << 32 | u64::from(low)
}
