//! The score of a position with one empty square, in a null window: what is counted only if it
//! matters.
//!
//! If both sides passed, the empty square would go to the winner. With S for that score, a player
//! who moves ends at S + 2 or more, and one who cannot move at S or less. So one test or one count
//! decides most windows:
//!
//! - **low cut**: S <= alpha and the player cannot move: the score is S at most;
//! - **high cut**: S > alpha and the player can move: the score is greater still, however many
//!   discs turn. "Can move" is cheaper than a count: on some ray the neighbour is the opponent's
//!   and not all squares are.
//!
//! The score that a variant returns is exact, or a bound on the right side of alpha: at least the
//! exact score if that is at most alpha, at most the exact score if that is greater.
//!
//! The branches on S cannot be predicted. On CPUs with a fast PEXT the counts of both sides,
//! without a branch, cost less than one misprediction.
//!
//! Source: `edax-avx-optimizations`, parallel evaluation of the last move and lazy cut-offs;
//! TECHNIQUES D8.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod bmi2;
mod portable;

crate::catalogue::family! {
    /// Player, square (0–63, the only empty one), alpha (even) → the score for the player, who is
    /// to move, or a bound that decides whether it is greater than alpha. The player has no disc on
    /// the square, which the reference checks in builds with debug assertions: a bit there would
    /// count as a disc.
    LastScore = fn(player: u64, square: u32, alpha: i32) -> i32;
    chosen by LAST_SCORE or "OUTFLANK_KERNEL_LAST_SCORE";
    portable {
        "reference" "D8" [] portable::reference,
        "both_sides" "D1 D8" [] portable::both_sides,
        "lazy_low" "D1 D8" [] portable::lazy_low,
    }
    x86_64 {
        "pext_both" "D3 D7 D8" ["bmi2", "popcnt"] bmi2::pext_both,
        "pext_crossed" "D3 D7 D8" ["bmi2", "popcnt"] bmi2::pext_crossed,
        "avx2_movemask" "D4 D8" ["avx2", "popcnt"] avx2::both_sides,
        "avx2_lazy_high" "D4 D8" ["avx2", "popcnt"] avx2::lazy,
        "avx512_lazy_256" "D4 D8" ["avx2", "avx512f", "avx512bw", "avx512vl", "popcnt"]
            avx512::lazy_256,
        "avx512_lazy_512" "D4 D8" ["avx2", "avx512f", "avx512bw", "avx512vl", "popcnt"]
            avx512::lazy_512,
        "avx512_both_256" "D6 D8" ["avx2", "avx512f", "avx512cd", "avx512vl", "popcnt"]
            avx512::both_256,
        "avx512_both_512" "D6 D8" ["avx2", "avx512f", "avx512cd", "popcnt"] avx512::both_512,
    }
    aarch64 {}
}

/// Returns the score if both sides pass: the empty square goes to the winner.
#[inline(always)]
fn passed(player: u64) -> i32 {
    let discs = 2 * player.count_ones() as i32;
    if discs >= 64 { discs - 62 } else { discs - 64 }
}

/// Returns the score after the player has turned `turned` discs with the last move.
#[inline(always)]
fn moved(player: u64, turned: u32) -> i32 {
    2 * (player.count_ones() + turned) as i32 - 62
}

/// Returns the score after the opponent has turned `turned` discs with the last move.
#[inline(always)]
fn answered(player: u64, turned: u32) -> i32 {
    2 * (player.count_ones() as i32 - turned as i32) - 64
}

/// Returns the score from what both sides could turn.
#[inline(always)]
fn decided(player: u64, (mine, theirs): (u32, u32)) -> i32 {
    if mine != 0 {
        moved(player, mine)
    } else if theirs != 0 {
        answered(player, theirs)
    } else {
        passed(player)
    }
}
