//! Five empty squares: no table and no move generator, only parity order and stability.
//!
//! Squares of odd quadrants come before the others, corners before the rest of each group.

use outflank_kernel::bits::NEIGHBOURS;
use outflank_kernel::mobility::CORNERS;

use super::SearchSet;
use super::board::{Board, odd_squares};
use super::stability;
use super::tally::{Event, Tally, Tries};

/// Most empty squares for which this search is the right one.
pub(super) const MOST_EMPTIES: u32 = 5;

/// Lower than every score.
const NO_MOVE: i32 = -128;

/// Solves `board`, which has `empties` empty squares, at least five.
#[inline(always)]
pub(super) fn body<K: SearchSet>(
    kernels: K,
    tally: &mut Tally,
    board: Board,
    empties: u32,
    alpha: i32,
) -> i32 {
    tally.enter(empties);
    if let Some(upper) = stability::cut(kernels, board, empties, alpha) {
        tally.count(empties, Event::Stable);
        return upper;
    }
    let (mut mover, mut above) = (board, alpha);
    for sign in [1, -1] {
        let best = moves(kernels, tally, mover, empties, above);
        if best != NO_MOVE {
            return sign * best;
        }
        (mover, above) = (board.pass(), -alpha - 1);
    }
    tally.count(empties, Event::Over);
    board.final_score(kernels)
}

#[inline(always)]
fn moves<K: SearchSet>(
    kernels: K,
    tally: &mut Tally,
    board: Board,
    empties: u32,
    alpha: i32,
) -> i32 {
    let empty = board.empty();
    let odd = odd_squares(empty);
    let (mut best, mut tried) = (NO_MOVE, Tries::default());
    for group in [odd & CORNERS, odd & !CORNERS, empty & !odd & CORNERS, empty & !odd & !CORNERS] {
        let mut rest = group;
        while rest != 0 {
            let square = rest.trailing_zeros();
            rest &= rest - 1;
            if board.opponent & NEIGHBOURS[square as usize] == 0 {
                continue;
            }
            let flipped = kernels.flip(board.player, board.opponent, square);
            if flipped == 0 {
                continue;
            }
            let after = board.after(square, flipped);
            let value = if empties == 5 {
                -kernels.four(tally, after, -alpha - 1)
            } else {
                -kernels.shallow(tally, after, empties - 1, -alpha - 1)
            };
            best = best.max(value);
            tried.add();
            if best > alpha {
                tally.count(empties, tried.cut_off());
                return best;
            }
        }
    }
    tally.count(empties, tried.failed());
    best
}
