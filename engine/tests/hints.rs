//! What engines tell each other: it may be false, and must not change an answer.

mod fixture;

use fixture::{engine, played};
use outflank_engine::{Bound, Control, Position, Request, Score, SharedHint, Square, brute_force};
use proptest::prelude::*;

/// Returns `position` and what can follow it within `plies` plies.
fn below(position: Position, plies: u32) -> Vec<Position> {
    let mut all = vec![position];
    if plies > 0 {
        for square in Square::all(position.moves()) {
            let after = position.play(square).expect("the move is legal");
            all.extend(below(after, plies - 1));
        }
    }
    all
}

/// Returns the word of a hint: the value in 32nds of a disc, its kind, all plies, the surest level,
/// no moves.
fn word(value: i32, kind: u64, plies: u32) -> u64 {
    (value + 2048) as u64 | kind << 13 | u64::from(plies) << 15 | 7 << 21 | 27 << 24 | 27 << 30
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn a_liar_cannot_change_a_value(
        choices in prop::collection::vec(0_usize..40, 20..60),
        lies in prop::collection::vec((-2048..=2048_i32, 0..4_u64), 1..20),
    ) {
        // At 18 empties there is a selective search, which reads every hint.
        let position = played(&choices, 18);
        let truth = engine().solve(&Request::exact(position), &Control::default());
        let misled = engine();
        let lies = below(position, 3).into_iter().zip(lies.iter().cycle());
        let lies: Vec<SharedHint> = lies
            .filter_map(|(at, &(value, kind))| SharedHint::new(at, word(value, kind, at.empties())))
            .collect();
        misled.hear(&lies);
        let answer = misled.solve(&Request::exact(position), &Control::default());
        prop_assert_eq!(answer.bound, truth.bound);
        // A move that wins all discs leaves nothing to ask of the others.
        if truth.bound.value() != Some(Score::MAX) {
            prop_assert_eq!(answer.children.len(), position.moves().count_ones() as usize);
        }
        for (square, bound) in answer.children {
            let after = position.play(square).expect("the move is legal");
            let value = engine().solve(&Request::exact(after), &Control::default()).bound;
            prop_assert!(value.implies(bound), "{} is {}, not {}", square, value, bound);
        }
    }
}

#[test]
fn values_are_those_of_brute_force_whatever_was_heard() {
    for seed in 0..8 {
        let position = played(&[seed, 3, 7, seed + 1, 2], 9);
        let liar = engine();
        let all = below(position, 4);
        let hints = all.iter().filter_map(|&at| SharedHint::new(at, word(2048, 3, at.empties())));
        liar.hear(&hints.collect::<Vec<_>>());
        let answer = liar.solve(&Request::exact(position), &Control::default());
        assert_eq!(answer.bound, Bound::exact(brute_force::value(position)));
    }
}

/// With so few empty squares the proof begins at once, and its tables are asked at every turn.
#[test]
fn no_layer_of_a_proof_takes_a_hint_for_a_bound() {
    for seed in 0..6 {
        let position = played(&[seed, 3, 7, seed + 1, 2], 13 + seed as u32 % 3);
        let truth = engine().solve(&Request::exact(position), &Control::default()).bound;
        for (value, kind) in [(2048, 3), (-2048, 3), (512, 1), (-512, 2)] {
            for liar in [engine(), engine().with_weights(None)] {
                let all = below(position, 3);
                let lie = |&at: &Position| SharedHint::new(at, word(value, kind, at.empties()));
                liar.hear(&all.iter().filter_map(lie).collect::<Vec<_>>());
                let answer = liar.solve(&Request::exact(position), &Control::default());
                assert_eq!(answer.bound, truth, "{position:?} {value} {kind}");
            }
        }
    }
}

#[test]
fn who_hears_another_has_less_to_search() {
    let position = played(&[4, 1, 3, 0, 2, 5, 1], 21);
    let alone = engine().solve(&Request::exact(position), &Control::default());
    let control = Control::default().with_hints();
    let told = engine().solve(&Request::exact(position), &control);
    assert_eq!((told.bound, told.nodes), (alone.bound, alone.nodes), "to tell takes no nodes");
    let hints = control.take_hints();
    assert!(!hints.is_empty());
    let hearer = engine();
    hearer.hear(&hints);
    let answer = hearer.solve(&Request::exact(position), &Control::default());
    assert_eq!(answer.bound, alone.bound);
    assert!(answer.nodes < alone.nodes, "{} of {} nodes", answer.nodes, alone.nodes);
    let forgetful = engine();
    forgetful.hear(&hints);
    forgetful.clear();
    let answer = forgetful.solve(&Request::exact(position), &Control::default());
    assert_eq!(answer.nodes, alone.nodes);
}

#[test]
fn what_a_search_to_the_end_believes_is_even() {
    // With an odd bound, what was refuted at 5 would be searched again at 4.
    let mut to_the_end = 0;
    for seed in 0..4 {
        let position = played(&[4, 1, 3, seed, 2, 5, 1], 22);
        let control = Control::default().with_hints();
        let _answer = engine().solve(&Request::exact(position), &control);
        for hint in control.take_hints() {
            let (value, plies) = ((hint.word() & 0x1FFF) as i32 - 2048, hint.word() >> 15 & 0x3F);
            if plies == u64::from(hint.position().empties()) {
                assert_eq!(value % 64, 0, "{value} 32nds of a disc at {:?}", hint.position());
                to_the_end += 1;
            }
        }
    }
    assert!(to_the_end > 10, "{to_the_end} hints of searches to the end");
}

#[test]
fn nobody_collects_hints_that_nobody_wants() {
    let control = Control::default();
    let position = played(&[4, 1, 3, 0, 2, 5, 1], 20);
    let _answer = engine().solve(&Request::exact(position), &control);
    assert_eq!(control.take_hints(), []);
}
