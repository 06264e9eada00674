//! Tables indexed by PEXT, in two forms: a baseline, and for those who want them.
//!
//! PEXT brings the occupancy of the relevant squares together as a number. The table holds the
//! attacks as boards (841 KiB), or only the reachable squares as 16 bits which PDEP spreads over
//! the lines (210 KiB).
//!
//! What a query has to know of a square is in one entry, aligned so that it never straddles two
//! lines of the cache, and leads to the table by address:
//!
//! ```text
//!   PEXT             32 bytes    rook: relevant, address    bishop: relevant, address
//!   PEXT and PDEP    64 bytes    the same with the lines, and 16 bytes to spare
//! ```
//! So a queen takes nine instructions. Source: chess programming wiki, "BMI2"; TECHNIQUES G7.

use core::arch::x86_64::{_pdep_u64, _pext_u64};

use outflank_kernel::Avx2;
use outflank_kernel::bits::extract;

use crate::attacks::Attacks;
use crate::geometry::index;
use crate::table::{ENTRIES, Filled, Piece, subsets};

static BOARDS: Filled<[u64; ENTRIES]> = Filled::new([0; ENTRIES]);
static PACKED: Filled<[u16; ENTRIES]> = Filled::new([0; ENTRIES]);

/// The relevant squares of a piece, and its first attacks in the table.
#[derive(Clone, Copy)]
struct Entry {
    relevant: u64,
    first: *const u64,
}

/// The entries of a square: half a line of the cache.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Square {
    rook: Entry,
    bishop: Entry,
}

// SAFETY: nothing is written through the addresses, and read only after the table is filled.
unsafe impl Sync for Square {}

static SQUARES: [Square; 64] = {
    const NOWHERE: Entry = Entry { relevant: 0, first: core::ptr::null() };
    let mut squares = [Square { rook: NOWHERE, bishop: NOWHERE }; 64];
    let mut square = 0;
    while square < 64 {
        squares[square] =
            Square { rook: entry(Piece::Rook, square), bishop: entry(Piece::Bishop, square) };
        square += 1;
    }
    squares
};

const fn entry(piece: Piece, square: usize) -> Entry {
    let first = BOARDS.at(piece.firsts()[square] as isize);
    Entry { relevant: piece.relevant(square as u8), first }
}

/// Fills the table of both pieces with what `made` makes of the piece, the square and the attacks.
fn fill<T>(table: &mut [T; ENTRIES], made: impl Fn(Piece, u8, u64) -> T) {
    for piece in [Piece::Rook, Piece::Bishop] {
        for (square, first) in (0..64).zip(piece.firsts()) {
            let relevant = piece.relevant(square);
            subsets(relevant, |occupied| {
                let attacks = piece.attacks(square, occupied);
                let place = first + extract(occupied, relevant) as usize;
                table[place] = made(piece, square, attacks);
            });
        }
    }
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
        BOARDS.fill(|table| fill(table, |_, _, attacks| attacks));
        Self(token)
    }
}

impl Attacks for Pext {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features, and that `new` has filled the table.
        unsafe { looked_up(&SQUARES[index(square)].rook, occupied) }
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: as for rooks.
        unsafe { looked_up(&SQUARES[index(square)].bishop, occupied) }
    }
}

/// Returns the attacks with this occupancy.
///
/// # Safety
/// The table is filled; a caller without BMI2 has to know that the CPU has it.
#[inline]
#[target_feature(enable = "bmi2")]
unsafe fn looked_up(entry: &Entry, occupied: u64) -> u64 {
    let place = entry.first.wrapping_add(_pext_u64(occupied, entry.relevant) as usize);
    // SAFETY: PEXT is below 2 to the number of relevant squares, and so many attacks follow the
    // first; nothing writes them any more.
    unsafe { *place }
}

/// The relevant squares of a piece, its attacks on an empty board, and the first packed ones.
#[derive(Clone, Copy)]
struct PackedEntry {
    relevant: u64,
    lines: u64,
    first: *const u16,
}

/// The entries of a square: a line of the cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct PackedSquare {
    rook: PackedEntry,
    bishop: PackedEntry,
}

// SAFETY: nothing is written through the addresses, and read only after the table is filled.
unsafe impl Sync for PackedSquare {}

static PACKED_SQUARES: [PackedSquare; 64] = {
    const NOWHERE: PackedEntry = PackedEntry { relevant: 0, lines: 0, first: core::ptr::null() };
    let mut squares = [PackedSquare { rook: NOWHERE, bishop: NOWHERE }; 64];
    let mut square = 0;
    while square < 64 {
        squares[square] = PackedSquare {
            rook: packed_entry(Piece::Rook, square),
            bishop: packed_entry(Piece::Bishop, square),
        };
        square += 1;
    }
    squares
};

const fn packed_entry(piece: Piece, square: usize) -> PackedEntry {
    let first = PACKED.at(piece.firsts()[square] as isize);
    let square = square as u8;
    PackedEntry { relevant: piece.relevant(square), lines: piece.attacks(square, 0), first }
}

/// Attacks from a table of 210 KiB indexed by PEXT and spread by PDEP. Slow on AMD before Zen 3.
#[derive(Clone, Copy, Debug)]
pub struct PextPdep(Avx2);

impl PextPdep {
    /// Returns the back-end, and fills the table unless that has been done. The token proves that
    /// the CPU has BMI2.
    #[must_use]
    pub fn new(token: Avx2) -> Self {
        PACKED.fill(|table| {
            fill(table, |piece, square, attacks| extract(attacks, piece.attacks(square, 0)) as u16);
        });
        Self(token)
    }
}

impl Attacks for PextPdep {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features, and that `new` has filled the table.
        unsafe { spread(&PACKED_SQUARES[index(square)].rook, occupied) }
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: as for rooks.
        unsafe { spread(&PACKED_SQUARES[index(square)].bishop, occupied) }
    }
}

/// Returns the attacks with this occupancy, spread over the lines of the square.
///
/// # Safety
/// As [`looked_up`].
#[inline]
#[target_feature(enable = "bmi2")]
unsafe fn spread(entry: &PackedEntry, occupied: u64) -> u64 {
    let place = entry.first.wrapping_add(_pext_u64(occupied, entry.relevant) as usize);
    // SAFETY: as in `looked_up`.
    let packed = unsafe { *place };
    _pdep_u64(u64::from(packed), entry.lines)
}
