//! PEXT with the tables of both sides, one leaf after the other: nothing is shared, but nothing
//! waits either, so that the look-ups of eight leaves overlap.
//!
//! 245 instructions for eight, with three look-ups 266. The way that the engine would take: it beats
//! a lane for each leaf on Zen 5.
//!
//! Source: as [`last_flip::bmi2::both`](super::super::bmi2::both); TECHNIQUES D3, D7.

use super::one_by_one;
use crate::last_flip::bmi2::{both, crossed};

/// Looks four lines up for one position after the other.
#[target_feature(enable = "bmi2")]
pub(super) fn pext_both(players: [u64; 8], squares: [u32; 8]) -> [[u64; 8]; 2] {
    one_by_one(players, squares, |player, square| both::last_flip_both(player, square))
}

/// Looks three patterns up for one position after the other.
#[target_feature(enable = "bmi2")]
pub(super) fn pext_crossed(players: [u64; 8], squares: [u32; 8]) -> [[u64; 8]; 2] {
    one_by_one(players, squares, |player, square| crossed::last_flip_both(player, square))
}
