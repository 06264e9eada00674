//! Tables of lines, made by the compiler: the squares on each side of a square.

/// One value of 512 bits: a square's eight directions, ready for aligned vector loads.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Rays(pub [u64; 8]);

/// The steps of the eight directions, as (files, ranks). The first four lead towards higher
/// squares, the last four are their opposites: row, column, diagonal (A1–H8), antidiagonal.
const STEPS: [(i32, i32); 8] =
    [(1, 0), (0, 1), (1, 1), (-1, 1), (-1, 0), (0, -1), (-1, -1), (1, -1)];

/// The distance in squares of each of the first four [`STEPS`].
pub(crate) const DISTANCES: [u32; 4] = [1, 8, 9, 7];

/// For each square, the squares that a disc there can look at in each direction, nearest to
/// farthest, without the square itself.
///
/// The search reads it for each flip, so it has 4 KiB; the directions are right, up, up-right,
/// up-left, then their opposites: left, down, down-left, down-right.
pub static RAYS: [Rays; 64] = rays();

const fn rays() -> [Rays; 64] {
    let mut rays = [Rays([0; 8]); 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            rays[square].0[direction] = ray(square as i32, STEPS[direction], 8);
            direction += 1;
        }
        square += 1;
    }
    rays
}

/// Returns at most `length` squares from `square` on, without itself.
const fn ray(square: i32, (right, up): (i32, i32), length: i32) -> u64 {
    let (mut x, mut y) = (square % 8 + right, square / 8 + up);
    let (mut squares, mut left) = (0_u64, length);
    while left > 0 && x >= 0 && x < 8 && y >= 0 && y < 8 {
        squares |= 1 << (8 * y + x);
        (x, y) = (x + right, y + up);
        left -= 1;
    }
    squares
}

/// For `direction` of [`STEPS`], returns the squares whose `steps`-th neighbour in that direction
/// is off the board.
pub(crate) const fn beyond_edge(direction: usize, steps: i32) -> u64 {
    let (mut squares, mut square) = (0_u64, 0);
    while square < 64 {
        if (ray(square, STEPS[direction], steps).count_ones() as i32) < steps {
            squares |= 1 << square;
        }
        square += 1;
    }
    squares
}
