//! The same functions for constants: every one is a `const fn` in portable code.
//!
//! ```
//! const D4_ON_AN_EMPTY_BOARD: u64 = sliding::constant::queen(27, 0);
//! assert_eq!(D4_ON_AN_EMPTY_BOARD, sliding::queen(27, 0));
//! ```
//! They use Hyperbola Quintessence with a rank table, like [`Hyperbola`](crate::Hyperbola).

use outflank_kernel::bits::{mirror_ranks, reverse, take_lowest};

use crate::geometry::{along_rank, bit, diagonals, file, rank};

/// Returns the squares that a rook attacks; see [`rook`](crate::rook).
///
/// # Panics
/// As the methods of [`Attacks`](crate::Attacks); where the compiler evaluates it, the build fails.
#[inline(always)]
#[must_use]
pub const fn rook(square: u8, occupied: u64) -> u64 {
    along_swapped(bit(square), occupied, file(square)) | along_rank(square, occupied)
}

/// Returns the squares that a bishop attacks; see [`bishop`](crate::bishop).
///
/// # Panics
/// As the methods of [`Attacks`](crate::Attacks); where the compiler evaluates it, the build fails.
#[inline(always)]
#[must_use]
pub const fn bishop(square: u8, occupied: u64) -> u64 {
    let lines = diagonals(square);
    let slider = bit(square);
    along_swapped(slider, occupied, lines.diagonal)
        | along_swapped(slider, occupied, lines.antidiagonal)
}

/// Returns the squares that a queen attacks; see [`queen`](crate::queen).
///
/// # Panics
/// As the methods of [`Attacks`](crate::Attacks); where the compiler evaluates it, the build fails.
#[inline(always)]
#[must_use]
pub const fn queen(square: u8, occupied: u64) -> u64 {
    rook(square, occupied) | bishop(square, occupied)
}

/// Returns the squares that a rook and that a bishop attack; see [`both`](crate::both).
///
/// # Panics
/// As the methods of [`Attacks`](crate::Attacks); where the compiler evaluates it, the build fails.
#[inline(always)]
#[must_use]
pub const fn both(square: u8, occupied: u64) -> (u64, u64) {
    (rook(square, occupied), bishop(square, occupied))
}

/// Returns the attacks of `slider` along `line`, no two squares of which share a rank.
#[inline(always)]
pub(crate) const fn along_swapped(slider: u64, occupied: u64, line: u64) -> u64 {
    let blockers = occupied & line;
    let above = blockers.wrapping_sub(slider);
    let below = mirror_ranks(mirror_ranks(blockers).wrapping_sub(mirror_ranks(slider)));
    (above ^ below) & line
}

/// Defines a function that fills an array by calling another for each index.
macro_rules! batches {
    ($($name:ident, $all:ident, $single:ident, $free:literal, $free_all:literal);+ $(;)?) => {$(
        #[doc = concat!("Returns the attacks of eight pieces; see [`", $free, "`](crate::", $free, ").")]
        ///
        /// # Panics
        /// As the methods of [`Attacks`](crate::Attacks); where the compiler evaluates it, the build fails.
        #[must_use]
        pub const fn $name(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
            let (mut attacks, mut i) = ([0; 8], 0);
            while i < 8 {
                attacks[i] = $single(squares[i], occupied[i]);
                i += 1;
            }
            attacks
        }

        #[doc = concat!("Returns the attacks from all squares; see [`", $free_all, "`](crate::", $free_all, ").")]
        #[must_use]
        pub const fn $all(occupied: u64) -> [u64; 64] {
            let (mut attacks, mut square) = ([0; 64], 0);
            while square < 64 {
                attacks[square] = $single(square as u8, occupied);
                square += 1;
            }
            attacks
        }
    )+};
}
batches! {
    rooks8, all_rooks, rook, "rooks8", "all_rooks";
    bishops8, all_bishops, bishop, "bishops8", "all_bishops";
    queens8, all_queens, queen, "queens8", "all_queens";
}

/// Returns the squares that any of the sliders attacks; see [`union`](crate::union).
#[must_use]
pub const fn union(mut rooks: u64, mut bishops: u64, occupied: u64) -> u64 {
    let occupied = occupied | rooks | bishops;
    let mut attacks = 0;
    while rooks != 0 {
        attacks |= rook(take_lowest(&mut rooks), occupied);
    }
    while bishops != 0 {
        attacks |= bishop(take_lowest(&mut bishops), occupied);
    }
    attacks
}

/// Returns the same as [`union`] by the generalised o^(o-2r) of whole sets, in the same time for any
/// number of sliders; the twin of [`SetWise`](crate::SetWise).
#[must_use]
pub const fn set_wise(rooks: u64, bishops: u64, occupied: u64) -> u64 {
    crate::set_wise::union(rooks, bishops, occupied)
}

