//! Who joins a circle, and who leaves it.

use super::*;

#[test]
fn everybody_hears_how_many_others_there_are() {
    let mut heard = Heard::default();
    heard.joins(LEAD, false);
    assert_eq!(heard.company(), [(LEAD, 0)]);
    heard.joins(ONE, true);
    assert_eq!(heard.company(), [(LEAD, 1), (ONE, 1)]);
    heard.joins(TWO, true);
    assert_eq!(heard.company(), [(LEAD, 2), (ONE, 2), (TWO, 2)]);
    heard.leaves(LEAD);
    assert_eq!(heard.company(), [(ONE, 1), (TWO, 1)]);
    heard.leaves(ONE);
    assert_eq!(heard.company(), [(TWO, 0)]);
    heard.leaves(ONE);
    assert_eq!(heard.company(), [], "it has left already");
}

#[test]
fn a_hand_loses_whom_it_has_when_that_one_leaves() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 3);
    heard.asks(LEAD, 3, 8, proof());
    heard.says.clear();
    heard.leaves(ONE);
    assert_eq!(heard.said(), [lost(LEAD, 3)]);
    heard.joins(ONE, true);
    assert_eq!(heard.said(), [], "it has to call again");
    assert_eq!(heard.answers(ONE, 1, Some(5)), None);
    assert_eq!(heard.said(), []);
}

#[test]
fn those_whose_lead_leaves_are_free_and_stop_what_they_do() {
    let mut heard = Heard::with(&[ONE, TWO]);
    heard.calls(LEAD, 0);
    heard.calls(LEAD, 1);
    heard.asks(LEAD, 0, 1, proof());
    heard.calls(LEAD, 2);
    heard.says.clear();
    heard.leaves(LEAD);
    assert_eq!(heard.said(), [(ONE, ToMember::Recall(1))]);
    heard.calls(ONE, 0);
    heard.calls(TWO, 0);
    assert_eq!(heard.said(), [engaged(ONE, 0), engaged(TWO, 0)]);
}

#[test]
fn who_joins_again_begins_with_nobody() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 0);
    heard.asks(LEAD, 0, 1, proof());
    heard.says.clear();
    heard.joins(LEAD, false);
    assert_eq!(heard.said(), [(ONE, ToMember::Recall(1))]);
    heard.asks(LEAD, 0, 2, proof());
    assert_eq!(heard.said(), [unanswered(LEAD, 0, 2)]);
}
