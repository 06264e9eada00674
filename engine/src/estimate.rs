//! What a position seems to be worth: beliefs, never proofs.
//!
//! Where there are no trained weights the estimate knows only mobility, corners and stable discs,
//! looked at a few plies ahead.

use std::sync::LazyLock;

use outflank_kernel::mobility::CORNERS;
use outflank_kernel::{Isa, KernelSet, Scalar};

use crate::evaluation::{self, UNIT, Weights};
use crate::search::board::Board;
use crate::{Position, small};

/// What a position seems to be worth to the player to move. It has no conversion to a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate(i32);

impl Estimate {
    /// Returns the estimate nearest to `discs`.
    pub(crate) fn new(discs: i32) -> Self {
        Self(discs.clamp(-64, 64))
    }

    /// Returns the estimate in discs, −64 to 64, even or odd.
    #[must_use]
    pub const fn discs(self) -> i32 {
        self.0
    }
}

/// The instruction set in use: estimates are the same on all of them.
static ISA: LazyLock<Isa> = LazyLock::new(Isa::chosen_or_best);

/// Plies looked ahead with trained weights.
const PLIES: u32 = 4;

/// Plies looked ahead without.
const PLIES_WITHOUT_WEIGHTS: u32 = 3;

/// Returns the estimate of `position`, which takes some hundreds of microseconds.
#[must_use]
pub fn estimate(position: Position) -> Estimate {
    if position.walls() != 0 {
        return Estimate::new(small::estimate(position));
    }
    let discs = match Weights::embedded() {
        Ok(weights) if !position.is_over() => {
            let plies = PLIES.min(position.empties());
            let values = evaluation::look_ahead(*ISA, weights, &[position], plies);
            (values[0] as f32 / UNIT as f32).round() as i32
        }
        _ => {
            let board = Board { player: position.player(), opponent: position.opponent() };
            look_ahead(board, PLIES_WITHOUT_WEIGHTS, -64, 64)
        }
    };
    Estimate::new(discs)
}

fn look_ahead(board: Board, plies: u32, alpha: i32, beta: i32) -> i32 {
    let kernels = Scalar::new();
    let mut moves = kernels.moves(board.player, board.opponent);
    if moves == 0 {
        if kernels.moves(board.opponent, board.player) == 0 {
            return board.final_score(kernels);
        }
        return -look_ahead(board.pass(), plies, -beta, -alpha);
    }
    if plies == 0 {
        return at_a_glance(kernels, board);
    }
    let mut best = -65;
    while moves != 0 && best < beta {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let after = board.after(square, kernels.flip(board.player, board.opponent, square));
        best = best.max(-look_ahead(after, plies - 1, -beta, -alpha.max(best)));
    }
    best
}

/// Returns what the features of one position suggest, in discs. The weights are a rough guess.
fn at_a_glance(kernels: Scalar, board: Board) -> i32 {
    let Board { player, opponent } = board;
    let count = |squares: u64| squares.count_ones() as i32;
    let mobility = count(kernels.moves(player, opponent)) - count(kernels.moves(opponent, player));
    let frontier = count(kernels.potential_moves(player, opponent))
        - count(kernels.potential_moves(opponent, player));
    let corners = count(player & CORNERS) - count(opponent & CORNERS);
    let stable = count(kernels.stable(player, opponent)) - count(kernels.stable(opponent, player));
    let quarter_discs = 5 * mobility + 2 * frontier + 14 * corners + 4 * stable;
    (quarter_discs / 4).clamp(-64, 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_even_and_a_wipe_out_is_seen() {
        assert!(estimate(Position::START).discs().abs() <= 8);
        let lost = Position::new(1, 2).expect("two squares");
        assert_eq!(estimate(lost).discs(), 64);
    }
}
