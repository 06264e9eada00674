//! Other engines that try moves for a search: the value is the same, whatever becomes of what they were asked.

#![allow(clippy::disallowed_methods, reason = "this is no service")]

mod fixture;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use fixture::{engine, played};
use outflank_engine::{
    Control, Engine, Errand, Hands, Position, Request, Score, Square, brute_force,
};
use proptest::prelude::*;

/// What becomes of errands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Done,
    /// Of so many one is lost, and its engine is away for a moment.
    Lost(u64),
    /// Nobody answers.
    Unanswered,
}

/// Engines in this process.
#[derive(Debug)]
struct Neighbours {
    engines: Vec<Engine>,
    fate: Fate,
    engaged: Vec<AtomicBool>,
    asked: AtomicU64,
    done: AtomicU64,
    /// Who does errands for those who do errands.
    next: Option<Arc<Self>>,
}

impl Neighbours {
    fn new(count: usize, fate: Fate) -> Arc<Self> {
        let engines = (0..count).map(|_| engine()).collect();
        let engaged = (0..count).map(|_| AtomicBool::new(false)).collect();
        let (asked, done) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Self { engines, fate, engaged, asked, done, next: None })
    }

    /// Returns a neighbour who has two himself.
    fn with_neighbours() -> (Arc<Self>, Arc<Self>) {
        let next = Self::new(2, Fate::Done);
        let first = Self::new(1, Fate::Done);
        let first = Arc::into_inner(first).expect("nobody else has it");
        (Arc::new(Self { next: Some(next.clone()), ..first }), next)
    }
}

impl Hands for Neighbours {
    fn count(&self) -> usize {
        self.engines.len()
    }

    fn least_empties(&self) -> u32 {
        13
    }

    fn engage(&self, hand: usize, is_wanted: &dyn Fn() -> bool) -> bool {
        assert!(!self.engaged[hand].swap(true, Ordering::Relaxed), "it was released before");
        let is_there = is_wanted();
        self.engaged[hand].store(is_there, Ordering::Relaxed);
        is_there
    }

    fn release(&self, hand: usize) {
        assert!(self.engaged[hand].swap(false, Ordering::Relaxed), "it was engaged before");
    }

    fn run(&self, hand: usize, errand: &Errand, is_pointless: &dyn Fn() -> bool) -> Option<i32> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        if let Fate::Lost(part) = self.fate
            && asked % part == part - 1
        {
            thread::sleep(Duration::from_millis(1));
            return None;
        }
        while self.fate == Fate::Unanswered && !is_pointless() {
            thread::sleep(Duration::from_millis(1));
        }
        let engine = &self.engines[hand];
        let control = match &self.next {
            Some(next) => Control::default().with_hands(next.clone()),
            None => Control::default(),
        };
        let value = thread::scope(|scope| {
            let running = scope.spawn(|| engine.run_errand(errand, 1, &control));
            while !running.is_finished() {
                if is_pointless() {
                    control.stop();
                }
                thread::sleep(Duration::from_micros(100));
            }
            running.join().expect("no search panics")
        });
        self.done.fetch_add(u64::from(value.is_some()), Ordering::Relaxed);
        value
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn the_value_is_the_same(
        choices in prop::collection::vec(0_usize..40, 20..60),
        fate in prop_oneof![Just(Fate::Done), Just(Fate::Lost(1)), Just(Fate::Lost(3))],
        (count, threads) in (1_usize..4, 1_usize..3),
    ) {
        let position = played(&choices, 18);
        let truth = engine().solve(&Request::exact(position), &Control::default());
        let neighbours = Neighbours::new(count, fate);
        let control = Control::default().with_hands(neighbours);
        let request = Request { threads, ..Request::exact(position) };
        let answer = engine().solve(&request, &control);
        prop_assert!(answer.finished);
        prop_assert_eq!(answer.bound, truth.bound);
        for (square, bound) in answer.children {
            let after = position.play(square).expect("the move is legal");
            let value = engine().solve(&Request::exact(after), &Control::default()).bound;
            prop_assert!(value.implies(bound), "{} is {}, not {}", square, value, bound);
        }
    }

