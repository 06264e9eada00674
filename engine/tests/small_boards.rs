//! Boards smaller than 8x8 against brute force.

use std::collections::HashMap;

use outflank_engine::{
    BoardSize, Bound, Control, Engine, Position, Request, Score, Settings, Square, Window,
    brute_force,
};
use outflank_kernel::Isa;

fn size(text: &str) -> BoardSize {
    text.parse().expect("it is a size")
}

fn engine(isa: Isa) -> Engine {
    Engine::new(&Settings { isa, table_bytes: 1 << 20 }).expect("a megabyte is there")
}

fn exact(engine: &Engine, position: Position) -> Score {
    let answer = engine.solve(&Request::exact(position), &Control::default());
    assert!(answer.finished);
    answer.bound.value().expect("the exact value was asked")
}

/// A small generator of its own, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        (self.0 >> 33) as usize % limit
    }

    /// Returns the position of a random game when `empties` squares are left, or where it ends
    /// before that.
    fn game(&mut self, size: BoardSize, empties: u32) -> Position {
        let mut position = size.start();
        while position.empties() > empties && !position.is_over() {
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            position = match moves.len() {
                0 => position.pass(),
                count => position.play(moves[self.below(count)]).expect("it is a legal move"),
            };
        }
        position
    }
}

/// Plays `line`, which must go to the end of the game, and returns the score of who moves first.
fn end_of(position: Position, line: &[Square]) -> Score {
    let (mut position, mut turned) = (position, false);
    for &square in line {
        if position.must_pass() {
            (position, turned) = (position.pass(), !turned);
        }
        position = position.play(square).expect("the line is legal");
        turned = !turned;
    }
    assert!(position.is_over(), "the line ends early");
    let score = position.final_score();
    if turned { -score } else { score }
}

/// Finds the values of all positions that can follow `position`, itself included.
fn whole_tree(position: Position, values: &mut HashMap<Position, Score>) -> Score {
    if let Some(&value) = values.get(&position) {
        return value;
    }
    let value = if position.is_over() {
        position.final_score()
    } else if position.must_pass() {
        -whole_tree(position.pass(), values)
    } else {
        let after = Square::all(position.moves()).filter_map(|square| position.play(square));
        after.map(|next| -whole_tree(next, values)).max().expect("there is a move")
    };
    values.insert(position, value);
    value
}

/// Every position of 4x4 Othello, with the value, the best line and the canonical form.
#[test]
fn all_positions_of_the_4x4_game_have_the_values_of_the_whole_tree() {
    let mut values = HashMap::new();
    let start = size("4x4").start();
    assert_eq!(whole_tree(start, &mut values).discs(), -10);
    assert!(values.len() > 20_000, "{} positions", values.len());
    let engine = engine(Isa::detect());
    for (&position, &value) in &values {
        let answer = engine.solve(&Request::exact(position), &Control::default());
        assert_eq!(answer.bound, Bound::exact(value), "{position:?}");
        assert_eq!(end_of(position, &answer.line), value, "{position:?}");
        assert_eq!(exact(&engine, position.canonical()), value, "{position:?}");
    }
}

#[test]
fn ends_of_games_have_the_values_moves_and_bounds_of_brute_force() {
    let engines: Vec<Engine> = Isa::available().map(engine).collect();
    let mut random = Random(1);
    for round in 0..1200 {
        let board = ["6x6", "4x6", "7x4", "6x5", "8x6"][round as usize % 5];
        let position = random.game(size(board), round % 10);
        let value = brute_force::value(position);
        for engine in &engines {
            let answer = engine.solve(&Request::exact(position), &Control::default());
            assert_eq!(answer.bound, Bound::exact(value), "{board} {position:?}");
            assert_eq!(end_of(position, &answer.line), value, "{board} {position:?}");
            for (square, bound) in answer.children {
                let after = position.play(square).expect("only moves have bounds");
                let true_bound = Bound::exact(brute_force::value(after));
                assert!(true_bound.implies(bound), "{board} {position:?} {square}");
            }
        }
        assert_eq!(engines[0].values(&[position]), [value]);
    }
}

#[test]
fn every_window_is_answered_truly() {
    let engine = engine(Isa::detect());
    let mut random = Random(3);
    for round in 0..600 {
        let position = random.game(size("6x6"), 5 + round % 6);
        let value = brute_force::value(position);
        let ends = [random.below(41), random.below(41)].map(|half| half as i32 * 2 - 40);
        let [lower, upper] = ends.map(|discs| Score::new(discs).expect("it is even"));
        let Some(window) = Window::new(lower.min(upper), lower.max(upper)) else { continue };
        let request = Request { window, ..Request::exact(position) };
        let answer = engine.solve(&request, &Control::default());
        assert!(answer.finished && answer.bound.answers(window), "{position:?} {window}");
        assert!(Bound::exact(value).implies(answer.bound), "{position:?} {window}");
        if answer.bound.lower() >= window.upper() {
            let after = answer.best_move.and_then(|square| position.play(square));
            let after = after.expect("a move proves it");
            assert!(-brute_force::value(after) >= window.upper(), "{position:?} {window}");
        }
    }
}

