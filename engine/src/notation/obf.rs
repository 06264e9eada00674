//! OBF: a board, then the moves whose scores are known, such as `… X; F5:+2; D6:-4;`.

use crate::{BoardSize, Position, Score, Square};

use super::segment::Segment;
use super::{Fault, NotationError, Problem, board, moves};

/// Reads a board and the scored moves after it.
pub(super) fn parse(line: Segment<'_>, size: BoardSize) -> Result<Problem, NotationError> {
    let (board, mut rest) = line.split_once(';');
    let (position, side) = board::parse(board, size)?;
    let mut expected: Vec<(Square, Score)> = Vec::new();
    while let Some(segment) = rest {
        let (field, after) = segment.split_once(';');
        let field = field.trimmed();
        if !field.text.is_empty() {
            let (square, score) = scored_move(position, field)?;
            let given = expected.iter().find(|&&(scored, _)| scored == square);
            if let Some(&(_, first)) = given.filter(|&&(_, given)| given != score) {
                let fault = Fault::TwoScores { square, first, second: score };
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

fn scored_move(position: Position, field: Segment<'_>) -> Result<(Square, Score), NotationError> {
    let not_a_scored_move = Fault::NotAScoredMove { found: field.text.to_owned() };
    let (square, score) = match field.split_once(':') {
        (square, Some(score)) => (square.trimmed(), score.trimmed()),
        (_, None) => return Err(field.error(0, not_a_scored_move)),
    };
    let parsed: Square = match square.text.parse() {
        Ok(parsed) => parsed,
        Err(_) => return Err(field.error(0, not_a_scored_move)),
    };
    if position.play(parsed).is_none() {
        let found = square.text.to_owned();
        let expected = moves::legal(position);
        return Err(square.error(0, Fault::IllegalScoredMove { found, expected }));
    }
    let discs = score.text.parse().ok().and_then(Score::new);
    let not_a_score = || score.error(0, Fault::NotAScore { found: score.text.to_owned() });
    Ok((parsed, discs.ok_or_else(not_a_score)?))
}

/// Returns the line of a problem.
pub(super) fn format(problem: &Problem) -> String {
    let mut text = board::format(problem.position, problem.side);
    text.push(';');
    for (square, score) in &problem.expected {
        text.push_str(&format!(" {square}:{score};").to_uppercase());
    }
    text
}
