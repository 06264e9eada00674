//! One direction at a time, by shifting a front of opponent discs away from the move.
//!
//! Neither a table nor a mask for each square is needed, and up and down are alike. Rows and
//! diagonals leave out the opponent's files A and H: a disc there is between no two others, and a
//! shift would wrap to the other edge.
//!
//! ```text
//!   opponent            . # # # . .      (the move is at the first place)
//!   front               . # . . . .      move << step, & opponent
//!   grown               . # # . . .      front |= front << step & opponent
//!   grown               . # # # . .      five times in all; by parallel prefix three times
//!   one step further    . . # # # .      turned if the player owns a square of that
//! ```
//! 214 instructions in 48 cycles, by parallel prefix 167 in 36. Neither wins anywhere; they need no
//! memory, and they are what the mobility kernels do for all squares at once.
//!
//! Source: `reversi-bitboard-techniques`, repeated shifts and parallel prefix; TECHNIQUES E2.

/// The squares that are not on the files A and H.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The distance of each of the four lines, with the squares where opponent discs may turn.
const LINES: [(u32, u64); 4] = [(1, INNER), (8, u64::MAX), (9, INNER), (7, INNER)];

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty), by growing each
/// run by one disc at a time.
#[inline]
#[must_use]
pub fn one_by_one(player: u64, opponent: u64, square: u32) -> u64 {
    let placed = 1_u64.rotate_left(square);
    let mut flipped = 0;
    for (step, inner) in LINES {
        let inside = opponent & inner;
        let (mut up, mut down) = (placed << step & inside, placed >> step & inside);
        for _ in 0..5 {
            up |= up << step & inside;
            down |= down >> step & inside;
        }
        flipped |= if up << step & player != 0 { up } else { 0 };
        flipped |= if down >> step & player != 0 { down } else { 0 };
    }
    flipped
}

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty), by growing each
/// run by one disc, then twice by two.
///
/// `pairs` has the opponent discs whose neighbour towards the move is the opponent's too.
#[inline]
#[must_use]
pub fn parallel_prefix(player: u64, opponent: u64, square: u32) -> u64 {
    let placed = 1_u64.rotate_left(square);
    let mut flipped = 0;
    for (step, inner) in LINES {
        let inside = opponent & inner;
        let (mut up, mut down) = (placed << step & inside, placed >> step & inside);
        up |= up << step & inside;
        down |= down >> step & inside;
        let pairs = inside & inside << step;
        for _ in 0..2 {
            up |= up << (2 * step) & pairs;
            down |= down >> (2 * step) & pairs >> step;
        }
        flipped |= if up << step & player != 0 { up } else { 0 };
        flipped |= if down >> step & player != 0 { down } else { 0 };
    }
    flipped
}
