//! The last squares: no table and no move generator, only parity order.

use outflank_kernel::bits::NEIGHBOURS;

use super::SmallSet;
use super::searcher::{Discs, Field};
use crate::search::board::odd_squares;

/// Most empty squares for which this search is the right one.
pub(super) const MOST_EMPTIES: u32 = 6;

/// Lower than every score.
const NO_MOVE: i32 = -128;

/// Solves a position with few empty squares in a null window.
#[inline(always)]
pub(super) fn body<K: SmallSet>(
    kernels: K,
    nodes: &mut u64,
    field: &Field,
    discs: Discs,
    alpha: i32,
) -> i32 {
    *nodes += 1;
    let empty = field.empty(discs);
    if empty & empty.wrapping_sub(1) == 0 {
        return last(kernels, field, discs, empty);
    }
    let (mut mover, mut above) = (discs, alpha);
    for sign in [1, -1] {
        let best = moves(kernels, nodes, field, mover, empty, above);
        if best != NO_MOVE {
            return sign * best;
        }
        (mover, above) = (discs.pass(), -alpha - 1);
    }
    field.final_score(kernels, discs)
}

/// Returns the value of a position with at most one empty square.
#[inline(always)]
fn last<K: SmallSet>(kernels: K, field: &Field, discs: Discs, empty: u64) -> i32 {
    if empty == 0 {
        return field.final_score(kernels, discs);
    }
    let square = empty.trailing_zeros();
    let Discs { player, opponent } = discs;
    let own = 2 * kernels.count(player) as i32 - field.count;
    let flipped = kernels.flip(player, opponent, square);
    if flipped != 0 {
        return own + 2 + 2 * kernels.count(flipped) as i32;
    }
    let flipped = kernels.flip(opponent, player, square);
    if flipped != 0 {
        return own - 2 * kernels.count(flipped) as i32;
    }
    field.final_score(kernels, discs)
}

#[inline(always)]
fn moves<K: SmallSet>(
    kernels: K,
    nodes: &mut u64,
    field: &Field,
    discs: Discs,
    empty: u64,
    alpha: i32,
) -> i32 {
    let odd = odd_squares(empty);
    let mut best = NO_MOVE;
    for group in [odd, empty & !odd] {
        let mut rest = group;
        while rest != 0 {
            let square = rest.trailing_zeros();
            rest &= rest - 1;
            if discs.opponent & NEIGHBOURS[square as usize] == 0 {
                continue;
            }
            let flipped = kernels.flip(discs.player, discs.opponent, square);
            if flipped == 0 {
                continue;
            }
            let after = discs.after(square, flipped);
            best = best.max(-kernels.small_shallow(nodes, field, after, -alpha - 1));
            if best > alpha {
                return best;
            }
        }
    }
    best
}
