//! The engine against the brute-force solver and against itself.

use std::collections::{BTreeMap, BTreeSet};

use outflank_engine::{
    Answer, Bound, Control, Engine, Position, Request, Score, Settings, Square, Window, brute_force,
};
use outflank_kernel::Isa;

/// A small generator of its own (SplitMix64, S. Vigna), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Returns the position of a random game when `empties` squares are left, or where it ends
    /// before that.
    fn game(&mut self, empties: u32) -> Position {
        let mut position = Position::START;
        while position.empties() > empties && !position.is_over() {
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            position = match moves.len() {
                0 => position.pass(),
                count => position.play(moves[self.below(count)]).expect("it is a legal move"),
            };
        }
        position
    }

    /// Returns any placement of discs with that many empties; most cannot occur in games. Every
    /// other one is nearly all of one colour, where passes and wipe-outs abound.
    fn scatter(&mut self, empties: u32) -> Position {
        let mut empty = 0_u64;
        while empty.count_ones() < empties {
            empty |= 1 << self.below(64);
        }
        let mut player = self.next();
        if self.next().is_multiple_of(2) {
            player &= self.next() & self.next();
        }
        if self.next().is_multiple_of(2) {
            player = !player;
        }
        Position::new(player & !empty, !player & !empty).expect("the boards share no square")
    }
}

fn engine(isa: Isa) -> Engine {
    Engine::new(&Settings { isa, table_bytes: 1 << 20 }).expect("a megabyte is there")
}

/// Checks an answer to the exact question: value, best move, bounds of the moves, line.
fn check(position: Position, value: Score, engine: &Engine, threads: usize) {
    let request = Request { threads, ..Request::exact(position) };
    let answer = engine.solve(&request, &Control::default());
    assert!(answer.finished);
    assert_eq!(answer.bound, Bound::exact(value), "{position:?}");
    if let Some(square) = answer.best_move {
        let after = position.play(square).expect("the best move is legal");
        assert_eq!(-brute_force::value(after), value, "{position:?} {square}");
    } else {
        assert_eq!(position.moves(), 0);
    }
    for &(square, bound) in &answer.children {
        let after = position.play(square).expect("only moves have bounds");
        assert!(Bound::exact(brute_force::value(after)).implies(bound), "{position:?} {square}");
    }
    assert_eq!(end_of(position, &answer.line), value, "{position:?} {:?}", answer.line);
}

