//! Legal moves and what move ordering counts.

use outflank_kernel::mobility::{
    VARIANTS, both, corners, frontier, portable, potential, scalar, weighted,
};

use crate::common::{STEPS, subsets, walk};
use crate::run::{FEW, check, each_of, each_position, runnable};

#[test]
fn moves() {
    let variants = runnable("mobility", VARIANTS);
    let pairs = runnable("mobility of both", both::VARIANTS);
    each_of(FEW, |player, opponent| {
        assert_eq!(portable::moves(player, opponent), scalar::moves(player, opponent));
    });
    each_position(|player, opponent| {
        let expected = (portable::moves(player, opponent), portable::moves(opponent, player));
        let input = (player, opponent);
        check(&variants, &expected.0, input, |moves| moves(player, opponent));
        check(&pairs, &expected, input, |moves| moves(player, opponent));
    });
}

/// Every pattern of every line, three states a square, the rest of the board being empty, either
/// side's, or a mixture.
#[test]
fn moves_along_every_line() {
    const MIXED: u64 = 0x5a96_c33c_6996_a55a;
    let variants = runnable("mobility", VARIANTS);
    let pairs = runnable("mobility of both", both::VARIANTS);
    let patterns = if cfg!(miri) { 4999 } else { 1 };
    for square in 0..64 {
        for (right, up) in &STEPS[..4] {
            let line = 1 << square | walk(square, *right, *up, 7) | walk(square, -right, -up, 7);
            if line.trailing_zeros() != square as u32 {
                continue; // once a line, from its lowest square
            }
            let sides = subsets(line)
                .flat_map(|mine| subsets(line & !mine).map(move |theirs| (mine, theirs)));
            for (mine, theirs) in sides.step_by(patterns) {
                for (player, opponent) in [(0, 0), (!0, 0), (0, !0), (MIXED, !MIXED)] {
                    let (player, opponent) = (player & !line | mine, opponent & !line | theirs);
                    let moves = [scalar::moves(player, opponent), scalar::moves(opponent, player)];
                    let input = (player, opponent);
                    check(&variants, &moves[0], input, |moves| moves(player, opponent));
                    check(&pairs, &moves.into(), input, |moves| moves(player, opponent));
                }
            }
        }
    }
}

#[test]
fn counts_for_move_ordering() {
    // the second of each family is portable too, and much faster than the reference
    let [next, turnable] = [potential::VARIANTS, frontier::VARIANTS]
        .map(|variants| [0, 1].map(|at| variants[at].function().expect("both are portable")));
    each_of(FEW, |player, opponent| {
        for [reference, portable] in [next, turnable] {
            assert_eq!(portable(player, opponent), reference(player, opponent));
        }
    });
    let families = [
        (next[1], runnable("potential", potential::VARIANTS)),
        (turnable[1], runnable("frontier", frontier::VARIANTS)),
    ];
    let weights = weighted::VARIANTS[0].function().expect("every CPU has the reference");
    let weighted = runnable("weighted", weighted::VARIANTS);
    let beside = corners::VARIANTS[0].function().expect("every CPU has the reference");
    let corners = runnable("corners", corners::VARIANTS);
    each_position(|player, opponent| {
        for (portable, variants) in &families {
            let expected = portable(player, opponent);
            check(variants, &expected, (player, opponent), |count| count(player, opponent));
        }
        check(&weighted, &weights(player), player, |count| count(player));
        check(&corners, &beside(player), player, |stable| stable(player));
    });
}

/// All patterns of the corners and their neighbours on the edges.
#[test]
fn every_pattern_at_the_corners() {
    let weights = weighted::VARIANTS[0].function().expect("every CPU has the reference");
    let weighted = runnable("weighted", weighted::VARIANTS);
    let beside = corners::VARIANTS[0].function().expect("every CPU has the reference");
    let corners = runnable("corners", corners::VARIANTS);
    for pattern in subsets(0xc381_0000_0000_81c3).step_by(if cfg!(miri) { 97 } else { 1 }) {
        for player in [pattern, pattern | 0x003c_7e7e_7e7e_3c00] {
            check(&weighted, &weights(player), player, |count| count(player));
            check(&corners, &beside(player), player, |stable| stable(player));
        }
    }
}
