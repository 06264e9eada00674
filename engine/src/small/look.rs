//! What a position on a small board seems to be worth: to order moves and to predict, never to prove.

use outflank_kernel::Scalar;

use super::SmallSet;
use super::searcher::{Discs, Field};
use crate::Position;

/// Units of an evaluation in a disc.
const UNIT: i32 = 8;

/// Plies looked ahead for an estimate.
const PLIES: u32 = 5;

/// Returns what `position`, on a small board, seems to be worth in discs.
pub(crate) fn estimate(position: Position) -> i32 {
    let (field, discs) = (Field::new(position.walls()), Discs::of(position));
    let most = field.count * UNIT;
    let value = body(Scalar::new(), &field, discs, PLIES, -most - 1, most + 1);
    value / UNIT
}

/// Returns what a look of `plies` plies says of a position, in units of the evaluation.
#[inline(always)]
pub(super) fn body<K: SmallSet>(
    kernels: K,
    field: &Field,
    discs: Discs,
    plies: u32,
    alpha: i32,
    beta: i32,
) -> i32 {
    let mut moves = field.moves(kernels, discs);
    if moves == 0 {
        if field.moves(kernels, discs.pass()) == 0 {
            return field.final_score(kernels, discs) * UNIT;
        }
        return -kernels.small_look(field, discs.pass(), plies, -beta, -alpha);
    }
    if plies == 0 {
        return at_a_glance(kernels, field, discs, moves);
    }
    let mut best = alpha;
    while moves != 0 && best < beta {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let after = discs.after(square, kernels.flip(discs.player, discs.opponent, square));
        best = best.max(-kernels.small_look(field, after, plies - 1, -beta, -best));
    }
    best
}

/// Returns what the features of one position suggest. The weights are a rough guess.
#[inline(always)]
fn at_a_glance<K: SmallSet>(kernels: K, field: &Field, discs: Discs, moves: u64) -> i32 {
    let Discs { player, opponent } = discs;
    let count = |squares: u64| kernels.count(squares) as i32;
    let replies = field.moves(kernels, discs.pass());
    let mobility = weighted(kernels, field, moves) - weighted(kernels, field, replies);
    let frontier = count(kernels.potential_moves(player, opponent) & field.squares)
        - count(kernels.potential_moves(opponent, player) & field.squares);
    let corners = count(player & field.corners) - count(opponent & field.corners);
    let beside = count(player & field.beside_corners) - count(opponent & field.beside_corners);
    10 * mobility + 4 * frontier + 32 * corners - 4 * beside
}

/// Counts moves, those to corners twice.
#[inline(always)]
pub(super) fn weighted<K: SmallSet>(kernels: K, field: &Field, moves: u64) -> i32 {
    (kernels.count(moves) + kernels.count(moves & field.corners)) as i32
}
