//! The cut-off by stable discs: who already owns enough discs for ever cannot fall below them.

use super::board::Board;
use outflank_kernel::KernelSet;

/// For each number of empties the `alpha` from which the test is tried: below it, it rarely cuts
/// and costs more than it saves. Measured on positions of our own.
const TRIED_FROM: [i32; 61] = {
    let mut from = [64; 61];
    let mut empties = 0;
    while empties < 61 {
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
