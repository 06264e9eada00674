//! `obf,depth,accuracy,score_lowerbound,score_upperbound,nodes`: results of searches.
//!
//! A row whose depth is the number of empties and whose accuracy is 100 claims a bound: that is its
//! hypothesis. Any other row holds a prediction, the same number twice, and claims nothing.

use super::super::question::{Hypothesis, Question};
use super::table::{Fields, at_least, at_most};
use super::{Answer, Defaults, Row, RowFault, RowState, problem};

pub(super) const HEADER: &str = "obf,depth,accuracy,score_lowerbound,score_upperbound,nodes";

pub(super) fn read(line: &str, defaults: Defaults) -> Result<Option<Row>, RowFault> {
    if matches!(line.trim(), "" | HEADER) {
        return Ok(None);
    }
    let fields = Fields::<6>::of(line, HEADER)?;
    let (column, board) = fields.text(0);
    let problem = problem(board, column, defaults.board)?;
    let depth = fields.number(1, "depth", 0, 60)?;
    let accuracy = fields.number(2, "accuracy", 0, 100)?;
    let lower = fields.number(3, "lower bound", -64, 64)?;
    let upper = fields.number(4, "upper bound", -64, 64)?;
    fields.number(5, "number of nodes", i64::MIN, i64::MAX)?;
    // Bounds that a search states may be odd; no value between them is.
    let (low, high) = (at_least(lower), at_most(upper));
    let is_search = depth == problem.position.empties() && accuracy == 100;
    let fault = |reason| RowFault::new(fields.text(4).0, reason);
    if lower > upper {
        let found = format!("found the upper bound {upper}");
        return Err(fault(format!("{found}, expected a value not below {lower}")));
    }
    if is_search && low > high {
        return Err(fault(format!("found {upper} as both bounds, expected an even value")));
    }
    let claim = Hypothesis::new(low, high).filter(|_| is_search).map(Question::Claim);
    Ok(Some(Row {
        position: problem.position,
        side: problem.side,
        question: claim.unwrap_or(Question::Value(defaults.window)),
        prediction: (lower == upper).then_some(lower),
        count: None,
        id: None,
    }))
}

/// Returns what is proved of a row, or `None` as long as that is nothing.
///
/// The number of nodes is negative, which says that they are not those of the published program.
pub(super) fn format(row: &Row, answer: &Answer) -> Option<String> {
    proved(&format!("{};", row.board()), row, answer)
}

/// Returns what is proved of a row that was read from `line`, whose position stays as it was written.
pub(super) fn renewed(line: &str, row: &Row, answer: &Answer) -> Option<String> {
    let (position, _) = line.split_once(',')?;
    proved(position, row, answer)
}

fn proved(position: &str, row: &Row, answer: &Answer) -> Option<String> {
    let RowState::Decided(_) = answer.state else { return None };
    let (depth, nodes) = (row.position.empties(), answer.nodes);
    let (lower, upper) = (answer.bound.lower().discs(), answer.bound.upper().discs());
    Some(format!("{position},{depth},100,{lower},{upper},-{}", nodes.max(1)))
}
