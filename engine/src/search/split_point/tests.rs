//! A split is done when its moves have come back, and pointless when it, or one above it, is cut off.

use crate::search::fixture::{position, split_below, take};
use crate::search::searcher::Stopped;

#[test]
fn a_split_is_done_when_all_of_its_moves_have_come_back() {
    let split = split_below(None, position(1, 30));
    let mut taken = Vec::new();
    while let Some(square) = take(&split) {
        taken.push(square);
    }
    let all: Vec<u32> = split.moves.iter().map(|candidate| candidate.square).collect();
    assert!(taken.len() > 2 && taken == all, "{taken:?} of {all:?}");
    for (square, value) in taken.into_iter().zip((-40..).step_by(2)) {
        assert!(!split.is_done(), "somebody is at work on {square}");
        split.finish(square, Ok(value));
    }
    assert!(split.is_done() && !split.is_pointless());
    let best = split.outcome().expect("nobody gave up");
    assert_eq!(best.best_move.map(u32::from), all.last().copied(), "the last value was the best");
    assert_eq!(best.best, -40 + 2 * (all.len() as i32 - 1));
}

#[test]
fn a_cut_ends_the_work_on_a_split_and_on_all_below_it() {
    let upper = split_below(None, position(1, 30));
    let middle = split_below(Some(&upper), position(2, 28));
    let lower = split_below(Some(&middle), position(3, 26));
    for (below, above) in [(&lower, &middle), (&lower, &upper), (&middle, &upper)] {
        assert!(below.is_below(above) && !above.is_below(below));
    }
    let [one, other] = [take(&middle), take(&middle)].map(|square| square.expect("it has moves"));
    assert!(middle.finish(one, Ok(2)), "who is at work on the other is to hear of it");
    assert_eq!([&upper, &middle, &lower].map(|split| split.is_pointless()), [false, true, true]);
    assert_eq!(take(&middle), None, "no other move matters");
    assert!(!middle.is_done(), "somebody is at work on the other");
    assert!(!middle.finish(other, Err(Stopped)), "nobody is left");
    assert!(middle.is_done());
    assert!(take(&upper).is_some() && take(&lower).is_some());
}

#[test]
fn who_gives_a_move_up_leaves_the_others_to_nobody() {
    let split = split_below(None, position(1, 30));
    let [one, other] = [take(&split), take(&split)].map(|square| square.expect("it has moves"));
    assert!(split.finish(one, Err(Stopped)), "who is at work on the other can stop");
    assert_eq!(take(&split), None);
    assert!(!split.is_done() && split.is_pointless(), "somebody is at work on the other");
    split.finish(other, Ok(-10));
    assert!(split.is_done());
    assert!(split.outcome().is_err(), "it has no value");
}

#[test]
fn a_move_that_comes_back_without_a_value_is_taken_again() {
    let split = split_below(None, position(1, 30));
    let (_, candidate) = split.take().expect("it has moves");
    while let Some(square) = take(&split) {
        split.finish(square, Ok(-10));
    }
    assert!(!split.is_done() && !split.has_returned(), "somebody is at work on it");
    split.give_back(candidate, 0);
    assert!(split.has_returned() && !split.is_done(), "it has no value yet");
    assert_eq!(take(&split), Some(candidate.square));
    assert!(!split.is_done() && !split.has_returned());
    // What is cut off needs no move, wherever it is.
    split.give_back(candidate, 0);
    let square = take(&split).expect("it came back");
    split.finish(square, Ok(2));
    assert!(split.is_done() && split.is_pointless() && !split.has_returned());
}

#[test]
fn a_split_that_somebody_gave_up_is_done_whatever_came_back() {
    let split = split_below(None, position(1, 30));
    let (_, candidate) = split.take().expect("it has moves");
    let square = take(&split).expect("it has moves");
    split.give_back(candidate, 0);
    split.finish(square, Err(Stopped));
    assert!(split.is_done() && !split.has_returned() && split.outcome().is_err());
}

#[test]
fn who_gave_a_move_back_does_not_get_it_again() {
    let split = split_below(None, position(1, 30));
    let (_, candidate) = split.take_for(2).expect("it has moves");
    split.give_back(candidate, 2);
    while let Some((_, next)) = split.take_for(2) {
        assert_ne!(next.square, candidate.square, "it was taken again by who cannot do it");
        split.finish(next.square, Ok(-10));
    }
    assert!(!split.has_moves_for(2) && split.has_moves_for(1));
    let (_, again) = split.take_for(1).expect("another may try it");
    split.give_back(again, 1);
    assert!(!split.has_moves_for(1) && !split.has_moves_for(2) && split.has_returned());
    assert_eq!(take(&split), Some(candidate.square), "the search itself can");
}
