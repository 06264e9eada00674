//! Stable discs, and the solid ones among them: those whose four lines are all full.
//!
//! A disc is turned only between a move and another disc of the mover, and a move needs an empty
//! square. A full line never has one: along it nothing is turned, and no disc on it is the far end
//! of what is. So no move of any game that can follow depends on whose a solid disc is; only the
//! count at the end does. Positions that differ in the colours of solid discs have the same tree.
//!
//! ```text
//!   S o o S S S S o     two empty squares, marked with dots; S is solid, o is not:
//!   S o o S S S o S     the square is in the row, the column or a diagonal of an
//!   S o o S S o S o     empty one
//!   S o o S o S o S
//!   S o o o S o S S
//!   o o o S o S S S
//!   o . o o o o o o
//!   o o . o o o o o
//! ```
//!
//! [`handed_over`] makes such positions equal, so that a table could keep them under one key, and
//! says what their values have to do with each other. The search does not: `docs/log/search.md`
//! has what that would save and what it would cost.
//!
//! Stability needs the full lines anyway. With AVX-512 95 instructions in 58 cycles, two results
//! through memory, where stable discs alone are 80 in 49.
//!
//! Source: H. Matsuo and S. Narazaki, *Improvement of Search by Reducing Redundant Information in a
//! Position of Othello*; the condition in [`handed_over`] is ours; TECHNIQUES F7.

use super::edges::portable::multiplication;
use super::{solid_among, spread};
use crate::lines;

crate::catalogue::family! {
    /// Player, opponent → the player's discs that are certainly stable, and those that are solid.
    StableAndSolid = fn(player: u64, opponent: u64) -> [u64; 2];
    portable {
        "reference" "C5 F7" [] reference,
        "multiplication" "C4 C5 F7" [] stable_and_solid,
    }
    x86_64 {
        "sse2_pmovmskb" "C1 C2 C3 C4 C5 F7" ["sse2"] x86_64::sse2,
        "avx2_pmovmskb" "C3 C4 C5 F7" ["avx2"] x86_64::avx2,
        "avx512_pmovmskb" "C3 C4 C5 F7" ["avx2", "avx512f", "avx512vl"] x86_64::avx512,
    }
    aarch64 {}
}

/// Returns a position with `solid` discs of the opponent as the player's, player first, and by how
/// much that raises what a game is worth to the player, in discs.
///
/// For every `alpha` of at least the number of empty squares `n`,
///
/// ```text
///   value > alpha   <=>   value after handing over > alpha + raise
/// ```
///
/// since a game that leaves the opponent `o` discs is worth 64 - 2 `o` to a player who has won, and
/// wherever that is more than `n` the player has won: at least 64 - `n` - `o` > `o` discs. Each disc
/// that changes hands takes one from `o`, whatever is played. Below `n` the values may differ by
/// another amount, or by none, since empty squares go to the winner and the winner may be another.
#[inline]
#[must_use]
pub const fn handed_over(player: u64, opponent: u64, solid: u64) -> ([u64; 2], u32) {
    ([player | solid, opponent & !solid], 2 * solid.count_ones())
}

/// Returns the player's discs that are certainly stable, and those whose four lines are full.
#[must_use]
pub fn reference(player: u64, opponent: u64) -> [u64; 2] {
    let full = lines::scalar::full_lines(player | opponent);
    let solid = full.into_iter().fold(player, |solid, line| solid & line);
    [super::scalar::stable(player, opponent), solid]
}

/// Returns the same: edges by table and multiplication, full lines by shifts.
#[inline]
#[must_use]
pub fn stable_and_solid(player: u64, opponent: u64) -> [u64; 2] {
    let full = lines::portable::full_lines(player | opponent);
    both(player, multiplication(player, opponent), full)
}

/// Spreads the stable discs of the edges, and picks the solid ones.
#[inline(always)]
fn both(player: u64, edges: u64, full: [u64; 4]) -> [u64; 2] {
    [spread(player, edges, full), solid_among(player, full)]
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::super::edges::sse2::edges;
    use super::both;
    use crate::lines;

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn sse2(player: u64, opponent: u64) -> [u64; 2] {
        let full = lines::sse2::full_lines(player | opponent);
        both(player, edges(player, opponent), full)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn avx2(player: u64, opponent: u64) -> [u64; 2] {
        let full = lines::avx2::full_lines(player | opponent);
        both(player, edges(player, opponent), full)
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512vl")]
    pub(super) fn avx512(player: u64, opponent: u64) -> [u64; 2] {
        let full = lines::avx512::full_lines(player | opponent);
        both(player, edges(player, opponent), full)
    }
}
