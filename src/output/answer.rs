//! The answer for a position, as a paragraph, as a row of a table and as JSON, held against the scores given.

use std::time::Duration;
use std::{fmt, iter};

use anyhow::Context;
use outflank_coordinator::core::{Solution, Source};
use outflank_engine::notation::{self, Problem};
use outflank_engine::{BoardSize, Bound, Score, Window};
use serde::Serialize;

use super::line;
use super::moves::{self, Move};
use crate::numbers;

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A paragraph for one position.
    Paragraph,
    /// A line for each of many positions.
    Table,
    /// A JSON object for each position, on one line.
    Json,
}

/// A position and its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered<'a> {
    /// The position's number among those solved, counted from 1.
    pub(crate) number: usize,
    /// The position.
    pub(crate) problem: &'a Problem,
    /// The answer.
    pub(crate) solution: &'a Solution,
    /// How long it took from the moment it was asked; positions that are asked side by side wait for
    /// each other.
    pub(crate) time: Duration,
    /// Whether the question is answered. Otherwise the budget was spent: workers may have searched more nodes
    /// than they had told of by then.
    pub(crate) is_complete: bool,
    /// Whether what is proved is kept in a store; otherwise this process alone knows it.
    pub(crate) is_kept: bool,
    /// The moves with their values, the best first, if they were asked for.
    pub(crate) moves: Option<&'a [Move]>,
}

impl Answered<'_> {
    /// Returns whether the answer agrees with the scores that the input gives; `None` if it gives none, or if too little
    /// was found to say so: a bound that does not tell the value contradicts a score or leaves it open.
    ///
    /// Where every move was asked for, each score is held against its move. Otherwise the best score counts as the
    /// position's value: it must be that, and the best move must have it if it has a score.
    ///
    /// Bounds that the input gives are held against what is proved of the position.
    pub(crate) fn agrees(&self) -> Option<bool> {
        let scores = self.scores_agree();
        let (proved, given) = (self.solution.bound, self.problem.bound);
        match judged(proved, given) {
            _ if given == Bound::UNKNOWN => scores,
            Some(true) if !self.problem.expected.is_empty() => scores,
            None => scores.filter(|is_true| !is_true),
            told => told,
        }
    }

    fn scores_agree(&self) -> Option<bool> {
        let Some(moves) = self.moves else { return self.best_score_agrees() };
        let mut judged = Some(true).filter(|_| !self.problem.expected.is_empty());
        for one in moves.iter().filter(|one| one.expected(self.problem).is_some()) {
            match one.agrees(self.problem) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => judged = None,
            }
        }
        judged
    }

    fn best_score_agrees(&self) -> Option<bool> {
        let expected = self.problem.expected_value()?;
        let bound = self.solution.bound;
        let best_move = self.solution.best_move.filter(|_| bound.value().is_some());
        let moved = best_move.and_then(|best| self.problem.expected_score(Some(best)));
        judged(bound, Bound::exact(expected))
            .map(|is_true| is_true && moved.unwrap_or(expected) == expected)
    }

    fn moves(&self) -> &[Move] {
        self.moves.unwrap_or_default()
    }

    /// Prints the answer.
    pub(crate) fn print(&self, format: Format) -> anyhow::Result<()> {
        match format {
            Format::Paragraph => line(&self.paragraph()),
            Format::Table => line(&self.rows()),
            Format::Json => line(&self.json()?),
        }
    }

    fn paragraph(&self) -> String {
        let Solution { bound, unaudited, .. } = self.solution;
        let mut rows = vec![
            ("to move", self.mover()),
            ("value", worded(*bound, "at least", "at most")),
            ("best move", self.best_move()),
            ("line", notation::moves(&self.solution.line)),
            ("nodes", self.counted()),
            ("time", numbers::span(self.time)),
            ("source", format!("{} ({})", self.source(), self.effort())),
        ];
        if !self.expected().is_empty() {
            rows.insert(2, ("expected", self.expected()));
        }
        if *unaudited > 0 {
            let claims = numbers::counted(*unaudited, "claim");
            rows.push(("unaudited", format!("{claims} of workers: no other could be asked")));
        }
        let rows = rows.iter().map(|(title, text)| format!("{title:<10} {text}"));
        let mut lines: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
        if !self.moves().is_empty() {
            lines.extend([String::new(), moves::titles(self.problem)]);
            lines.extend(self.moves().iter().map(|one| one.in_paragraph(self.problem)));
        }
        lines.join("\n")
    }

    /// Returns the position's row of the table, and one for each move.
    fn rows(&self) -> String {
        let moves = self.moves().iter().map(|one| one.in_table(self.problem));
        iter::once(self.row()).chain(moves).collect::<Vec<_>>().join("\n")
    }

    fn counted(&self) -> String {
        match (self.is_complete, self.solution.nodes) {
            (true, nodes) => format!("{} ({}/s)", numbers::grouped(nodes), self.rate()),
            (false, 0) => "none counted by then".to_owned(),
            (false, nodes) => format!("at least {}", numbers::grouped(nodes)),
        }
    }

    fn effort(&self) -> String {
        let Solution { jobs, reused, .. } = self.solution;
        let (jobs, reused) = (numbers::counted(*jobs, "job"), numbers::counted(*reused, "bound"));
        format!("{jobs} done, {reused} reused")
    }

    /// Returns where the answer comes from: of a game that is over, from the rules, and without a store from what this
    /// process has proved before.
    fn source(&self) -> &'static str {
        match self.solution.source {
            _ if self.problem.position.is_over() => "rules",
            Source::Store if !self.is_kept => "memory",
            Source::Store => "store",
            Source::Search => "search",
            Source::Both => "both",
        }
    }

    fn mover(&self) -> String {
        let Problem { position, side, .. } = self.problem;
        let board = match position.board_size() {
            BoardSize::STANDARD => String::new(),
            small => format!(" on {small}"),
        };
        format!("{side}, {} empties{board}", position.empties())
    }

    fn row(&self) -> String {
        let Solution { bound, nodes, reused, line, .. } = self.solution;
        let (nodes, rate) = match (self.is_complete, *nodes) {
            (true, nodes) => (numbers::grouped(nodes), self.rate()),
            (false, 0) => ("-".to_owned(), "-".to_owned()),
            (false, nodes) => (format!(">={}", numbers::grouped(nodes)), "-".to_owned()),
        };
        let row = format!(
            "{:>4} {:>4} {:>10} {:>4} {:>8} {:>16} {:>10} {:>12} {:<6} {reused:>6}  {}",
            self.number,
            self.problem.position.empties(),
            worded(*bound, ">=", "<="),
            self.best_move(),
            self.expected(),
            nodes,
            rate,
            numbers::span(self.time),
            self.source(),
            notation::moves(line),
        );
        row.trim_end().to_owned()
    }

    fn json(&self) -> anyhow::Result<String> {
        let Solution { bound, best_move, line, nodes, jobs, reused, unaudited, .. } = self.solution;
        let given = self.problem.bound;
        let object = Object {
            position: notation::board(self.problem.position, self.problem.side),
            lower: bound.lower().discs(),
            upper: bound.upper().discs(),
            value: bound.value().map(Score::discs),
            best_move: best_move.map(|square| square.to_string()),
            line: line.iter().map(ToString::to_string).collect(),
            nodes: Some(*nodes).filter(|&nodes| self.is_complete || nodes > 0),
            seconds: self.time.as_secs_f64(),
            source: self.source(),
            jobs: *jobs,
            reused: *reused,
            unaudited: *unaudited,
            expected: self.expected_value().map(Score::discs),
            expected_lower: Some(given.lower()).filter(|&end| end > Score::MIN).map(Score::discs),
            expected_upper: Some(given.upper()).filter(|&end| end < Score::MAX).map(Score::discs),
            agrees: self.agrees(),
            moves: self
                .moves
                .map(|moves| moves.iter().map(|one| one.object(self.problem)).collect()),
        };
        serde_json::to_string(&object).context("writing JSON")
    }

    fn best_move(&self) -> String {
        match self.solution.best_move {
            Some(square) => square.to_string(),
            None if self.problem.position.must_pass() => "pass".to_owned(),
            None => "-".to_owned(),
        }
    }

    /// Returns the position's value by the scores or bounds given, and whether it is that; empty where each score stands
    /// beside its move.
    fn expected(&self) -> String {
        match (self.expected_value(), self.problem.bound) {
            (Some(score), _) => marked(score, self.agrees()),
            (None, Bound::UNKNOWN) => String::new(),
            // Scores that stand beside their moves have marks of their own.
            (None, given) => marked(worded(given, ">=", "<="), judged(self.solution.bound, given)),
        }
    }

    /// Returns the value that the scores given say, unless they are those of moves.
    fn expected_value(&self) -> Option<Score> {
        self.problem.expected_value().filter(|_| self.moves.is_none())
    }

    fn rate(&self) -> String {
        numbers::short(numbers::rate(self.solution.nodes, self.time))
    }
}

