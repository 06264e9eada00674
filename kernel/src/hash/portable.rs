//! CRC32C by eight tables, one for each byte of a board ("slicing by eight").

/// For each byte of a board, its contribution to the CRC.
static TABLES: [[u32; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 8 {
        let mut value = 0;
        while value < 256 {
            tables[byte][value] = super::scalar::step(0, (value as u64) << (8 * byte));
            value += 1;
        }
        byte += 1;
    }
    tables
};

/// Returns the hash of a position.
#[inline]
#[must_use]
pub fn hash(player: u64, opponent: u64) -> u64 {
    super::combine(player, opponent, |state, board| {
        let bytes = (board ^ u64::from(state)).to_le_bytes();
        bytes.iter().zip(&TABLES).fold(0, |crc, (&byte, table)| crc ^ table[usize::from(byte)])
    })
}
