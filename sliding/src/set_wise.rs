//! The trick o^(o-2r) for a whole set of sliders: every line becomes a rank, and a barrier at the
//! start of each rank keeps a subtraction from flowing into the next.
//!
//! ```text
//!   r  sliders           ....1...     o  occupied        11..1.1.
//!   o | barrier          11..1.11     - 2 r              1.111.11   (lowest square at the right)
//!   ^ o, barrier off     .111....     reached upwards; the same on the reversed board for downwards
//! ```
//! Files become ranks by transposition. A diagonal becomes a rank when each file is rotated by its
//! number; two diagonals then share a rank, and each has its own barrier: the barrier is the image
//! of the squares where lines begin, since no line is attacked upwards at its first square.
//!
//! Source: "Hyperbola Quintessence", generalised set-wise attacks; TECHNIQUES G6. The mapping of
//! the other lines is from the wiki's "Pseudo-Rotation by 45 degrees".

use outflank_kernel::bits::{mirror_files, reverse, transpose};

use crate::attacks::Attacks;
use crate::geometry::bit;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const RANK_1: u64 = 0xff;

/// The generalised o^(o-2r) of a whole set of sliders, in portable code and without tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct SetWise;

impl Attacks for SetWise {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        straight(bit(square), occupied)
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        diagonal(bit(square), occupied)
    }

    #[inline(always)]
    fn union(self, rooks: u64, bishops: u64, occupied: u64) -> u64 {
        union(rooks, bishops, occupied)
    }
}

/// Returns the squares that any of the sliders attacks.
#[inline(always)]
pub(crate) const fn union(rooks: u64, bishops: u64, occupied: u64) -> u64 {
    let occupied = occupied | rooks | bishops;
    straight(rooks, occupied) | diagonal(bishops, occupied)
}

/// Returns the attacks of rooks.
#[inline(always)]
const fn straight(rooks: u64, occupied: u64) -> u64 {
    let files = along_ranks(transpose(rooks), transpose(occupied), FILE_A);
    along_ranks(rooks, occupied, FILE_A) | transpose(files)
}

/// Returns the attacks of bishops.
#[inline(always)]
const fn diagonal(bishops: u64, occupied: u64) -> u64 {
    let up_right = along_diagonals(bishops, occupied);
    up_right | mirror_files(along_diagonals(mirror_files(bishops), mirror_files(occupied)))
}

/// Returns the attacks along the diagonals parallel to a1–h8.
#[inline(always)]
const fn along_diagonals(bishops: u64, occupied: u64) -> u64 {
    const BEGINNINGS: u64 = rotated_down(FILE_A | RANK_1);
    rotated_up(along_ranks(rotated_down(bishops), rotated_down(occupied), BEGINNINGS))
}

/// Returns the attacks along ranks, some of which are several lines with a beginning each.
#[inline(always)]
const fn along_ranks(sliders: u64, occupied: u64, beginnings: u64) -> u64 {
    // Lines begin on the reversed board where they end on this one, before the next beginning.
    let ends = beginnings.rotate_right(1);
    let up = reached(sliders, occupied, beginnings);
    up | reverse(reached(reverse(sliders), reverse(occupied), reverse(ends)))
}

/// Returns the squares that the sliders reach upwards.
#[inline(always)]
const fn reached(sliders: u64, occupied: u64, beginnings: u64) -> u64 {
    // Whether a slider counts as occupied already makes no difference to the others.
    let occupied = occupied | sliders;
    let flooded = (occupied | beginnings).wrapping_sub(sliders << 1);
    (occupied ^ flooded) & !beginnings
}

/// Rotates file `x` of the board down by `x` ranks: a diagonal becomes a rank.
#[inline(always)]
const fn rotated_down(board: u64) -> u64 {
    let board = board ^ 0xaaaa_aaaa_aaaa_aaaa & (board ^ board.rotate_right(8));
    let board = board ^ 0xcccc_cccc_cccc_cccc & (board ^ board.rotate_right(16));
    board ^ 0xf0f0_f0f0_f0f0_f0f0 & (board ^ board.rotate_right(32))
}

/// Rotates file `x` of the board up by `x` ranks.
#[inline(always)]
const fn rotated_up(board: u64) -> u64 {
    let board = board ^ 0xaaaa_aaaa_aaaa_aaaa & (board ^ board.rotate_left(8));
    let board = board ^ 0xcccc_cccc_cccc_cccc & (board ^ board.rotate_left(16));
    board ^ 0xf0f0_f0f0_f0f0_f0f0 & (board ^ board.rotate_left(32))
}
