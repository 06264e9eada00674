//! Positions with known scores: `tests/data/ffo.obf`.

use outflank_engine::notation::{self, Problem};
use outflank_engine::{Position, Score, Square};
use serde_json::Value;

const FILE: &str = include_str!("../data/ffo.obf");

/// Returns problem `number` of the FFO set: 1 to 19 have 14 to 16 empties.
pub(crate) fn ffo(number: usize) -> Problem {
    problems().nth(number - 1).expect("the file has the numbers 1 to 79")
}

fn problems() -> impl Iterator<Item = Problem> {
    notation::problems("ffo.obf", FILE).map(|problem| problem.expect("the file is well-formed"))
}

/// Returns the text of a file with these problems.
pub(crate) fn file(numbers: &[usize]) -> String {
    numbers.iter().map(|&number| format!("{}\n", ffo(number))).collect()
}

/// Checks one object of `--json` against the known score of problem `number`.
pub(crate) fn check(json: &Value, number: usize) {
    let value = ffo(number).expected_value().expect("every problem has a score").discs();
    assert_eq!(json["expected"], value, "expected of FFO #{number}: {json}");
    check_answer(json, number);
}

/// The same but for what was expected, which is said of the moves where they are asked for.
pub(crate) fn check_answer(json: &Value, number: usize) {
    let problem = ffo(number);
    let value = problem.expected_value().expect("every problem has a score").discs();
    for field in ["lower", "upper", "value"] {
        assert_eq!(json[field], value, "{field} of FFO #{number}: {json}");
    }
    assert_eq!(json["agrees"], true, "FFO #{number}: {json}");
    let best: Square = json["best_move"].as_str().expect("a best move").parse().expect("a square");
    let is_best = problem.expected.iter().any(|(square, _)| *square == Some(best));
    assert!(is_best, "{best} is none of the best moves of FFO #{number}");
    assert_eq!(at_the_end_of_the_line(problem.position, json).discs(), value, "{json}");
}

/// Plays the line to the end of the game and returns the score of the side to move at its start.
fn at_the_end_of_the_line(start: Position, json: &Value) -> Score {
    let (mut position, mut is_start_side) = (start, true);
    for square in json["line"].as_array().expect("a line") {
        if position.must_pass() {
            (position, is_start_side) = (position.pass(), !is_start_side);
        }
        let square = square.as_str().expect("a square").parse().expect("a square");
        position = position.play(square).expect("the line is legal");
        is_start_side = !is_start_side;
    }
    assert!(position.is_over(), "the line goes to the end of the game: {json}");
    if is_start_side { position.final_score() } else { -position.final_score() }
}

#[test]
fn every_score_in_the_file_has_a_legal_move_and_the_file_is_complete() {
    assert_eq!(problems().count(), 79);
    assert!(problems().all(|problem| problem.expected_value().is_some()));
}
