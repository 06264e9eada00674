//! OBF: a board, then the moves whose scores are known, such as `… X; F5:+2; D6:-4;`.
//!
//! Where the side to move must pass, Edax writes `PS:+2`, and so do we. A bound of the value, `>= +2` or `<= +2`, is our
//! own: it says what is claimed or proved where that is no value, or where no move is known to reach it.

use crate::{BoardSize, Bound, Position, Score, Square};

use super::segment::Segment;
use super::{Fault, NotationError, Problem, board, excerpt, moves};

/// A pass in front of a score.
const PASS: &str = "PS";

/// Reads a board and the scored moves after it.
pub(super) fn parse(line: Segment<'_>, size: BoardSize) -> Result<Problem, NotationError> {
    let (board, mut rest) = line.split_once(';');
    let (position, side) = board::parse(board, size)?;
    let mut expected: Vec<(Option<Square>, Score)> = Vec::new();
    let mut bound = Bound::UNKNOWN;
    while let Some(segment) = rest {
        let (field, after) = segment.split_once(';');
        let field = field.trimmed();
        if let Some(end) = end(field)? {
            bound = together(bound, end).map_err(|fault| field.error(0, fault))?;
        } else if !field.text.is_empty() {
            let (square, score) = scored_move(position, field)?;
            let given = expected.iter().find(|&&(scored, _)| scored == square);
            if let Some(&(_, first)) = given.filter(|&&(_, given)| given != score) {
                let found = name(square);
                let fault = Fault::TwoScores { found, first, second: score };
                return Err(field.error(0, fault));
            }
            if given.is_none() {
                expected.push((square, score));
            }
        }
        rest = after;
    }
    let value = expected.iter().map(|&(_, score)| score).max();
    let value = value.map_or(Bound::UNKNOWN, Bound::exact);
    together(value, bound).map_err(|fault| line.error(0, fault))?;
    Ok(Problem { position, side, expected, bound })
}

/// Returns what both say.
fn together(first: Bound, second: Bound) -> Result<Bound, Fault> {
    first.merge(second).map_err(|_contradiction| Fault::NoValue { first, second })
}

/// Reads an end of the value, or returns `None` if the field is something else.
fn end(field: Segment<'_>) -> Result<Option<Bound>, NotationError> {
    let make = match field.text.get(..2) {
        Some(">=") => Bound::at_least,
        Some("<=") => Bound::at_most,
        _ => return Ok(None),
    };
    let (_, text) = field.split_at(2);
    score(text.trimmed()).map(|score| Some(make(score)))
}

fn scored_move(
    position: Position,
    field: Segment<'_>,
) -> Result<(Option<Square>, Score), NotationError> {
    let not_a_scored_move = Fault::NotAScoredMove { found: excerpt(field.text) };
    let (square, value) = match field.split_once(':') {
        (square, Some(value)) => (square.trimmed(), value.trimmed()),
        (_, None) => return Err(field.error(0, not_a_scored_move)),
    };
    let parsed: Option<Square> = match square.text.parse() {
        Ok(parsed) => Some(parsed),
        Err(_) if moves::is_pass(square.text) => None,
        Err(_) => return Err(field.error(0, not_a_scored_move)),
    };
    let is_legal = match parsed {
        Some(square) => position.play(square).is_some(),
        None => position.must_pass(),
    };
    if !is_legal {
        let found = square.text.to_owned();
        let expected = moves::legal(position);
        return Err(square.error(0, Fault::IllegalScoredMove { found, expected }));
    }
    Ok((parsed, score(value)?))
}

fn score(text: Segment<'_>) -> Result<Score, NotationError> {
    let discs = text.text.parse().ok().and_then(Score::new);
    discs.ok_or_else(|| text.error(0, Fault::NotAScore { found: excerpt(text.text) }))
}

/// Returns the line of a problem.
pub(super) fn format(problem: &Problem) -> String {
    let mut text = board::format(problem.position, problem.side);
    text.push(';');
    for &(square, score) in &problem.expected {
        text.push(' ');
        text.push_str(&format_scored(square, score));
        text.push(';');
    }
    text + &format_bound(problem.bound)
}

/// Returns the ends of a value as they stand behind a board and its semicolon: ` >= +2;`, ` <= -4;`, both or nothing.
pub(super) fn format_bound(bound: Bound) -> String {
    let end = |sign, end| format!(" {sign} {end};");
    let lower = Some(bound.lower()).filter(|&lower| lower > Score::MIN);
    let upper = Some(bound.upper()).filter(|&upper| upper < Score::MAX);
    let ends = [lower.map(|lower| end(">=", lower)), upper.map(|upper| end("<=", upper))];
    ends.into_iter().flatten().collect()
}

/// Returns a move, or a pass, and its score.
pub(super) fn format_scored(square: Option<Square>, score: Score) -> String {
    format!("{}:{score}", name(square))
}

fn name(square: Option<Square>) -> String {
    square.map_or_else(|| PASS.to_owned(), |square| square.to_string().to_uppercase())
}
