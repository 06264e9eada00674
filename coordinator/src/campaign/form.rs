//! Rows as text, in four forms.
//!
//! | form | a row |
//! | --- | --- |
//! | `tasks` | `obf,count,score,alpha,beta`: a predicted score and the window in which it matters |
//! | `knowledge` | `obf,depth,accuracy,score_lowerbound,score_upperbound,nodes`: a bound, or a prediction |
//! | `obf` | a board and scored moves |
//! | `jsonl` | an object with `position`, and what is claimed or asked |
//!
//! The first two are those of the published data of "Othello is Solved" (Takizawa, arXiv 2310.19387).

mod json;
mod knowledge;
mod obf;
mod table;
mod tasks;

use outflank_engine::notation::{self, Problem, Side, excerpt};
use outflank_engine::{BoardSize, Bound, Position, Square, Window};
use outflank_proto::campaign::Form;

use super::question::{Outcome, Question};
pub use json::Id;

/// A row of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The position, seen by the side to move.
    pub position: Position,
    /// The side to move.
    pub side: Side,
    /// What the row asks.
    pub question: Question,
    /// The score that somebody predicts, in discs.
    pub prediction: Option<i32>,
    /// How often the position was seen in games, in lists that say it.
    pub count: Option<u64>,
    /// The name that the row has for its owner, in JSON lines.
    pub id: Option<Id>,
}

/// What the rows of a list mean where they do not say it themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// What a row that claims nothing asks.
    pub window: Window,
    /// The board of rows that show no walls.
    pub board: BoardSize,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { window: Window::FULL, board: BoardSize::STANDARD }
    }
}

/// What is wrong with a row, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFault {
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What was found, and what was expected.
    pub reason: String,
}

impl RowFault {
    fn new(column: usize, reason: impl Into<String>) -> Self {
        Self { column, reason: reason.into() }
    }
}

/// How far a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowState {
    /// Not decided.
    Open,
    /// Decided.
    Decided(Outcome),
}

impl RowState {
    /// Returns the state's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Decided(Outcome::Proved) => "proved",
            Self::Decided(Outcome::Refuted) => "refuted",
            Self::Decided(Outcome::Solved) => "solved",
        }
    }
}

/// What is known of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The row's number, counted from 1.
    pub number: u64,
    /// How far it is.
    pub state: RowState,
    /// What is proved of the value; `Bound::UNKNOWN` while it is open.
    pub bound: Bound,
    /// Positions searched for it.
    pub nodes: u64,
    /// The number of the earlier row that asks the same.
    pub duplicate_of: Option<u64>,
    /// A move that is proved best, if the value is proved exactly and one is known.
    pub best_move: Option<Square>,
}

/// Returns the form of a list whose first line with anything in it is `line`.
#[must_use]
pub(super) fn recognized(line: &str) -> Form {
    match line.trim() {
        tasks::HEADER => Form::Tasks,
        knowledge::HEADER => Form::Knowledge,
        // An array is no row, and is told so as what it is.
        line if line.starts_with(['{', '[']) => Form::Json,
        _ => Form::Obf,
    }
}

/// Reads a line; `None` if it has no row: a header, a comment, nothing.
///
/// # Errors
/// [`RowFault`] if the line is none of its form.
pub fn read_row(form: Form, line: &str, defaults: Defaults) -> Result<Option<Row>, RowFault> {
    let read = match form {
        Form::Tasks => tasks::read(line, defaults),
        Form::Knowledge => knowledge::read(line, defaults),
        Form::Obf => obf::read(line, defaults),
        Form::Json => json::read(line, defaults),
    };
    read.map_err(|fault| if is_like_header(line) { no_header(form, line) } else { fault })
}

/// Returns whether a line, which is no row, begins as headers do.
fn is_like_header(line: &str) -> bool {
    let name = line.split([',', ';']).next().unwrap_or_default();
    name.len() < line.len() && name.trim() == "obf"
}

/// Returns what is wrong with a line that begins as a header and is none of this form.
fn no_header(form: Form, line: &str) -> RowFault {
    let expected = match (recognized(line), form) {
        (Form::Obf, Form::Obf) => format!("{} or {}", tasks::HEADER, knowledge::HEADER),
        (_, form) => match header(form) {
            Some(header) => header.to_owned(),
            None => "a row, since this form has no header".to_owned(),
        },
    };
    RowFault::new(1, format!("found the header {:?}, expected {expected}", excerpt(line.trim())))
}

/// Returns the first line of a list in this form, if it has a special one.
#[must_use]
pub(super) const fn header(form: Form) -> Option<&'static str> {
    match form {
        Form::Tasks => Some(tasks::HEADER),
        Form::Knowledge => Some(knowledge::HEADER),
        Form::Obf | Form::Json => None,
    }
}

/// Returns a row and its answer as a line of another form than the one it was imported in, or
/// `None` where that form has no way to say it.
#[must_use]
pub fn format_row(form: Form, row: &Row, answer: &Answer) -> Option<String> {
    match form {
        Form::Tasks => tasks::format(row),
        Form::Knowledge => knowledge::format(row, answer),
        Form::Obf => Some(obf::format(row, answer)),
        Form::Json => Some(json::format(row, answer)),
    }
}

/// Returns `line`, which is the row `row` as it was imported in `form`, with what is known now.
///
/// Where the form has no place for an answer, and as long as there is none, that is the same line.
#[must_use]
pub(super) fn renewed(form: Form, line: &str, row: &Row, answer: &Answer) -> String {
    let fresh = match form {
        Form::Tasks => None,
        Form::Knowledge => knowledge::renewed(line, row, answer),
        Form::Obf => obf::answered(line, row, answer),
        Form::Json => Some(json::format(row, answer)),
    };
    fresh.unwrap_or_else(|| line.to_owned())
}

/// Returns `line`, which is the row `row` as it was imported in `form`, as a line of a new list in that form.
///
/// In OBF a refuted row says there what is proved, not what it claimed: otherwise no proof could prove the list. So does a
/// decided row that is no board of 64 squares, as proofs are of.
#[must_use]
pub(super) fn relisted(form: Form, line: &str, row: &Row, answer: &Answer) -> String {
    match (form, answer.state) {
        (Form::Obf, RowState::Decided(outcome))
            if outcome == Outcome::Refuted || !obf::is_usual_board(line, row) =>
        {
            obf::corrected(line, row, answer)
        }
        _ => renewed(form, line, row, answer),
    }
}

/// Reads the board `text` that begins in column `column`, and whatever OBF may follow it.
fn problem(text: &str, column: usize, board: BoardSize) -> Result<Problem, RowFault> {
    let read = notation::problems_on(board, "", text).next();
    let read = read.expect("a text has a position or an error");
    read.map_err(|error| RowFault::new(column + error.place.column - 1, error.fault.to_string()))
}

impl Row {
    /// Returns the row's board: 64 characters, a blank, the side to move.
    #[must_use]
    pub fn board(&self) -> String {
        notation::board(self.position, self.side)
    }
}

#[cfg(test)]
mod tests;
