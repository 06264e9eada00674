//! Every back-end, on every square, with every occupancy that matters, against the loop along the
//! rays; batches, sets and lists against single queries.

#[path = "../benches/ratios/random.rs"]
mod random;

use random::random;
use sliding::catalogue::{Visitor, visit_all};
use sliding::{Attacks, RayLoop, constant};

/// Miri, which is a thousand times slower, takes one square and one case of so many.
const STEP: usize = if cfg!(miri) { 21 } else { 1 };
const SAMPLE: usize = if cfg!(miri) { 97 } else { 1 };
const BOARDS: usize = if cfg!(miri) { 3 } else { 2_000 };

/// A piece's attacks by any back-end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    Rook,
    Bishop,
}

impl Piece {
    fn attacks<A: Attacks>(self, by: A, square: u8, occupied: u64) -> u64 {
        match self {
            Self::Rook => by.rook(square, occupied),
            Self::Bishop => by.bishop(square, occupied),
        }
    }

    /// Returns the squares whose occupancy changes the attacks.
    fn relevant(self, square: u8) -> u64 {
        (0..64)
            .filter(|&other| {
                self.attacks(RayLoop, square, 1 << other) != self.attacks(RayLoop, square, 0)
            })
            .fold(0, |squares, other| squares | 1 << other)
    }
}

/// A relevant occupancy of a square and the attacks that the ray loop finds.
struct Case {
    piece: Piece,
    square: u8,
    occupied: u64,
    relevant: u64,
    expected: u64,
}

/// Returns the cases and the number of all occupancies that matter, which is as large unless Miri
/// takes a sample.
fn cases() -> (Vec<Case>, usize) {
    let (mut cases, mut count) = (Vec::new(), 0_usize);
    for piece in [Piece::Rook, Piece::Bishop] {
        for square in (0..64).step_by(STEP) {
            let relevant = piece.relevant(square);
            let mut occupied = 0_u64;
            loop {
                if count.is_multiple_of(SAMPLE) {
                    let expected = piece.attacks(RayLoop, square, occupied);
                    cases.push(Case { piece, square, occupied, relevant, expected });
                }
                count += 1;
                occupied = occupied.wrapping_sub(relevant) & relevant;
                if occupied == 0 {
                    break;
                }
            }
        }
    }
    (cases, count)
}

/// Checks each back-end with each case: alone, with the slider, with random squares that do not
/// matter, and with all of these.
struct Exhaustive {
    cases: Vec<Case>,
    back_ends: Vec<&'static str>,
}

impl Visitor for Exhaustive {
    fn visit<A: Attacks>(&mut self, name: &'static str, attacks: A) {
        let mut state = 6;
        for case in &self.cases {
            let own = 1_u64 << case.square;
            let noise = random(&mut state) & !case.relevant & !own;
            for other in [0, own, noise, noise | own, !case.relevant] {
                let occupied = case.occupied | other;
                let found = case.piece.attacks(attacks, case.square, occupied);
                let (piece, square) = (case.piece, case.square);
                assert_eq!(found, case.expected, "{name}: {piece:?} on {square}, {occupied:#x}");
            }
        }
        self.back_ends.push(name);
    }
}

#[test]
fn every_back_end_agrees_with_the_ray_loop_on_all_occupancies_that_matter() {
    let (cases, count) = cases();
    assert_eq!(count, if cfg!(miri) { 10_624 } else { 107_648 });
    assert_eq!(cases.len(), count.div_ceil(SAMPLE));
    let mut test = Exhaustive { cases, back_ends: Vec::new() };
    visit_all(&mut test);
    println!("checked: {}", test.back_ends.join("; "));
    assert!(test.back_ends.len() >= 11, "the portable back-ends are always there");
}

#[test]
fn the_constant_functions_agree_with_the_ray_loop() {
    for case in cases().0 {
        let found = match case.piece {
            Piece::Rook => constant::rook(case.square, case.occupied),
            Piece::Bishop => constant::bishop(case.square, case.occupied),
        };
        assert_eq!(found, case.expected);
    }
}