/// Returns whether what is given is true of what has the bound `proved`: `None` if it may be, and other values may be as
/// well.
pub(super) fn judged(proved: Bound, given: Bound) -> Option<bool> {
    match proved.merge(given) {
        Err(_contradiction) => Some(false),
        Ok(_) => proved.implies(given).then_some(true),
    }
}

/// Returns what was given, and whether it is true, as far as that is known.
pub(super) fn marked(given: impl fmt::Display, agrees: Option<bool>) -> String {
    match agrees {
        Some(true) => format!("{given} ✓"),
        Some(false) => format!("{given} ✗"),
        None => given.to_string(),
    }
}

/// Returns a window for people.
pub(crate) fn asked(window: Window) -> String {
    format!("{} to {}", window.lower(), window.upper())
}

/// Returns a bound for people: `at least` and `at most` stand before an end that is alone.
pub(crate) fn worded(bound: Bound, at_least: &str, at_most: &str) -> String {
    let (lower, upper) = (bound.lower(), bound.upper());
    match (lower == Score::MIN, upper == Score::MAX) {
        _ if lower == upper => lower.to_string(),
        (false, true) => format!("{at_least} {lower}"),
        (true, false) => format!("{at_most} {upper}"),
        _ => format!("{lower} to {upper}"),
    }
}

/// One line of `--json`.
#[derive(Serialize)]
struct Object {
    position: String,
    lower: i32,
    upper: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i32>,
    best_move: Option<String>,
    line: Vec<String>,
    /// What was counted by the time at which a budget was spent; absent is nothing.
    nodes: Option<u64>,
    /// Since the position was asked.
    seconds: f64,
    source: &'static str,
    jobs: u64,
    reused: u64,
    #[serde(skip_serializing_if = "is_zero")]
    unaudited: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_lower: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_upper: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agrees: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<moves::Object>>,
}

const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Prints the titles of the table.
pub(crate) fn titles() -> anyhow::Result<()> {
    line(&format!(
        "{:>4} {:>4} {:>10} {:>4} {:>8} {:>16} {:>10} {:>12} {:<6} {:>6}  {}",
        "no",
        "left",
        "value",
        "move",
        "expected",
        "nodes",
        "nodes/s",
        "time",
        "source",
        "reused",
        "line"
    ))
}

#[cfg(test)]
mod tests;
