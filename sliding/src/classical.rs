//! Classical rays: the ray, less the ray of its first blocker.
//!
//! ```text
//!   ray upwards            . x x x x x s      found by the lowest bit of the blockers, b
//!   blockers               . # . . b . .
//!   ray of b               . x x x . . .
//!   exclusive or           . . . . x x s
//! ```
//! A ray that nothing stands in needs no branch: with h8 among the blockers of rays upwards, and a1
//! among those of rays downwards, there is always one, and these two have no ray that way.
//!
//! Source: chess programming wiki, "Classical Approach", branchless; TECHNIQUES G7.

use crate::attacks::Attacks;
use crate::geometry::rays;

/// Rays by bit scan, in portable code; a table of 4 KiB.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClassicalRays;

impl Attacks for ClassicalRays {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        up::<0>(square, occupied)
            | up::<1>(square, occupied)
            | down::<4>(square, occupied)
            | down::<5>(square, occupied)
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        up::<2>(square, occupied)
            | up::<3>(square, occupied)
            | down::<6>(square, occupied)
            | down::<7>(square, occupied)
    }
}

const A1: u64 = 1;
const H8: u64 = 1 << 63;

/// Returns the attacks along a ray that leads to higher squares.
#[inline(always)]
fn up<const DIRECTION: usize>(square: u8, occupied: u64) -> u64 {
    const { assert!(DIRECTION < 4, "the rays upwards come first") };
    let ray = rays(square).0[DIRECTION];
    let first = (occupied & ray | H8).trailing_zeros();
    ray ^ rays(first as u8).0[DIRECTION]
}

/// Returns the attacks along a ray that leads to lower squares.
#[inline(always)]
fn down<const DIRECTION: usize>(square: u8, occupied: u64) -> u64 {
    const { assert!(4 <= DIRECTION && DIRECTION < 8, "the rays downwards come last") };
    let ray = rays(square).0[DIRECTION];
    let first = 63 - (occupied & ray | A1).leading_zeros();
    ray ^ rays(first as u8).0[DIRECTION]
}
