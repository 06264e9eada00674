//! What a proof may cost its checker, and what it may not leave over.

use outflank_checker::rules::Position;

use crate::support::{HEAD, ORIGIN, TWICE, check, end, resealed, root, searched};

/// Returns a proof of one searched row with these origins.
fn with_origins(origins: Vec<String>) -> String {
    let position = Position::from_text(TWICE).expect("a board of 4x6");
    let mut lines = vec![HEAD.to_owned(), root(1, position, 24, 64)];
    lines.extend(origins);
    lines.extend([searched(1, position, ">=", 24), end(1, 1, 1)]);
    resealed(&lines)
}

fn origin(number: usize, build: &str) -> String {
    ORIGIN.replace("\"origin\":1", &format!("\"origin\":{number}")).replacen("\"\"", build, 1)
}

#[test]
fn an_origin_that_no_row_names_is_left_over() {
    let fault =
        |origins| check(with_origins(origins).as_bytes()).err().map(|fault| fault.to_string());
    assert_eq!(fault(vec![origin(1, "\"\"")]), None);
    let two = vec![origin(1, "\"\""), origin(2, "\"\"")];
    assert_eq!(fault(two).as_deref(), Some("line 6: no row names origin 2"));
}

#[test]
fn the_texts_of_origins_are_bounded() {
    let build = format!("\"{}\"", "x".repeat(60_000));
    let proof = with_origins((1..=1200).map(|number| origin(number, &build)).collect());
    let fault = check(proof.as_bytes()).unwrap_err().to_string();
    let expected = ": the lines of origins have more than 67108864 bytes together";
    assert!(fault.ends_with(expected), "{fault}");
}
