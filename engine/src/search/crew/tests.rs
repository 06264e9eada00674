//! Splits as one thread after the other meets them: no value is claimed of moves that nobody has
//! searched, whoever gave up, and whenever.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use outflank_kernel::{KernelSet, Scalar};

use super::*;
use crate::Bound;
use crate::evaluation::UNIT;
use crate::search::board::Board;
use crate::search::fixture::{Fixture, moves, node, position, split_below, take, task};
use crate::search::level::Level;
use crate::search::principal::{Aspiration, principal};
use crate::search::root;
use crate::table::{Effort, Entry, Hint};

/// Returns the split that a thread with nothing to do takes.
fn offered_split<'a>(crew: &'a Crew<'a>) -> Arc<SplitPoint> {
    match crew.wait_for_work(1).expect("the search goes on") {
        Offer::Split(split) => split,
        Offer::Ahead(advance) => panic!("a split is open, and not {advance:?}"),
    }
}

#[test]
fn who_works_below_a_cut_notices_it_at_the_next_position() {
    let (fixture, position) = (Fixture::new(), position(1, 30));
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    let mut searcher = Searcher::new(Scalar::new(), &crew);
    let upper = split_below(None, position);
    searcher.split = Some(split_below(Some(&upper), position));
    assert_eq!(searcher.go_on(), Ok(()));
    let square = take(&upper).expect("it has moves");
    upper.finish(square, Ok(2));
    assert_eq!(searcher.go_on(), Err(Stopped));
    // So does what it opens by then.
    let node = node(self::position(1, 16));
    assert_eq!(split(&mut searcher, &moves(&node), &mut task(node)), Err(Stopped));
    assert!(!fixture.control.is_stopped(), "the search goes on elsewhere");
}

#[test]
fn who_waits_for_a_split_helps_below_it_and_nowhere_else() {
    let (fixture, position) = (Fixture::new(), position(1, 30));
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    let [split, stranger] = [(); 2].map(|()| split_below(None, position));
    let middle = split_below(Some(&split), position);
    let below = split_below(Some(&middle), position);
    let square = take(&split).expect("it has moves");
    for open in [&stranger, &split, &below] {
        crew.open(open, 0);
    }
    let found = crew.wait_for(Scalar::new(), &split, 0).expect("there is work below it");
    assert!(Arc::ptr_eq(&found, &below));
    split.finish(square, Ok(-2));
    assert!(crew.wait_for(Scalar::new(), &split, 0).is_none(), "it is done");
    // Who has nothing to wait for takes the oldest.
    assert!(Arc::ptr_eq(&offered_split(&crew), &stranger));
    crew.close(&stranger, 0);
    assert!(Arc::ptr_eq(&offered_split(&crew), &split), "closing one leaves the others");
    drop(crew.shift());
    assert!(crew.wait_for_work(1).is_none(), "the search is over");
}

#[test]
fn what_a_selective_search_believes_says_how_many_moves_others_wait_for() {
    let (fixture, node) = (Fixture::new(), node(position(1, 20)));
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, Position::START);
    let searcher = Searcher::new(Scalar::new(), &crew);
    assert_eq!(elders(&searcher, &node, 0), 1, "nothing is known");
    let Board { player, opponent } = node.board;
    let believe = |plies, value: i32| {
        let (lower, upper) = (value * UNIT, value * UNIT);
        let effort = Effort { plies, level: 0 };
        let hint = Hint { lower, upper, effort, moves: [Some(19), None] };
        let hash = Scalar::new().hash(player, opponent);
        fixture.hints.put(hash, player, opponent, hint, 1);
    };
    believe(6, 4);
    assert_eq!(elders(&searcher, &node, 3), 1, "a look ahead is no search to the end");
    believe(20, 4);
    assert_eq!(elders(&searcher, &node, 3), 2, "a move was found, and there may be others");
    assert_eq!(elders(&searcher, &node, 4), 0, "all moves will be searched");
}

#[test]
fn bounds_that_contradict_each_other_leave_no_value() {
    let (fixture, position) = (Fixture::new(), position(1, 16));
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    let mut searcher = Searcher::new(Scalar::new(), &crew);
    let node = node(position);
    let Board { player, opponent } = node.board;
    let hash = Scalar::new().hash(player, opponent);
    for told in [Entry::told(4, 64), Entry::told(-64, 2)] {
        fixture.table.put(hash, player, opponent, told, 1);
    }
    for (alpha, beta) in [(-65, 65), (-1, 3), (3, 7)] {
        let aspiration = Aspiration { alpha, beta, expected: 0 };
        let found = principal(&mut searcher, &node, aspiration, Level::EXACT);
        assert_eq!(found, Err(Stopped), "{alpha} to {beta}");
    }
}