/// Returns random boards from nearly empty to nearly full.
fn boards(count: usize) -> impl Iterator<Item = u64> {
    let mut state = 77;
    (0..count).map(move |i| {
        let (a, b, c) = (random(&mut state), random(&mut state), random(&mut state));
        match i % 5 {
            0 => a & b & c,
            1 => a & b,
            2 => a,
            3 => a | b,
            _ => [0, u64::MAX, 1 << (a % 64), !(1 << (a % 64))][b as usize % 4],
        }
    })
}

/// Checks queens, batches, sets, lists and x-rays of each back-end against the ray loop.
struct Combined;

impl Visitor for Combined {
    fn visit<A: Attacks>(&mut self, name: &'static str, attacks: A) {
        let mut state = 5;
        let boards: Vec<u64> = boards(BOARDS).collect();
        for (i, &occupied) in boards.iter().enumerate() {
            let square = (random(&mut state) % 64) as u8;
            let (rook, bishop) = (RayLoop.rook(square, occupied), RayLoop.bishop(square, occupied));
            assert_eq!(attacks.queen(square, occupied), rook | bishop, "{name}");
            assert_eq!(attacks.both(square, occupied), (rook, bishop), "{name}");
            let blockers = random(&mut state);
            let opened = occupied & !(rook & blockers);
            let through = RayLoop.rook(square, opened) & !rook;
            assert_eq!(attacks.rook_xray(square, occupied, blockers), through, "{name}");
            assert_eq!(constant::rook_xray(square, occupied, blockers), through);
            let opened = occupied & !(bishop & blockers);
            let through = RayLoop.bishop(square, opened) & !bishop;
            assert_eq!(attacks.bishop_xray(square, occupied, blockers), through, "{name}");
            assert_eq!(constant::bishop_xray(square, occupied, blockers), through);
            batches(name, attacks, &boards, i, random(&mut state));
            let [a, b, c] = [random(&mut state), random(&mut state), random(&mut state)];
            for (rooks, bishops) in [(a & b & c, b & c), (a & occupied, b & c & occupied), (a, 0)] {
                sets(name, attacks, rooks, bishops, occupied);
            }
        }
    }
}

fn batches<A: Attacks>(name: &str, attacks: A, boards: &[u64], first: usize, random: u64) {
    let squares = random.to_le_bytes().map(|byte| byte % 64);
    let occupied: [u64; 8] = std::array::from_fn(|lane| boards[(first + lane) % boards.len()]);
    let rooks: [u64; 8] = std::array::from_fn(|i| RayLoop.rook(squares[i], occupied[i]));
    let bishops: [u64; 8] = std::array::from_fn(|i| RayLoop.bishop(squares[i], occupied[i]));
    let queens: [u64; 8] = std::array::from_fn(|i| rooks[i] | bishops[i]);
    assert_eq!(attacks.rooks8(squares, occupied), rooks, "{name}");
    assert_eq!(attacks.bishops8(squares, occupied), bishops, "{name}");
    assert_eq!(attacks.queens8(squares, occupied), queens, "{name}");
    assert_eq!(constant::rooks8(squares, occupied), rooks);
    assert_eq!(constant::bishops8(squares, occupied), bishops);
    assert_eq!(constant::queens8(squares, occupied), queens);
    if first.is_multiple_of(16) {
        let rooks: [u64; 64] = std::array::from_fn(|s| RayLoop.rook(s as u8, occupied[0]));
        let bishops: [u64; 64] = std::array::from_fn(|s| RayLoop.bishop(s as u8, occupied[0]));
        let queens: [u64; 64] = std::array::from_fn(|s| rooks[s] | bishops[s]);
        assert_eq!(attacks.all_rooks(occupied[0]), rooks, "{name}");
        assert_eq!(attacks.all_bishops(occupied[0]), bishops, "{name}");
        assert_eq!(attacks.all_queens(occupied[0]), queens, "{name}");
        assert_eq!(constant::all_rooks(occupied[0]), rooks);
        assert_eq!(constant::all_bishops(occupied[0]), bishops);
        assert_eq!(constant::all_queens(occupied[0]), queens);
    }
}

