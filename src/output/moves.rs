//! The moves of a position, each with its value.

use outflank_engine::notation::{self, Problem};
use outflank_engine::{Bound, Score, Square};
use serde::Serialize;

use super::answer::{judged, marked, worded};

/// A move and what is proved of it.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    /// The square; `None` is a pass.
    pub(crate) square: Option<Square>,
    /// What the move is worth to the player who makes it.
    pub(crate) bound: Bound,
    /// The line that begins with it.
    pub(crate) line: Vec<Square>,
}

impl Move {
    /// Returns what a move is called.
    pub(crate) fn name(square: Option<Square>) -> String {
        square.map_or_else(|| "pass".to_owned(), |square| square.to_string())
    }

    /// Returns the score that the input gives for the move.
    pub(super) fn expected(&self, problem: &Problem) -> Option<Score> {
        problem.expected_score(self.square)
    }

    /// Returns whether the score that the input gives for the move, if it gives one, is true, as far as that is known.
    pub(super) fn agrees(&self, problem: &Problem) -> Option<bool> {
        judged(self.bound, Bound::exact(self.expected(problem)?))
    }

    fn marked(&self, problem: &Problem) -> String {
        let agrees = self.agrees(problem);
        self.expected(problem).map_or_else(String::new, |score| marked(score, agrees))
    }

    /// Returns the line of a paragraph, below the [`titles`].
    pub(super) fn in_paragraph(&self, problem: &Problem) -> String {
        let value = worded(self.bound, "at least", "at most");
        let (name, line) = (Self::name(self.square), notation::moves(&self.line));
        in_columns(problem, [&name, &value, &self.marked(problem), &line])
    }

    /// Returns the line of a table, in the columns of value, move, expected value and line.
    pub(super) fn in_table(&self, problem: &Problem) -> String {
        let (name, line) = (Self::name(self.square), notation::moves(&self.line));
        let value = worded(self.bound, ">=", "<=");
        let row = format!(
            "{value:>20} {name:>4} {:>8}{:55}  {line}",
            self.marked(problem),
            String::new()
        );
        row.trim_end().to_owned()
    }

    /// Returns what `--json` says of the move.
    pub(super) fn object(&self, problem: &Problem) -> Object {
        Object {
            name: Self::name(self.square),
            lower: self.bound.lower().discs(),
            upper: self.bound.upper().discs(),
            value: self.bound.value().map(Score::discs),
            expected: self.expected(problem).map(Score::discs),
            line: self.line.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Returns the titles above the moves of a paragraph.
pub(super) fn titles(problem: &Problem) -> String {
    in_columns(problem, ["move", "value", "expected", "line"])
}

/// Returns a line of a paragraph's moves; there is a column for expected scores if the input gives any.
fn in_columns(problem: &Problem, [name, value, expected, line]: [&str; 4]) -> String {
    let row = match problem.expected.is_empty() {
        true => format!("{name:<10} {value:<12} {line}"),
        false => format!("{name:<10} {value:<12} {expected:<10} {line}"),
    };
    row.trim_end().to_owned()
}

/// A move of `--json`.
#[derive(Debug, Serialize)]
pub(super) struct Object {
    #[serde(rename = "move")]
    name: String,
    lower: i32,
    upper: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<i32>,
    line: Vec<String>,
}
