//! False proofs of which every inference holds: only solving the searched rows again tells.

use outflank_checker::rules::Position;
use outflank_checker::symmetry;

use crate::support::{HEAD, ORIGIN, TWICE, end, is_accepted, resealed, root, searched};

/// Returns the proof that `position` is worth at least `value`, by one searched row.
fn claimed(position: Position, value: i32) -> String {
    let (root, row) = (root(1, position, value, 64), searched(1, position, ">=", value));
    resealed(&[HEAD.to_owned(), root, ORIGIN.to_owned(), row, end(1, 1, 1)])
}

/// Was accepted: the search mistook the answers to one question for those to the other.
#[test]
fn a_board_of_24_squares_is_not_worth_more() {
    let position = Position::from_text(TWICE).expect("a board of 4x6");
    for form in symmetry::all(position) {
        assert!(is_accepted(&claimed(form, 24)), "{form}");
        for value in (26..=64).step_by(2) {
            assert!(!is_accepted(&claimed(form, value)), "{form} is not worth {value}");
        }
    }
}
