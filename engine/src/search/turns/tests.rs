//! Whose turn it is, by the clocks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use super::*;

/// What a thread does, with its clock and a list of what was done.
type Part<'a> = &'a (dyn Fn(&Turns, &dyn Fn(&'static str)) + Sync);

/// Lets each thread do what it has to when its turn comes, and returns in which order they did it.
fn order(threads: &[Part<'_>]) -> Vec<&'static str> {
    let turns = &Turns::new(threads.len());
    let (sender, done): (Sender<&'static str>, Receiver<&'static str>) = mpsc::channel();
    thread::scope(|scope| {
        for (number, run) in threads.iter().enumerate() {
            let sender = sender.clone();
            scope.spawn(move || {
                let _seat = turns.enter(number);
                run(turns, &|what| sender.send(what).expect("somebody listens"));
            });
        }
    });
    drop(sender);
    done.into_iter().collect()
}

#[test]
fn who_is_behind_goes_on() {
    let found = order(&[
        &|turns, done| {
            done("first at 0");
            turns.spend(0, 100, Pace::Strict);
            done("first at 100");
            turns.spend(0, 100, Pace::Strict);
            done("first at 200");
        },
        &|turns, done| {
            done("second at 0");
            turns.spend(1, 150, Pace::Strict);
            done("second at 150");
        },
    ]);
    let expected = ["first at 0", "second at 0", "first at 100", "second at 150", "first at 200"];
    assert_eq!(found, expected);
}

#[test]
fn where_threads_do_not_meet_they_may_run_ahead() {
    let run = |pace| {
        order(&[
            &move |turns, done| {
                turns.spend(0, 2048, pace);
                done("first");
                turns.spend(0, 1, pace);
                done("first again");
            },
            &|_, done| done("second"),
        ])
    };
    assert_eq!(run(Pace::Loose), ["first", "second", "first again"]);
    assert_eq!(run(Pace::Strict), ["second", "first", "first again"]);
}

#[test]
fn waking_takes_time_and_waking_for_nothing_none() {
    let found = order(&[
        &|turns, done| {
            turns.spend(0, 1000, Pace::Strict); // The other waits by now.
            turns.rouse(0);
            turns.spend(0, 501, Pace::Strict); // It found nothing to do.
            done("called in vain");
            turns.rouse(0);
            turns.spend(0, 499, Pace::Strict);
            done("not yet awake");
            turns.spend(0, 2, Pace::Strict);
            done("after it");
        },
        &|turns, done| {
            turns.rest(1);
            turns.rest(1);
            done("awake at 2001");
            turns.spend(1, 10, Pace::Strict);
        },
    ]);
    assert_eq!(found, ["called in vain", "not yet awake", "awake at 2001", "after it"]);
}

#[test]
fn who_panics_does_not_keep_the_others() {
    let found = order(&[
        &|turns, done| {
            turns.spend(0, 1, Pace::Strict);
            done("it goes on");
        },
        &|turns, _| {
            let held = catch_unwind(AssertUnwindSafe(|| panic!("as it was wanted")));
            assert!(held.is_err());
            turns.spend(1, 0, Pace::Strict);
        },
    ]);
    assert_eq!(found, ["it goes on"]);
}

#[test]
fn what_was_taken_is_the_time_of_the_first_thread() {
    let turns = Turns::new(1);
    let seat = turns.enter(0);
    turns.spend(0, 100, Pace::Loose);
    turns.hand_over(0, OPENING);
    drop(seat);
    assert_eq!(turns.taken(), Rehearsal { time: 170, handing_over: 70 });
}
