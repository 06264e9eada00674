//! The number of discs turned by the last move, when one square is empty.
//!
//! Every square but one holds a disc, so that the player's board alone tells everything: the rest
//! is the opponent's. The four lines through the empty square are gathered into small numbers, and
//! a table made by the compiler has the count for each pattern of a line.
//!
//! The bit of the empty square itself is ignored by every variant.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
#[cfg(target_arch = "aarch64")]
pub mod neon;
pub mod portable;
pub mod scalar;

use crate::masks::RAYS;

/// Discs turned in a line of eight by the place of the move (0–7) and the player's discs.
///
/// Places beyond the edge of the board count as the opponent's, behind which no disc of the player
/// follows; so shorter lines may lie anywhere in the eight bits.
pub(crate) static COUNTS: [[u8; 256]; 8] = {
    let mut counts = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut pattern = 0;
        while pattern < 256 {
            counts[place][pattern] = line_count(pattern as u32, place as u32, 8);
            pattern += 1;
        }
        place += 1;
    }
    counts
};

/// Returns how many discs turn in a line of `length` when the owner of the discs `line` moves to
/// `place` and all others are the opponent's.
const fn line_count(line: u32, place: u32, length: u32) -> u8 {
    let mut turned = 0;
    let mut far = place + 1;
    while far < length {
        if line >> far & 1 != 0 {
            turned += far - place - 1;
            break;
        }
        far += 1;
    }
    let mut near = place;
    while near > 0 {
        near -= 1;
        if line >> near & 1 != 0 {
            turned += place - near - 1;
            break;
        }
    }
    turned as u8
}

/// The lines through a square (row, column, diagonal, antidiagonal) with their squares' own bits,
/// and where their tables begin in [`BOTH`].
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Lines {
    /// The squares of each line, without the square itself.
    pub(crate) squares: [u64; 4],
    /// The first entry of each line's part of [`BOTH`].
    pub(crate) first: [u16; 4],
}

/// The number of entries of [`BOTH`]: 2^(length - 1) for each of the `length` places in a line.
const ENTRIES: usize = {
    let (mut entries, mut length) = (0, 1);
    while length <= 8 {
        entries += length << (length - 1);
        length += 1;
    }
    entries
};

/// Where the part for a line's length and the place of the move begins in [`BOTH`].
const fn first_entry(length: usize, place: usize) -> usize {
    let (mut first, mut shorter) = (0, 1);
    while shorter < length {
        first += shorter << (shorter - 1);
        shorter += 1;
    }
    first + (place << (length - 1))
}

/// Discs turned by the player (low byte) and by the opponent (high byte), for each length of line,
/// place of the move in it, and pattern of the player's other discs, the lowest square in bit 0.
pub(crate) static BOTH: [u16; ENTRIES] = {
    let mut both = [0; ENTRIES];
    let mut length = 1;
    while length <= 8 {
        let mut place = 0;
        while place < length {
            let first = first_entry(length, place);
            let mut pattern = 0;
            while pattern < 1 << (length - 1) {
                // make room for the empty square, which belongs to neither side
                let below = pattern & ((1 << place) - 1);
                let player = below | (pattern ^ below) << 1;
                let opponent = !player & ((1 << length) - 1);
                let counts = [
                    line_count(player as u32, place as u32, length as u32),
                    line_count(opponent as u32, place as u32, length as u32),
                ];
                both[first + pattern] = u16::from_le_bytes(counts);
                pattern += 1;
            }
            place += 1;
        }
        length += 1;
    }
    both
};

/// The lines through each square.
pub(crate) static LINES: [Lines; 64] = {
    let mut lines = [const { Lines { squares: [0; 4], first: [0; 4] } }; 64];
    let mut square = 0;
    while square < 64 {
        let mut line = 0;
        while line < 4 {
            let (up, down) = (RAYS[square].0[line], RAYS[square].0[line + 4]);
            let length = (up | down).count_ones() as usize + 1;
            lines[square].squares[line] = up | down;
            lines[square].first[line] = first_entry(length, down.count_ones() as usize) as u16;
            line += 1;
        }
        square += 1;
    }
    lines
};
