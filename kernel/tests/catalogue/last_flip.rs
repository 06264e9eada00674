//! The number of discs turned by the last move.

use outflank_kernel::last_flip::{both, leaves, one, scalar, score};

use crate::common::{STEPS, square_sets, subsets, walk};
use crate::run::{check, each_position, runnable};

#[test]
fn last_flips() {
    let one = runnable("last flip", one::VARIANTS);
    let both = runnable("last flip both", both::VARIANTS);
    each_position(|player, opponent| {
        let square = opponent.trailing_zeros() & 63;
        let expected = scalar::last_flip_both(player, square);
        check(&one, &expected.0, (player, square), |last_flip| last_flip(player, square));
        check(&both, &expected, (player, square), |last_flip| last_flip(player, square));
    });
}

/// All patterns of every line through every square, and of both diagonals together, the rest of the
/// board being the player's, the opponent's, or mixed.
#[test]
fn last_flips_along_every_line() {
    let one = runnable("last flip", one::VARIANTS);
    let both = runnable("last flip both", both::VARIANTS);
    let leaves = runnable("last flips of leaves", leaves::VARIANTS);
    let scores = runnable("last score", score::VARIANTS);
    each_line(|player, square| {
        let input = (player, square);
        let expected = scalar::last_flip_both(player, square);
        check(&one, &expected.0, input, |last_flip| last_flip(player, square));
        check(&both, &expected, input, |last_flip| last_flip(player, square));
        let (mine, theirs) = (u64::from(expected.0), u64::from(expected.1));
        let expected = [[mine; 8], [theirs; 8]];
        check(&leaves, &expected, input, |leaves| leaves([player; 8], [square; 8]));
        check_scores(&scores, player, square);
    });
}

/// Calls `check` with the player's discs and the square of the move.
fn each_line(mut check: impl FnMut(u64, u32)) {
    let (squares, patterns) = if cfg!(miri) { (9, 97) } else { (1, 1) };
    for square in (0..64).step_by(squares) {
        let lines = [0, 1, 2, 3].map(|line| {
            let (right, up) = STEPS[line];
            walk(square, right, up, 7) | walk(square, -right, -up, 7)
        });
        for squares in [lines[0], lines[1], lines[2] | lines[3]] {
            for background in [0, !0, 0x5a96_c33c_6996_a55a] {
                for pattern in subsets(squares).step_by(patterns) {
                    check(background & !squares | pattern, square as u32);
                }
            }
        }
    }
}

#[test]
fn last_flips_of_eight_leaves() {
    let variants = runnable("last flips of leaves", leaves::VARIANTS);
    let reference = leaves::VARIANTS[0].function().expect("the reference needs no features");
    let (mut players, mut squares) = ([0; 8], [0; 8]);
    let mut next = 0;
    each_position(|player, opponent| {
        let leaf = next % 8;
        (players[leaf], squares[leaf]) = (player, opponent.trailing_zeros() & 63);
        next += 1;
        if leaf != 7 {
            return; // eight positions for each call
        }
        let expected = reference(players, squares);
        check(&variants, &expected, (players, squares), |leaves| leaves(players, squares));
    });
}

/// A score is exact or a bound on the right side of alpha, in every window around it.
#[test]
fn last_scores_decide_every_window() {
    let variants = runnable("last score", score::VARIANTS);
    each_position(|player, opponent| {
        check_scores(&variants, player, opponent.trailing_zeros() & 63);
    });
    for board in square_sets() {
        for square in (0..64).step_by(if cfg!(miri) { 64 } else { 1 }) {
            check_scores(&variants, board, square);
        }
    }
}

/// Asserts that the scores of a board are exact or on the right side of each alpha.
fn check_scores(variants: &[(&'static str, score::LastScore)], player: u64, square: u32) {
    let reference = score::VARIANTS[0].function().expect("the reference needs no features");
    let player = player & !(1 << square);
    let exact = reference(player, square, 0);
    for alpha in [-64, exact - 4, exact - 2, exact, exact + 2, 62] {
        for &(name, score) in variants {
            let found = score(player, square, alpha);
            let right = if exact > alpha {
                (alpha + 1..=exact).contains(&found)
            } else {
                (exact..=alpha).contains(&found)
            };
            assert!(right, "{name}: {found} for {exact}, {player:#x}, {square}, {alpha}");
        }
    }
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "a disc on the empty square 0")]
fn the_reference_refuses_a_disc_on_the_empty_square() {
    let reference = score::VARIANTS[0].function().expect("the reference needs no features");
    let _ = reference(0x81, 0, 0);
}

/// By hand: the counts and what becomes of the empty square.
#[test]
fn the_reference_scores_full_boards_as_the_rules_say() {
    let reference = score::VARIANTS[0].function().expect("the reference needs no features");
    assert_eq!(reference(0, 0, 0), -64, "no disc: the opponent gets the square");
    assert_eq!(reference(!1, 0, 0), 64, "all discs: the square too");
    // H1 is the player's, B1 to G1 turn; 1 + 1 + 6 discs
    assert_eq!(reference(0x80, 0, 0), 2 * 8 - 64);
    // the other way round for the opponent
    assert_eq!(reference(!0x81, 0, 0), 64 - 2 * 8);
    // The three lines of A1 are of one colour, so that it stays empty and goes to who has more.
    let lines = [(1, 0), (0, 1), (1, 1)].map(|(right, up)| walk(0, right, up, 7));
    let rest = !(lines[0] | lines[1] | lines[2] | 1);
    for (discs, score) in [(31, -2), (32, 2)] {
        let more = subsets(rest).find(|more| more.count_ones() + 21 == discs);
        let player = !(rest | 1) | more.expect("there are so many squares");
        assert_eq!(reference(player, 0, 0), score, "{discs} discs of 63");
    }
}
