//! Scores by tables, with and without the low cut.
//!
//! 70 instructions in 26 cycles, with the low cut 77 in 26: it wins where there is no fast PEXT.

use super::super::{portable, scalar};
use super::{answered, decided, moved, passed};

/// Returns the exact score, by the reference of the flips.
pub(super) fn reference(player: u64, square: u32, _alpha: i32) -> i32 {
    debug_assert!(player >> square & 1 == 0, "a disc on the empty square {square}: {player:#x}");
    decided(player, scalar::last_flip_both(player, square))
}

/// Returns the exact score from the counts of both sides.
pub(super) fn both_sides(player: u64, square: u32, _alpha: i32) -> i32 {
    decided(player, portable::last_flip_both(player, square))
}

/// Returns the score, counting for the opponent only if the player cannot move and the score
/// without a move is too high for a low cut.
pub(super) fn lazy_low(player: u64, square: u32, alpha: i32) -> i32 {
    let mine = portable::last_flip(player, square);
    if mine != 0 {
        return moved(player, mine);
    }
    let passed = passed(player);
    if passed <= alpha {
        return passed;
    }
    let theirs = portable::last_flip(!player, square);
    if theirs != 0 { answered(player, theirs) } else { passed }
}
