//! The tricks that the document shows at single squares: several directions in a few instructions.
//!
//! SSE2 shifts all lanes alike; multiplications shift each word on its own, to the left with the
//! low half of the product, to the right with the high half. Minima, packing and saturation join
//! words or decide without a comparison. Each function says which directions it has done.
//!
//! They are shorter than the general way, but a multiplication takes three cycles and the answers
//! are in lanes that still have to be joined.
//!
//! Source: `reversi-bitboard-techniques`, the sections on PMULLW, PMULHUW, PMINSW, PMINUB, PMADDWD,
//! PADDUSB, PACKUSWB and PSHUFD; TECHNIQUES E3.

use core::arch::x86_64::*;

use super::{above, both_lanes, pair};
use crate::bits::highest::sse2::{highest_31, highest_52};
use crate::lanes::union2;
use crate::masks::RAYS;

/// The directions right, up, up-right and up-left.
pub(super) const UP: u8 = 0x0f;
/// Their opposites.
pub(super) const DOWN: u8 = 0xf0;
/// Right, left, up-left.
pub(super) const C1: u8 = 0b0001_1001;
/// Right, down, down-right.
pub(super) const B3: u8 = 0b1010_0001;
/// Left, down, down-left, up-left and down-right: the rays of two squares.
pub(super) const C3: u8 = 0b1111_1000;
/// Left.
pub(super) const H5: u8 = 0b0001_0000;
/// Up-right, up-left.
pub(super) const D6: u8 = 0b0000_1100;
/// Up-right, up-left.
pub(super) const E6: u8 = D6;
/// All directions: those not named in [`g7`] have one square.
pub(super) const G7: u8 = 0xff;
/// Right, down-right.
pub(super) const F8: u8 = 0b1000_0001;
/// Down, down-left.
pub(super) const H8: u8 = 0b0110_0000;

/// C1 right, and C1-B1-A1 and C1-B2-A3: PMULLW shifts words by different distances.
///
/// The word with A1 is shifted by 9, the one with A3 by 1; shifting all right by 8 brings A1 to B1
/// and A3 to B2. In the other lane 255 · x >> 8 is `x - 1`, or nothing for nothing.
#[target_feature(enable = "sse2")]
pub(super) fn c1(player: u64, opponent: u64) -> u64 {
    let (player, opponent) = (both_lanes(player), both_lanes(opponent));
    let outflank = _mm_and_si128(_mm_add_epi8(opponent, pair(0x08, 0)), player);
    let lanes = _mm_unpacklo_epi64(outflank, player);
    let factors = _mm_set_epi16(0, 0, 0x0002, 0x0200, 0, 0, 0, 0x00ff);
    let moved = _mm_srli_epi64::<8>(_mm_mullo_epi16(lanes, factors));
    union2(_mm_and_si128(_mm_and_si128(moved, opponent), pair(0x0078, 0x0202)))
}

/// B3 right, and B3-B2-B1 and B3-C2-D1: PADDUSB adds in one byte and fills another.
///
/// In the row, adding C3 carries to the end of the run; the row 1 becomes all ones, so that the
/// player's discs there stay. If the whole row 3 is the opponent's, the sum saturates, which can
/// only leave A3, and that is shifted out.
#[target_feature(enable = "sse2")]
pub(super) fn b3(player: u64, opponent: u64) -> u64 {
    let (player, opponent) = (both_lanes(player), both_lanes(opponent));
    let sums = _mm_adds_epu8(opponent, pair(0x0004_00ff, 0x0000_00ff));
    let outflank = _mm_and_si128(player, sums);
    let factors = _mm_set_epi16(0, 0, 0, 0x1000, 0, 0, 0x001f, 0x2000);
    let moved = _mm_srli_epi16::<5>(_mm_mullo_epi16(outflank, factors));
    union2(_mm_and_si128(_mm_and_si128(moved, opponent), pair(0x007c_0200, 0x0400)))
}

/// C3 to A5, A3, A1, C1 and E1, one disc each: PMADDWD shifts pairs of words and joins them.
#[target_feature(enable = "sse2")]
pub(super) fn c3(player: u64, opponent: u64) -> u64 {
    let (player, opponent) = (both_lanes(player), both_lanes(opponent));
    let words = _mm_shufflelo_epi16::<0b10_01_00_00>(player);
    // A1 in the high lane; A5, A3, C1 and E1 in the words of the low one
    let ends = _mm_and_si128(words, _mm_set_epi16(0, 0, 0, 1, 1, 1, 0x0004, 0x0010));
    let factors = _mm_set_epi16(0, 0, 0, 0x0200, 0x0200, 0x0002, 0x0100, 0x0080);
    let moved = _mm_madd_epi16(ends, factors);
    union2(_mm_and_si128(_mm_shufflelo_epi16::<0b11_11_10_00>(moved), opponent))
}

/// H5 left: the highest bit of 31; the product by -2^10 leaves the word at its edge, so that no
/// mask is needed.
#[target_feature(enable = "sse2")]
pub(super) fn h5(player: u64, opponent: u64) -> u64 {
    let (player, opponent) = (both_lanes(player), both_lanes(opponent));
    let others = _mm_andnot_si128(opponent, pair(0x7f << 32, 0));
    let outflank = _mm_and_si128(highest_31(others), player);
    let factors = _mm_set_epi16(0, 0, 0, 0, 0, -0x0400, 0, 0);
    union2(_mm_srli_epi16::<9>(_mm_mullo_epi16(outflank, factors)))
}

