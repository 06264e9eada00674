//! Tables of lines, made by the compiler.

use outflank_kernel::masks::{RAYS, Rays};

/// The squares of both diagonals through a square, without itself: the lanes of the SSSE3 form.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Diagonals {
    pub(crate) diagonal: u64,
    pub(crate) antidiagonal: u64,
}

/// The diagonals through each square; 1 KiB.
static DIAGONALS: [Diagonals; 64] = {
    let mut diagonals = [Diagonals { diagonal: 0, antidiagonal: 0 }; 64];
    let mut square = 0;
    while square < 64 {
        let rays = &RAYS[square].0;
        let (diagonal, antidiagonal) = (rays[2] | rays[6], rays[3] | rays[7]);
        diagonals[square] = Diagonals { diagonal, antidiagonal };
        square += 1;
    }
    diagonals
};

/// Each square as a board, since vector code loads faster than it takes from a general register;
/// 512 bytes.
#[cfg(target_arch = "x86_64")]
static BITS: [u64; 64] = {
    let (mut bits, mut square) = ([0; 64], 0);
    while square < 64 {
        bits[square] = 1 << square;
        square += 1;
    }
    bits
};

/// The squares of three lines through a square, without itself, and itself: 32 bytes, the order of
/// the lanes in the AVX2 form, where the last lane stays empty.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Lines {
    diagonal: u64,
    antidiagonal: u64,
    file: u64,
    slider: u64,
}

/// The lines through each square; 2 KiB.
#[cfg(target_arch = "x86_64")]
static LINES: [Lines; 64] = {
    let mut lines = [Lines { diagonal: 0, antidiagonal: 0, file: 0, slider: 0 }; 64];
    let mut square = 0;
    while square < 64 {
        let Diagonals { diagonal, antidiagonal } = DIAGONALS[square];
        lines[square] =
            Lines { diagonal, antidiagonal, file: file(square as u8), slider: 1 << square };
        square += 1;
    }
    lines
};

/// The attacks along a rank, by the occupancy of its six inner squares and the slider's file; 512
/// bytes.
static RANKS: [[u8; 8]; 64] = {
    let mut ranks = [[0; 8]; 64];
    let mut inner = 0;
    while inner < 64 {
        let occupied = inner << 1;
        let mut file = 0;
        while file < 8 {
            let (mut attacks, mut step) = (0_u8, 1);
            while file + step < 8 {
                attacks |= 1 << (file + step);
                if occupied >> (file + step) & 1 != 0 {
                    break;
                }
                step += 1;
            }
            step = 1;
            while file >= step {
                attacks |= 1 << (file - step);
                if occupied >> (file - step) & 1 != 0 {
                    break;
                }
                step += 1;
            }
            ranks[inner][file] = attacks;
            file += 1;
        }
        inner += 1;
    }
    ranks
};

/// Returns the square as an index below 64.
#[inline(always)]
pub(crate) const fn index(square: u8) -> usize {
    debug_assert!(square < 64, "the square is off the board, expected 0-63");
    (square & 63) as usize
}

/// Returns the board with only this square.
#[inline(always)]
pub(crate) const fn bit(square: u8) -> u64 {
    // A rotation, since LLVM makes a shift under BMI1 slower (the BLSI trap).
    1_u64.rotate_left(index(square) as u32)
}

/// Returns the rank of a square, without itself.
#[inline(always)]
pub(crate) const fn rank(square: u8) -> u64 {
    0xff << (square & 56) ^ bit(square)
}

/// Returns the file of a square, without itself.
#[inline(always)]
pub(crate) const fn file(square: u8) -> u64 {
    0x0101_0101_0101_0101 << (index(square) & 7) ^ bit(square)
}

/// Returns the diagonals through `square`.
#[inline(always)]
pub(crate) const fn diagonals(square: u8) -> &'static Diagonals {
    &DIAGONALS[index(square)]
}

/// Returns the square as a board in memory, and mirrored top-bottom.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) const fn loaded_bits(square: u8) -> [&'static u64; 2] {
    [&BITS[index(square)], &BITS[index(square) ^ 56]]
}

/// Returns the lines through `square`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) const fn lines(square: u8) -> &'static Lines {
    &LINES[index(square)]
}

/// Returns the eight rays from `square`: right, up, up-right, up-left, and their opposites.
#[inline(always)]
pub(crate) const fn rays(square: u8) -> &'static Rays {
    &RAYS[index(square)]
}

/// Returns the attacks along the rank, from the table of ranks.
#[inline(always)]
pub(crate) const fn along_rank(square: u8, occupied: u64) -> u64 {
    let shift = square & 56;
    let attacks = RANKS[(occupied >> shift >> 1 & 63) as usize][(square & 7) as usize];
    (attacks as u64) << shift
}
