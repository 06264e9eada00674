//! Fancy magic bitboards: a baseline, and for those who want it.
//!
//! A multiplication by a magic number brings the occupancy of the relevant squares to the top of
//! the word, as an index without harmful collisions. The numbers are ours, from
//! `cargo run --release -p sliding --example find_magics`.
//!
//! Source: Pradyumna Kannan, chess programming wiki, "Magic Bitboards"; TECHNIQUES G7.

mod numbers;

use crate::attacks::Attacks;
use crate::geometry::index;
use crate::table::{ENTRIES, Filled, Piece, subsets};

static TABLE: Filled<[u64; ENTRIES]> = Filled::new([0; ENTRIES]);

/// How the attacks of a piece on a square are found.
#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    relevant: u64,
    magic: u64,
    first: *const u64,
    /// 52 to 59.
    shift: u64,
}

impl Entry {
    #[inline(always)]
    const fn number(&self, occupied: u64) -> usize {
        // The shift takes its count modulo 64, which spares the check.
        ((occupied & self.relevant).wrapping_mul(self.magic) >> (self.shift & 63)) as usize
    }

    /// Returns the attacks with this occupancy.
    ///
    /// # Safety
    /// The table is filled.
    #[inline(always)]
    unsafe fn looked_up(&self, occupied: u64) -> u64 {
        let place = self.first.wrapping_add(self.number(occupied));
        // SAFETY: the shift leaves as many bits as there are relevant squares, and the attacks of
        // all their occupancies follow the first; nothing writes them any more.
        unsafe { *place }
    }
}

/// The entries of a square: a line of the cache, which a queen reads once.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Square {
    rook: Entry,
    bishop: Entry,
}

// SAFETY: nothing is written through the addresses, and read only after the table is filled.
unsafe impl Sync for Square {}

static SQUARES: [Square; 64] = {
    const NOWHERE: Entry = Entry { relevant: 0, magic: 0, first: core::ptr::null(), shift: 0 };
    let mut squares = [Square { rook: NOWHERE, bishop: NOWHERE }; 64];
    let mut square = 0;
    while square < 64 {
        squares[square] = Square {
            rook: entry(Piece::Rook, numbers::ROOKS[square], square),
            bishop: entry(Piece::Bishop, numbers::BISHOPS[square], square),
        };
        square += 1;
    }
    squares
};

const fn entry(piece: Piece, magic: u64, square: usize) -> Entry {
    let relevant = piece.relevant(square as u8);
    let first = TABLE.at(piece.firsts()[square] as isize);
    Entry { relevant, magic, first, shift: 64 - relevant.count_ones() as u64 }
}

fn fill(piece: Piece, entry: fn(&Square) -> &Entry, table: &mut [u64; ENTRIES]) {
    for ((square, first), entries) in (0..64).zip(piece.firsts()).zip(&SQUARES) {
        let entry = entry(entries);
        subsets(entry.relevant, |occupied| {
            table[first + entry.number(occupied)] = piece.attacks(square, occupied);
        });
    }
}

/// Attacks from a table of 841 KiB indexed by magic multiplication.
#[derive(Clone, Copy, Debug)]
pub struct FancyMagic(());

impl FancyMagic {
    /// Returns the back-end, and fills the table unless that has been done.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "filling a table is no default")]
    pub fn new() -> Self {
        TABLE.fill(|table| {
            fill(Piece::Rook, |square| &square.rook, table);
            fill(Piece::Bishop, |square| &square.bishop, table);
        });
        Self(())
    }
}

impl Attacks for FancyMagic {
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
