//! Hyperbola Quintessence: the trick o^(o-2r) in both directions of a line, by reversing the board.
//!
//! On one line, with the occupied squares `o` (without the slider) and the slider `s`, the
//! subtraction `o - s` borrows from the nearest blocker above the slider and so changes all bits up
//! to it. On the reversed board the same happens below the slider; both together, restricted to
//! the line, are the attacks:
//!
//! ```text
//!   o                    # . # . . . . #     lowest square at the right
//!   s                    . . . . s . . .
//!   o - s                # . . # # . . #     differs from o up to the blocker on the left
//!   the same, reversed   # . # . # # # .     differs from o down to the blocker on the right
//!   exclusive or         . . x x . x x x     the attacks
//! ```
//! Two squares of a file or a diagonal are never on the same rank, so that a byte swap reverses
//! these lines; a rank takes a table of 512 bytes, the reversal of all bits, or the way over a
//! diagonal, on which a byte swap works as well:
//!
//! ```text
//!   rank 3       # . s . . # . .        x file a, & diagonal a1-h8:   square n of the rank is on (n, n)
//!   attacks      x x . x x x . .        the attacks there, x file a, >> 56, back to rank 3
//! ```
//!
//! Source: Gerd Isenberg and Aleks Peshkov, the way over the diagonal Tim Cooijmans; chess programming
//! wiki, "Hyperbola Quintessence"; TECHNIQUES G4.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod gfni;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod ssse3;

#[cfg(target_arch = "x86_64")]
pub use avx2::HyperbolaAvx2;
#[cfg(target_arch = "x86_64")]
pub use gfni::HyperbolaGfni;
#[cfg(target_arch = "aarch64")]
pub use neon::HyperbolaNeon;
use outflank_kernel::bits::mirror_ranks;
#[cfg(target_arch = "x86_64")]
pub use ssse3::HyperbolaSsse3;

use crate::attacks::Attacks;
use crate::constant::{self, along_reversed, along_swapped};
use crate::geometry::{along_rank, bit, diagonals, file, rank};

/// Hyperbola Quintessence in portable code, with a table for ranks: 1.5 KiB in all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hyperbola;

impl Attacks for Hyperbola {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        constant::rook(square, occupied)
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        constant::bishop(square, occupied)
    }
}

/// Hyperbola Quintessence with reversal of all bits for every line: best where that is one
/// instruction, as RBIT on aarch64. The table has 1 KiB.
#[derive(Clone, Copy, Debug, Default)]
pub struct HyperbolaReverse;

impl Attacks for HyperbolaReverse {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        let slider = bit(square);
        along_reversed(slider, occupied, file(square))
            | along_reversed(slider, occupied, rank(square))
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        let (lines, slider) = (diagonals(square), bit(square));
        along_reversed(slider, occupied, lines.diagonal)
            | along_reversed(slider, occupied, lines.antidiagonal)
    }
}

/// Hyperbola Quintessence with ranks by way of the diagonal a1–h8, without a table for them: what it
/// reads is 1 KiB of diagonals.
#[derive(Clone, Copy, Debug, Default)]
pub struct HyperbolaDiagonal;

impl Attacks for HyperbolaDiagonal {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        along_swapped(bit(square), occupied, file(square)) | by_diagonal(square, occupied)
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        constant::bishop(square, occupied)
    }
}

/// Returns the attacks along the rank, whose squares go to the diagonal a1–h8 and back.
#[inline(always)]
fn by_diagonal(square: u8, occupied: u64) -> u64 {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
    const DIAGONAL: u64 = 0x8040_2010_0804_0201;
    let (file, shift) = (square & 7, square & 56);
    let rank = (occupied >> shift & 0xff).wrapping_mul(FILE_A);
    let slider = bit(9 * file);
    let attacks = along_swapped(slider, rank, DIAGONAL ^ slider);
    attacks.wrapping_mul(FILE_A) >> 56 << shift
}

/// Hyperbola Quintessence for chains of queries that wait for each other, by the occupied squares or by the
/// square: of the forms without big tables the shortest latency, or little more (`docs/sliding.md`), at a
/// third to two thirds of the throughput.
///
/// LLVM would pair the lines in vector registers, which triples the latency; an empty piece of
/// assembly between them prevents it on x86-64 and aarch64.
#[derive(Clone, Copy, Debug, Default)]
pub struct LowLatency;

impl Attacks for LowLatency {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        apart(bit(square), occupied, file(square)) | along_rank(square, occupied)
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        let (lines, slider) = (diagonals(square), bit(square));
        apart(slider, occupied, lines.diagonal) | apart(slider, occupied, lines.antidiagonal)
    }
}

/// Returns the attacks along a file or a diagonal, in general registers.
#[inline(always)]
fn apart(slider: u64, occupied: u64, line: u64) -> u64 {
    let blockers = in_general_register(occupied & line);
    let above = blockers.wrapping_sub(slider);
    let below = mirror_ranks(mirror_ranks(blockers).wrapping_sub(mirror_ranks(slider)));
    in_general_register(above ^ below) & line
}

/// Returns `board`, which the compiler cannot keep in a vector register here.
#[inline(always)]
fn in_general_register(board: u64) -> u64 {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        let mut board = board;
        // SAFETY: the text is a comment; nothing but the register is named, and it is unchanged.
        unsafe {
            core::arch::asm!(
                "/* {0} */", inout(reg) board,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        board
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    board
}
