//! Stable discs.

use outflank_kernel::stability::{VARIANTS, edge_count, edges, portable, scalar, solid};

use crate::common::Random;
use crate::run::{FEW, check, each_of, each_position, runnable};

#[test]
fn stable_discs() {
    let variants = runnable("stability", VARIANTS);
    let [reference, along] =
        [0, 1].map(|at| edges::VARIANTS[at].function().expect("both are portable"));
    let edges = runnable("stable edges", edges::VARIANTS);
    let counts = runnable("count of stable edges", edge_count::VARIANTS);
    each_of(FEW, |player, opponent| {
        assert_eq!(portable::stable(player, opponent), scalar::stable(player, opponent));
        assert_eq!(along(player, opponent), reference(player, opponent));
    });
    each_position(|player, opponent| {
        let input = (player, opponent);
        let expected = portable::stable(player, opponent);
        check(&variants, &expected, input, |stable| stable(player, opponent));
        let expected = along(player, opponent);
        check(&edges, &expected, input, |edges| edges(player, opponent));
        check(&counts, &expected.count_ones(), input, |count| count(player, opponent));
    });
}

#[test]
fn solid_discs() {
    let variants = runnable("stable and solid discs", solid::VARIANTS);
    let portable = solid::stable_and_solid;
    each_of(FEW, |player, opponent| {
        assert_eq!(portable(player, opponent), solid::reference(player, opponent));
    });
    each_position(|player, opponent| {
        let expected = portable(player, opponent);
        let [stable, solid] = expected;
        assert_eq!(solid & !stable, 0, "{player:#x} {opponent:#x}: solid and not stable");
        check(&variants, &expected, (player, opponent), |found| found(player, opponent));
    });
}

/// All 6,561 patterns of each edge, the rest of the board at random.
#[test]
fn every_edge() {
    let along = edges::VARIANTS[0].function().expect("every CPU has the reference");
    let edges = runnable("stable edges", edges::VARIANTS);
    let counts = runnable("count of stable edges", edge_count::VARIANTS);
    let variants = runnable("stability", VARIANTS);
    let mut random = Random(3);
    for pattern in (0..6561_u32).step_by(if cfg!(miri) { 997 } else { 1 }) {
        for (step, first) in [(1, 0), (1, 56), (8, 0), (8, 7)] {
            let (mut player, mut opponent) = random.board();
            for place in 0..8 {
                let square = 1 << (first + step * place);
                player &= !square;
                opponent &= !square;
                match pattern / 3_u32.pow(place) % 3 {
                    0 => {}
                    1 => player |= square,
                    _ => opponent |= square,
                }
            }
            let input = (player, opponent);
            let expected = along(player, opponent);
            check(&edges, &expected, input, |edges| edges(player, opponent));
            check(&counts, &expected.count_ones(), input, |count| count(player, opponent));
            let expected = scalar::stable(player, opponent);
            check(&variants, &expected, input, |stable| stable(player, opponent));
        }
    }
}
