//! Attacks of sliding pieces on an 8×8 board, without big tables.
//!
//! [`rook`], [`bishop`] and [`queen`] take the square of the piece and the occupied squares, and
//! return the squares it attacks: all up to the first occupied one in each direction, that one
//! included. Squares are numbered a1 = 0, b1 = 1, … h8 = 63; bit `n` of a board is square `n`.
//! Whether the piece's own square is among the occupied ones makes no difference.
//!
//! ```
//! // A rook on d4; blockers on d6, d1 and f4.
//! //
//! //   8  . . . . . . . .      8  . . . . . . . .
//! //   7  . . . . . . . .      7  . . . . . . . .
//! //   6  . . . # . . . .      6  . . . x . . . .
//! //   5  . . . . . . . .      5  . . . x . . . .
//! //   4  . . . R . # . .      4  x x x R x x . .
//! //   3  . . . . . . . .      3  . . . x . . . .
//! //   2  . . . . . . . .      2  . . . x . . . .
//! //   1  . . . # . . . .      1  . . . x . . . .
//! //      a b c d e f g h         a b c d e f g h
//! let (d4, d6, d1, f4) = (27, 43, 3, 29);
//! let occupied = 1 << d6 | 1 << d1 | 1 << f4;
//! let attacks = sliding::rook(d4, occupied);
//! assert_eq!(attacks, 0x0000_0808_3708_0808);
//! assert_eq!(attacks, sliding::rook(d4, occupied | 1 << d4));
//! ```
//!
//! # How
//! Hyperbola Quintessence. On one line, with the occupied squares `o` (without the slider) and the
//! slider `s`, the subtraction `o - s` borrows from the nearest blocker above the slider and so
//! changes all bits up to it. On the reversed board the same happens below the slider; both
//! together, restricted to the line, are the attacks:
//!
//! ```text
//!   o                    # . # . . . . #     lowest square at the right
//!   s                    . . . . s . . .
//!   o - s                # . . # # . . #     differs from o up to the blocker on the left
//!   the same, reversed   # . # . # # # .     differs from o down to the blocker on the right
//!   exclusive or         . . x x . x x x     the attacks
//! ```
//! Two squares of a file or a diagonal are never on the same rank, so that a byte swap reverses
//! these lines; a rank takes the reversal of all bits. The only table has 2 KiB, the lines through
//! each square.
//!
//! Source: Gerd Isenberg and Aleks Peshkov, chess programming wiki, "Hyperbola Quintessence";
//! TECHNIQUES G4.
#![no_std]
#![forbid(unsafe_code)]

use outflank_kernel::bits::{mirror_ranks, reverse};

/// The squares of the lines through a square, without itself.
#[derive(Clone, Copy)]
struct Lines {
    file: u64,
    rank: u64,
    diagonal: u64,
    antidiagonal: u64,
}

static LINES: [Lines; 64] = {
    let mut lines = [Lines { file: 0, rank: 0, diagonal: 0, antidiagonal: 0 }; 64];
    let mut square = 0;
    while square < 64 {
        lines[square] = Lines {
            file: line(square as i32, 0, 1),
            rank: line(square as i32, 1, 0),
            diagonal: line(square as i32, 1, 1),
            antidiagonal: line(square as i32, -1, 1),
        };
        square += 1;
    }
    lines
};

/// Returns the line through `square` whose step is `right` files and `up` ranks, without `square`.
const fn line(square: i32, right: i32, up: i32) -> u64 {
    let (mut squares, mut step) = (0_u64, -7);
    while step <= 7 {
        let (x, y) = (square % 8 + step * right, square / 8 + step * up);
        if step != 0 && x >= 0 && x < 8 && y >= 0 && y < 8 {
            squares |= 1 << (8 * y + x);
        }
        step += 1;
    }
    squares
}

/// Returns the squares that a rook on `square` (0–63) attacks.
///
/// # Panics
/// If `square` is 64 or more.
#[inline]
#[must_use]
pub fn rook(square: u8, occupied: u64) -> u64 {
    let lines = &LINES[usize::from(square)];
    let slider = 1_u64.rotate_left(u32::from(square));
    attacks(slider, occupied, lines.file, mirror_ranks)
        | attacks(slider, occupied, lines.rank, reverse)
}

/// Returns the squares that a bishop on `square` (0–63) attacks.
///
/// ```
/// // A bishop in the corner a1, blocked on c3.
/// assert_eq!(sliding::bishop(0, 1 << 18), 1 << 9 | 1 << 18);
/// ```
///
/// # Panics
/// If `square` is 64 or more.
#[inline]
#[must_use]
pub fn bishop(square: u8, occupied: u64) -> u64 {
    let lines = &LINES[usize::from(square)];
    let slider = 1_u64.rotate_left(u32::from(square));
    attacks(slider, occupied, lines.diagonal, mirror_ranks)
        | attacks(slider, occupied, lines.antidiagonal, mirror_ranks)
}

/// Returns the squares that a queen on `square` (0–63) attacks: those of a rook and of a bishop.
///
/// ```
/// // On an empty board a queen on d4 attacks 27 squares.
/// assert_eq!(sliding::queen(27, 0).count_ones(), 27);
/// ```
///
/// # Panics
/// If `square` is 64 or more.
#[inline]
#[must_use]
pub fn queen(square: u8, occupied: u64) -> u64 {
    rook(square, occupied) | bishop(square, occupied)
}

/// Returns the attacks of `slider` along `line`, which `reversed` must turn round.
#[inline(always)]
fn attacks(slider: u64, occupied: u64, line: u64, reversed: impl Fn(u64) -> u64) -> u64 {
    let blockers = occupied & line;
    let above = blockers.wrapping_sub(slider);
    let below = reversed(reversed(blockers).wrapping_sub(reversed(slider)));
    (above ^ below) & line
}
