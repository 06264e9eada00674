//! OBF: a board, then the moves whose scores are known, or bounds of the value. The best score, or what the bounds say,
//! is the hypothesis.
//!
//! What is proved is written in the same words. Where that is no value, or where no move is known to reach it, these are
//! bounds: so the list says everything that a proof of it is expected to prove.

use outflank_engine::notation;
use outflank_engine::{BoardSize, Bound, Score, Square};

use super::super::question::{Hypothesis, Question};
use super::{Answer, Defaults, Row, RowFault, RowState, problem};

/// What begins a comment.
const COMMENT: [char; 2] = ['%', '#'];

pub(super) fn read(line: &str, defaults: Defaults) -> Result<Option<Row>, RowFault> {
    let text = line.split(COMMENT).next().unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(None);
    }
    let problem = problem(text, 1, defaults.board)?;
    let value = problem.expected_value();
    let claimed = value.map_or(problem.bound, Bound::exact);
    let claim = Hypothesis::new(claimed.lower(), claimed.upper()).map(Question::Claim);
    Ok(Some(Row {
        position: problem.position,
        side: problem.side,
        question: claim.unwrap_or(Question::Value(defaults.window)),
        prediction: value.map(Score::discs),
        count: None,
        id: None,
    }))
}

/// Returns a row's board and what is proved of it.
pub(super) fn format(row: &Row, answer: &Answer) -> String {
    let board = row.board();
    format!("{board};{}", proved(row, answer).unwrap_or_default())
}

/// Returns the line of a row that claimed nothing, with what is proved of it. Where that is a value that no move is known
/// to reach, the bare position says enough.
///
/// Scores can follow no move list and no game: its row becomes a board.
pub(super) fn answered(line: &str, row: &Row, answer: &Answer) -> Option<String> {
    let is_bare = answer.bound.value().is_some() && best(row, answer).is_none();
    if is_bare || matches!(row.question, Question::Claim(_)) {
        return None;
    }
    let proved = proved(row, answer)?;
    let (text, comment) = line.split_at(line.find(COMMENT).unwrap_or(line.len()));
    let (text, gap) = text.split_at(text.trim_end().len());
    let board = if notation::takes_no_scores(text) { &row.board() } else { text };
    let separator = if board.ends_with(';') { "" } else { ";" };
    Some(format!("{board}{separator}{proved}{gap}{comment}"))
}

/// Returns whether a line begins with a board of the usual size, not with moves or a game.
pub(super) fn is_usual_board(line: &str, row: &Row) -> bool {
    let text = line.split(COMMENT).next().unwrap_or_default();
    row.position.board_size() == BoardSize::STANDARD && !notation::takes_no_scores(text)
}

/// Returns the line of a decided row with its board of 64 squares, and with what is proved in place of what it claimed.
pub(super) fn corrected(line: &str, row: &Row, answer: &Answer) -> String {
    let comment = &line[line.find(COMMENT).unwrap_or(line.len())..];
    let gap = if comment.is_empty() { "" } else { " " };
    format!("{}{gap}{comment}", format(row, answer))
}

/// Returns what is proved of a decided row as it stands behind the board: the best move, or the pass, and the value if
/// both are known, otherwise the ends of the value.
fn proved(row: &Row, answer: &Answer) -> Option<String> {
    let RowState::Decided(_) = answer.state else { return None };
    let text = match best(row, answer) {
        Some((square, value)) => format!(" {};", notation::scored_move(square, value)),
        None => notation::bound(told(row, answer.bound)),
    };
    Some(text).filter(|text| !text.is_empty())
}

/// Returns a bound without ends that every game on the row's board is within.
fn told(row: &Row, bound: Bound) -> Bound {
    let squares = row.position.board_size().squares() as i32;
    let lower = Some(bound.lower()).filter(|lower| lower.discs() > -squares);
    let upper = Some(bound.upper()).filter(|upper| upper.discs() < squares);
    let ends = Bound::new(lower.unwrap_or(Score::MIN), upper.unwrap_or(Score::MAX));
    ends.unwrap_or(bound) // What was dropped are ends: the others are in order.
}

/// Returns the best move, or the pass, and the value, if they are proved and known.
fn best(row: &Row, answer: &Answer) -> Option<(Option<Square>, Score)> {
    let value = answer.bound.value()?;
    if row.position.must_pass() {
        return Some((None, value));
    }
    Some((Some(answer.best_move?), value))
}
