//! The end of each run by carry propagation, leading zeros, or on the board turned around.
//!
//! Carries run through ones: with everything off the ray set, adding one to the opponent's discs
//! carries to the first square of the ray that is not the opponent's. That is the same square as
//! the lowest bit of `ray & !opponent`, since `-x` is `!x + 1`.
//!
//! ```text
//!   ray            . . . # # # # #      (the move is at the third place)
//!   opponent       . . . # # . . .
//!   | !ray         # # # # # . . .
//!   + 1            . . . . . # . .
//!   & player, ray  . . . . . # . .      outflank
//!   below, & ray   . . . # # . . .      the discs that turn
//! ```
//! "Below" is `x - 1`, but nothing where there is no outflanking disc. Three ways to say so: take
//! one if there is a bit, take one and add the borrow, subtract with saturation (TECHNIQUES A8).
//!
//! Towards lower squares the highest bit of `ray & !opponent` is wanted: by counting leading
//! zeros, or by carrying on the board turned by 180 degrees where a bit reversal is one
//! instruction (RBIT on Arm).
//!
//! About 75 instructions where leading zeros are one, 95 to 160 for the baseline of x86-64. The
//! dependent ones are 10 to 12: a third of the latency of a way through vector registers, if the
//! compiler does not take that way itself (see `flip/lzcnt.rs`).
//!
//! Source: `reversi-bitboard-techniques`, carry propagation, LZCNT, `__builtin_clzll` and outflank
//! to flip; TECHNIQUES E2, A8.

use crate::masks::RAYS;

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty): carries upwards,
/// leading zeros downwards.
#[inline]
#[must_use]
pub fn carry_and_lzcnt(player: u64, opponent: u64, square: u32) -> u64 {
    let rays = &RAYS[square as usize & 63].0;
    let mut flipped = 0;
    for &ray in &rays[..4] {
        let (below, borrow) = carried(player, opponent, ray).overflowing_sub(1);
        flipped |= below.wrapping_add(u64::from(borrow)) & ray;
    }
    for &ray in &rays[4..] {
        let zeros = (ray & !opponent).leading_zeros();
        let nearest = 0x8000_0000_0000_0000_u64.checked_shr(zeros).unwrap_or(0);
        flipped |= (nearest & player).wrapping_mul(0_u64.wrapping_sub(2)) & ray;
    }
    flipped
}

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty): carries upwards,
/// leading zeros of a number that is never zero downwards.
///
/// For CPUs without LZCNT, whose BSR knows no answer for zero. An opponent disc at the far end of
/// the ray is left out, which makes that end a sentinel; the player does not own it, so nothing
/// turns. Bit 0 is the sentinel of rays without squares.
#[inline]
#[must_use]
pub fn carry_and_clz(player: u64, opponent: u64, square: u32) -> u64 {
    let rays = &RAYS[square as usize & 63].0;
    let mut flipped = 0;
    for &ray in &rays[..4] {
        let outflank = carried(player, opponent, ray);
        flipped |= outflank.wrapping_sub(u64::from(outflank != 0)) & ray;
    }
    for &ray in &rays[4..] {
        let inner = ray & ray.wrapping_sub(1);
        let others = (opponent & inner) ^ ray | 1;
        let outflank = 0x8000_0000_0000_0000 >> others.leading_zeros() & player;
        flipped |= (outflank << 1).wrapping_neg() & ray;
    }
    flipped
}

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty): carries upwards,
/// and carries upwards on the board turned by 180 degrees.
#[inline]
#[must_use]
pub fn carry_and_reverse(player: u64, opponent: u64, square: u32) -> u64 {
    let square = square as usize & 63;
    let up = upwards(player, opponent, &RAYS[square].0);
    let down = upwards(player.reverse_bits(), opponent.reverse_bits(), &RAYS[63 - square].0);
    up | down.reverse_bits()
}

/// Returns the discs turned in the four directions towards higher squares.
#[inline]
fn upwards(player: u64, opponent: u64, rays: &[u64; 8]) -> u64 {
    let turned = |ray: u64| carried(player, opponent, ray).saturating_sub(1) & ray;
    turned(rays[0]) | turned(rays[1]) | turned(rays[2]) | turned(rays[3])
}

/// Returns the player's disc that ends the run of opponents at the beginning of `ray`, if any.
#[inline]
fn carried(player: u64, opponent: u64, ray: u64) -> u64 {
    (opponent | !ray).wrapping_add(1) & player & ray
}
