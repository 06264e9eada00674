//! One function for each square, of the directions in which it can turn anything.
//!
//! A ray of one square turns nothing, one of two squares at most one disc; squares near the edge,
//! where the search puts most of its moves, have few longer ones. Each function is compiled from
//! the same source with the rays as constants, and reached through a table.
//!
//! ```text
//!   B1:  . . . . . . # .      long rays: right (saturating subtraction), up and up-right
//!        . # . . . # . .      (two lanes); A2 is a ray of one square, A1 too: nothing to do
//!        . # . . # . . .
//!        . # . # . . . .      short rays have two squares: one disc turns if the player has
//!        . # # . . . . .      the far square and the opponent the near one, (P << step) & O
//!        - @ # # # # # #
//! ```
//! - Right: adding to the byte carries to the end of the run, PSUBUSB from the next square on
//!   leaves what is below, and nothing if there is no end: four instructions.
//! - Left: the highest bit of 31, in the half of a lane that has the row.
//! - Up: lowest bits in pairs.
//! - Down: the highest bits of 52 in pairs. From E8 to H8 a column reaches further and is first
//!   moved by four files; G7–A1 is the only ray that needs all 64 bits.
//!
//! 25 to 87 instructions, 41 for half of the squares. In bulk the jump to the function of an
//! unpredictable square costs more than the others' whole work.
//!
//! Source: `reversi-bitboard-techniques`, PSUBUSB, MS1B_epu31 and 52;
//! TECHNIQUES E3, A7, A8.

use core::arch::x86_64::*;

use super::{above, both_lanes, pair, tricks};
use crate::bits::highest::sse2::{highest_31, highest_52, highest_64};
use crate::lanes::union2;
use crate::masks::RAYS;

/// Player, opponent → discs turned by a move to the function's square.
type OnSquare = unsafe fn(u64, u64) -> u64;

/// All eight directions, as bits in the order of [`RAYS`].
const ALL: u8 = 0xff;

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
#[inline]
#[target_feature(enable = "sse2")]
#[must_use]
pub(crate) fn general(player: u64, opponent: u64, square: u32) -> u64 {
    // SAFETY: the caller has SSE2.
    unsafe { GENERAL[square as usize & 63](player, opponent) }
}

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty), with the tricks
/// that the document has for single squares.
#[inline]
#[target_feature(enable = "sse2")]
#[must_use]
pub(crate) fn special(player: u64, opponent: u64, square: u32) -> u64 {
    // SAFETY: the caller has SSE2.
    unsafe { SPECIAL[square as usize & 63](player, opponent) }
}

/// Makes the table of functions for the squares 0 to 63.
macro_rules! functions {
    ($($rank:literal)*) => {
        [$(
            on::<{ 8 * $rank }, ALL>, on::<{ 8 * $rank + 1 }, ALL>,
            on::<{ 8 * $rank + 2 }, ALL>, on::<{ 8 * $rank + 3 }, ALL>,
            on::<{ 8 * $rank + 4 }, ALL>, on::<{ 8 * $rank + 5 }, ALL>,
            on::<{ 8 * $rank + 6 }, ALL>, on::<{ 8 * $rank + 7 }, ALL>,
        )*]
    };
}

static GENERAL: [OnSquare; 64] = functions!(0 1 2 3 4 5 6 7);

/// Replaces functions by a trick and the directions that it leaves.
macro_rules! tricks {
    ($functions:ident: $($square:literal $trick:path, $done:path;)*) => {$({
        #[target_feature(enable = "sse2")]
        fn special(player: u64, opponent: u64) -> u64 {
            $trick(player, opponent) | on::<$square, { !$done }>(player, opponent)
        }
        $functions[$square] = special;
    })*};
}

static SPECIAL: [OnSquare; 64] = {
    let mut functions = GENERAL;
    tricks! {
        functions:
        2 tricks::c1, tricks::C1;
        17 tricks::b3, tricks::B3;
        18 tricks::c3, tricks::C3;
        26 tricks::low_half::<26>, tricks::DOWN;
        27 tricks::low_half::<27>, tricks::DOWN;
        28 tricks::low_half::<28>, tricks::DOWN;
        29 tricks::low_half::<29>, tricks::DOWN;
        34 tricks::high_half::<34>, tricks::UP;
        35 tricks::high_half::<35>, tricks::UP;
        36 tricks::high_half::<36>, tricks::UP;
        37 tricks::high_half::<37>, tricks::UP;
        39 tricks::h5, tricks::H5;
        43 tricks::d6, tricks::D6;
        44 tricks::e6, tricks::E6;
        54 tricks::g7, tricks::G7;
        61 tricks::f8, tricks::F8;
        63 tricks::h8, tricks::H8;
    }
    functions
};

/// What is known of a square when its function is compiled; `DIRECTIONS` are those to look at.
struct Rays<const SQUARE: usize, const DIRECTIONS: u8>;

