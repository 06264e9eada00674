//! What who asks an engine may rely on, whatever it was asked before: that it forgets, ends, and says what it proved.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use outflank_engine::evaluation::{Weights, look_ahead};
use outflank_engine::notation::problems;
use outflank_engine::{
    Bound, Control, Engine, Position, Request, Score, Settings, Square, Window, brute_force,
};
use outflank_kernel::{Isa, Scalar};

fn engine() -> Engine {
    let settings = Settings { isa: Isa::detect(), table_bytes: 1 << 22 };
    Engine::new(&settings).expect("four megabytes are there")
}

fn position(board: &str) -> Position {
    problems("test", board).next().expect("a position").expect("a board").position
}

fn exact(engine: &Engine, position: Position) -> Score {
    let answer = engine.solve(&Request::exact(position), &Control::default());
    answer.bound.value().expect("nobody stops it")
}

/// FFO #3, 14 empty squares.
const SHORT: &str = "----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X";
/// FFO #40, 20 empty squares.
const LONG: &str = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";

/// FFO #42, 22 empty squares.
const LONGER: &str = "--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X";

#[test]
fn what_was_told_is_forgotten_after_however_many_searches() {
    let asked = position(SHORT);
    let value = exact(&engine(), asked);
    let lie = Bound::exact(value.up());
    for searches in [1, 255, 256, 257, 512] {
        let engine = engine();
        let told = Request { known: vec![(asked, lie)], ..Request::exact(asked) };
        let misled = engine.solve(&told, &Control::default());
        assert_eq!(misled.bound, lie, "the engine trusts what it is told");
        for _ in 1..searches {
            let over = Position::new(u64::MAX, 0).expect("a full board");
            assert_eq!(exact(&engine, over), Score::MAX);
        }
        engine.clear();
        assert_eq!(exact(&engine, asked), value, "after {searches} searches");
    }
}

/// A coordinator may hand on what a bad worker has claimed. One window is then answered by the claim, the next by a proof.
#[test]
fn a_search_ends_that_was_told_what_is_false() {
    let asked = position(LONG);
    let first = engine().solve(&Request::exact(asked), &Control::default());
    let value = first.bound.value().expect("nobody stopped it");
    let best = asked.play(first.best_move.expect("it has one")).expect("it is legal");
    let node_limit = 4 * first.nodes;
    // As if the best move were worth 8 discs more than it is, and the whole 2 less.
    let child = Bound::at_most(Score::new(-value.discs() - 8).expect("it is even"));
    for lie in [(best, child), (asked, Bound::at_most(value.down()))] {
        let request =
            Request { node_limit: Some(node_limit), known: vec![lie], ..Request::exact(asked) };
        let answer = engine().solve(&request, &Control::default());
        assert!(answer.nodes < node_limit, "told {lie:?}: {answer:?}");
    }
}

/// Bounds of one position that contradict each other leave no window; with several threads nobody waits for the others.
#[test]
fn a_search_gives_up_where_bounds_leave_no_window() {
    let asked = position(LONG);
    let after = Square::all(asked.moves()).filter_map(|square| asked.play(square));
    let lies = [Bound::at_least(Score::DRAW.up()), Bound::at_most(Score::DRAW.down())];
    let known: Vec<_> = after.flat_map(|after| lies.map(|lie| (after, lie))).collect();
    for threads in [1, 4] {
        let request = Request { threads, known: known.clone(), ..Request::exact(asked) };
        let control = Control::default();
        let answer = engine().solve(&request, &control);
        assert!(!answer.finished && !control.is_stopped(), "{answer:?}");
        assert!(answer.nodes < 100_000_000, "{answer:?}");
    }
}

/// The most moves that were found on any board, 35; no game comes to it.
#[test]
fn a_board_of_very_many_moves_is_searched_and_looked_at() {
    let crowded = Position::new(0x8008_3724_2060_100C, 0x0036_4012_4000_6E02).expect("a board");
    assert_eq!(crowded.moves().count_ones(), 35);
    for threads in [1, 2] {
        let node_limit = Some(100_000);
        let request = Request { threads, node_limit, ..Request::exact(crowded) };
        let answer = engine().solve(&request, &Control::default());
        assert!(answer.nodes > 0 && !answer.finished, "{answer:?}");
        assert_eq!(answer.order.len(), 35);
    }
    let weights = Weights::embedded().expect("the program is built with weights");
    let value = look_ahead(Isa::detect(), weights, &[crowded], 2)[0];
    assert_eq!(look_ahead(Isa::Scalar(Scalar::new()), weights, &[crowded], 2), [value]);
    assert!(outflank_engine::estimate(crowded).discs().abs() <= 64);
}

