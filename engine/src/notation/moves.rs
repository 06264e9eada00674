//! Move lists: the moves from the start position, such as `f5d6c3`.

use crate::{BoardSize, Position, Square};

use super::segment::Segment;
use super::{Fault, NotationError, Side};

/// The words for a pass, longest first.
const PASSES: [&str; 4] = ["pass", "ps", "pa", "--"];

/// Plays the moves of a list from the start position of a board.
///
/// Passes may be written or left out; blanks between moves are ignored, and so are commas, dashes and the numbers of moves.
pub(super) fn parse(
    segment: Segment<'_>,
    size: BoardSize,
) -> Result<(Position, Side), NotationError> {
    let (mut position, mut side) = (size.start(), Side::Black);
    let mut rest = to_next(segment);
    let mut number = 1;
    if rest.text.is_empty() {
        return Err(segment.error(0, Fault::NotAMove { number, found: segment.text.to_owned() }));
    }
    while !rest.text.is_empty() {
        let (word, after) = next(rest, number)?;
        (position, side) = match word.text.parse() {
            Ok(square) => play(position, side, square)
                .ok_or_else(|| word.error(0, illegal(position, side, number, &word)))?,
            Err(_) if position.must_pass() => (position.pass(), side.other()),
            Err(_) => return Err(word.error(0, illegal(position, side, number, &word))),
        };
        rest = to_next(after);
        number += 1;
    }
    Ok((position, side))
}

/// Returns what is left from the next move on: without blanks, commas, single dashes and numbers such as `12.`.
fn to_next(rest: Segment<'_>) -> Segment<'_> {
    let mut rest = rest.trimmed();
    while let count @ 1.. = mark(rest.text) {
        rest = rest.split_at(count).1.trimmed();
    }
    rest
}

/// Returns how many characters stand before a move at the beginning of `text`.
fn mark(text: &str) -> usize {
    match text.as_bytes() {
        [b',', ..] => 1,
        [b'-', next, ..] if *next != b'-' => 1,
        _ => number(text),
    }
}

/// Returns how many characters the number of a move has at the beginning of `text`, its dots included.
///
/// It does not begin with `0`, which on boards is a white disc, as `.` is an empty square.
pub(super) fn number(text: &str) -> usize {
    if !text.starts_with(|first| matches!(first, '1'..='9')) {
        return 0;
    }
    let after = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let rest = after.trim_start_matches('.');
    if rest.len() == after.len() { 0 } else { text.len() - rest.len() }
}

/// Returns the first move or pass of `rest`, and what follows it.
fn next(rest: Segment<'_>, number: usize) -> Result<(Segment<'_>, Segment<'_>), NotationError> {
    for length in [4, 2] {
        let (word, after) = rest.split_at(length);
        if is_pass(word.text) || word.text.parse::<Square>().is_ok() {
            return Ok((word, after));
        }
    }
    let found = rest.split_at(2).0.text.to_owned();
    Err(rest.error(0, Fault::NotAMove { number, found }))
}

/// Returns whether `word` is a word for a pass.
pub(super) fn is_pass(word: &str) -> bool {
    PASSES.iter().any(|pass| word.eq_ignore_ascii_case(pass))
}

/// Plays a move, after a pass that was left out if there must be one.
fn play(position: Position, side: Side, square: Square) -> Option<(Position, Side)> {
    if position.must_pass() {
        return play(position.pass(), side.other(), square);
    }
    position.play(square).map(|after| (after, side.other()))
}

fn illegal(position: Position, side: Side, number: usize, word: &Segment<'_>) -> Fault {
    let (position, side) =
        if position.must_pass() { (position.pass(), side.other()) } else { (position, side) };
    Fault::Illegal { number, found: word.text.to_owned(), side, expected: legal(position) }
}

/// Returns the legal moves of a position in words.
pub(super) fn legal(position: Position) -> String {
    let moves: Vec<Square> = Square::all(position.moves()).collect();
    match moves.as_slice() {
        [] if position.must_pass() => "a pass".to_owned(),
        [] => "no move, the game is over".to_owned(),
        [only] => only.to_string(),
        _ => format!("one of {}", format(&moves)),
    }
}

/// Returns the moves with blanks between them.
pub(super) fn format(moves: &[Square]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
