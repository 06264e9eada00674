//! Legal moves and what move ordering counts.

use outflank_kernel::mobility::{
    VARIANTS, both, corners, frontier, portable, potential, scalar, weighted,
};

use crate::run::{check, each_position, runnable};

#[test]
fn moves() {
    let variants = runnable("mobility", VARIANTS);
    let pairs = runnable("mobility of both", both::VARIANTS);
    each_position(0.05, |player, opponent| {
        assert_eq!(portable::moves(player, opponent), scalar::moves(player, opponent));
    });
    each_position(1.0, |player, opponent| {
        let expected = (portable::moves(player, opponent), portable::moves(opponent, player));
        let input = (player, opponent);
        check(&variants, &expected.0, input, |moves| moves(player, opponent));
        check(&pairs, &expected, input, |moves| moves(player, opponent));
    });
}

#[test]
fn counts_for_move_ordering() {
    let reference = |variants: &[outflank_kernel::catalogue::Variant<potential::Potential>]| {
        variants[0].function().expect("every CPU has the reference")
    };
    let next = (reference(potential::VARIANTS), runnable("potential", potential::VARIANTS));
    let turnable = (reference(frontier::VARIANTS), runnable("frontier", frontier::VARIANTS));
    let weights = weighted::VARIANTS[0].function().expect("every CPU has the reference");
    let weighted = runnable("weighted", weighted::VARIANTS);
    let beside = corners::VARIANTS[0].function().expect("every CPU has the reference");
    let corners = runnable("corners", corners::VARIANTS);
    each_position(0.02, |player, opponent| {
        for (reference, variants) in [&next, &turnable] {
            let expected = reference(player, opponent);
            check(variants, &expected, (player, opponent), |count| count(player, opponent));
        }
        check(&weighted, &weights(player), player, |count| count(player));
        check(&corners, &beside(player), player, |stable| stable(player));
    });
}
