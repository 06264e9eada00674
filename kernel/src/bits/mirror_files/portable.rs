//! Each byte alone by multiplication, or the whole board reversed and its bytes swapped back.
//!
//! ```text
//!   byte           h g f e d c b a
//!   * 0x00200802   copies of the byte at 1, 11 and 21; AND keeps six bits of them
//!   + byte << 7    and two more
//!   * 0x01010101   adds the bytes up: the fourth has the mirrored byte
//! ```
//! The multiplications win where a single row is needed; for a whole board they are by far the
//! slowest. The reversal is the form of aarch64, where RBIT and REV are instructions.
//!
//! 20 instructions in 10 cycles (3 on aarch64), by bytes 99 in 29; the delta swaps of `bits` are 21
//! in 10. Reversal wins on Arm, delta swaps on x86-64 without GFNI.
//!
//! Source: `reversi-bitboard-techniques`, mirroring of one byte; CPU instructions of Arm.

/// Returns the board mirrored left-right.
#[inline]
pub(super) fn bytes_by_multiplication(board: u64) -> u64 {
    u64::from_le_bytes(board.to_le_bytes().map(mirror_byte))
}

/// Returns the byte with its bits in the other order.
#[inline]
fn mirror_byte(byte: u8) -> u8 {
    let byte = u32::from(byte);
    let six = (byte * 0x0020_0802) & 0x0442_2110;
    let two = byte << 7 & 0x0880;
    ((six + two).wrapping_mul(0x0101_0101) >> 24) as u8
}

/// Returns the board mirrored left-right.
#[inline]
pub(super) fn reverse_and_swap(board: u64) -> u64 {
    board.reverse_bits().swap_bytes()
}
