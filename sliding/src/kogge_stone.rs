//! Kogge-Stone: all sliders of a set walk one, two and four steps at once over the empty squares.
//!
//! ```text
//!   sliders      R . . . . # . .        g
//!   empty        . x x x x . x x        p: squares that can be entered
//!   one step     R R . . . # . .        g |= p & g shifted
//!   two          R R R R . # . .        p &= p shifted: pairs that can be crossed
//!   four         R R R R R # . .
//!   attacks      . x x x x x . .        one step more, blockers included
//! ```
//! The cost does not depend on the number of sliders: the form for the attacks of a whole side.
//!
//! Source: chess programming wiki, "Kogge-Stone Algorithm"; TECHNIQUES G7.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

#[cfg(target_arch = "x86_64")]
pub use avx2::KoggeStoneAvx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::KoggeStoneGfni;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::union as union_avx512;
#[cfg(target_arch = "aarch64")]
pub use neon::KoggeStoneNeon;

use crate::attacks::Attacks;
use crate::geometry::bit;

const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const NOT_1: u64 = 0xffff_ffff_ffff_ff00;
const NOT_8: u64 = 0x00ff_ffff_ffff_ffff;

/// Each direction as a rotation to the left, and the squares where a step can arrive: first the
/// rook's (right, up, left, down), then the bishop's (up-right, up-left, down-left, down-right).
const DIRECTIONS: [(u32, u64); 8] = [
    (1, NOT_A),
    (8, NOT_1),
    (63, NOT_H),
    (56, NOT_8),
    (9, NOT_A & NOT_1),
    (7, NOT_H & NOT_1),
    (55, NOT_H & NOT_8),
    (57, NOT_A & NOT_8),
];

/// Kogge-Stone in portable code, without tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct KoggeStone;

impl Attacks for KoggeStone {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        self.union(bit(square), 0, occupied)
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        self.union(0, bit(square), occupied)
    }

    #[inline(always)]
    fn union(self, rooks: u64, bishops: u64, occupied: u64) -> u64 {
        let empty = !(occupied | rooks | bishops);
        let [right, up, left, down, up_right, up_left, down_left, down_right] = DIRECTIONS;
        // Written out: a closure in `map` would not have the features of the caller.
        let straight = walk(rooks, empty, right)
            | walk(rooks, empty, up)
            | walk(rooks, empty, left)
            | walk(rooks, empty, down);
        let diagonal = walk(bishops, empty, up_right)
            | walk(bishops, empty, up_left)
            | walk(bishops, empty, down_left)
            | walk(bishops, empty, down_right);
        straight | diagonal
    }
}

/// Returns the attacks of the sliders in one direction.
#[inline(always)]
fn walk(sliders: u64, empty: u64, (step, arrive): (u32, u64)) -> u64 {
    let free = empty & arrive;
    let reached = sliders | free & sliders.rotate_left(step);
    let two = free & free.rotate_left(step);
    let reached = reached | two & reached.rotate_left(2 * step);
    let four = two & two.rotate_left(2 * step);
    let reached = reached | four & reached.rotate_left(4 * step);
    reached.rotate_left(step) & arrive
}
