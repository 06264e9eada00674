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
use crate::table::{BISHOP_ENTRIES, Filled, Piece, ROOK_ENTRIES, subsets};

/// How the entries of a square are found: 24 bytes.
#[derive(Clone, Copy)]
struct Entry {
    relevant: u64,
    magic: u64,
    first: u32,
    shift: u32,
}

impl Entry {
    #[inline(always)]
    const fn place(&self, occupied: u64) -> usize {
        let number = (occupied & self.relevant).wrapping_mul(self.magic) >> self.shift;
        self.first as usize + number as usize
    }
}

static ROOKS: [Entry; 64] = entries(Piece::Rook, &numbers::ROOKS);
static BISHOPS: [Entry; 64] = entries(Piece::Bishop, &numbers::BISHOPS);

const fn entries(piece: Piece, magics: &[u64; 64]) -> [Entry; 64] {
    let mut entries = [Entry { relevant: 0, magic: 0, first: 0, shift: 0 }; 64];
    let (mut square, mut first) = (0, 0);
    while square < 64 {
        let relevant = piece.relevant(square as u8);
        let bits = relevant.count_ones();
        entries[square] = Entry { relevant, magic: magics[square], first, shift: 64 - bits };
        first += 1 << bits;
        square += 1;
    }
    entries
}

struct Tables {
    rooks: [u64; ROOK_ENTRIES],
    bishops: [u64; BISHOP_ENTRIES],
}

static TABLES: Filled<Tables> =
    Filled::new(Tables { rooks: [0; ROOK_ENTRIES], bishops: [0; BISHOP_ENTRIES] });

fn fill(piece: Piece, entries: &[Entry; 64], table: &mut [u64]) {
    for (square, entry) in (0..64).zip(entries) {
        subsets(entry.relevant, |occupied| {
            table[entry.place(occupied)] = piece.attacks(square, occupied);
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
        TABLES.fill(|tables| {
            fill(Piece::Rook, &ROOKS, &mut tables.rooks);
            fill(Piece::Bishop, &BISHOPS, &mut tables.bishops);
        });
        Self(())
    }
}

impl Attacks for FancyMagic {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        let place = ROOKS[index(square)].place(occupied);
        // SAFETY: `new` has filled the tables.
        let tables = unsafe { TABLES.get() };
        // SAFETY: the shift leaves as many bits as there are relevant squares.
        unsafe { *tables.rooks.get_unchecked(place) }
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        let place = BISHOPS[index(square)].place(occupied);
        // SAFETY: `new` has filled the tables.
        let tables = unsafe { TABLES.get() };
        // SAFETY: as for rooks.
        unsafe { *tables.bishops.get_unchecked(place) }
    }
}
