//! Bounds from stable discs: who owns enough discs for ever, or does so after one move, cannot fall below them.

use super::board::Board;
use outflank_kernel::KernelSet;

/// For each number of empties the `alpha` from which the test is tried: below it, it rarely cuts
/// and costs more than it saves. Measured on positions of our own.
const TRIED_FROM: [i32; 65] = {
    let mut from = [64; 65];
    let mut empties = 0;
    while empties < 65 {
        from[empties] = match empties {
            0..=3 => 64,
            4 => 6,
            5..=6 => 8,
            7 => 10,
            8 => 12,
            9..=10 => 16,
            11 => 18,
            12 => 20,
            13..=14 => 22,
            15..=16 => 26,
            17..=18 => 32,
            19..=20 => 36,
            21..=24 => 44,
            _ => 52,
        };
        empties += 1;
    }
    from
};

/// For each number of empties the `alpha` up to which [`after_a_move`] is tried: it costs more than
/// [`cut`], so that the window must be a little farther from a draw.
const TRIED_TO: [i32; 65] = {
    let mut to = [-65; 65];
    let mut empties = 7;
    while empties < 65 {
        to[empties] = -TRIED_FROM[empties - 1] - 5;
        empties += 1;
    }
    to
};

/// Most discs that a move is hoped to make stable.
const MORE_AT_MOST: u32 = 6;

/// Returns the upper bound that the opponent's stable discs prove, if it is at most `alpha`.
#[inline(always)]
pub(super) fn cut<K: KernelSet>(kernels: K, board: Board, empties: u32, alpha: i32) -> Option<i32> {
    if alpha < TRIED_FROM[empties as usize] {
        return None;
    }
    // Even if all of the opponent's discs were stable?
    if 64 - 2 * kernels.count(board.opponent) as i32 > alpha {
        return None;
    }
    let stable = kernels.count(kernels.stable(board.opponent, board.player)) as i32;
    let upper = 64 - 2 * stable;
    (upper <= alpha).then_some(upper)
}

/// Returns whether [`after_a_move`] is worth its call: whether the window is far below a draw.
#[inline(always)]
pub(super) fn may_answer_after_a_move(empties: u32, alpha: i32) -> bool {
    alpha <= TRIED_TO[empties as usize]
}

/// Returns a lower bound above `alpha` that the player's stable discs prove after one of `moves`.
///
/// The child would find this out by [`cut`] as well, but only after the brothers before it have
/// been searched.
#[inline(always)]
pub(super) fn after_a_move<K: KernelSet>(
    kernels: K,
    board: Board,
    moves: u64,
    alpha: i32,
) -> Option<i32> {
    let needed = ((66 + alpha) / 2) as u32;
    if kernels.count(kernels.stable(board.player, board.opponent)) + MORE_AT_MOST < needed {
        return None;
    }
    let mut rest = moves;
    while rest != 0 {
        let square = rest.trailing_zeros();
        rest &= rest - 1;
        let after = board.after(square, kernels.flip(board.player, board.opponent, square));
        let stable = kernels.count(kernels.stable(after.opponent, after.player));
        if stable >= needed {
            return Some(2 * stable as i32 - 64);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use outflank_kernel::Scalar;
    use proptest::prelude::*;

    use super::*;
    use crate::{Position, Square, brute_force};

    /// Plays from the start, each choice picking among the legal moves, until that many squares are
    /// empty or the game is over.
    fn played(choices: &[usize], empties: u32) -> Position {
        let mut position = Position::START;
        for &choice in choices {
            if position.empties() <= empties || position.is_over() {
                break;
            }
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            position = match moves.len() {
                0 => position.pass(),
                count => position.play(moves[choice % count]).unwrap(),
            };
        }
        position
    }

    /// Holds what stable discs prove in every window against the value; returns how many windows
    /// the opponent's discs and the player's answered.
    fn check(position: Position) -> [u32; 2] {
        let value = brute_force::value(position).discs();
        let board = Board { player: position.player(), opponent: position.opponent() };
        let mut answered = [0; 2];
        for alpha in -64..64 {
            if let Some(upper) = cut(Scalar::new(), board, 7, alpha) {
                assert!(value <= upper && upper <= alpha, "{position:?}: {upper}, {alpha}");
                answered[0] += 1;
            }
            if let Some(lower) = after_a_move(Scalar::new(), board, position.moves(), alpha) {
                assert!(value >= lower && lower > alpha, "{position:?}: {lower}, {alpha}");
                answered[1] += 1;
            }
        }
        answered
    }

    proptest! {
        #[test]
        fn what_stable_discs_prove_is_true(choices in prop::collection::vec(0..840_usize, 70)) {
            check(played(&choices, 7));
        }
    }

    /// Where one square is left, what is stable after the move is the score: no more may be proved.
    #[test]
    fn the_last_move_proves_the_score_and_no_more() {
        let mut answered = [0; 2];
        for seed in 0..200_usize {
            let choices: Vec<usize> = (0..70).map(|ply| seed * (ply + 7) + ply * ply).collect();
            let found = check(played(&choices, 1));
            answered = [answered[0] + found[0], answered[1] + found[1]];
        }
        assert!(answered.iter().all(|&windows| windows > 1000), "{answered:?}");
    }

    #[test]
    fn a_corner_makes_rows_stable() {
        // The player takes a8, which turns a7, and owns the three lowest rows for ever.
        let player = 0xFEFE_FF00_0000_0000;
        let empty = 0x0100_0000_0000_003F;
        let position = Position::new(player, !(player | empty)).unwrap();
        let [_, after_a_move] = check(position);
        assert!(after_a_move >= 48, "24 discs are worth -16, which answers -64 to -17");
    }
}
