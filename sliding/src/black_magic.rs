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

/// How the entries of a square are found: 24 bytes.
#[derive(Clone, Copy)]
struct Entry {
    irrelevant: u64,
    magic: u64,
    /// The place of index 0, before the table for some: the sum with the index wraps.
    first: u32,
}

impl Entry {
    #[inline(always)]
    const fn place<const SHIFT: u32>(&self, occupied: u64) -> usize {
        let number = (occupied | self.irrelevant).wrapping_mul(self.magic) >> SHIFT;
        self.first.wrapping_add(number as u32) as usize
    }
}

const ROOK_SHIFT: u32 = 64 - 12;
const BISHOP_SHIFT: u32 = 64 - 9;

static ROOKS: [Entry; 64] = entries(Piece::Rook, &numbers::ROOKS);
static BISHOPS: [Entry; 64] = entries(Piece::Bishop, &numbers::BISHOPS);

const fn entries(piece: Piece, magics: &[Magic; 64]) -> [Entry; 64] {
    let mut entries = [Entry { irrelevant: 0, magic: 0, first: 0 }; 64];
    let (mut square, mut start) = (0, 0_u32);
    while square < 64 {
        let Magic { number, lowest, span } = magics[square];
        let irrelevant = !piece.relevant(square as u8);
        entries[square] = Entry { irrelevant, magic: number, first: start.wrapping_sub(lowest) };
        start += span;
        square += 1;
    }
    entries
}

const fn places(magics: &[Magic; 64]) -> usize {
    let (mut places, mut square) = (0, 0);
    while square < 64 {
        places += magics[square].span as usize;
        square += 1;
    }
    places
}

struct Tables {
    rooks: [u64; places(&numbers::ROOKS)],
    bishops: [u64; places(&numbers::BISHOPS)],
}

static TABLES: Filled<Tables> = Filled::new(Tables {
    rooks: [0; places(&numbers::ROOKS)],
    bishops: [0; places(&numbers::BISHOPS)],
});

fn fill<const SHIFT: u32>(piece: Piece, entries: &[Entry; 64], table: &mut [u64]) {
    for (square, entry) in (0..64).zip(entries) {
        subsets(!entry.irrelevant, |occupied| {
            table[entry.place::<SHIFT>(occupied)] = piece.attacks(square, occupied);
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
        TABLES.fill(|tables| {
            fill::<ROOK_SHIFT>(Piece::Rook, &ROOKS, &mut tables.rooks);
            fill::<BISHOP_SHIFT>(Piece::Bishop, &BISHOPS, &mut tables.bishops);
        });
        Self(())
    }
}

impl Attacks for BlackMagic {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        let place = ROOKS[index(square)].place::<ROOK_SHIFT>(occupied);
        // SAFETY: `new` has filled the tables.
        let tables = unsafe { TABLES.get() };
        // SAFETY: `fill` has been at every place that an occupancy can lead to, with checks.
        unsafe { *tables.rooks.get_unchecked(place) }
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        let place = BISHOPS[index(square)].place::<BISHOP_SHIFT>(occupied);
        // SAFETY: `new` has filled the tables.
        let tables = unsafe { TABLES.get() };
        // SAFETY: as for rooks.
        unsafe { *tables.bishops.get_unchecked(place) }
    }
}