    #[test]
    fn an_errand_is_answered_as_its_window_asks(
        choices in prop::collection::vec(0_usize..40, 20..60),
        (alpha, width) in (-65_i32..=64, 1_i32..20),
        threads in 1_usize..3,
    ) {
        let (position, beta) = (played(&choices, 9), (alpha + width).min(65));
        for square in Square::all(position.moves()) {
            let after = position.play(square).expect("the move is legal");
            let truth = -brute_force::value(after).discs();
            let errand = Errand::new(position, square, (alpha, beta), Errand::PROOF, 0);
            let errand = errand.expect("it can be asked");
            let value = engine().run_errand(&errand, threads, &Control::default());
            let value = value.expect("nobody stops it");
            let is_right = if value <= alpha {
                truth <= value
            } else if value >= beta {
                truth >= value
            } else {
                truth == value
            };
            prop_assert!(is_right, "{} is {}, not {} in {} to {}", square, truth, value, alpha, beta);
        }
    }
}

/// FFO #40, 20 empty squares, is large enough that there is something to do for others.
const BOARD: &str = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";

fn forty() -> Position {
    let mut problems = outflank_engine::notation::problems("test", BOARD);
    problems.next().expect("a position").expect("a board").position
}

/// Solves FFO #40 with these hands until `watched` has done an errand: on a busy machine a search may be over before the
/// threads of the others have begun.
fn solve_until_done(hands: &Arc<Neighbours>, watched: &Neighbours) {
    while watched.done.load(Ordering::Relaxed) == 0 {
        let control = Control::default().with_hands(hands.clone());
        let answer = engine().solve(&Request::exact(forty()), &control);
        assert_eq!(answer.bound.value().map(Score::discs), Some(38));
    }
}

#[test]
fn others_do_a_part_of_the_work() {
    let neighbours = Neighbours::new(2, Fate::Done);
    solve_until_done(&neighbours, &neighbours);
}

#[test]
fn who_does_errands_may_have_others_do_some() {
    let (first, next) = Neighbours::with_neighbours();
    solve_until_done(&first, &next);
}

#[test]
fn who_is_stopped_calls_back_what_others_try() {
    let is_stopped_with_others_at_it = || {
        let neighbours = Neighbours::new(2, Fate::Unanswered);
        let control = Control::default().with_hands(neighbours.clone());
        thread::scope(|scope| {
            let solving = scope.spawn(|| engine().solve(&Request::exact(forty()), &control));
            while neighbours.asked.load(Ordering::Relaxed) == 0 && !solving.is_finished() {
                thread::sleep(Duration::from_millis(1));
            }
            control.stop();
            !solving.join().expect("no search panics").finished
        })
    };
    // As above.
    while !is_stopped_with_others_at_it() {}
}

#[test]
fn an_errand_that_is_stopped_has_no_value() {
    let (position, control) = (forty(), Control::default());
    control.stop();
    let square = Square::lowest(position.moves()).expect("there are moves");
    let errand = Errand::new(position, square, (0, 1), Errand::PROOF, 0).expect("it can be asked");
    assert_eq!(engine().run_errand(&errand, 1, &control), None);
}

#[test]
fn rehearsals_leave_other_engines_idle() {
    let neighbours = Neighbours::new(1, Fate::Done);
    let control = Control::default().with_hands(neighbours.clone());
    let _rehearsed = engine().rehearse(&Request::exact(forty()), &control);
    assert_eq!(neighbours.asked.load(Ordering::Relaxed), 0);
}

#[test]
fn who_is_to_go_on_alone_leaves_other_engines_idle() {
    let neighbours = Neighbours::new(1, Fate::Done);
    let control = Control::default().with_hands(neighbours.clone());
    control.send_hands_home();
    let request = Request { threads: 2, ..Request::exact(forty()) };
    let answer = engine().solve(&request, &control);
    assert_eq!(answer.bound.value().map(Score::discs), Some(38));
    assert_eq!(neighbours.asked.load(Ordering::Relaxed), 0);
}