fn sets<A: Attacks>(name: &str, attacks: A, rooks: u64, bishops: u64, occupied: u64) {
    let all = occupied | rooks | bishops;
    let mut expected = Vec::new();
    for square in (0..64_u8).filter(|square| (rooks | bishops) >> square & 1 != 0) {
        let rook = if rooks >> square & 1 != 0 { RayLoop.rook(square, all) } else { 0 };
        let bishop = if bishops >> square & 1 != 0 { RayLoop.bishop(square, all) } else { 0 };
        expected.push((square, rook | bishop));
    }
    let union = expected.iter().fold(0, |union, (_, attacks)| union | attacks);
    let place = format!("{name}: rooks {rooks:#x}, bishops {bishops:#x}, occupied {occupied:#x}");
    assert_eq!(attacks.union(rooks, bishops, occupied), union, "{place}");
    assert_eq!(constant::union(rooks, bishops, occupied), union);
    assert_eq!(constant::set_wise(rooks, bishops, occupied), union);
    let mut found = Vec::new();
    attacks.each(rooks, bishops, occupied, |square, attacks| found.push((square, attacks)));
    assert_eq!(found, expected, "{place}");
    let mut by_square = [0; 64];
    for (square, attacks) in expected {
        by_square[usize::from(square)] = attacks;
    }
    assert_eq!(constant::each(rooks, bishops, occupied), by_square);
}

#[test]
fn batches_sets_lists_and_xrays_agree_with_single_queries() {
    visit_all(&mut Combined);
}

