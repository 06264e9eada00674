//! Who is engaged by whom.

use super::*;

#[test]
fn those_who_do_nothing_are_engaged_by_the_hands_that_have_called_first() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 5);
    assert_eq!(heard.said(), [engaged(LEAD, 5)]);
    for hand in [9, 3, 4] {
        heard.calls(LEAD, hand);
    }
    assert_eq!(heard.said(), [], "nobody is left");
    heard.joins(TWO, true);
    assert_eq!(heard.said(), [engaged(LEAD, 9)]);
    heard.hears(LEAD, FromMember::Release(3));
    assert_eq!(heard.said(), [], "it has called, and has nobody");
    heard.hears(LEAD, FromMember::Release(5));
    assert_eq!(heard.said(), [engaged(LEAD, 4)]);
}

#[test]
fn nobody_is_engaged_by_himself() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(ONE, 0);
    assert_eq!(heard.said(), []);
    heard.calls(LEAD, 0);
    assert_eq!(heard.said(), [engaged(LEAD, 0)], "a call that nobody can serve holds up no other");
    heard.joins(TWO, true);
    assert_eq!(heard.said(), [engaged(ONE, 0)]);
}

#[test]
fn a_hand_that_lets_go_frees_whom_it_has_and_calls_the_errand_back() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 0);
    heard.asks(LEAD, 0, 1, proof());
    heard.calls(LEAD, 1);
    heard.says.clear();
    heard.hears(LEAD, FromMember::Release(0));
    assert_eq!(heard.said(), [(ONE, ToMember::Recall(1)), engaged(LEAD, 1)]);
    assert_eq!(heard.answers(ONE, 1, Some(0)), None);
    assert_eq!(heard.said(), [], "nobody waits for that any more");
}

#[test]
fn who_calls_again_has_given_back_whom_it_had() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 0);
    heard.asks(LEAD, 0, 1, proof());
    heard.says.clear();
    heard.calls(LEAD, 0);
    assert_eq!(heard.said(), [(ONE, ToMember::Recall(1)), engaged(LEAD, 0)]);
}

/// Returns a lead whose hand 1 has a helper with an errand, which has called for somebody in vain.
fn with_a_busy_helper() -> Heard {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 1);
    heard.asks(LEAD, 1, 1, proof());
    heard.calls(ONE, 4);
    heard.said();
    heard
}

#[test]
fn who_waits_for_a_helper_does_a_part_of_what_that_does() {
    let mut heard = with_a_busy_helper();
    heard.hears(LEAD, FromMember::Offer(0b01));
    assert_eq!(heard.said(), [], "it waits for somebody else");
    heard.hears(LEAD, FromMember::Offer(0b10));
    assert_eq!(heard.said(), [engaged(ONE, 4)]);
    heard.calls(ONE, 5);
    assert_eq!(heard.said(), [], "it is engaged");
    heard.asks(ONE, 4, 9, proof());
    assert_eq!(heard.said(), [(LEAD, ToMember::Errand { number: 2, errand: proof() })]);
    let done = heard.answers(LEAD, 2, Some(0)).expect("it is proved");
    assert_eq!((done.asker, done.hand, done.number), (ONE, 4, 9));
    heard.hears(ONE, FromMember::Release(4));
    assert_eq!(heard.said(), [engaged(ONE, 5)], "it still waits");
    heard.hears(LEAD, FromMember::Offer(0));
    assert_eq!(heard.said(), [lost(ONE, 5)]);
    heard.calls(ONE, 6);
    assert_eq!(heard.said(), [], "it waits no longer");
    let done = heard.answers(ONE, 1, Some(2)).expect("it is proved");
    assert_eq!((done.asker, done.hand, done.number), (LEAD, 1, 1));
}

#[test]
fn who_waits_for_somebody_does_a_part_of_what_others_do_for_that_one_too() {
    let mut heard = Heard::with(&[ONE, TWO]);
    heard.calls(LEAD, 1);
    heard.calls(ONE, 0);
    heard.calls(TWO, 3);
    heard.said();
    heard.hears(LEAD, FromMember::Offer(0b10));
    assert_eq!(heard.said(), [engaged(TWO, 3)]);
}

#[test]
fn who_waits_no_longer_does_not_begin_what_is_on_its_way() {
    let mut heard = with_a_busy_helper();
    heard.hears(LEAD, FromMember::Offer(0b10));
    heard.asks(ONE, 4, 9, proof());
    heard.said();
    heard.hears(LEAD, FromMember::Offer(0));
    assert_eq!(heard.said(), [(LEAD, ToMember::Recall(2)), lost(ONE, 4)]);
    assert_eq!(heard.answers(LEAD, 2, Some(0)), None);
}

#[test]
fn who_waits_and_is_called_back_hears_of_it_and_waits_on() {
    let mut heard = with_a_busy_helper();
    heard.hears(LEAD, FromMember::Offer(0b10));
    heard.asks(ONE, 4, 9, proof());
    heard.said();
    heard.leaves(ONE);
    let said = heard.said();
    assert!(said.contains(&lost(LEAD, 1)) && said.contains(&(LEAD, ToMember::Recall(2))));
    assert_eq!(heard.answers(LEAD, 2, Some(0)), None);
}
