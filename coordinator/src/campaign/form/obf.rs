//! OBF: a board, then the moves whose scores are known. The best of them is the hypothesis.

use outflank_engine::notation::{self, Problem};
use outflank_engine::{Score, Square};

use super::super::question::{Hypothesis, Question};
use super::{Answer, Defaults, Row, RowFault, problem};

/// What begins a comment.
const COMMENT: [char; 2] = ['%', '#'];

pub(super) fn read(line: &str, defaults: Defaults) -> Result<Option<Row>, RowFault> {
    let text = line.split(COMMENT).next().unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(None);
    }
    let problem = problem(text, 1, defaults.board)?;
    let value = problem.expected_value();
    let claim = value.and_then(|value| Hypothesis::new(value, value)).map(Question::Claim);
    Ok(Some(Row {
        position: problem.position,
        side: problem.side,
        question: claim.unwrap_or(Question::Value(defaults.window)),
        prediction: value.map(Score::discs),
        count: None,
        id: None,
    }))
}

/// Returns a row's board and, if they are proved, its best move and value.
pub(super) fn format(row: &Row, answer: &Answer) -> String {
    let (position, side) = (row.position, row.side);
    let expected = best(row, answer).into_iter().collect();
    Problem { position, side, expected }.to_string()
}

/// Returns the line of a row that had no scores, with its best move and value.
///
/// Scores can follow no move list and no game: its row becomes a board.
pub(super) fn answered(line: &str, row: &Row, answer: &Answer) -> Option<String> {
    let (square, value) = best(row, answer)?;
    if row.prediction.is_some() {
        return None;
    }
    let (text, comment) = line.split_at(line.find(COMMENT).unwrap_or(line.len()));
    let (text, gap) = text.split_at(text.trim_end().len());
    let board = if notation::takes_no_scores(text) { &row.board() } else { text };
    let separator = if board.ends_with(';') { "" } else { ";" };
    let scored = notation::scored_move(square, value);
    Some(format!("{board}{separator} {scored};{gap}{comment}"))
}

/// Returns the best move, or the pass, and the value, if they are proved and known.
fn best(row: &Row, answer: &Answer) -> Option<(Option<Square>, Score)> {
    let value = answer.bound.value()?;
    if row.position.must_pass() {
        return Some((None, value));
    }
    Some((Some(answer.best_move?), value))
}
