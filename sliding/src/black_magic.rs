//! Black magic bitboards with a fixed shift: a baseline, and for those who want it.
//!
//! The squares that do not matter are set rather than cleared before the multiplication, and the
//! shift is the same for all squares, so that it is part of the instruction. In exchange the places
//! of a square are not quite packed. The numbers are ours, from
//! `cargo run --release -p sliding --example find_magics -- black`.
//!
//! Source: Onno Garms and Volker Annuss, chess programming wiki, "Magic Bitboards"; TECHNIQUES G7.

mod numbers;

use crate::attacks::Attacks;
use crate::geometry::index;
use crate::table::{Filled, Piece, subsets};

/// A number and the places that it leads to: the lowest, and how many from there on.
#[derive(Clone, Copy)]
struct Magic {
    number: u64,
    lowest: u32,
    span: u32,
}

impl Magic {
    const fn new(number: u64, lowest: u32, span: u32) -> Self {
        Self { number, lowest, span }
    }
}

const ROOK_SHIFT: u32 = 64 - 12;
const BISHOP_SHIFT: u32 = 64 - 9;

/// How the attacks of a piece on a square are found; the shift is the same for all squares.
#[derive(Clone, Copy)]
struct Entry<const SHIFT: u32> {
    irrelevant: u64,
    magic: u64,
    /// The place of number 0, before the table for some: it is never read.
    origin: *const u64,
}

impl<const SHIFT: u32> Entry<SHIFT> {
    const NOWHERE: Self = Self { irrelevant: 0, magic: 0, origin: core::ptr::null() };

    const fn new(piece: Piece, magic: Magic, square: usize, origin: isize) -> Self {
        let irrelevant = !piece.relevant(square as u8);
        Self { irrelevant, magic: magic.number, origin: TABLE.at(origin) }
    }

    #[inline(always)]
    const fn number(&self, occupied: u64) -> usize {
        ((occupied | self.irrelevant).wrapping_mul(self.magic) >> SHIFT) as usize
    }

    /// Returns the attacks with this occupancy.
    ///
    /// # Safety
    /// The table is filled.
    #[inline(always)]
    unsafe fn looked_up(&self, occupied: u64) -> u64 {
        let place = self.origin.wrapping_add(self.number(occupied));
        // SAFETY: `fill` has been at every place that an occupancy can lead to, with checks, and
        // nothing writes them any more.
        unsafe { *place }
    }
}

/// The entries of a square: a line of the cache, which a queen reads once.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Square {
    rook: Entry<ROOK_SHIFT>,
    bishop: Entry<BISHOP_SHIFT>,
}

// SAFETY: nothing is written through the addresses, and read only after the table is filled.
unsafe impl Sync for Square {}

static SQUARES: [Square; 64] = {
    let mut squares = [Square { rook: Entry::NOWHERE, bishop: Entry::NOWHERE }; 64];
    let (rooks, bishops) = (origins(&numbers::ROOKS, 0), origins(&numbers::BISHOPS, ROOK_PLACES));
    let mut square = 0;
    while square < 64 {
        squares[square] = Square {
            rook: Entry::new(Piece::Rook, numbers::ROOKS[square], square, rooks[square]),
            bishop: Entry::new(Piece::Bishop, numbers::BISHOPS[square], square, bishops[square]),
        };
        square += 1;
    }
    squares
};

/// Returns the place of number 0 of each square, if the lowest of all is `start`.
const fn origins(magics: &[Magic; 64], start: usize) -> [isize; 64] {
    let (mut origins, mut start, mut square) = ([0; 64], start as isize, 0);
    while square < 64 {
        origins[square] = start - magics[square].lowest as isize;
        start += magics[square].span as isize;
        square += 1;
    }
    origins
}

const fn places(magics: &[Magic; 64]) -> usize {
    let (mut places, mut square) = (0, 0);
    while square < 64 {
        places += magics[square].span as usize;
        square += 1;
    }
    places
}

const ROOK_PLACES: usize = places(&numbers::ROOKS);
const PLACES: usize = ROOK_PLACES + places(&numbers::BISHOPS);

static TABLE: Filled<[u64; PLACES]> = Filled::new([0; PLACES]);

fn fill<const SHIFT: u32>(
    piece: Piece,
    entry: fn(&Square) -> &Entry<SHIFT>,
    origins: [isize; 64],
    table: &mut [u64; PLACES],
) {
    for ((square, origin), entries) in (0..64).zip(origins).zip(&SQUARES) {
        let entry = entry(entries);
        subsets(!entry.irrelevant, |occupied| {
            let place = origin.wrapping_add_unsigned(entry.number(occupied));
            table[place as usize] = piece.attacks(square, occupied);
        });
    }
}

/// Attacks from a table of 898 KiB indexed by black magic multiplication.
#[derive(Clone, Copy, Debug)]
pub struct BlackMagic(());

impl BlackMagic {
    /// Returns the back-end, and fills the table unless that has been done.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "filling a table is no default")]
    pub fn new() -> Self {
        TABLE.fill(|table| {
            let (rooks, bishops) = (&numbers::ROOKS, &numbers::BISHOPS);
            fill(Piece::Rook, |square| &square.rook, origins(rooks, 0), table);
            fill(Piece::Bishop, |square| &square.bishop, origins(bishops, ROOK_PLACES), table);
        });
        Self(())
    }
}

impl Attacks for BlackMagic {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: `new` has filled the table.
        unsafe { SQUARES[index(square)].rook.looked_up(occupied) }
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: as for rooks.
        unsafe { SQUARES[index(square)].bishop.looked_up(occupied) }
    }
}
