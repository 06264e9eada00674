//! The reference: CRC32C bit by bit.

/// The polynomial of CRC32C (Castagnoli), lowest power in the highest bit.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// Returns the hash of a position.
#[must_use]
pub fn hash(player: u64, opponent: u64) -> u64 {
    super::combine(player, opponent, step)
}

/// Returns the CRC after eight more bytes, without the usual inversions.
pub(super) const fn step(state: u32, board: u64) -> u32 {
    let mut rest = board ^ state as u64;
    let mut bit = 0;
    while bit < 64 {
        rest = if rest & 1 != 0 { rest >> 1 ^ POLYNOMIAL as u64 } else { rest >> 1 };
        bit += 1;
    }
    rest as u32
}
