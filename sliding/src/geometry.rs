//! Tables of lines, made by the compiler.

use outflank_kernel::masks::{RAYS, Rays};

/// The squares of three lines through a square, without itself, and itself: 32 bytes, the order of
/// the lanes in the vector forms, where the last lane stays empty.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Lines {
    pub(crate) diagonal: u64,
    pub(crate) antidiagonal: u64,
    pub(crate) file: u64,
    /// The square itself; a load is cheaper there than a move from a general register.
    pub(crate) slider: u64,
}

/// The lines through each square; 2 KiB.
pub(crate) static LINES: [Lines; 64] = {
    let mut lines = [Lines { diagonal: 0, antidiagonal: 0, file: 0, slider: 0 }; 64];
    let mut square = 0;
    while square < 64 {
        let rays = &RAYS[square].0;
        lines[square] = Lines {
            diagonal: rays[2] | rays[6],
            antidiagonal: rays[3] | rays[7],
            file: rays[1] | rays[5],
            slider: 1 << square,
        };
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
    1_u64.rotate_left(square as u32)
}

/// Returns the rank of a square, without itself.
#[inline(always)]
pub(crate) const fn rank(square: u8) -> u64 {
    0xff << (square & 56) ^ bit(square)
}

/// Returns the lines through `square`.
#[inline(always)]
pub(crate) const fn lines(square: u8) -> &'static Lines {
    &LINES[index(square)]
}

/// Returns the lines through `square` mirrored top-bottom.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) const fn mirrored_lines(square: u8) -> &'static Lines {
    &LINES[index(square) ^ 56]
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
