//! OBF: a board, then the moves whose scores are known. The best of them is the hypothesis.

use outflank_engine::Score;
use outflank_engine::notation::Problem;

use super::super::question::{Hypothesis, Question};
use super::{Answer, Defaults, Row, RowFault, problem};

pub(super) fn read(line: &str, defaults: Defaults) -> Result<Option<Row>, RowFault> {
    let text = line.split(['%', '#']).next().unwrap_or_default();
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
    let expected = answer.best_move.map(Some).zip(answer.bound.value()).into_iter().collect();
    Problem { position, side, expected }.to_string()
}

/// Returns the line of a row that had no scores, with its best move and value.
pub(super) fn answered(line: &str, row: &Row, answer: &Answer) -> Option<String> {
    let (square, value) = answer.best_move.zip(answer.bound.value())?;
    if row.prediction.is_some() || line.contains(['%', '#']) {
        return None;
    }
    let line = line.trim_end();
    let separator = if line.ends_with(';') { "" } else { ";" };
    Some(format!("{line}{separator} {};", format!("{square}:{value}").to_uppercase()))
}
