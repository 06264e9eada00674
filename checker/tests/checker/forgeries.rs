//! False proofs of which every inference holds: only solving the searched rows again tells.

use outflank_checker::rules::Position;
use outflank_checker::symmetry;

use crate::support::{
    Finished, HEAD, ORIGIN, TWICE, check, end, is_accepted, resealed, root, run, searched,
};

/// FForum's position 1, which is worth +18.
const FFO_1: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";

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

/// Was verified without a word: no row needs to be solved again to reject it.
#[test]
fn no_value_is_larger_than_the_board() {
    let position = Position::from_text(TWICE).expect("a board of 4x6");
    let proof = |root, claim, value| {
        let row = searched(1, position, claim, value);
        resealed(&[HEAD.to_owned(), root, ORIGIN.to_owned(), row, end(1, 1, 1)])
    };
    let fault = |proof: String| check(proof.as_bytes()).unwrap_err().to_string();
    let message =
        |name, value| format!("{name}: found {value}, expected an even number from -24 to 24");
    for value in [26, 64, -26] {
        let found = fault(proof(root(1, position, value, 64), ">=", value));
        assert_eq!(found, format!("line 2: {}", message("lower", value)));
    }
    let found = fault(proof(root(1, position, -64, -26), "<=", -26));
    assert_eq!(found, format!("line 2: {}", message("upper", -26)));
    let found = fault(proof(root(1, position, 24, 64), ">=", 26));
    assert_eq!(found, format!("line 4, row 1: {}", message("value", 26)));
}

/// Was printed as it was, so that a false row could paint over the verdict.
#[test]
fn what_a_forger_writes_cannot_paint_the_terminal() {
    let position = Position::from_text(FFO_1).expect("a board");
    let evil = "w\\u001b[2K\\r\\n\u{9b}1A\u{202e}".to_owned() + &"w".repeat(10_000);
    let origin = ORIGIN.replace("\"worker\":\"", &format!("\"worker\":\"{evil}"));
    let lines = [root(1, position, 20, 64), origin, searched(1, position, ">=", 20), end(1, 1, 1)];
    let false_row = resealed(&[&[HEAD.to_owned()], &lines[..]].concat());
    let other_name = resealed(&[HEAD.replace("producer", "p\\u001b\u{9b}\u{202e}p")]);
    let no_board = resealed(&[HEAD.to_owned(), lines[0].replace("--X", &evil)]);
    for (proof, expected) in
        [(false_row, "is false"), (other_name, "unknown field"), (no_board, "invalid type: string")]
    {
        let Finished { code, stdout, stderr } = run(&["-", "--threads", "1"], &proof);
        assert_eq!(code, Some(6), "{stdout}{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
        let is_tame = |text: &str| text.chars().all(|c| c == '\n' || !is_obeyed(c));
        assert!(is_tame(&stdout) && is_tame(&stderr), "{stdout:?} {stderr:?}");
        assert!(stdout.len() + stderr.len() < 3000, "{} bytes", stdout.len() + stderr.len());
    }
}

/// Returns whether a terminal may obey a character instead of showing it.
fn is_obeyed(character: char) -> bool {
    character.is_control() || matches!(character, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
}
