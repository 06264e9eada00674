//! `obf,count,score,alpha,beta`: the published list of 2,587 positions of 50 empties has this form.
//!
//! The hypothesis follows from the predicted score: at or above beta it says "at least beta", at or
//! below alpha "at most alpha", between them "exactly this". The form has no place for an answer.

use outflank_engine::{Score, Window};

use super::super::question::{Hypothesis, Question};
use super::table::{Fields, at_least, at_most};
use super::{Defaults, Row, RowFault, problem};

pub(super) const HEADER: &str = "obf,count,score,alpha,beta";

pub(super) fn read(line: &str, defaults: Defaults) -> Result<Option<Row>, RowFault> {
    if matches!(line.trim(), "" | HEADER) {
        return Ok(None);
    }
    let fields = Fields::<5>::of(line, HEADER)?;
    let (column, board) = fields.text(0);
    let problem = problem(board, column, defaults.board)?;
    let count = fields.number(1, "count", 0, u64::MAX)?;
    let score = fields.number(2, "score", -64, 64)?;
    let alpha = fields.number(3, "alpha", -64, 64)?;
    let beta = fields.number(4, "beta", -64, 64)?;
    if alpha >= beta {
        let reason = format!("found beta {beta}, expected more than alpha, which is {alpha}");
        return Err(RowFault::new(fields.text(4).0, reason));
    }
    let question = question(score, alpha, beta, defaults.window)
        .ok_or_else(|| RowFault::new(fields.text(2).0, no_such_score(score)))?;
    Ok(Some(Row {
        position: problem.position,
        side: problem.side,
        question,
        prediction: Some(score),
        count: Some(count),
        id: None,
    }))
}

fn no_such_score(score: i32) -> String {
    format!("found the score {score}, expected an even one, or alpha or less, or beta or more")
}

/// Returns what a predicted score inside or outside of a window claims, or `None` if no value can
/// have that score.
fn question(score: i32, alpha: i32, beta: i32, window: Window) -> Option<Question> {
    let (lower, upper) = if score >= beta {
        (at_least(beta), Score::MAX)
    } else if score <= alpha {
        (Score::MIN, at_most(alpha))
    } else {
        (Score::new(score)?, Score::new(score)?)
    };
    let claim = Hypothesis::new(lower, upper).map(Question::Claim);
    Some(claim.unwrap_or(Question::Value(window)))
}

/// Returns a row of another form as a task, or `None` if it claims something that this form cannot
/// say.
pub(super) fn format(row: &Row) -> Option<String> {
    let Question::Claim(claim) = row.question else { return None };
    let (lower, upper) = (claim.lower(), claim.upper());
    let predicted = row.prediction;
    let (score, alpha, beta) = match (lower, upper) {
        (lower, upper) if lower == upper => (lower.discs(), -64, 64),
        (lower, Score::MAX) => (predicted.unwrap_or(64).max(lower.discs()), -64, lower.discs()),
        (Score::MIN, upper) => (predicted.unwrap_or(-64).min(upper.discs()), upper.discs(), 64),
        _ => return None,
    };
    let (board, count) = (row.board(), row.count.unwrap_or(0));
    Some(format!("{board};,{count},{score},{alpha},{beta}"))
}
