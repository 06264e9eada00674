//! OBF: a board, then the moves whose scores are known, such as `… X; F5:+2; D6:-4;`.
//!
//! Where the side to move must pass, Edax writes `PS:+2`, and so do we.

use crate::{BoardSize, Position, Score, Square};

use super::segment::Segment;
use super::{Fault, NotationError, Problem, board, excerpt, moves};

/// A pass in front of a score.
const PASS: &str = "PS";

/// Reads a board and the scored moves after it.
pub(super) fn parse(line: Segment<'_>, size: BoardSize) -> Result<Problem, NotationError> {
    let (board, mut rest) = line.split_once(';');
    let (position, side) = board::parse(board, size)?;
    let mut expected: Vec<(Option<Square>, Score)> = Vec::new();
    while let Some(segment) = rest {
        let (field, after) = segment.split_once(';');
        let field = field.trimmed();
        if !field.text.is_empty() {
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
    Ok(Problem { position, side, expected })
}

fn scored_move(
    position: Position,
    field: Segment<'_>,
) -> Result<(Option<Square>, Score), NotationError> {
    let not_a_scored_move = Fault::NotAScoredMove { found: excerpt(field.text) };
    let (square, score) = match field.split_once(':') {
        (square, Some(score)) => (square.trimmed(), score.trimmed()),
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
    let discs = score.text.parse().ok().and_then(Score::new);
    let not_a_score = || score.error(0, Fault::NotAScore { found: excerpt(score.text) });
    Ok((parsed, discs.ok_or_else(not_a_score)?))
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
    text
}

/// Returns a move, or a pass, and its score.
pub(super) fn format_scored(square: Option<Square>, score: Score) -> String {
    format!("{}:{score}", name(square))
}

fn name(square: Option<Square>) -> String {
    square.map_or_else(|| PASS.to_owned(), |square| square.to_string().to_uppercase())
}
