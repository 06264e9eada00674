//! Bit primitives that the kernels and the `sliding` crate share: mirrors, transposition,
//! reversal, spreading.
//!
//! The functions here are the portable forms, which are constants' functions; the modules have the
//! catalogue of each primitive (labels A1–A5, A7 and A8).

pub mod count;
pub mod flip_mask;
pub mod highest;
pub mod mirror_files;
pub mod mirror_ranks;
pub mod reverse;
pub mod squares;
pub mod transpose;

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

/// The squares around each square: [`neighbours`] of it alone.
pub const NEIGHBOURS: [u64; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = neighbours(1 << square);
        square += 1;
    }
    table
};

/// Returns the lowest square of `board` and all squares below it, or every square if `board` is
/// empty: BLSMSK.
#[inline(always)]
#[must_use]
pub const fn up_to_lowest(board: u64) -> u64 {
    board ^ board.wrapping_sub(1)
}

/// Returns the highest square of `board`, which must not be empty, as a board: MS1B by LZCNT.
#[inline(always)]
#[must_use]
pub const fn highest(board: u64) -> u64 {
    debug_assert!(board != 0, "an empty board has no highest square");
    1 << 63 >> (board.leading_zeros() & 63)
}

/// Returns the number of the lowest square of `board` and removes that square; 64 if there is none.
#[inline(always)]
pub const fn take_lowest(board: &mut u64) -> u8 {
    let square = board.trailing_zeros() as u8;
    *board &= board.wrapping_sub(1);
    square
}

/// Returns the bits of `board` at the squares of `within`, brought together at the bottom in
/// order: PEXT as a loop.
#[inline]
#[must_use]
pub const fn extract(board: u64, mut within: u64) -> u64 {
    let (mut found, mut next) = (0, 0);
    while within != 0 {
        found |= (board >> take_lowest(&mut within) & 1) << next;
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_square_of_an_empty_board_is_beyond_the_last() {
        assert_eq!(up_to_lowest(0b1010_1000), 0b1111);
        assert_eq!(up_to_lowest(0), u64::MAX);
        let mut board = 1 << 63 | 1 << 5;
        let order = [take_lowest(&mut board), take_lowest(&mut board), take_lowest(&mut board)];
        assert_eq!(order, [5, 63, 64]);
    }

    #[test]
    fn corners_have_three_neighbours_and_the_middle_has_eight() {
        assert_eq!(NEIGHBOURS[0], 0x0302);
        assert_eq!(NEIGHBOURS[63], 0x40c0_0000_0000_0000);
        assert_eq!(NEIGHBOURS[27], 0x001c_141c_0000);
    }

    #[test]
    fn the_highest_square_stands_alone() {
        for square in 0..64 {
            assert_eq!(highest(u64::MAX >> (63 - square)), 1 << square);
        }
    }

    #[test]
    fn extracted_bits_keep_their_order() {
        assert_eq!(extract(0b1010_0110, 0b1111_0010), 0b10101);
        assert_eq!(extract(u64::MAX, u64::MAX), u64::MAX);
    }
}
