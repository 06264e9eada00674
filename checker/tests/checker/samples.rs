//! What a check says of its sample, and of what it has not solved again.

use serde_json::Value;

use crate::support::run;

const PROOF: &str = include_str!("../data/three.proof");

#[test]
fn a_seed_that_was_given_is_told_apart() {
    let condition = "only if the seed was chosen after the proof was sealed";
    let rate = "one false row can make a root false";
    for (arguments, is_given) in
        [(&["-", "--sample", "9"][..], false), (&["-", "--sample", "9", "--seed", "1"], true)]
    {
        let text = run(arguments, PROOF);
        assert_eq!(text.code, Some(0), "{text:?}");
        assert_eq!(text.stdout.contains(condition), is_given, "{text:?}");
        assert!(text.stdout.contains(rate), "{text:?}");
        let json = run(&[arguments, &["--json"]].concat(), PROOF);
        let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
        assert_eq!(json["seed_given"], is_given, "{json}");
    }
}

#[test]
fn all_rows_can_be_solved_again_and_no_board_has_more_empty_squares_than_squares() {
    let json = run(&["-", "--all", "--json"], PROOF);
    assert_eq!(json.code, Some(0), "{json:?}");
    let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!((&json["sampled"], &json["not_covered"]), (&json["leaves"], &0.into()), "{json}");
    assert_eq!(run(&["-", "--max-empties", "64", "--sample", "1"], PROOF).code, Some(0));
    for most in ["65", "18446744073709551615"] {
        assert_eq!(run(&["-", "--max-empties", most], PROOF).code, Some(2), "{most}");
    }
    assert_eq!(run(&["-", "--all", "--seed", "1"], PROOF).code, Some(2), "nothing is drawn");
}