/// 4x5 and 4x6 Othello from the start; `checker/src/solve.rs` finds the same with other code.
#[test]
fn small_games_have_their_values_whichever_way_the_board_lies() {
    let engine = engine(Isa::detect());
    for (board, value) in [("4x4", -10), ("4x5", 16), ("5x4", 16), ("4x6", 16), ("6x4", 16)] {
        assert_eq!(exact(&engine, size(board).start()).discs(), value, "{board}");
    }
}

#[test]
fn equal_discs_on_different_boards_are_not_confused_in_one_table() {
    let engine = engine(Isa::detect());
    let mut random = Random(5);
    for _ in 0..100 {
        let four = random.game(size("4x4"), 6);
        let wider = size("4x5").walls();
        let (player, opponent) = (four.player() ^ four.walls(), four.opponent() ^ four.walls());
        let other = Position::new(player | wider, opponent | wider).expect("4x5 contains 4x4");
        for position in [four, other, four] {
            assert_eq!(exact(&engine, position), brute_force::value(position), "{position:?}");
        }
    }
}

#[test]
fn one_thread_searches_the_same_nodes_every_time_and_on_every_set() {
    let engines: Vec<Engine> = Isa::available().map(engine).collect();
    let position = Random(5).game(size("6x6"), 18);
    let counts: Vec<u64> = (0..2)
        .flat_map(|_| &engines)
        .map(|engine| {
            engine.clear();
            engine.solve(&Request::exact(position), &Control::default()).nodes
        })
        .collect();
    assert!(counts.iter().all(|&nodes| nodes == counts[0]), "{counts:?}");
}

#[test]
fn limits_and_stops_end_the_search_with_true_bounds() {
    let engine = engine(Isa::detect());
    let mut random = Random(6);
    let mut unfinished = 0;
    for _ in 0..10 {
        let position = random.game(size("6x6"), 17);
        engine.clear();
        let limited = Request { node_limit: Some(8_000), ..Request::exact(position) };
        let control = Control::default();
        let answer = engine.solve(&limited, &control);
        unfinished += u32::from(!answer.finished);
        assert!(answer.finished || control.is_stopped(), "who asks can tell a limit: {position:?}");
        assert_eq!(answer.order.len() as u32, position.moves().count_ones());
        let value = Bound::exact(exact(&engine, position));
        assert!(value.implies(answer.bound), "{position:?}");
        for (square, bound) in answer.children {
            let after = position.play(square).expect("only moves have bounds");
            let value = Bound::exact(exact(&engine, after));
            assert!(value.implies(bound), "{position:?} {square} {bound}");
        }
    }
    assert!(unfinished > 0, "the limit was never reached");
    let control = Control::default();
    control.stop();
    let answer = engine.solve(&Request::exact(size("6x6").start()), &control);
    assert!(!answer.finished && answer.nodes < 10_000, "{} nodes", answer.nodes);
}

#[test]
fn known_bounds_are_used() {
    let engine = engine(Isa::detect());
    let position = Random(8).game(size("6x6"), 16);
    let first = engine.solve(&Request::exact(position), &Control::default());
    engine.clear();
    let known = vec![(position, first.bound)];
    let again = engine.solve(&Request { known, ..Request::exact(position) }, &Control::default());
    assert_eq!(again.bound, first.bound);
    assert!(again.nodes < first.nodes, "{} and {} nodes", again.nodes, first.nodes);
    let value = first.bound.value().expect("the exact value was asked");
    let told =
        [(Bound::new(value, Score::MAX), value), (Bound::new(Score::MIN, value), value.up())];
    for (bound, threshold) in told {
        engine.clear();
        let known = vec![(position, bound.expect("the ends are in order"))];
        let window = Window::at_least(threshold).expect("a disc is left");
        let request = Request { window, known, ..Request::exact(position) };
        let answer = engine.solve(&request, &Control::default());
        assert!(answer.finished && answer.nodes < 100, "{window}: {} nodes", answer.nodes);
    }
}

/// As on the large board: a search that all moves fail leaves the move that seemed best.
#[test]
fn a_stopped_search_names_no_move_that_only_seemed_best() {
    let judge = engine(Isa::detect());
    let mut random = Random(31);
    let mut known = 0;
    for _ in 0..60 {
        let position = random.game(size("6x6"), 14);
        let value = exact(&judge, position);
        let Some(window) = Window::at_least(value.up()).filter(|_| !position.must_pass()) else {
            continue;
        };
        let engine = engine(Isa::detect());
        let least = Bound::new(value, Score::MAX).expect("the ends are in order");
        let failing =
            Request { window, known: vec![(position, least)], ..Request::exact(position) };
        assert!(engine.solve(&failing, &Control::default()).finished);
        let stopped = Request { node_limit: Some(1), ..Request::exact(position) };
        let answer = engine.solve(&stopped, &Control::default());
        if answer.bound == Bound::exact(value) {
            known += 1;
            if let Some(&first) = answer.line.first() {
                let after = position.play(first).expect("the line is legal");
                assert_eq!(exact(&judge, after), -value, "{position:?} {first}");
            }
        }
    }
    assert!(known > 20, "{known} values were known");
}