/// Returns the attacks of each slider at the index of its square, and no attacks elsewhere; the
/// twin of [`each`](crate::each), since a constant function cannot call a closure.
#[must_use]
pub const fn each(rooks: u64, bishops: u64, occupied: u64) -> [u64; 64] {
    let occupied = occupied | rooks | bishops;
    let (mut attacks, mut square) = ([0; 64], 0);
    while square < 64 {
        if rooks >> square & 1 != 0 {
            attacks[square] |= rook(square as u8, occupied);
        }
        if bishops >> square & 1 != 0 {
            attacks[square] |= bishop(square as u8, occupied);
        }
        square += 1;
    }
    attacks
}

/// Returns what a rook sees through `blockers`; see [`rook_xray`](crate::rook_xray).
///
/// # Panics
/// As the methods of [`Attacks`](crate::Attacks); where the compiler evaluates it, the build fails.
#[must_use]
pub const fn rook_xray(square: u8, occupied: u64, blockers: u64) -> u64 {
    let seen = rook(square, occupied);
    seen ^ rook(square, occupied & !(seen & blockers))
}

/// Returns what a bishop sees through `blockers`; see [`bishop_xray`](crate::bishop_xray).
///
/// # Panics
/// As the methods of [`Attacks`](crate::Attacks); where the compiler evaluates it, the build fails.
#[must_use]
pub const fn bishop_xray(square: u8, occupied: u64, blockers: u64) -> u64 {
    let seen = bishop(square, occupied);
    seen ^ bishop(square, occupied & !(seen & blockers))
}

/// Returns the attacks along `line` alone: any rank, file or diagonal through the square, which may
/// itself be among its squares or not.
///
/// For pieces that move along some lines only, such as pinned ones; by Hyperbola Quintessence with a
/// reversal of all bits, which is one instruction on aarch64.
///
/// ```
/// // A queen on d4, pinned along the diagonal a1-h8, may still go to c3, e5 and f6, and take g7.
/// let (d4, c3, b2, g7) = (27, 18, 9, 54);
/// let pinned = sliding::line(b2, g7);
/// let moves = sliding::along(d4, 1 << b2 | 1 << g7, pinned) & !(1 << b2);
/// assert_eq!(moves, 1 << c3 | 1 << 36 | 1 << 45 | 1 << g7);
/// ```
/// # Panics
/// As the methods of [`Attacks`](crate::Attacks).
#[inline(always)]
#[must_use]
pub const fn along(square: u8, occupied: u64, line: u64) -> u64 {
    let slider = bit(square);
    along_reversed(slider, occupied, line & !slider)
}

/// Returns the attacks of `slider` along any `line`, which is without it.
#[inline(always)]
pub(crate) const fn along_reversed(slider: u64, occupied: u64, line: u64) -> u64 {
    let blockers = occupied & line;
    let above = blockers.wrapping_sub(slider);
    let below = reverse(reverse(blockers).wrapping_sub(reverse(slider)));
    (above ^ below) & line
}

/// Returns the whole line (rank, file or diagonal) through two different squares, both included,
/// or no squares if there is none.
///
/// ```
/// let (a1, c3, c4) = (0, 18, 26);
/// assert_eq!(sliding::line(a1, c3), 0x8040_2010_0804_0201);
/// assert_eq!(sliding::line(a1, c4), 0);
/// ```
/// # Panics
/// As the methods of [`Attacks`](crate::Attacks).
#[inline]
#[must_use]
pub const fn line(one: u8, other: u8) -> u64 {
    let lines = diagonals(one);
    let other = bit(other);
    let found = if lines.diagonal & other != 0 {
        lines.diagonal
    } else if lines.antidiagonal & other != 0 {
        lines.antidiagonal
    } else if file(one) & other != 0 {
        file(one)
    } else if rank(one) & other != 0 {
        rank(one)
    } else {
        return 0;
    };
    found | bit(one)
}

/// Returns the squares strictly between two squares of one line, or no squares if they share none:
/// where a check can be blocked.
///
/// ```
/// let (a1, d4, e4) = (0, 27, 28);
/// assert_eq!(sliding::between(a1, d4), 1 << 9 | 1 << 18);
/// assert_eq!(sliding::between(a1, e4), 0);
/// ```
/// # Panics
/// As the methods of [`Attacks`](crate::Attacks).
#[inline]
#[must_use]
pub const fn between(one: u8, other: u8) -> u64 {
    let (one_bit, other_bit) = (bit(one), bit(other));
    // Among the numbers of squares, those between are the bits from one up to the other.
    let range = one_bit.wrapping_sub(1) ^ other_bit.wrapping_sub(1);
    line(one, other) & range & !one_bit & !other_bit
}