#[test]
fn two_discs_are_answered() {
    let mut board = "-".repeat(27) + "XO";
    board += &"-".repeat(35);
    for threads in [1, 2] {
        let request = Request { threads, ..Request::exact(position(&format!("{board} X"))) };
        let answer = engine().solve(&request, &Control::default());
        assert_eq!(answer.bound, Bound::exact(Score::MAX), "{threads} threads");
    }
}

#[test]
fn a_panic_of_one_thread_ends_the_search_of_all() {
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || {
        let first = thread::current().id();
        // Not at once: the first moves that are shared are done before their nodes are counted.
        let is_calm = move |nodes| nodes < 3_000_000 || thread::current().id() == first;
        let watch = move |nodes| assert!(is_calm(nodes), "as it was wanted");
        let control = Control::watched(watch);
        let request = Request { threads: 4, ..Request::exact(position(LONGER)) };
        let engine = engine();
        let solved = catch_unwind(AssertUnwindSafe(|| engine.solve(&request, &control)));
        sender.send(solved.is_err()).expect("somebody waits");
    });
    let has_panicked = ended.recv_timeout(Duration::from_secs(60));
    assert_eq!(has_panicked, Ok(true), "it went on, or hangs");
}

/// The best move is told, so that its line is work like that for the others.
#[test]
fn a_value_that_is_found_within_the_limit_has_a_whole_line() {
    let asked = position(SHORT);
    let first = engine().solve(&Request::exact(asked), &Control::default());
    let best = asked.play(first.best_move.expect("it has one")).expect("it is legal");
    let value = first.bound.value().expect("nobody stopped it");
    let solve = |node_limit| {
        let known = vec![(best, Bound::exact(-value))];
        let request = Request { known, node_limit, ..Request::exact(asked) };
        engine().solve(&request, &Control::default())
    };
    let free = solve(None);
    let mut finished = 0;
    for part in 1..16 {
        let answer = solve(Some(free.nodes * part / 16));
        println!(
            "{part} {} {} {} {}",
            answer.finished,
            answer.nodes,
            free.nodes,
            answer.line.len()
        );
        if answer.finished {
            finished += 1;
            assert_eq!((answer.bound, &answer.line), (free.bound, &free.line), "{part} of 16");
        }
    }
    assert!((1..15).contains(&finished), "{finished} of 15 were finished");
}

#[test]
fn the_line_of_a_value_that_was_told_keeps_to_the_limit() {
    let asked = position(LONG);
    let judge = engine();
    let known: Vec<(Position, Bound)> = Square::all(asked.moves())
        .filter_map(|square| asked.play(square))
        .map(|after| (after, Bound::exact(exact(&judge, after))))
        .collect();
    let value = known.iter().map(|&(_, bound)| -bound.upper()).max().expect("it has moves");
    let limit = 50_000;
    let request = Request { known, node_limit: Some(limit), ..Request::exact(asked) };
    let answer = engine().solve(&request, &Control::default());
    assert_eq!(answer.bound, Bound::exact(value));
    assert!(answer.nodes < 3 * limit, "{} nodes", answer.nodes);
    assert!(answer.best_move.is_some(), "the bounds of the moves name it");
}

#[test]
fn the_best_move_reaches_the_lower_bound_whatever_was_asked_before() {
    let asked = Position::new(616_437_497_542_150_528, 4_776_674_399_155_839).expect("a board");
    let engine = engine();
    for (lower, upper) in [(-34, -32), (-30, -28), (-34, -32)] {
        let [lower, upper] = [lower, upper].map(|discs| Score::new(discs).expect("even"));
        let window = Window::new(lower, upper).expect("lower is below");
        let answer =
            engine.solve(&Request { window, ..Request::exact(asked) }, &Control::default());
        let after = answer.best_move.and_then(|square| asked.play(square)).expect("a legal move");
        let reached = -brute_force_of(after);
        assert!(reached >= answer.bound.lower(), "{reached} after {:?}", answer.best_move);
    }
}

fn brute_force_of(position: Position) -> Score {
    if position.empties() <= 10 { brute_force::value(position) } else { exact(&engine(), position) }
}
