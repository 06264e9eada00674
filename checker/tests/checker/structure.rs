//! Lines in the wrong places or miscounted: the hashes fit, as those of a careful forger would.

use std::io::{BufReader, Read, repeat};

use outflank_checker::rules::{Position, square_name, squares};
use outflank_checker::sample::Sample;
use outflank_checker::symmetry;
use outflank_checker::verify::{ROOTS_KEPT, verify};

use crate::support::{HEAD, ORIGIN, TWICE, check, end, resealed, root, searched};

/// Returns the proof that [`TWICE`] is worth at least 24, by one searched row, without hashes.
fn proof() -> [String; 5] {
    let position = Position::from_text(TWICE).expect("a board of 4x6");
    let (root, row) = (root(1, position, 24, 64), searched(1, position, ">=", 24));
    [HEAD.to_owned(), root, ORIGIN.to_owned(), row, end(1, 1, 1)]
}

/// Returns what is wrong with the proof of these lines.
fn fault(lines: &[String]) -> Option<String> {
    check(resealed(lines).as_bytes()).err().map(|fault| fault.to_string())
}

/// Returns the fault of the proof with another line in the place of number `index`.
fn fault_with(index: usize, line: String) -> Option<String> {
    let mut lines = proof();
    lines[index] = line;
    fault(&lines)
}

/// The game is over and all discs are the player's: a root about it needs no row.
const OVER: Position = Position { player: u64::MAX, opponent: 0 };

#[test]
fn a_proof_begins_with_one_head_and_has_a_root() {
    assert_eq!(fault(&proof()), None);
    let [head, root, origin, row, end_line] = proof();
    let expected =
        |line, what| Some(format!("line {line}: the lines are out of order, expected {what}"));
    let headless = [root.clone(), origin.clone(), row.clone(), end_line.clone()];
    assert_eq!(fault(&headless), expected(1, "the head"));
    let twice = [head.clone(), head.clone(), root, origin, row, end_line];
    assert_eq!(fault(&twice), expected(2, "no second head"));
    assert_eq!(fault(&[head, end(0, 0, 0)]), expected(2, "a root"));
}

#[test]
fn lines_are_numbered_without_gaps() {
    let expected = |place| Some(format!("{place}: found number 2, expected 1"));
    let [_, root, origin, row, _] = proof();
    assert_eq!(fault_with(1, root.replace("\"root\":1", "\"root\":2")), expected("line 2"));
    assert_eq!(fault_with(2, origin.replace("\"origin\":1", "\"origin\":2")), expected("line 3"));
    assert_eq!(fault_with(3, row.replace("\"row\":1", "\"row\":2")), expected("line 4, row 1"));
}

#[test]
fn no_root_comes_behind_an_origin_or_a_row() {
    let expected = "the lines are out of order, expected all roots before the rows";
    let [head, first, origin, row, _] = proof();
    let late = [head.clone(), first, origin, root(2, OVER, 64, 64), row, end(2, 1, 1)];
    assert_eq!(fault(&late), Some(format!("line 4: {expected}")));
    // The last move of a game needs no origin.
    let position = Position { player: !0b11, opponent: 0b10 }.canonical();
    let inferred = by_move(position, 64);
    let ended = |lines: &[String]| fault(&[std::slice::from_ref(&head), lines].concat());
    let first = root(1, position, 64, 64);
    assert_eq!(ended(&[first.clone(), inferred.clone(), end(1, 1, 0)]), None);
    let late = [first, inferred, root(2, OVER, 64, 64), end(2, 1, 0)];
    assert_eq!(ended(&late), Some(format!("line 4: {expected}")));
}

