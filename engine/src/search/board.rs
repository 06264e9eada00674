//! The position as the search carries it: two words, no checks.

use outflank_kernel::KernelSet;

use super::order::Candidate;
use crate::evaluation::{EvaluationSet, Features};

/// Player to move and opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Board {
    pub(crate) player: u64,
    pub(crate) opponent: u64,
}

impl Board {
    #[inline(always)]
    pub(crate) fn empty(self) -> u64 {
        !(self.player | self.opponent)
    }

    #[inline(always)]
    pub(crate) fn pass(self) -> Self {
        Self { player: self.opponent, opponent: self.player }
    }

    /// Returns the position after a move on `square` that turns `flipped`.
    #[inline(always)]
    pub(crate) fn after(self, square: u32, flipped: u64) -> Self {
        // Not `1 << square`: under BMI1 that becomes BLSI later, which is slow here.
        let placed = 1_u64.rotate_left(square);
        Self { player: self.opponent ^ flipped, opponent: self.player ^ flipped ^ placed }
    }

    /// Returns the score of a game that ends here, empty squares to the winner.
    #[inline(always)]
    pub(crate) fn final_score<K: KernelSet>(self, kernels: K) -> i32 {
        let player = kernels.count(self.player) as i32;
        let opponent = kernels.count(self.opponent) as i32;
        match player.cmp(&opponent) {
            std::cmp::Ordering::Less => 2 * player - 64,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => 64 - 2 * opponent,
        }
    }
}

/// A position in the upper part of the search, with what its evaluation needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) board: Board,
    pub(crate) features: Features,
    pub(crate) empties: u32,
    /// What the position is expected to be worth to the player, in units of the evaluation: from
    /// the order of the moves in the last position above that evaluated them.
    pub(crate) estimate: i32,
}

impl Node {
    /// Makes the node of a position from nothing.
    pub(crate) fn new<K: EvaluationSet>(kernels: K, board: Board) -> Self {
        let features = kernels.features(board.player, board.opponent);
        Self { board, features, empties: board.empty().count_ones(), estimate: 0 }
    }

    #[inline(always)]
    pub(crate) fn pass<K: EvaluationSet>(&self, kernels: K) -> Self {
        let features = kernels.after_pass(&self.features);
        Self { board: self.board.pass(), features, estimate: -self.estimate, ..*self }
    }

    /// Returns the node after a move on `square` that turns `flipped`.
    #[inline(always)]
    pub(crate) fn after<K: EvaluationSet>(&self, kernels: K, square: u32, flipped: u64) -> Self {
        Self {
            board: self.board.after(square, flipped),
            features: kernels.after_move(&self.features, square, flipped),
            empties: self.empties - 1,
            estimate: -self.estimate,
        }
    }

    /// Returns the node after the move of `candidate`, which is expected to be worth what its order
    /// found.
    #[inline(always)]
    pub(crate) fn after_candidate<K: EvaluationSet>(
        &self,
        kernels: K,
        &Candidate { flipped, square, estimate, .. }: &Candidate,
    ) -> Self {
        Self { estimate: -estimate, ..self.after(kernels, square, flipped) }
    }
}

/// The squares of each quadrant: A1, H1, A8, H8.
#[cfg(test)]
const QUADRANTS: [u64; 4] =
    [0x0000_0000_0F0F_0F0F, 0x0000_0000_F0F0_F0F0, 0x0F0F_0F0F_0000_0000, 0xF0F0_F0F0_0000_0000];

/// Returns the empty squares in quadrants that have an odd number of them.
///
/// Who moves into such a region can hope to have the last move in it, so these squares are tried
/// first.
#[inline(always)]
pub(crate) fn odd_squares(empty: u64) -> u64 {
    // Fold each quadrant's parity into its own nibble corner, then spread it over the quadrant.
    let mut parity = empty ^ empty >> 16;
    parity ^= parity >> 8;
    parity ^= parity >> 2;
    parity ^= parity >> 1;
    let odd = parity & 0x0000_0011_0000_0011;
    empty & odd.wrapping_mul(0x0F0F_0F0F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_squares_are_those_of_odd_quadrants() {
        let mut empty = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..10_000 {
            empty = empty.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let expected = QUADRANTS
                .iter()
                .filter(|&quadrant| (empty & quadrant).count_ones() % 2 == 1)
                .fold(0, |odd, quadrant| odd | empty & quadrant);
            assert_eq!(odd_squares(empty), expected, "{empty:016x}");
        }
    }
}
