//! Bit primitives that the kernels and the `sliding` crate share: mirrors, transposition,
//! reversal, spreading.
//!
//! TECHNIQUES A2–A5, in portable form. A board is drawn with A1 at the lower left.

/// Returns the board mirrored left-right (file A becomes file H): three delta swaps.
#[inline(always)]
#[must_use]
pub const fn mirror_files(board: u64) -> u64 {
    let board = (board >> 1 & 0x5555_5555_5555_5555) | (board & 0x5555_5555_5555_5555) << 1;
    let board = (board >> 2 & 0x3333_3333_3333_3333) | (board & 0x3333_3333_3333_3333) << 2;
    (board >> 4 & 0x0f0f_0f0f_0f0f_0f0f) | (board & 0x0f0f_0f0f_0f0f_0f0f) << 4
}

/// Returns the board mirrored top-bottom (rank 1 becomes rank 8): a byte swap.
#[inline(always)]
#[must_use]
pub const fn mirror_ranks(board: u64) -> u64 {
    board.swap_bytes()
}

/// Returns the board turned by 180 degrees: the order of all 64 bits is reversed.
#[inline(always)]
#[must_use]
pub const fn reverse(board: u64) -> u64 {
    board.reverse_bits()
}

/// Returns the board mirrored at the diagonal A1–H8 (files become ranks): three delta swaps of
/// blocks of one, two and four squares.
#[inline(always)]
#[must_use]
pub const fn transpose(board: u64) -> u64 {
    let swap = (board ^ board >> 7) & 0x00aa_00aa_00aa_00aa;
    let board = board ^ swap ^ swap << 7;
    let swap = (board ^ board >> 14) & 0x0000_cccc_0000_cccc;
    let board = board ^ swap ^ swap << 14;
    let swap = (board ^ board >> 28) & 0x0000_0000_f0f0_f0f0;
    board ^ swap ^ swap << 28
}

/// Returns the squares next to a square of `board`, in all eight directions. Squares of `board`
/// are among them if they touch each other.
#[inline(always)]
#[must_use]
pub const fn neighbours(board: u64) -> u64 {
    let right = board << 1 & 0xfefe_fefe_fefe_fefe;
    let left = board >> 1 & 0x7f7f_7f7f_7f7f_7f7f;
    let row = board | right | left;
    left | right | row << 8 | row >> 8
}