impl<const SQUARE: usize, const DIRECTIONS: u8> Rays<SQUARE, DIRECTIONS> {
    /// The rays of three squares or more, of one direction.
    const RIGHT: u64 = Self::long(0);
    const LEFT: u64 = Self::long(4);
    /// Up to three directions, the used ones first.
    const UP: [u64; 4] = packed([Self::long(1), Self::long(2), Self::long(3)]);
    const DOWN: [u64; 4] = packed([Self::long(5), Self::long(6), Self::long(7)]);
    /// The near squares of the rays of two squares.
    const SHORT: [u64; 8] = {
        let mut near = [0; 8];
        let mut direction = 0;
        while direction < 8 {
            let ray = Self::ray(direction);
            if ray.count_ones() == 2 {
                let nearest = if direction < 4 { ray.trailing_zeros() } else { ray.ilog2() };
                near[direction] = 1 << nearest;
            }
            direction += 1;
        }
        near
    };

    const fn ray(direction: usize) -> u64 {
        if DIRECTIONS >> direction & 1 != 0 { RAYS[SQUARE].0[direction] } else { 0 }
    }

    const fn long(direction: usize) -> u64 {
        let ray = Self::ray(direction);
        if ray.count_ones() > 2 { ray } else { 0 }
    }
}

/// Puts the boards that are not empty first.
const fn packed(boards: [u64; 3]) -> [u64; 4] {
    let (mut packed, mut next, mut index) = ([0; 4], 0, 0);
    while index < 3 {
        if boards[index] != 0 {
            packed[next] = boards[index];
            next += 1;
        }
        index += 1;
    }
    packed
}

/// Returns the discs turned by a move to `SQUARE`, in some directions.
#[target_feature(enable = "sse2")]
fn on<const SQUARE: usize, const DIRECTIONS: u8>(player: u64, opponent: u64) -> u64 {
    let short = short(player, opponent, const { &Rays::<SQUARE, DIRECTIONS>::SHORT });
    let (player, opponent) = (both_lanes(player), both_lanes(opponent));
    let mut flipped = _mm_setzero_si128();
    if const { Rays::<SQUARE, DIRECTIONS>::RIGHT != 0 } {
        flipped = _mm_or_si128(flipped, right::<SQUARE>(player, opponent));
    }
    if const { Rays::<SQUARE, DIRECTIONS>::LEFT != 0 } {
        let ray = const { Rays::<SQUARE, DIRECTIONS>::LEFT };
        flipped = _mm_or_si128(flipped, left(player, opponent, pair(ray, 0)));
    }
    let [a, b, c, _] = const { Rays::<SQUARE, DIRECTIONS>::UP };
    for (low, high) in [(a, b), (c, 0)] {
        if low != 0 {
            flipped = _mm_or_si128(flipped, super::upwards(player, opponent, pair(low, high)));
        }
    }
    let [a, b, c, _] = const { Rays::<SQUARE, DIRECTIONS>::DOWN };
    for (low, high) in [(a, b), (c, 0)] {
        if low != 0 {
            flipped = _mm_or_si128(flipped, downwards(player, opponent, low, high));
        }
    }
    union2(flipped) | short
}

/// Returns the discs turned on rays of two squares, given the near squares by direction.
#[inline]
#[target_feature(enable = "sse2")]
fn short(player: u64, opponent: u64, near: &[u64; 8]) -> u64 {
    let up = player >> 1 & near[0] | player >> 8 & near[1] | player >> 9 & near[2];
    let down = player << 1 & near[4] | player << 8 & near[5] | player << 9 & near[6];
    (up | down | player >> 7 & near[3] | player << 7 & near[7]) & opponent
}

/// Returns the discs turned to the right, in the low lane.
#[inline]
#[target_feature(enable = "sse2")]
fn right<const SQUARE: usize>(player: __m128i, opponent: __m128i) -> __m128i {
    let next = pair(2_u64.wrapping_shl(SQUARE as u32), 0);
    let outflank = _mm_and_si128(_mm_add_epi8(opponent, next), player);
    // the high lane has discs of both sides, that is none
    _mm_subs_epu8(outflank, next)
}

/// Returns the discs turned to the left: the row is in one half of the low lane.
#[inline]
#[target_feature(enable = "sse2")]
fn left(player: __m128i, opponent: __m128i, ray: __m128i) -> __m128i {
    let nearest = highest_31(_mm_andnot_si128(opponent, ray));
    _mm_and_si128(above(_mm_and_si128(nearest, player)), ray)
}

/// Returns the discs turned on two rays towards lower squares.
#[inline]
#[target_feature(enable = "sse2")]
fn downwards(player: __m128i, opponent: __m128i, low: u64, high: u64) -> __m128i {
    let rays = pair(low, high);
    let others = _mm_andnot_si128(opponent, rays);
    let union = low | high;
    let nearest = if union >> 52 == 0 {
        highest_52(others)
    } else if union & 0xf == 0 {
        _mm_slli_epi64::<4>(highest_52(_mm_srli_epi64::<4>(others)))
    } else {
        highest_64(others)
    };
    _mm_and_si128(above(_mm_and_si128(nearest, player)), rays)
}
