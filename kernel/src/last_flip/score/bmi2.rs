//! Scores by PEXT and tables: both sides' counts at once, without a branch before them.
//!
//! 31 instructions, with three look-ups 29. They win: a count costs less than a mispredicted branch
//! that would save it.
//!
//! Source: `edax-avx-optimizations`, simultaneous evaluation; TECHNIQUES D3, D7, D8.

use super::super::bmi2::{both, crossed};
use super::decided;

/// Returns the exact score; four look-ups.
#[inline]
#[target_feature(enable = "bmi2,popcnt")]
pub(super) fn pext_both(player: u64, square: u32, _alpha: i32) -> i32 {
    decided(player, both::last_flip_both(player, square))
}

/// Returns the exact score; three look-ups.
#[inline]
#[target_feature(enable = "bmi2,popcnt")]
pub(super) fn pext_crossed(player: u64, square: u32, _alpha: i32) -> i32 {
    decided(player, crossed::last_flip_both(player, square))
}
