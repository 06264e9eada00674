//! The reference: a step at a time along each ray.

use crate::attacks::Attacks;
use crate::geometry::index;

/// The steps of a rook, as (files, ranks).
const ROOK: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
/// The steps of a bishop.
const BISHOP: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// Walks each ray to the first occupied square. The reference for all others: plain, slow, and
/// without tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct RayLoop;

impl Attacks for RayLoop {
    #[inline]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        walk(square, occupied, ROOK)
    }

    #[inline]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        walk(square, occupied, BISHOP)
    }
}

/// Returns the squares of each ray to the first occupied one.
fn walk(square: u8, occupied: u64, steps: [(i32, i32); 4]) -> u64 {
    let square = index(square) as i32;
    let mut attacks = 0;
    for (right, up) in steps {
        let (mut x, mut y) = (square % 8 + right, square / 8 + up);
        while (0..8).contains(&x) && (0..8).contains(&y) {
            let bit = 1_u64 << (8 * y + x);
            attacks |= bit;
            if occupied & bit != 0 {
                break;
            }
            (x, y) = (x + right, y + up);
        }
    }
    attacks
}
