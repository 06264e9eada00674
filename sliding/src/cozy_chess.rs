//! The attacks with the types of the crate `cozy-chess`, under the names of its own functions.
//!
//! A program that uses `cozy_chess::get_rook_moves` changes its import, and has no table of 841 KiB
//! in the cache any more; `examples/cozy_chess.rs` is such a program. Blockers are occupied
//! squares, as everywhere in this crate.
//!
//! ```
//! use cozy_chess::{BitBoard, Square};
//! use sliding::cozy_chess::{get_rook_moves, square_number};
//!
//! let blockers = BitBoard::from(Square::D6) | BitBoard::from(Square::F3);
//! assert_eq!(get_rook_moves(Square::D3, blockers), cozy_chess::get_rook_moves(Square::D3, blockers));
//! // For the rest of the crate, a square is a number and a board is a word.
//! let moves = BitBoard(sliding::queen(square_number(Square::D3), blockers.0));
//! assert!(moves.has(Square::A6));
//! ```

use cozy_chess::{BitBoard, Square};

/// Returns the number of a square, as the rest of the crate takes it.
#[inline(always)]
#[must_use]
pub const fn square_number(square: Square) -> u8 {
    square as u8
}

/// Returns the squares that a rook attacks; see [`rook`](crate::rook).
#[inline(always)]
#[must_use]
pub fn get_rook_moves(square: Square, blockers: BitBoard) -> BitBoard {
    BitBoard(crate::rook(square as u8, blockers.0))
}

/// Returns the squares that a bishop attacks; see [`bishop`](crate::bishop).
#[inline(always)]
#[must_use]
pub fn get_bishop_moves(square: Square, blockers: BitBoard) -> BitBoard {
    BitBoard(crate::bishop(square as u8, blockers.0))
}

/// Returns the squares that a queen attacks; see [`queen`](crate::queen).
#[inline(always)]
#[must_use]
pub fn get_queen_moves(square: Square, blockers: BitBoard) -> BitBoard {
    BitBoard(crate::queen(square as u8, blockers.0))
}

/// Returns the squares that a rook and that a bishop attack; see [`both`](crate::both).
#[inline(always)]
#[must_use]
pub fn get_slider_moves(square: Square, blockers: BitBoard) -> (BitBoard, BitBoard) {
    let (rook, bishop) = crate::both(square as u8, blockers.0);
    (BitBoard(rook), BitBoard(bishop))
}

/// Returns the squares strictly between two squares of one line; see [`between`](crate::between).
#[inline(always)]
#[must_use]
pub const fn get_between_rays(from: Square, to: Square) -> BitBoard {
    BitBoard(crate::between(from as u8, to as u8))
}

/// Returns the whole line through two squares; see [`line`](crate::line).
#[inline(always)]
#[must_use]
pub const fn get_line_rays(from: Square, to: Square) -> BitBoard {
    BitBoard(crate::line(from as u8, to as u8))
}

/// Returns the squares that any of the sliders attacks, queens being in both sets; see
/// [`union`](crate::union).
#[inline(always)]
#[must_use]
pub fn union(rooks: BitBoard, bishops: BitBoard, blockers: BitBoard) -> BitBoard {
    BitBoard(crate::union(rooks.0, bishops.0, blockers.0))
}

/// Calls `visit` with the square and the attacks of each slider; see [`each`](crate::each).
#[inline]
pub fn each(
    rooks: BitBoard,
    bishops: BitBoard,
    blockers: BitBoard,
    mut visit: impl FnMut(Square, BitBoard),
) {
    crate::each(rooks.0, bishops.0, blockers.0, |square, attacks| {
        visit(Square::index(usize::from(square)), BitBoard(attacks));
    });
}