/// Every line with every occupancy of it, the slider's square in both or in none, the rest occupied.
#[test]
fn attacks_along_a_line_are_those_of_the_piece_on_it() {
    for square in (0..64_u8).step_by(STEP) {
        for piece in [Piece::Rook, Piece::Bishop] {
            let reach = piece.attacks(RayLoop, square, 0);
            let others = (0..64_u8).filter(|&other| reach >> other & 1 != 0);
            for other in others.step_by(if cfg!(miri) { 9 } else { 1 }) {
                let line = sliding::line(square, other);
                let mut occupied = 0_u64;
                loop {
                    let own = 1 << square;
                    let expected = piece.attacks(RayLoop, square, occupied) & line;
                    assert_eq!(sliding::along(square, occupied, line), expected);
                    let elsewhere = occupied & !own | !line;
                    assert_eq!(sliding::along(square, elsewhere, line & !own), expected);
                    occupied = occupied.wrapping_sub(line) & line;
                    if occupied == 0 {
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn between_and_line_follow_the_definition() {
    for one in (0..64_u8).step_by(STEP) {
        for other in 0..64_u8 {
            let (mut between, mut line) = (0, 0);
            if one != other {
                for piece in [Piece::Rook, Piece::Bishop] {
                    let reach = |square| piece.attacks(RayLoop, square, 0);
                    if reach(one) >> other & 1 != 0 {
                        let ends = 1 << one | 1 << other;
                        line = reach(one) & reach(other) | ends;
                        between = piece.attacks(RayLoop, one, ends)
                            & piece.attacks(RayLoop, other, ends)
                            & !ends;
                        // Of a rook's two lines, only one leads to the other square.
                        let same = |square: u8| {
                            let (x, y) = (i32::from(square % 8), i32::from(square / 8));
                            let (x1, y1) = (i32::from(one % 8), i32::from(one / 8));
                            let (x2, y2) = (i32::from(other % 8), i32::from(other / 8));
                            (x - x1) * (y2 - y1) == (y - y1) * (x2 - x1)
                        };
                        let on = (0..64).filter(|&s| same(s)).fold(0, |b, s| b | 1_u64 << s);
                        (line, between) = (line & on, between & on);
                    }
                }
            }
            assert_eq!(sliding::between(one, other), between, "{one} {other}");
            assert_eq!(sliding::line(one, other), line, "{one} {other}");
        }
    }
}

#[test]
fn constants_can_be_made_by_the_compiler() {
    const ATTACKS: [u64; 64] = constant::all_queens(0x00ff_0000_0000_ff00);
    const BATCH: [u64; 8] = constant::rooks8([0, 9, 18, 27, 36, 45, 54, 63], [u64::MAX; 8]);
    const UNION: u64 = constant::union(1 << 27, 1 << 36, 0);
    const SET_WISE: u64 = constant::set_wise(1 << 27, 1 << 36, 0);
    const BETWEEN: u64 = sliding::between(0, 63);
    assert_eq!(ATTACKS, sliding::all_queens(0x00ff_0000_0000_ff00));
    assert_eq!(BATCH, sliding::rooks8([0, 9, 18, 27, 36, 45, 54, 63], [u64::MAX; 8]));
    assert_eq!(UNION, sliding::union(1 << 27, 1 << 36, 0));
    assert_eq!(SET_WISE, UNION);
    assert_eq!(BETWEEN, 0x0040_2010_0804_0200);
}

/// Returns what is wrong with the answer about a square off the board: builds with debug assertions
/// refuse it, others take it modulo 64.
fn wrong<T: PartialEq + std::fmt::Debug>(square: u8, ask: impl Fn(u8) -> T) -> Option<String> {
    let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| ask(square)));
    match asked {
        Ok(answer) if cfg!(debug_assertions) => {
            Some(format!("{square} is not refused: {answer:?}"))
        }
        Ok(answer) => {
            let expected = ask(square % 64);
            (answer != expected).then(|| format!("{square}: {answer:?}, expected {expected:?}"))
        }
        Err(message) => {
            let expected = "the square is off the board, expected 0-63";
            let message = message.downcast_ref::<&str>().copied().unwrap_or("no text");
            let refused = cfg!(debug_assertions) && message == expected;
            (!refused).then(|| format!("{square}: {message}"))
        }
    }
}

/// Asks each back-end about squares off the board, in all ways to ask, and notes what is wrong.
#[derive(Default)]
struct OffTheBoard(Vec<String>);

impl Visitor for OffTheBoard {
    fn visit<A: Attacks>(&mut self, name: &'static str, by: A) {
        let (occupied, blockers) = (0x00ff_0000_0810_ff00, 0x0024_0000_0810_4200);
        for square in [64, 91, 127, 128, 200, 255].into_iter().step_by(STEP) {
            let mut check = |query: &str, ask: &dyn Fn(u8) -> u64| {
                self.0.extend(wrong(square, ask).map(|what| format!("{name}: {query}: {what}")));
            };
            check("rook", &|square| by.rook(square, occupied));
            check("bishop", &|square| by.bishop(square, occupied));
            check("queen", &|square| by.queen(square, occupied));
            check("both", &|square| by.both(square, occupied).0);
            check("both", &|square| by.both(square, occupied).1);
            check("rook_xray", &|square| by.rook_xray(square, occupied, blockers));
            check("bishop_xray", &|square| by.bishop_xray(square, occupied, blockers));
            for lane in 0..8 {
                let squares = |square| {
                    let mut squares = [0, 9, 18, 27, 36, 45, 54, 63];
                    squares[lane] = square;
                    squares
                };
                check("rooks8", &|square| by.rooks8(squares(square), [occupied; 8])[lane]);
                check("bishops8", &|square| by.bishops8(squares(square), [occupied; 8])[lane]);
                check("queens8", &|square| by.queens8(squares(square), [occupied; 8])[lane]);
            }
        }
    }
}

#[test]
fn every_back_end_refuses_squares_off_the_board() {
    let mut test = OffTheBoard::default();
    without_the_panics_of_this_thread(|| visit_all(&mut test));
    assert_eq!(test.0, [""; 0]);
}

#[test]
fn lines_and_constants_refuse_squares_off_the_board() {
    let mut found = Vec::new();
    without_the_panics_of_this_thread(|| {
        for square in [64, 91, 255] {
            let mut check = |query: &str, ask: &dyn Fn(u8) -> u64| {
                found.extend(wrong(square, ask).map(|what| format!("{query}: {what}")));
            };
            check("between", &|square| sliding::between(0, square));
            check("between", &|square| sliding::between(square, 0));
            check("along", &|square| sliding::along(square, 0x0810, 0xff));
            check("line", &|square| sliding::line(0, square));
            check("line", &|square| sliding::line(square, 0));
            check("constant rook", &|square| constant::rook(square, 0));
            check("constant bishop", &|square| constant::bishop(square, 0));
        }
    });
    assert_eq!(found, [""; 0]);
}

/// Calls `call` and keeps thousands of panics that are wanted from being printed.
fn without_the_panics_of_this_thread(call: impl FnOnce()) {
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let one_at_a_time = ONE_AT_A_TIME.lock();
    let (quiet, hook) = (std::thread::current().id(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() != quiet {
            hook(panic);
        }
    }));
    call();
    drop(std::panic::take_hook());
    drop(one_at_a_time);
}