/// Whoever had opened the split would wait for it, and the panic would never come out.
#[test]
fn nobody_waits_for_a_move_whose_search_has_panicked() {
    let (fixture, position) = (Fixture::new(), position(1, 30));
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    let split = split_below(None, position);
    crew.open(&split, 0);
    let (_, candidate) = split.take().expect("it has moves");
    drop(Taken::new(&crew, &split, candidate)); // A panic comes by before there is an outcome.
    assert!(fixture.control.is_stopped() && split.is_done() && crew.offers_nothing());
    assert_eq!(split.outcome().err(), Some(Stopped));
}

#[test]
fn who_waits_for_work_is_called_when_there_is_some() {
    let (fixture, position) = (Fixture::new(), position(1, 30));
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    let (sender, called) = mpsc::channel();
    thread::scope(|scope| {
        let shift = crew.shift();
        scope.spawn(|| sender.send(crew.wait_for_work(1).is_some()).expect("somebody listens"));
        while crew.idle.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        crew.open(&split_below(None, position), 0);
        let found = called.recv_timeout(Duration::from_secs(60));
        drop(shift); // It must not wait for ever if the test fails.
        assert_eq!(found, Ok(true));
    });
}

/// It would give it back at once, as often as it can, while the others come to their end.
#[test]
fn nobody_begins_anything_after_a_stop() {
    let (fixture, position) = (Fixture::new(), position(1, 30));
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    crew.open(&split_below(None, position), 0);
    assert!(crew.wait_for_work(1).is_some());
    fixture.control.stop();
    assert!(crew.wait_for_work(1).is_none());
}

#[test]
fn a_panic_stops_the_search_for_those_who_wait_for_other_engines_too() {
    let (fixture, position) = (Fixture::new(), position(1, 30));
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    drop(crew.shift());
    assert!(!fixture.control.is_stopped());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _shift = crew.shift();
        panic!("as it was wanted");
    }));
    assert!(panicked.is_err() && fixture.control.is_stopped());
}

#[test]
fn other_engines_get_moves_of_large_positions_only_and_wake_who_waits_for_what_they_lose() {
    let (fixture, position) = (Fixture::new(), position(1, 30));
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    let [small, large] = [16, 20].map(|empties| split_below(None, self::position(1, empties)));
    crew.open(&small, 0);
    crew.open(&large, 0);
    let found = crew.wait_for_errands(20, 0).expect("the search goes on");
    assert!(Arc::ptr_eq(&found, &large));
    let (_, candidate) = large.take().expect("it has moves");
    while let Some(square) = take(&large) {
        large.finish(square, Ok(-10));
    }
    assert!(crew.errands(20, 0).is_none(), "no move of it is left");
    let (sender, found) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            sender.send(crew.wait_for(Scalar::new(), &large, 0)).expect("somebody listens");
        });
        while crew.idle.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        let mut taken = Taken::new(&crew, &large, candidate);
        taken.outcome = Outcome::Back(0);
        drop(taken);
        crew.call(0);
        let found = found.recv_timeout(Duration::from_secs(60));
        assert!(found.is_ok_and(|found| found.is_some_and(|found| Arc::ptr_eq(&found, &large))));
    });
    drop(crew.shift());
    assert!(crew.wait_for_errands(20, 0).is_none(), "the search is over");
}

/// Who has looked for what came back, and is about to wait, holds the notices: to call him then would be in vain.
#[test]
fn who_opened_a_split_is_not_called_between_his_look_and_his_wait() {
    let (fixture, position) = (Fixture::new(), position(1, 30));
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    let (sender, called) = mpsc::channel();
    thread::scope(|scope| {
        let looks = crew.notices();
        scope.spawn(|| {
            crew.call_owner();
            sender.send(()).expect("somebody listens");
        });
        let too_early = called.recv_timeout(Duration::from_millis(100));
        drop(looks);
        assert!(too_early.is_err(), "called while he looked");
        called.recv_timeout(Duration::from_secs(60)).expect("he is called when he waits");
    });
}

