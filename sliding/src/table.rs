//! What the table look-ups share: relevant squares, their subsets, and a table filled once.

use core::cell::UnsafeCell;
use std::sync::Once;

use crate::constant;
use crate::geometry::rays;

/// Entries of a rook on all squares, one for each relevant occupancy.
const ROOK_ENTRIES: usize = 102_400;
/// Entries of a bishop on all squares.
const BISHOP_ENTRIES: usize = 5_248;
/// Entries of the table of both, rooks first.
pub(crate) const ENTRIES: usize = ROOK_ENTRIES + BISHOP_ENTRIES;

/// The pieces that have a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Rook,
    Bishop,
}

impl Piece {
    /// Returns the attacks, generated without the tables.
    pub(crate) const fn attacks(self, square: u8, occupied: u64) -> u64 {
        match self {
            Self::Rook => constant::rook(square, occupied),
            Self::Bishop => constant::bishop(square, occupied),
        }
    }

    /// Returns the number of the first entry of each square in the table of both pieces.
    pub(crate) const fn firsts(self) -> [usize; 64] {
        let mut first = match self {
            Self::Rook => 0,
            Self::Bishop => ROOK_ENTRIES,
        };
        let (mut firsts, mut square) = ([0; 64], 0);
        while square < 64 {
            firsts[square] = first;
            first += 1 << self.relevant(square as u8).count_ones();
            square += 1;
        }
        firsts
    }

    /// Returns the squares whose occupancy changes the attacks: the rays without their last
    /// squares, beyond which nothing is.
    pub(crate) const fn relevant(self, square: u8) -> u64 {
        let rays = &rays(square).0;
        // A ray ends at its highest square if it leads upwards, at its lowest if downwards.
        let (one, other) = match self {
            Self::Rook => (0, 1),
            Self::Bishop => (2, 3),
        };
        let above = without_highest(rays[one]) | without_highest(rays[other]);
        let (one, other) = (rays[one + 4], rays[other + 4]);
        above | one & one.wrapping_sub(1) | other & other.wrapping_sub(1)
    }
}

const fn without_highest(ray: u64) -> u64 {
    if ray == 0 { 0 } else { ray ^ outflank_kernel::bits::highest(ray) }
}

/// Calls `visit` with every subset of `squares`.
pub(crate) fn subsets(squares: u64, mut visit: impl FnMut(u64)) {
    let mut subset = 0_u64;
    loop {
        visit(subset);
        subset = subset.wrapping_sub(squares) & squares;
        if subset == 0 {
            break;
        }
    }
}

/// A table that is filled once, before it is read; it takes no space in the program's file.
pub(crate) struct Filled<T> {
    once: Once,
    table: UnsafeCell<T>,
}

// SAFETY: the table is written once, inside `once`, by whichever thread comes first, hence `Send`;
// after that it is only read, by all of them, hence `Sync`.
unsafe impl<T: Send + Sync> Sync for Filled<T> {}

impl<T, const N: usize> Filled<[T; N]> {
    /// Returns where entry `number` is, for a constant: queries read through it, so that the place
    /// of the table is part of a square's entry and needs no register.
    pub(crate) const fn at(&self, number: isize) -> *const T {
        self.table.get().cast::<T>().cast_const().wrapping_offset(number)
    }
}

impl<T> Filled<T> {
    /// Wraps a table that is still empty.
    pub(crate) const fn new(empty: T) -> Self {
        Self { once: Once::new(), table: UnsafeCell::new(empty) }
    }

    /// Fills the table, unless that has been done; returns when it is filled.
    pub(crate) fn fill(&self, fill: impl FnOnce(&mut T)) {
        self.once.call_once(|| {
            // SAFETY: `Once` admits one thread, and readers come after `fill` has returned.
            fill(unsafe { &mut *self.table.get() });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_relevant_occupancies_are_as_many_as_the_entries() {
        for (piece, entries) in [(Piece::Rook, ROOK_ENTRIES), (Piece::Bishop, BISHOP_ENTRIES)] {
            let mut count = 0;
            for square in 0..64 {
                subsets(piece.relevant(square), |_| count += 1);
            }
            assert_eq!(count, entries, "{piece:?}");
            let after_last = piece.firsts()[63] + (1 << piece.relevant(63).count_ones());
            assert_eq!(after_last - piece.firsts()[0], entries, "{piece:?}");
        }
    }
}
