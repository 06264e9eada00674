//! Five empty squares: no table, only parity order and stability.
//!
//! The moves are known: the caller has counted them as replies. Squares of odd quadrants come before
//! the others, corners before the rest of each group.

use outflank_kernel::mobility::CORNERS;

use super::SearchSet;
use super::board::{Board, odd_squares};
use super::stability;
use super::tally::{Event, Tally, Tries};

/// The number of empty squares for which this search is the right one.
pub(super) const EMPTIES: u32 = 5;

/// Lower than every score.
const NO_MOVE: i32 = -128;

/// Solves `board`, which has five empty squares, and in which the player has `moves`.
#[inline(always)]
pub(super) fn body<K: SearchSet>(
    kernels: K,
    tally: &mut Tally,
    board: Board,
    moves: u64,
    alpha: i32,
) -> i32 {
    tally.enter(EMPTIES);
    if let Some(upper) = stability::cut(kernels, board, EMPTIES, alpha) {
        tally.count(EMPTIES, Event::Stable);
        return upper;
    }
    if moves != 0 {
        return search_moves(kernels, tally, board, moves, alpha);
    }
    let moves = kernels.moves(board.opponent, board.player);
    if moves == 0 {
        tally.count(EMPTIES, Event::Over);
        return board.final_score(kernels);
    }
    -search_moves(kernels, tally, board.pass(), moves, -alpha - 1)
}

#[inline(always)]
fn search_moves<K: SearchSet>(
    kernels: K,
    tally: &mut Tally,
    board: Board,
    moves: u64,
    alpha: i32,
) -> i32 {
    let empty = board.empty();
    let odd = odd_squares(empty);
    let (mut best, mut tried) = (NO_MOVE, Tries::default());
    let mut rest = moves;
    while rest != 0 {
        let square = first_of(rest, odd);
        let placed = 1_u64.rotate_left(square);
        rest &= !placed;
        let flipped = kernels.flip(board.player, board.opponent, square);
        let after = board.after(square, flipped);
        let value = -kernels.four(tally, after, empty & !placed, -alpha - 1);
        best = best.max(value);
        tried.add();
        if best > alpha {
            tally.count(EMPTIES, tried.cut_off());
            return best;
        }
    }
    tally.count(EMPTIES, tried.failed());
    best
}

/// Returns the first of the `moves` to try: one on an odd square if there is one, in a corner if
/// there is one among those.
#[inline(always)]
fn first_of(moves: u64, odd: u64) -> u32 {
    let mut group = if moves & odd != 0 { moves & odd } else { moves };
    if group & CORNERS != 0 {
        group &= CORNERS;
    }
    group.trailing_zeros()
}
