//! Three look-ups in place of four: both diagonals gathered by one PEXT.
//!
//! A disc turns only in a direction with two squares or more. Outside the sixteen squares of the
//! centre the diagonals that are that long go one way only, a V, and have seven squares at most:
//!
//! ```text
//!   5  5 . . . . . . .       the move is at D1: A4–C2 and E2–H5 in one pattern of seven bits,
//!   4  # . . . . . . .       row by row, for a table of the square's own
//!   3  . # . . . . . #   ->  bit 0 C2, 1 E2, 2 B3, 3 F3, 4 A4, 5 G4, 6 H5
//!   2  . . # . # . . .
//!   1  . . . @ . . . .
//! ```
//! So an entry for the V replaces those for two lines: three PEXTs, three loads, two additions. The
//! centre, where the last empty square hardly ever is, takes the way with four look-ups. 15 cycles
//! for both sides, against 16, and a fifth less work; but the tables take 14 KiB instead of 4, and
//! a search of the last four squares was not faster by it.
//!
//! 25 instructions in 22 cycles, call included.
//!
//! Source: ours, after the merged diagonals of `reversi-bitboard-techniques` and the 16-bit entries
//! of `edax-avx-optimizations`; TECHNIQUES D1, D3, D7.

use core::arch::x86_64::_pext_u64;

use super::both::{self, BOTH, first_entry};
use crate::masks::RAYS;

/// Discs turned by the player (low byte) and by the opponent (high byte), by the pattern of the
/// player's discs.
type Counts = [u16; 128];

/// The squares whose diagonals do not fit into one table.
const CENTRE: u64 = 0x0000_3c3c_3c3c_0000;

/// What [`last_flip_both`] knows of a square.
#[repr(C, align(64))]
struct Lines {
    /// The squares of the row, of the column, and of both diagonals where discs can turn.
    squares: [u64; 3],
    /// The table for each.
    counts: [&'static Counts; 3],
}

/// The lines through each square.
static LINES: [Lines; 64] = {
    const NOTHING: Lines = Lines { squares: [0; 3], counts: [&STRAIGHT[0]; 3] };
    let mut lines = [NOTHING; 64];
    let mut square = 0;
    while square < 64 {
        let rays = &RAYS[square].0;
        lines[square].squares = [rays[0] | rays[4], rays[1] | rays[5], vee(square)];
        lines[square].counts = [&STRAIGHT[square % 8], &STRAIGHT[square / 8], &VEES[square]];
        square += 1;
    }
    lines
};

/// The counts of a line of eight squares, by the place of the move.
static STRAIGHT: [Counts; 8] = {
    let mut counts = [[0; 128]; 8];
    let mut place = 0;
    while place < 8 {
        let mut pattern = 0;
        while pattern < 128 {
            counts[place][pattern] = BOTH[first_entry(8, place) + pattern];
            pattern += 1;
        }
        place += 1;
    }
    counts
};

/// The counts of both diagonals, by the square of the move; the part of the centre is not used.
static VEES: [Counts; 64] = {
    let mut counts = [[0; 128]; 64];
    let mut square = 0;
    while square < 64 {
        let squares = if CENTRE >> square & 1 == 0 { vee(square) } else { 0 };
        let mut pattern = 0;
        while pattern < 1 << squares.count_ones() {
            let player = deposit(pattern, squares);
            let both = [diagonals(player, square), diagonals(squares ^ player, square)];
            counts[square][pattern as usize] = u16::from_le_bytes(both);
            pattern += 1;
        }
        square += 1;
    }
    counts
};

/// Returns the squares of the diagonal rays that have at least two.
const fn vee(square: usize) -> u64 {
    let rays = &RAYS[square].0;
    let (mut squares, mut ray) = (0, 2);
    while ray < 8 {
        if (ray == 2 || ray == 3 || ray == 6 || ray == 7) && rays[ray].count_ones() > 1 {
            squares |= rays[ray];
        }
        ray += 1;
    }
    squares
}

/// Returns the squares of `mask` that the bits of `pattern` choose, as PDEP does.
const fn deposit(pattern: u64, mask: u64) -> u64 {
    let (mut chosen, mut rest, mut pattern) = (0, mask, pattern);
    while rest != 0 {
        let next = rest & (rest - 1);
        if pattern & 1 != 0 {
            chosen |= rest ^ next;
        }
        (rest, pattern) = (next, pattern >> 1);
    }
    chosen
}

/// Returns how many discs turn on the diagonals when all squares but the player's are the
/// opponent's.
const fn diagonals(player: u64, square: usize) -> u8 {
    let rays = &RAYS[square].0;
    let mut turned = 0;
    let mut ray = 2;
    while ray < 4 {
        let (up, down) = (player & rays[ray], player & rays[ray + 4]);
        if up != 0 {
            turned += (rays[ray] & ((1 << up.trailing_zeros()) - 1)).count_ones();
        }
        if down != 0 {
            turned += (rays[ray + 4] & !(u64::MAX >> down.leading_zeros())).count_ones();
        }
        ray += 1;
    }
    turned as u8
}

/// Returns how many discs the player would turn, and how many the opponent would.
#[inline]
#[target_feature(enable = "bmi2")]
#[must_use]
pub(crate) fn last_flip_both(player: u64, square: u32) -> (u32, u32) {
    if CENTRE.rotate_right(square) & 1 != 0 {
        return both::last_flip_both(player, square);
    }
    let lines = &LINES[square as usize & 63];
    let entry = |line: usize| {
        let pattern = _pext_u64(player, lines.squares[line]) as usize;
        // SAFETY: each of the three masks has at most seven squares, so PEXT is below 128.
        u32::from(unsafe { *lines.counts[line].get_unchecked(pattern) })
    };
    let sums = entry(0) + entry(1) + entry(2);
    (sums & 0xff, sums >> 8)
}