/// Other engines, of which it only counts how often they are recalled.
#[derive(Default)]
struct Recalled(AtomicUsize);

impl Hands for Recalled {
    fn count(&self) -> usize {
        0
    }

    fn least_empties(&self) -> u32 {
        0
    }

    fn recall(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn engage(&self, _hand: usize, _is_wanted: &dyn Fn() -> bool) -> bool {
        false
    }

    fn release(&self, _hand: usize) {}

    fn run(&self, _: usize, _: &Errand, _is_pointless: &dyn Fn() -> bool) -> Option<i32> {
        None
    }
}

#[test]
fn other_engines_hear_of_a_cut_that_makes_their_moves_pointless() {
    let (hands, position) = (Arc::new(Recalled::default()), position(1, 30));
    let control = Control::default().with_hands(Arc::clone(&hands) as Arc<dyn Hands>);
    let fixture = Fixture { control, ..Fixture::new() };
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    let split = split_below(None, position);
    let taken: Vec<_> = (0..3).filter_map(|_| split.take()).collect();
    let mut recalled = Vec::new();
    for ((_, candidate), value) in taken.into_iter().zip([Ok(-10), Ok(2), Err(Stopped)]) {
        let mut taken = Taken::new(&crew, &split, candidate);
        taken.outcome = Outcome::Value(value);
        drop(taken);
        recalled.push(hands.0.load(Ordering::Relaxed));
    }
    assert_eq!(recalled, [0, 1, 1], "by the cut, as long as somebody is at work");
}

/// With so few empty squares a move is searched before its nodes are reported of themselves.
#[test]
fn the_nodes_of_who_helps_are_counted() {
    let (fixture, position) = (Fixture::new(), position(1, 8));
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    thread::scope(|scope| {
        let _shift = crew.shift();
        crew.open(&split_below(None, position), 0);
        scope.spawn(|| crew.help(Scalar::new(), 1));
        while !crew.notices().open.is_empty() {
            thread::yield_now();
        }
    });
    assert!(fixture.control.nodes() > 0);
}

#[test]
fn a_split_that_is_stopped_has_no_value() {
    let (fixture, position) = (Fixture::new(), position(1, 20));
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    let mut searcher = Searcher::new(Scalar::new(), &crew);
    let node = node(position);
    fixture.control.stop();
    assert_eq!(split(&mut searcher, &moves(&node), &mut task(node)), Err(Stopped));
    assert!(crew.notices().open.is_empty() && searcher.split.is_none(), "it is closed and left");
}

/// Searches as if somebody always waited for work, so that every node that can be split is.
fn split_everywhere(fixture: &Fixture, position: Position, limit: u64) -> Result<i32, Stopped> {
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, limit, position);
    crew.idle.store(1, Ordering::Relaxed);
    let mut searcher = Searcher::new(Scalar::new(), &crew);
    let found = principal(&mut searcher, &node(position), Aspiration::FULL, Level::EXACT);
    assert!(crew.notices().open.is_empty() && searcher.split.is_none(), "all are closed and left");
    found.map(|(value, _)| value)
}

/// Returns the value of a position, by a search that splits nothing.
fn value(position: Position) -> i32 {
    let fixture = Fixture::new();
    let found = root::values(Scalar::new(), &fixture.tools(), &[position]);
    found.expect("nothing was told")[0].discs()
}

#[test]
fn splits_change_no_value() {
    for seed in 0..12 {
        let position = position(seed, 15 + seed as u32 % 2);
        let found = split_everywhere(&Fixture::new(), position, u64::MAX);
        assert_eq!(found, Ok(value(position)), "{position:?}");
    }
}

/// Wherever a search ends, what its splits have left in the table is true.
#[test]
fn what_splits_leave_behind_when_a_limit_ends_them_is_true() {
    let mut ended = 0;
    for seed in 0..8 {
        let (fixture, position) = (Fixture::new(), position(seed, 16));
        ended += u32::from(split_everywhere(&fixture, position, 1 << (12 + seed % 4)).is_err());
        let request = Request::exact(position);
        let answer = root::solve(Scalar::new(), &fixture.tools(), &request, &Control::default());
        let truth = crate::Score::floor(value(position));
        assert_eq!(answer.bound, Bound::exact(truth), "{position:?}");
    }
    assert!(ended > 4, "{ended} searches ended early");
}
