//! Conversions from and to the types of the crate `shogi_core`.
//!
//! ```
//! use shogi_core::{Bitboard, Color, Square};
//! use sliding::shogi::{self, Layout, Split};
//!
//! let occupied = Bitboard::single(Square::SQ_5E) | Bitboard::single(Square::SQ_5B);
//! let attacks = shogi::rook(shogi::square_number(Square::SQ_5E), Split::from(occupied));
//! assert!(Bitboard::from(attacks).contains(Square::SQ_5B));
//! assert!(!Bitboard::from(attacks).contains(Square::SQ_5A));
//! let pawns = Bitboard::single(Square::SQ_7G);
//! let drops = shogi::pawn_drops(Color::Black.into(), Split::from(pawns));
//! assert_eq!(drops.count(), 64);
//! ```

use shogi_core::{Bitboard, Color, Square};

use super::board::{Contiguous, Layout, Side, Split};

// Both crates keep files 1-7 in the first word and 8-9 in the second; should `shogi_core` change
// that, this does not compile.
const _: () = {
    let mut number = 0;
    while number < 81 {
        let Some(square) = Square::new(number / 9 + 1, number % 9 + 1) else {
            panic!("a square has a file and a rank from 1 to 9")
        };
        let bit = if number < 63 { number } else { number + 1 };
        assert!(Bitboard::single(square).to_u128() == 1 << bit);
        number += 1;
    }
};

/// Returns the number of a square, as the functions for shogi take it.
#[inline(always)]
#[must_use]
pub const fn square_number(square: Square) -> u8 {
    square.array_index() as u8
}

impl From<Bitboard> for Split {
    #[inline(always)]
    fn from(board: Bitboard) -> Self {
        Self::from_bits(board.to_u128())
    }
}

impl From<Split> for Bitboard {
    #[inline(always)]
    fn from(board: Split) -> Self {
        // SAFETY: the layouts are the same, and a `Split` has no bits but those of squares.
        unsafe { Self::from_u128_unchecked(board.bits()) }
    }
}

impl From<Bitboard> for Contiguous {
    #[inline(always)]
    fn from(board: Bitboard) -> Self {
        Split::from(board).into()
    }
}

impl From<Contiguous> for Bitboard {
    #[inline(always)]
    fn from(board: Contiguous) -> Self {
        Split::from(board).into()
    }
}

impl From<Color> for Side {
    #[inline(always)]
    fn from(color: Color) -> Self {
        match color {
            Color::Black => Self::Black,
            Color::White => Self::White,
        }
    }
}

impl From<Side> for Color {
    #[inline(always)]
    fn from(side: Side) -> Self {
        match side {
            Side::Black => Self::Black,
            Side::White => Self::White,
        }
    }
}
