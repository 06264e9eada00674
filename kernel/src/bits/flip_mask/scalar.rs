//! The reference: look for the square, then set those below it.

/// Returns the squares below the one of `outflank`, none if it is empty.
#[must_use]
pub fn below(outflank: u64) -> u64 {
    (0..64)
        .filter(|square| outflank >> square & 1 != 0)
        .flat_map(|square| 0..square)
        .fold(0, |squares, square| squares | 1 << square)
}

/// Returns, in each row, the squares to the left of the one of `outflank`.
#[must_use]
pub fn below_in_rows(outflank: u64) -> u64 {
    u64::from_le_bytes(outflank.to_le_bytes().map(|row| below(u64::from(row)) as u8))
}