/// D6-C7-B8 and D6-E7-F8: PMINSW leaves the opponent's lower disc if the player has the higher one.
#[target_feature(enable = "sse2")]
pub(super) fn d6(player: u64, opponent: u64) -> u64 {
    let far = _mm_and_si128(both_lanes(player), pair(1 << 61, 1 << 57));
    let near = _mm_and_si128(both_lanes(opponent), pair(1 << 52, 1 << 50));
    union2(_mm_min_epi16(far, near))
}

/// E6-D7-C8 and E6-F7-G8: PMULHUW shifts words right by 7 and by 9.
#[target_feature(enable = "sse2")]
pub(super) fn e6(player: u64, opponent: u64) -> u64 {
    let factors = _mm_set_epi16(0x0200, 0, 0, 0, 0x0080, 0, 0, 0);
    let moved = _mm_mulhi_epu16(both_lanes(player), factors);
    union2(_mm_and_si128(_mm_and_si128(moved, both_lanes(opponent)), pair(1 << 53, 1 << 51)))
}

/// G7 in its three directions: a bit of the minuend keeps the row and the diagonal of one lane
/// apart when both are subtracted.
#[target_feature(enable = "sse2")]
pub(super) fn g7(player: u64, opponent: u64) -> u64 {
    let (player, opponent) = (both_lanes(player), both_lanes(opponent));
    let long = pair(0x0000_2010_0804_0201, 0x0000_4040_4040_4040);
    let lines = highest_52(_mm_andnot_si128(opponent, long));
    let row = highest_31(_mm_andnot_si128(opponent, pair(0x003f_0000_0000_0000, 0)));
    let outflank = _mm_and_si128(_mm_or_si128(lines, row), player);
    let between = _mm_sub_epi64(pair(1 << 47, 0), _mm_add_epi64(outflank, outflank));
    let squares = pair(0x003e_2010_0804_0201, 0x0000_4040_4040_4040);
    union2(_mm_and_si128(between, squares))
}

/// F8-G8-H8 and F8-G7-H6: PACKUSWB halves the distance of H8 and H6 from 16 to 8.
#[target_feature(enable = "sse2")]
pub(super) fn f8(player: u64, opponent: u64) -> u64 {
    let far = _mm_and_si128(both_lanes(player), pair(0, 1 << 63 | 1 << 47));
    let near = _mm_packus_epi16(_mm_srli_epi64::<9>(far), _mm_setzero_si128());
    union2(_mm_and_si128(near, both_lanes(opponent)))
}

/// H8 down and down-left: PMINUB moves the upper squares by four files, so that 52 bits do, and
/// PMULLW moves them back.
#[target_feature(enable = "sse2")]
pub(super) fn h8(player: u64, opponent: u64) -> u64 {
    let (player, opponent) = (both_lanes(player), both_lanes(opponent));
    let rays = pair(0x0040_2010_0804_0201, 0x0080_8080_8080_8080);
    let others = _mm_andnot_si128(opponent, rays);
    let moved = _mm_min_epu8(others, pair(0x0004_0201_0804_0201, 0x0008_0808_0808_0808));
    let factors = _mm_set_epi16(16, 16, 16, 16, 16, 16, 1, 1);
    let nearest = _mm_mullo_epi16(highest_52(moved), factors);
    union2(_mm_and_si128(above(_mm_and_si128(nearest, player)), rays))
}

/// C4 to F4 in the four directions down: all in the low half of the board, so four to a register.
#[target_feature(enable = "sse2")]
pub(super) fn low_half<const SQUARE: usize>(player: u64, opponent: u64) -> u64 {
    let rays = const { half(SQUARE, 4, 0) };
    let rays = _mm_set_epi32(rays[3], rays[2], rays[1], rays[0]);
    let (player, opponent) = (_mm_set1_epi32(player as i32), _mm_set1_epi32(opponent as i32));
    let nearest = highest_31(_mm_andnot_si128(opponent, rays));
    let outflank = _mm_and_si128(nearest, player);
    let between = _mm_sub_epi32(_mm_setzero_si128(), _mm_add_epi32(outflank, outflank));
    u64::from(union4(_mm_and_si128(between, rays)))
}

/// C5 to F5 in the four directions up: all in the high half of the board.
#[target_feature(enable = "sse2")]
pub(super) fn high_half<const SQUARE: usize>(player: u64, opponent: u64) -> u64 {
    let rays = const { half(SQUARE, 0, 32) };
    let rays = _mm_set_epi32(rays[3], rays[2], rays[1], rays[0]);
    let player = _mm_set1_epi32((player >> 32) as i32);
    let others = _mm_andnot_si128(_mm_set1_epi32((opponent >> 32) as i32), rays);
    let nearest = _mm_and_si128(others, _mm_sub_epi32(_mm_setzero_si128(), others));
    let outflank = _mm_and_si128(nearest, player);
    let none = _mm_cmpeq_epi32(outflank, _mm_setzero_si128());
    let between = _mm_sub_epi32(_mm_add_epi32(outflank, _mm_set1_epi32(-1)), none);
    u64::from(union4(_mm_and_si128(between, rays))) << 32
}

/// Returns four rays from the direction `first` on, of the half of the board at `shift`.
const fn half(square: usize, first: usize, shift: u32) -> [i32; 4] {
    let rays = &RAYS[square].0;
    let (mut half, mut lane) = ([0; 4], 0);
    while lane < 4 {
        half[lane] = (rays[first + lane] >> shift) as i32;
        lane += 1;
    }
    half
}

/// Returns the union of four 32-bit lanes.
#[target_feature(enable = "sse2")]
fn union4(lanes: __m128i) -> u32 {
    let pairs = _mm_or_si128(lanes, _mm_shuffle_epi32::<0b01_00_11_10>(lanes));
    let union = _mm_or_si128(pairs, _mm_shuffle_epi32::<0b10_11_00_01>(pairs));
    _mm_cvtsi128_si32(union).cast_unsigned()
}
