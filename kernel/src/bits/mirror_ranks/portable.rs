//! Rows, pairs of rows and halves change places. The compiler knows the pattern and makes BSWAP of
//! it, so that this is the same code as the byte swap.
//!
//! 3 instructions in 6 cycles, call and return included. It wins as the byte swap does: always, but
//! for boards that are in vector registers already.
//!
//! Source: `symmetry-avx2`.

/// Returns the board mirrored top-bottom.
#[inline]
pub(super) fn delta_swaps(board: u64) -> u64 {
    let board = (board >> 8 & 0x00ff_00ff_00ff_00ff) | (board & 0x00ff_00ff_00ff_00ff) << 8;
    let board = (board >> 16 & 0x0000_ffff_0000_ffff) | (board & 0x0000_ffff_0000_ffff) << 16;
    board.rotate_left(32)
}
