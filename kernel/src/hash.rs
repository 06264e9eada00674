//! A hash of positions made of CRC32C, the same value in every instruction set.
//!
//! Each half comes from two CRC steps over both boards; the high half sees them with their 32-bit
//! halves exchanged and in the other order. So both halves depend on both boards, and positions
//! that share one board are still told apart by 63 of the 64 bits (CRC32C keeps parity, which is
//! the same in both halves).
//!
//! Source: `edax-avx-optimizations` for CRC32C as a hash, the two halves are ours.

#[cfg(target_arch = "aarch64")]
mod neon;
pub mod portable;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse42;

crate::catalogue::family! {
    /// Player, opponent → hash.
    Hash = fn(player: u64, opponent: u64) -> u64;
    chosen by HASH or "OUTFLANK_KERNEL_HASH";
    portable {
        "reference" "F4" [] scalar::hash,
        "tables_of_8" "F4" [] portable::hash,
        "tables_of_4" "F4" [] portable::tables_of_4,
    }
    x86_64 {
        "crc32" "F4" ["sse4.2"] sse42::hash,
        "crc32_by_halves" "F4" ["sse4.2"] sse42::hash_by_halves,
    }
    aarch64 {
        "crc32cx" "F4" ["crc"] neon::hash,
    }
}

/// Combines CRC steps `step(state, board)` to the hash of a position.
#[inline(always)]
fn combine(player: u64, opponent: u64, step: impl Fn(u32, u64) -> u32) -> u64 {
    let low = step(step(0, player), opponent);
    let high = step(step(0, opponent.rotate_left(32)), player.rotate_left(32));
    u64::from(high) << 32 | u64::from(low)
}
