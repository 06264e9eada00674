//! Canonical positions and boards.

use outflank_kernel::symmetry::{VARIANTS, portable, scalar, smallest};

use crate::common::square_sets;
use crate::run::{FEW, check, each_of, each_position, runnable};

#[test]
fn canonical_positions() {
    let variants = runnable("symmetry", VARIANTS);
    let boards = runnable("smallest", smallest::VARIANTS);
    each_of(FEW, |player, opponent| {
        assert_eq!(portable::canonical(player, opponent), scalar::canonical(player, opponent));
        assert_eq!(portable::smallest(player), scalar::smallest(player));
    });
    each_position(|player, opponent| {
        let expected = portable::canonical(player, opponent);
        check(&variants, &expected, (player, opponent), |canonical| canonical(player, opponent));
        check(&boards, &portable::smallest(player), player, |smallest| smallest(player));
    });
}

/// Boards whose images tie leave the choice to the opponent's board, with all symmetries of both.
#[test]
fn ties_between_the_images_of_the_player() {
    let variants = runnable("symmetry", VARIANTS);
    let step = if cfg!(miri) { 31 } else { 1 };
    let tied = [0x8142_2418_1824_4281, 0x0000_0018_1800_0000];
    for player in tied.into_iter().chain(square_sets()).step_by(step) {
        for opponent in square_sets().into_iter().step_by(step) {
            for symmetry in 0..8 {
                let opponent = scalar::transform(opponent, symmetry) & !player;
                let expected = scalar::canonical(player, opponent);
                let input = (player, opponent);
                check(&variants, &expected, input, |canonical| canonical(player, opponent));
            }
        }
    }
}

/// All positions with up to three discs, whosever they are, and all boards with one to three squares.
#[test]
fn every_position_with_three_discs() {
    let variants = runnable("symmetry", VARIANTS);
    let boards = runnable("smallest", smallest::VARIANTS);
    let step = if cfg!(miri) { 23 } else { 1 };
    for first in (0..64).step_by(step) {
        for second in (first..64).step_by(step) {
            let player = 1_u64 << first | 1 << second;
            for third in (0..64).step_by(step) {
                let opponent = 1 << third & !player;
                let board = player | opponent;
                for (player, opponent) in
                    [(player, opponent), (opponent, player), (board, 0), (0, board)]
                {
                    let expected = scalar::canonical(player, opponent);
                    let input = (player, opponent);
                    check(&variants, &expected, input, |canonical| canonical(player, opponent));
                }
                check(&boards, &scalar::smallest(board), board, |smallest| smallest(board));
            }
        }
    }
}
