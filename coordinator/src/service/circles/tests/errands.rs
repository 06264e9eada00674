//! What becomes of errands, and of the answers to them.

use super::*;

#[test]
fn an_errand_goes_to_whom_the_hand_has_with_a_number_of_its_own() {
    let mut heard = Heard::with(&[ONE, TWO]);
    heard.calls(LEAD, 0);
    heard.calls(LEAD, 1);
    heard.says.clear();
    heard.asks(LEAD, 1, 70, proof());
    heard.asks(LEAD, 0, 70, proof());
    let errand = proof();
    let expected = [
        (TWO, ToMember::Errand { number: 1, errand }),
        (ONE, ToMember::Errand { number: 2, errand }),
    ];
    assert_eq!(heard.said(), expected);
}

#[test]
fn an_errand_for_somebody_who_has_gone_is_answered_without_a_value() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 0);
    heard.leaves(ONE);
    assert_eq!(heard.said(), [engaged(LEAD, 0), lost(LEAD, 0)]);
    heard.asks(LEAD, 0, 8, proof());
    assert_eq!(heard.said(), [unanswered(LEAD, 0, 8)]);
}

#[test]
fn what_was_recalled_is_not_passed_on_when_it_is_answered_late() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 0);
    heard.asks(LEAD, 0, 8, proof());
    heard.says.clear();
    heard.hears(LEAD, FromMember::Recall { hand: 0, number: 7 });
    assert_eq!(heard.said(), [], "that is another one");
    heard.hears(LEAD, FromMember::Recall { hand: 0, number: 8 });
    assert_eq!(heard.said(), [(ONE, ToMember::Recall(1))]);
    heard.asks(LEAD, 0, 9, errand((-1, 1), 0));
    heard.says.clear();
    assert_eq!(heard.answers(ONE, 1, Some(5)), None);
    assert_eq!(heard.said(), []);
    assert_eq!(heard.answers(ONE, 2, Some(-3)), None);
    let answer = ToMember::Answer { hand: 0, number: 9, value: Some(-3) };
    assert_eq!(heard.said(), [(LEAD, answer)]);
    assert_eq!(heard.circle.done, 1, "that one");
}

#[test]
fn an_answer_that_comes_twice_or_from_another_one_is_dropped() {
    let mut heard = Heard::with(&[ONE, TWO]);
    heard.calls(LEAD, 0);
    heard.calls(LEAD, 1);
    heard.asks(LEAD, 0, 1, proof());
    heard.says.clear();
    assert_eq!(heard.answers(TWO, 1, Some(0)), None, "it was not asked");
    assert_eq!(heard.answers(LEAD, 1, Some(0)), None, "it does no errands");
    assert!(heard.answers(ONE, 1, Some(0)).is_some());
    assert_eq!(heard.answers(ONE, 1, Some(0)), None);
    assert_eq!(heard.said(), []);
}

/// Returns what the circle makes of the answer to an errand in the window from -5 to 3.
fn errand_done(level: u32, value: Option<i32>) -> (Option<ErrandDone>, Vec<Say>) {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 6);
    heard.asks(LEAD, 6, 8, errand((-5, 3), level));
    heard.says.clear();
    let done = heard.answers(ONE, 1, value);
    (done, heard.said())
}

#[test]
fn from_what_is_proved_of_a_move_follows_a_bound_of_the_position_after_it() {
    let position = Position::START.play(proof().square()).unwrap();
    let [least, most] = [Score::MIN, Score::MAX].map(Score::discs);
    for (value, lower, upper) in [
        // No more than that, so that the other player gets at least the opposite.
        (-6, 6, most),
        (-64, 64, most),
        // Inside the window.
        (-4, 4, 4),
        (2, -2, -2),
        // No less than that.
        (4, least, -4),
        (64, least, -64),
    ] {
        let bound = Bound::new(Score::new(lower).unwrap(), Score::new(upper).unwrap()).unwrap();
        let found = Some(FoundBound { position, bound, nodes: 100 });
        let (job, era, worker, asker, hand, number) = (JOB, ERA, ONE, LEAD, 6, 8);
        let expected = ErrandDone { worker, job, era, asker, hand, number, value, found };
        let passed = errand_done(Errand::PROOF, Some(value));
        assert_eq!(passed, (Some(expected), Vec::new()), "{value}: nothing goes past the core");
    }
}

#[test]
fn the_ends_of_the_window_are_outside() {
    let bound_of = |window, value| {
        let found = proved(&errand(window, Errand::PROOF), value, 1).unwrap();
        (found.bound.lower().discs(), found.bound.upper().discs())
    };
    assert_eq!(bound_of((-6, 2), -6), (6, 64));
    assert_eq!(bound_of((-6, 2), 2), (-64, -2));
}

#[test]
fn what_no_game_has_for_a_value_is_no_bound() {
    let (passed, said) = errand_done(Errand::PROOF, Some(-5));
    assert_eq!((passed.map(|done| (done.value, done.found)), said), (Some((-5, None)), vec![]));
}

#[test]
fn what_is_not_proved_goes_straight_to_who_has_asked() {
    for (level, value) in [(Errand::PROOF - 1, Some(-4)), (0, None), (Errand::PROOF, None)] {
        let answer = ToMember::Answer { hand: 6, number: 8, value };
        assert_eq!(errand_done(level, value), (None, vec![(LEAD, answer)]));
    }
}
