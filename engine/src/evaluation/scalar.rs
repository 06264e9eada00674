//! The reference: the plainest code there is, lane by lane.

use super::features::Features;
use super::patterns::{DIGITS, LANES, OFFSETS};
use super::weights::Stage;

/// Returns the features of a position, counted square by square.
#[must_use]
pub(crate) fn features(player: u64, opponent: u64) -> Features {
    let mut features = Features::EMPTY;
    for (square, digits) in DIGITS.iter().enumerate() {
        let (own, other) = ((player >> square & 1) as u16, (opponent >> square & 1) as u16);
        for lane in 0..LANES {
            features.contents[lane] += digits.0[lane] * (own + 2 * other);
            features.occupied[lane] += digits.0[lane] * (own + other);
        }
    }
    features
}

/// Returns the features after a move on `square` that turns `flipped`.
#[inline]
#[must_use]
pub(crate) fn after_move(features: &Features, square: u32, flipped: u64) -> Features {
    let mut after = *features;
    let placed = &DIGITS[square as usize & 63].0;
    for (lane, digit) in placed.iter().enumerate() {
        after.contents[lane] = after.contents[lane].wrapping_add(*digit);
        after.occupied[lane] = after.occupied[lane].wrapping_add(*digit);
    }
    let mut rest = flipped;
    while rest != 0 {
        let turned = &DIGITS[rest.trailing_zeros() as usize].0;
        rest &= rest - 1;
        for (contents, digit) in after.contents.iter_mut().zip(turned) {
            *contents = contents.wrapping_sub(*digit);
        }
    }
    after_pass(&after)
}

/// Returns the features of the same board, seen by the other player.
#[inline]
#[must_use]
pub(crate) fn after_pass(features: &Features) -> Features {
    let mut after = *features;
    for lane in 0..LANES {
        after.contents[lane] =
            features.occupied[lane].wrapping_mul(3).wrapping_sub(features.contents[lane]);
    }
    after
}

/// Returns the sum of the patterns' weights.
#[inline]
#[must_use]
pub(crate) fn pattern_sum(stage: &Stage, features: &Features) -> i32 {
    let weights = stage.raw();
    let mut sum = 0;
    for lane in 0..LANES {
        sum += i32::from(weights[OFFSETS[lane] + usize::from(features.contents[lane])]);
    }
    sum
}
