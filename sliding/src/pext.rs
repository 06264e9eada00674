//! Tables indexed by PEXT, in two forms: a baseline, and for those who want them.
//!
//! PEXT brings the occupancy of the relevant squares together as a number. The table holds the
//! attacks as boards (841 KiB), or only the reachable squares as 16 bits which PDEP spreads over
//! the lines (210 KiB). Source: chess programming wiki, "BMI2"; TECHNIQUES G7.

use core::arch::x86_64::{_pdep_u64, _pext_u64};

use outflank_kernel::Avx2;
use outflank_kernel::bits::extract;

use crate::attacks::Attacks;
use crate::geometry::index;
use crate::table::{BISHOP_ENTRIES, Filled, Piece, ROOK_ENTRIES, subsets};

/// Where the entries of a square are.
#[derive(Clone, Copy)]
struct Entry {
    relevant: u64,
    /// The attacks on an empty board.
    lines: u64,
    first: usize,
}

static ROOKS: [Entry; 64] = entries(Piece::Rook);
static BISHOPS: [Entry; 64] = entries(Piece::Bishop);

const fn entries(piece: Piece) -> [Entry; 64] {
    let mut entries = [Entry { relevant: 0, lines: 0, first: 0 }; 64];
    let (mut square, mut first) = (0, 0);
    while square < 64 {
        let relevant = piece.relevant(square as u8);
        entries[square] = Entry { relevant, lines: piece.attacks(square as u8, 0), first };
        first += 1 << relevant.count_ones();
        square += 1;
    }
    entries
}

struct Tables<T> {
    rooks: [T; ROOK_ENTRIES],
    bishops: [T; BISHOP_ENTRIES],
}

static BOARDS: Filled<Tables<u64>> =
    Filled::new(Tables { rooks: [0; ROOK_ENTRIES], bishops: [0; BISHOP_ENTRIES] });
static SPREAD: Filled<Tables<u16>> =
    Filled::new(Tables { rooks: [0; ROOK_ENTRIES], bishops: [0; BISHOP_ENTRIES] });

/// Fills the table of a piece with what `made` makes of the entry and the attacks.
fn fill<T>(piece: Piece, entries: &[Entry; 64], table: &mut [T], made: fn(&Entry, u64) -> T) {
    for (square, entry) in (0..64).zip(entries) {
        subsets(entry.relevant, |occupied| {
            let place = entry.first + extract(occupied, entry.relevant) as usize;
            table[place] = made(entry, piece.attacks(square, occupied));
        });
    }
}

/// Returns the place of this occupancy in the table.
#[inline]
#[target_feature(enable = "bmi2")]
fn place(entry: &Entry, occupied: u64) -> usize {
    entry.first + _pext_u64(occupied, entry.relevant) as usize
}

/// Attacks from a table of 841 KiB indexed by PEXT. Slow on AMD before Zen 3, whose PEXT is
/// microcode.
#[derive(Clone, Copy, Debug)]
pub struct Pext(Avx2);

impl Pext {
    /// Returns the back-end, and fills the table unless that has been done. The token proves that
    /// the CPU has BMI2.
    #[must_use]
    pub fn new(token: Avx2) -> Self {
        BOARDS.fill(|tables| {
            fill(Piece::Rook, &ROOKS, &mut tables.rooks, |_, attacks| attacks);
            fill(Piece::Bishop, &BISHOPS, &mut tables.bishops, |_, attacks| attacks);
        });
        Self(token)
    }
}

impl Attacks for Pext {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        let place = unsafe { place(&ROOKS[index(square)], occupied) };
        // SAFETY: `new` has filled the table.
        let tables = unsafe { BOARDS.get() };
        // SAFETY: PEXT is below 2 to the number of relevant squares, and so many entries follow.
        unsafe { *tables.rooks.get_unchecked(place) }
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        let place = unsafe { place(&BISHOPS[index(square)], occupied) };
        // SAFETY: `new` has filled the table.
        let tables = unsafe { BOARDS.get() };
        // SAFETY: as for rooks.
        unsafe { *tables.bishops.get_unchecked(place) }
    }
}

/// Attacks from a table of 210 KiB indexed by PEXT and spread by PDEP. Slow on AMD before Zen 3.
#[derive(Clone, Copy, Debug)]
pub struct PextPdep(Avx2);

impl PextPdep {
    /// Returns the back-end, and fills the table unless that has been done. The token proves that
    /// the CPU has BMI2.
    #[must_use]
    pub fn new(token: Avx2) -> Self {
        let packed: fn(&Entry, u64) -> u16 = |entry, attacks| extract(attacks, entry.lines) as u16;
        SPREAD.fill(|tables| {
            fill(Piece::Rook, &ROOKS, &mut tables.rooks, packed);
            fill(Piece::Bishop, &BISHOPS, &mut tables.bishops, packed);
        });
        Self(token)
    }
}

/// Returns the packed squares spread over the lines of a square.
#[inline]
#[target_feature(enable = "bmi2")]
fn spread(entry: &Entry, packed: u16) -> u64 {
    _pdep_u64(u64::from(packed), entry.lines)
}

impl Attacks for PextPdep {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        let entry = &ROOKS[index(square)];
        // SAFETY: the token proves the features.
        let place = unsafe { place(entry, occupied) };
        // SAFETY: `new` has filled the table.
        let tables = unsafe { SPREAD.get() };
        // SAFETY: PEXT is below 2 to the number of relevant squares, and so many entries follow.
        let packed = unsafe { *tables.rooks.get_unchecked(place) };
        // SAFETY: the token proves the features.
        unsafe { spread(entry, packed) }
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        let entry = &BISHOPS[index(square)];
        // SAFETY: the token proves the features.
        let place = unsafe { place(entry, occupied) };
        // SAFETY: `new` has filled the table.
        let tables = unsafe { SPREAD.get() };
        // SAFETY: as for rooks.
        let packed = unsafe { *tables.bishops.get_unchecked(place) };
        // SAFETY: the token proves the features.
        unsafe { spread(entry, packed) }
    }
}