/// A searched row about a canonical position: the side of its value, and the value.
type Searched = (Position, &'static str, i32);

/// Returns the fault of a proof that both `positions` are worth at least 24, with these rows.
fn fault_of(positions: [Position; 2], rows: &[Searched]) -> Option<String> {
    let roots = (1..).zip(positions).map(|(number, position)| root(number, position, 24, 64));
    let numbered = |(number, &(position, claim, value)): (usize, &Searched)| {
        searched(number, position, claim, value)
    };
    let mut lines: Vec<_> = [HEAD.to_owned()].into_iter().chain(roots).collect();
    lines.push(ORIGIN.to_owned());
    lines.extend((1..).zip(rows).map(numbered));
    lines.push(end(2, rows.len(), rows.len()));
    fault(&lines)
}

/// True rows that nothing needs could be without number, and a sample of them would find no false one.
#[test]
fn every_row_is_needed_and_stands_where_it_is_needed() {
    let twice = Position::from_text(TWICE).expect("a board of 4x6");
    let mut positions = [twice, twice.pass()].map(Position::canonical);
    positions.sort();
    let [first, second] = positions.map(|position| (position, ">=", 24));
    let assert_fault = |rows: &[Searched], place: &str, expected: &str| {
        let found = fault_of(positions, rows).unwrap_or_default();
        assert!(found.starts_with(place) && found.contains(expected), "{found}");
    };
    assert_eq!(fault_of(positions, &[first, second]), None);
    let missing = "no row before this line proves what root";
    assert_fault(&[second], "line 5, row 1: ", missing);
    assert_fault(&[first], "line 6, row 2: ", missing);
    assert_fault(&[second, first], "line 5, row 1: ", missing);
    let unsorted = "the row is not behind the one before it";
    assert_fault(&[first, first, second], "line 6, row 2: ", unsorted);
    // The other side of a position that is needed, and a position with a square less.
    let needless = "nothing needs this row";
    let other_side = (first.0, "<=", 24);
    assert_fault(&[other_side, first, second], "line 5, row 1: ", needless);
    let mut moves = squares(twice.moves()).filter_map(|square| twice.play(square));
    let after = moves.find(|after| after.moves() != 0).expect("not all moves force a pass");
    assert_fault(&[first, second, (after.canonical(), "<=", -24)], "line 7, row 3: ", needless);
}

#[test]
fn a_row_says_exactly_what_is_needed_of_a_canonical_position() {
    let [.., row, _] = proof();
    for value in [-24, 22] {
        let expected = "line 4, row 1: root 1 needs the value 24 here, neither more nor less";
        let other = row.replace("\"value\":24", &format!("\"value\":{value}"));
        assert_eq!(fault_with(3, other).as_deref(), Some(expected));
    }
    let position = Position::from_text(TWICE).expect("a board of 4x6").canonical();
    let turned = symmetry::all(position).into_iter().find(|form| *form != position);
    let turned = turned.expect("it is not symmetric").to_string();
    let expected = "line 4, row 1: the position is not canonical, or the player has no move";
    let other = row.replace(&position.to_string(), &turned);
    assert_eq!(fault_with(3, other).as_deref(), Some(expected));
}

/// Returns a row, without its hash, that one of the moves of `position` is said to prove.
fn by_move(position: Position, value: i32) -> String {
    let position = position.canonical();
    let square = squares(position.moves()).next().expect("the player has a move");
    let row = searched(1, position, ">=", value);
    let text = row.split("\"search\"").next().expect("it is a search");
    format!("{text}\"move\",\"move\":\"{}\"", square_name(square))
}

#[test]
fn the_end_of_a_game_decides_what_is_claimed_of_it() {
    // The last move turns one disc; another one stays the opponent's, and the score is 62.
    let position = Position { player: !(0b11 | 1 << 63), opponent: 0b10 | 1 << 63 };
    let proof = |value| {
        let (root, row) = (root(1, position, value, 64), by_move(position, value));
        fault(&[HEAD.to_owned(), root, row, end(1, 1, 0)])
    };
    assert_eq!(proof(62), None);
    let found = proof(64).unwrap_or_default();
    let ended = "but the game ends there with another score";
    assert!(found.starts_with("line 3, row 1: it needs") && found.ends_with(ended), "{found}");
    let claimed =
        |lower, upper| fault(&[HEAD.to_owned(), root(1, OVER, lower, upper), end(1, 0, 0)]);
    assert_eq!(claimed(64, 64), None);
    let found = claimed(-64, 62).unwrap_or_default();
    assert!(found.starts_with("line 2: it needs") && found.ends_with(ended), "{found}");
}

#[test]
fn one_legal_move_proves_a_lower_bound_and_all_moves_an_upper_bound() {
    let position = Position { player: !0b11, opponent: 0b10 }.canonical();
    let row = by_move(position, 64);
    let fault_of = |row: &str| {
        let lines = [HEAD.to_owned(), root(1, position, 64, 64), row.to_owned(), end(1, 1, 0)];
        fault(&lines)
    };
    assert_eq!(fault_of(&row), None);
    let square = row.split('"').rev().nth(1).expect("a row ends with its move");
    let taken = squares(!position.empty()).next().map(square_name).expect("a disc");
    let expected = format!("line 3, row 1: {taken} is not a legal move");
    assert_eq!(fault_of(&row.replace(square, &taken)), Some(expected));
    let (text, _) = row.split_once("\"move\"").expect("the move is the reason");
    let expected =
        "line 3, row 1: one move proves >= and all moves prove <=, not the other way round";
    assert_eq!(fault_of(&format!("{text}\"all\"")).as_deref(), Some(expected));
    let at_most = row.replace("\">=\",\"value\":64", "\"<=\",\"value\":62");
    assert_ne!(at_most, row);
    let lines = [HEAD.to_owned(), root(1, position, -64, 62), at_most, end(1, 1, 0)];
    assert_eq!(fault(&lines).as_deref(), Some(expected));
}

#[test]
fn a_row_names_an_origin_that_was_introduced() {
    let [.., row, _] = proof();
    for origin in [0, 2] {
        let other = row.replace("\"origin\":1", &format!("\"origin\":{origin}"));
        let expected = format!("line 4, row 1: found origin {origin}, expected one from 1 to 1");
        assert_eq!(fault_with(3, other), Some(expected));
    }
}

#[test]
fn the_last_line_counts_roots_rows_and_leaves() {
    for counts in [(2, 1, 1), (1, 2, 1), (1, 1, 2)] {
        let (roots, rows, leaves) = counts;
        let expected =
            format!("line 5: found {counts:?} roots, rows and leaves, counted (1, 1, 1)");
        assert_eq!(fault_with(4, end(roots, rows, leaves)), Some(expected));
    }
}

#[test]
fn the_first_roots_are_kept_and_all_are_counted() {
    let count = ROOTS_KEPT + 1;
    let roots = (1..=count).map(|number| root(number, OVER, 64, 64));
    let lines: Vec<_> =
        [HEAD.to_owned()].into_iter().chain(roots).chain([end(count, 0, 0)]).collect();
    let verified = check(resealed(&lines).as_bytes()).expect("the rules prove every root");
    assert_eq!((verified.first_roots.len(), verified.roots), (ROOTS_KEPT, count as u64));
}

/// No more of a line is read than it may have: memory is not the file's to fill.
#[test]
fn a_line_has_at_most_so_many_bytes_and_no_more_are_read() {
    const LONGEST: usize = 1 << 16;
    let [head, ..] = proof();
    let bytes = resealed(std::slice::from_ref(&head)).len();
    // The last line of a text has 64 digits of the hash, any other 16.
    let filled = |bytes_more: usize| {
        let producer = "\"producer\":\"".to_owned() + &"x".repeat(bytes_more);
        fault_with(0, head.replace("\"producer\":\"", &producer))
    };
    let room = LONGEST - (bytes - 48);
    assert_eq!(filled(room), None);
    assert_eq!(filled(room + 1), Some(format!("line 1: the line is longer than {LONGEST} bytes")));
    let endless = BufReader::new(repeat(b'x').take(1 << 20));
    let fault = verify(endless, &mut Sample::new(0, 64, 0)).unwrap_err();
    assert_eq!(fault.to_string(), format!("line 1: the line is longer than {LONGEST} bytes"));
}

/// Was accepted, unless one of the two was drawn and solved again.
#[test]
fn two_rows_about_one_position_leave_it_a_value() {
    let position = Position::from_text(TWICE).expect("a board of 4x6");
    let turned = symmetry::all(position)[1];
    let proof = |upper, lower| {
        let roots = [root(1, position, lower, 64), root(2, turned, -64, upper)];
        let rows = [searched(1, position, "<=", upper), searched(2, position, ">=", lower)];
        fault(
            &[&[HEAD.to_owned()], &roots[..], &[ORIGIN.to_owned()], &rows, &[end(2, 2, 2)]]
                .concat(),
        )
    };
    assert_eq!(proof(10, 4), None);
    assert_eq!(proof(4, 4), None);
    let expected = "line 6, row 2: it contradicts the row before it: ";
    let found = proof(4, 6).expect("no value is both");
    assert!(found.starts_with(expected) && found.ends_with(" <= 4"), "{found}");
}