/// The answer to a request whose position and moves have these values says what was asked, and nothing false; its best
/// move reaches what is proved.
fn check_window(request: &Request, answer: &Answer, value: Score, moves: &BTreeMap<Square, Score>) {
    let Request { position, window, .. } = request;
    assert!(answer.finished && answer.bound.answers(*window), "{position:?} {window}");
    assert!(Bound::exact(value).implies(answer.bound), "{position:?} {window}");
    for &(square, bound) in &answer.children {
        let of_move = Bound::exact(moves[&square]);
        assert!(of_move.implies(bound), "{position:?} {window}: {square} {bound}");
    }
    if let Some(square) = answer.best_move {
        let reached = -moves[&square];
        assert!(reached >= answer.bound.lower(), "{position:?} {window}: {square} {reached}");
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

#[test]
fn values_moves_and_lines_are_those_of_brute_force() {
    let sets: Vec<Isa> = Isa::available().collect();
    println!(
        "instruction sets covered: {}",
        sets.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    );
    let engines: Vec<Engine> = sets.into_iter().map(engine).collect();
    let mut random = Random(1);
    for round in 0..4000 {
        let empties = round % 9;
        let position = if round % 2 == 0 { random.game(empties) } else { random.scatter(empties) };
        let value = brute_force::value(position);
        for engine in &engines {
            check(position, value, engine, 1);
        }
    }
}

#[test]
fn ten_empties_are_those_of_brute_force() {
    let engine = engine(Isa::detect());
    let mut random = Random(2);
    for _ in 0..12 {
        let position = random.game(10);
        check(position, brute_force::value(position), &engine, 1);
    }
}

/// Returns the value of `position` by a walk through all moves down to so many empty squares, where `judge` solves.
fn walked(judge: &Engine, position: Position, empties: u32) -> Score {
    let mut ends = BTreeSet::new();
    walk(position, empties, &mut |end| {
        ends.insert(end);
        Score::DRAW
    });
    let ends: Vec<Position> = ends.into_iter().collect();
    let values: BTreeMap<Position, Score> = ends.iter().copied().zip(judge.values(&ends)).collect();
    walk(position, empties, &mut |end| values[&end])
}

fn walk(position: Position, empties: u32, value: &mut impl FnMut(Position) -> Score) -> Score {
    if position.empties() <= empties || position.is_over() {
        return value(position);
    }
    if position.must_pass() {
        return -walk(position.pass(), empties, value);
    }
    let after = Square::all(position.moves()).filter_map(|square| position.play(square));
    after.map(|after| -walk(after, empties, value)).max().expect("the player has a move")
}

/// Returns an engine as it is, and one that has nothing to expect a value by: it searches in other layers.
fn engines() -> [Engine; 2] {
    [engine(Isa::detect()), engine(Isa::detect()).with_weights(None)]
}

#[test]
fn eleven_to_thirteen_empties_are_those_of_a_walk_through_their_moves() {
    let (judge, engines, mut random) = (engine(Isa::detect()), engines(), Random(10));
    for round in 0..24 {
        let empties = 11 + round % 3;
        let position = if round % 4 == 0 { random.game(empties) } else { random.scatter(empties) };
        let value = walked(&judge, position, 10);
        for engine in &engines {
            let answer = engine.solve(&Request::exact(position), &Control::default());
            assert_eq!(answer.bound, Bound::exact(value), "{position:?}");
            assert_eq!(end_of(position, &answer.line), value, "{position:?}");
        }
    }
}

/// Returns a true bound of a position of this value, not always a narrow one.
fn wider(random: &mut Random, value: Score) -> Bound {
    let mut discs = || [0, 2, 6, 128][random.below(4)];
    let (lower, upper) = (value.discs() - discs(), value.discs() + discs());
    Bound::new(Score::floor(lower), Score::floor(upper)).expect("the value lies between them")
}

/// Bounds in the table decide what is searched at all: each must be read for what it proves.
#[test]
fn whatever_is_known_of_the_positions_below_every_window_is_answered_truly() {
    let (judge, engines, mut random) = (engine(Isa::detect()), engines(), Random(11));
    for _ in 0..8 {
        let position = random.game(13);
        let value = walked(&judge, position, 11);
        let below = |position: Position| {
            Square::all(position.moves()).filter_map(move |square| position.play(square))
        };
        let windows = [Window::at_least(value), Window::at_least(value.up()), Some(Window::FULL)];
        let moves: BTreeMap<Square, Score> = Square::all(position.moves())
            .filter_map(|square| Some((square, walked(&judge, position.play(square)?, 11))))
            .collect();
        let below: Vec<Position> = below(position).flat_map(below).collect();
        let values = judge.values(&below);
        for (engine, window) in engines.iter().flat_map(|one| windows.map(|window| (one, window))) {
            let known = below.iter().zip(&values);
            let known = known.map(|(&next, &value)| (next, wider(&mut random, value))).collect();
            let Some(window) = window else { continue };
            engine.clear();
            let request = Request { window, known, ..Request::exact(position) };
            let answer = engine.solve(&request, &Control::default());
            check_window(&request, &answer, value, &moves);
        }
    }
}

/// A single disc among many of the other side: games end with many empty squares, most of them by a wipe-out.
#[test]
fn games_that_end_early_have_their_scores() {
    let (judge, engines, mut random) = (engine(Isa::detect()), engines(), Random(12));
    let mut early = 0;
    for round in 0..120 {
        let board = random.scatter(12 + round % 2);
        let discs = board.player() | board.opponent();
        let few = (0..=round % 3).fold(0, |few, _| few | 1 << random.below(64)) & discs;
        let (few, many) = (few, discs & !few);
        let (player, opponent) = if round % 4 < 2 { (few, many) } else { (many, few) };
        let position = Position::new(player, opponent).expect("the boards share no square");
        let value = walked(&judge, position, 10);
        early += u32::from(value.discs().abs() == 64);
        for engine in &engines {
            let answer = engine.solve(&Request::exact(position), &Control::default());
            assert_eq!(answer.bound, Bound::exact(value), "{position:?}");
        }
    }
    assert!((20..100).contains(&early), "{early} wipe-outs");
}

#[test]
fn every_window_is_answered_truly() {
    let engine = engine(Isa::detect());
    let mut random = Random(3);
    for round in 0..600 {
        let position = random.game(4 + round % 5);
        let value = brute_force::value(position);
        let ends = [random.below(65), random.below(65)].map(|half| half as i32 * 2 - 64);
        let [lower, upper] = ends.map(|discs| Score::new(discs).expect("it is even"));
        let Some(window) = Window::new(lower.min(upper), lower.max(upper)) else { continue };
        let request = Request { window, ..Request::exact(position) };
        let answer = engine.solve(&request, &Control::default());
        assert!(answer.finished && answer.bound.answers(window), "{position:?} {window}");
        assert!(Bound::exact(value).implies(answer.bound), "{position:?} {window}");
        if answer.bound.lower() >= window.upper() {
            // At the end of the game, and where the player must pass, the rules prove it.
            let after = answer.best_move.map(|square| position.play(square).expect("it is legal"));
            assert_eq!(after.is_some(), position.moves() != 0, "{position:?} {window}");
            let reached = after.map(|after| -brute_force::value(after));
            assert!(
                reached.is_none_or(|reached| reached >= window.upper()),
                "{position:?} {window}"
            );
        }
    }
}

/// What a search has proved in one window is read in the next, of the position and of those below it.
#[test]
fn what_is_left_of_one_window_holds_in_every_other() {
    let (engine, mut random) = (engine(Isa::detect()), Random(13));
    for round in 0..300 {
        let position = random.game(5 + round % 4);
        let value = brute_force::value(position);
        let moves: BTreeMap<Square, Score> = Square::all(position.moves())
            .filter_map(|square| Some((square, brute_force::value(position.play(square)?))))
            .collect();
        for _ in 0..6 {
            let ends = [random.below(17), random.below(17)].map(|step| 2 * step as i32 - 16);
            let [one, other] = ends.map(|off| (value.discs() + off).clamp(-64, 64));
            let [lower, upper] = [one.min(other), one.max(other)].map(Score::floor);
            let Some(window) = Window::new(lower, upper) else { continue };
            let request = Request { window, ..Request::exact(position) };
            let answer = engine.solve(&request, &Control::default());
            check_window(&request, &answer, value, &moves);
        }
        check(position, value, &engine, 1);
    }
}

#[test]
fn empty_and_full_boards_and_single_colours_are_answered() {
    let engine = engine(Isa::detect());
    for (player, opponent) in [(0, 0), (u64::MAX, 0), (0, u64::MAX), (1, 0), (0, 1), (0xFF, 0)] {
        let position = Position::new(player, opponent).expect("they share no square");
        let answer = engine.solve(&Request::exact(position), &Control::default());
        assert_eq!(answer.bound, Bound::exact(position.final_score()));
        assert_eq!((answer.best_move, answer.line.len()), (None, 0));
    }
}

#[test]
fn more_threads_find_the_same_values() {
    let engine = engine(Isa::detect());
    let mut random = Random(4);
    for _ in 0..12 {
        let position = random.game(16);
        let alone = engine.solve(&Request::exact(position), &Control::default());
        engine.clear();
        let request = Request { threads: 4, ..Request::exact(position) };
        let together = engine.solve(&request, &Control::default());
        assert_eq!(together.bound, alone.bound, "{position:?}");
        assert_eq!(Some(end_of(position, &together.line)), together.bound.value());
        engine.clear();
    }
}

#[test]
fn one_thread_searches_the_same_nodes_every_time_and_on_every_set() {
    let engines: Vec<Engine> = Isa::available().map(engine).collect();
    let mut random = Random(5);
    for _ in 0..6 {
        let position = random.game(15);
        let counts: Vec<u64> = (0..2)
            .flat_map(|_| &engines)
            .map(|engine| {
                engine.clear();
                engine.solve(&Request::exact(position), &Control::default()).nodes
            })
            .collect();
        assert!(counts.iter().all(|&nodes| nodes == counts[0]), "{position:?} {counts:?}");
    }
}

#[test]
fn every_move_has_a_bound_also_one_after_which_the_opponent_must_pass() {
    let (mut random, mut passes) = (Random(61), 0);
    for round in 0..600 {
        let position = random.game(9);
        let moves: Vec<Position> =
            Square::all(position.moves()).filter_map(|square| position.play(square)).collect();
        let count = moves.iter().filter(|after| after.must_pass()).count();
        if count == 0 && round > 10 {
            continue;
        }
        passes += count;
        for threads in [1, 3] {
            let request = Request { threads, ..Request::exact(position) };
            for table_bytes in [1 << 20, 64] {
                let settings = Settings { isa: Isa::detect(), table_bytes };
                let engine = Engine::new(&settings).expect("a megabyte is there");
                let answer = engine.solve(&request, &Control::default());
                let is_complete = answer.children.len() == moves.len();
                let wins_all = answer.bound.value() == Some(Score::MAX);
                assert!(
                    is_complete || wins_all || position.moves() == 0,
                    "{position:?} {answer:?}"
                );
                engine.clear();
                check(position, brute_force::value(position), &engine, threads);
            }
        }
    }
    assert!(passes > 5, "{passes} moves force a pass");
}

#[test]
fn a_node_limit_ends_the_search_with_true_bounds() {
    let engine = engine(Isa::detect());
    let mut random = Random(6);
    let mut unfinished = 0;
    for _ in 0..10 {
        let position = random.game(17);
        engine.clear();
        let limited = Request { node_limit: Some(100_000), ..Request::exact(position) };
        let answer = engine.solve(&limited, &Control::default());
        unfinished += u32::from(!answer.finished);
        assert!(answer.finished || answer.nodes < 200_000, "{} nodes", answer.nodes);
        assert_eq!(answer.order.len() as u32, position.moves().count_ones());
        let full = engine.solve(&Request::exact(position), &Control::default());
        assert!(full.bound.implies(answer.bound), "{position:?}");
        for (square, bound) in answer.children {
            let after = Request::exact(position.play(square).expect("only moves have bounds"));
            let value = engine.solve(&after, &Control::default()).bound;
            assert!(value.implies(bound), "{position:?} {square} {bound}");
        }
    }
    assert!(unfinished > 0, "the limit was never reached");
}

#[test]
fn a_stopped_search_returns_at_once_and_claims_nothing_false() {
    let engine = engine(Isa::detect());
    let control = Control::default();
    control.stop();
    let position = Random(7).game(30);
    let request = Request { threads: 3, ..Request::exact(position) };
    let answer = engine.solve(&request, &control);
    assert!(!answer.finished);
    assert!(answer.nodes < 10_000);
}

#[test]
fn known_bounds_are_used() {
    let engine = engine(Isa::detect());
    let position = Random(8).game(16);
    let first = engine.solve(&Request::exact(position), &Control::default());
    engine.clear();
    let known = vec![(position, first.bound)];
    let again = engine.solve(&Request { known, ..Request::exact(position) }, &Control::default());
    assert_eq!(again.bound, first.bound);
    assert!(again.nodes < first.nodes);
    // What was told names no move.
    let value = first.bound.value().expect("the exact value was asked");
    assert_eq!(end_of(position, &again.line), value);
    assert_values_along(&engine, position, value, &again.line);
    assert_eq!(again.best_move, again.line.first().copied());
}

#[test]
fn who_asks_again_is_answered_from_the_tables() {
    let engine = engine(Isa::detect());
    let mut random = Random(14);
    for _ in 0..4 {
        let position = random.game(15);
        let exact = Request::exact(position);
        let first = engine.solve(&exact, &Control::default());
        let value = first.bound.value().expect("the exact value was asked");
        let windows = [Window::at_least(value), Window::at_least(value.up())];
        let again = windows.into_iter().flatten().map(|window| Request { window, ..exact.clone() });
        for request in again.chain([exact.clone()]) {
            let answer = engine.solve(&request, &Control::default());
            assert_eq!(answer.bound, first.bound, "{position:?} {}", request.window);
            assert!(answer.nodes < 100, "{} of {} nodes", answer.nodes, first.nodes);
        }
    }
}

/// The bounds of the moves can prove a value before a search has said which move reaches it.
#[test]
fn a_stopped_search_that_knows_the_value_names_no_move_that_loses_it() {
    let judge = engine(Isa::detect());
    let mut random = Random(9);
    let mut exact = 0;
    for _ in 0..100 {
        let position = random.game(11);
        let value = value(&judge, position);
        let moves = Square::all(position.moves()).filter_map(|square| position.play(square));
        let known = moves.map(|after| (after, Bound::exact(self::value(&judge, after)))).collect();
        let control = Control::default();
        control.stop();
        let request = Request { known, ..Request::exact(position) };
        let answer = engine(Isa::detect()).solve(&request, &control);
        if answer.bound.value().is_some() {
            exact += 1;
            assert_eq!(answer.bound, Bound::exact(value), "{position:?}");
            assert_values_along(&judge, position, value, &answer.line);
        }
    }
    assert!(exact > 50, "{exact} positions were known exactly");
}

/// A search that all moves fail leaves the move that seemed best; together with a lower bound that was told without a move
/// it proves the value.
#[test]
fn a_stopped_search_names_no_move_that_only_seemed_best() {
    let judge = engine(Isa::detect());
    let mut random = Random(31);
    let (mut exact, mut named) = (0, 0);
    for _ in 0..100 {
        let position = random.game(16);
        let value = value(&judge, position);
        let Some(window) = Window::at_least(value.up()) else { continue };
        let engine = engine(Isa::detect());
        let least = Bound::new(value, Score::MAX).expect("the ends are in order");
        let failing =
            Request { window, known: vec![(position, least)], ..Request::exact(position) };
        let failed = engine.solve(&failing, &Control::default());
        assert!(failed.finished);
        let stopped = Request { node_limit: Some(1), ..Request::exact(position) };
        let answer = engine.solve(&stopped, &Control::default());
        if answer.bound == Bound::exact(value) {
            exact += 1;
            named += i32::from(!answer.line.is_empty());
            assert_values_along(&judge, position, value, &answer.line);
        }
    }
    assert!(exact > 50, "{exact} values were known, and {named} moves");
}

fn value(engine: &Engine, position: Position) -> Score {
    let answer = engine.solve(&Request::exact(position), &Control::default());
    answer.bound.value().expect("the exact value was asked")
}

/// Checks that no move of `line` gives anything away.
fn assert_values_along(judge: &Engine, start: Position, value: Score, line: &[Square]) {
    let (mut position, mut value) = (start, value);
    for &square in line {
        if position.must_pass() {
            (position, value) = (position.pass(), -value);
        }
        position = position.play(square).expect("the line is legal");
        value = -value;
        assert_eq!(self::value(judge, position), value, "{start:?} {line:?} up to {square}");
    }
}
