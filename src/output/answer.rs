//! The answer for a position, as a paragraph, as a row of a table and as JSON, held against the scores given.

use std::iter;
use std::time::Duration;

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
    pub(crate) fn agrees(&self) -> Option<bool> {
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
        judged(bound, expected).map(|is_true| is_true && moved.unwrap_or(expected) == expected)
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
            expected: self.problem.expected_value().map(Score::discs),
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

    /// Returns the position's value by the scores given, and whether it is that; empty where each score stands beside
    /// its move.
    fn expected(&self) -> String {
        let expected = self.problem.expected_value().filter(|_| self.moves.is_none());
        expected.map_or_else(String::new, |score| marked(score, self.agrees()))
    }

    fn rate(&self) -> String {
        numbers::short(numbers::rate(self.solution.nodes, self.time))
    }
}

/// Returns whether a score is true of what has that bound: `None` if it may be, and other scores may be as well.
pub(super) fn judged(bound: Bound, score: Score) -> Option<bool> {
    let may_be = bound.lower() <= score && score <= bound.upper();
    (!may_be || bound.value().is_some()).then_some(may_be)
}

/// Returns a score that was given, and whether it is true, as far as that is known.
pub(super) fn marked(score: Score, agrees: Option<bool>) -> String {
    match agrees {
        Some(true) => format!("{score} ✓"),
        Some(false) => format!("{score} ✗"),
        None => score.to_string(),
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
mod tests {
    use outflank_engine::Square;

    use super::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";

    fn problem(expected: &str) -> Problem {
        notation::problems("test", &format!("{START};{expected}")).next().unwrap().unwrap()
    }

    fn solution(value: i32, best: &str) -> Solution {
        let best: Square = best.parse().unwrap();
        Solution {
            bound: Bound::exact(Score::new(value).unwrap()),
            best_move: Some(best),
            line: vec![best],
            nodes: 1_234_567,
            jobs: 3,
            reused: 2,
            source: Source::Both,
            unaudited: 0,
        }
    }

    fn answered<'a>(problem: &'a Problem, solution: &'a Solution) -> Answered<'a> {
        let time = Duration::from_millis(250);
        let (is_complete, is_kept) = (true, true);
        Answered { number: 1, problem, solution, time, is_complete, is_kept, moves: None }
    }

    #[test]
    fn an_answer_agrees_when_value_and_move_do() {
        let problem = problem(" F5:+2; D3:-4;");
        let agrees = |value, best| answered(&problem, &solution(value, best)).agrees();
        assert_eq!(agrees(2, "f5"), Some(true));
        assert_eq!(agrees(2, "c4"), Some(true), "no score is given for c4");
        assert_eq!(agrees(2, "d3"), Some(false));
        assert_eq!(agrees(4, "f5"), Some(false));
        let bound = Bound::at_least(Score::new(-2).unwrap());
        let proved = Solution { bound, ..solution(0, "d3") };
        assert_eq!(answered(&problem, &proved).agrees(), None, "+2 is -2 or more, as others are");
        let bound = Bound::at_least(Score::new(4).unwrap());
        let proved = Solution { bound, ..proved };
        assert_eq!(answered(&problem, &proved).agrees(), Some(false));
        assert_eq!(answered(&self::problem(""), &proved).agrees(), None);
    }

    #[test]
    fn nothing_agrees_with_what_was_not_found() {
        let problem = problem(" F5:+2;");
        let spent = |lower, upper| {
            let [lower, upper] = [lower, upper].map(|discs| Score::new(discs).unwrap());
            let bound = Bound::new(lower, upper).unwrap();
            let solution = Solution { bound, ..solution(0, "f5") };
            let answered = Answered { is_complete: false, ..answered(&problem, &solution) };
            (answered.agrees(), answered.expected())
        };
        assert_eq!(spent(-64, 64), (None, "+2".to_owned()));
        assert_eq!(spent(0, 4), (None, "+2".to_owned()));
        assert_eq!(spent(4, 64), (Some(false), "+2 ✗".to_owned()));
        assert_eq!(spent(2, 2), (Some(true), "+2 ✓".to_owned()));
    }

    #[test]
    fn scores_of_moves_are_held_against_the_moves() {
        let (problem, solution) = (problem(" D3:-4;"), solution(2, "f5"));
        let judged = |square: &str, value| {
            let square: Square = square.parse().unwrap();
            let bound = Bound::exact(Score::new(value).unwrap());
            Move { square: Some(square), bound, line: vec![square] }
        };
        let moves = [judged("f5", 2), judged("d3", -4)];
        let answered = Answered { moves: Some(&moves), ..answered(&problem, &solution) };
        assert_eq!(answered.agrees(), Some(true), "that of the best move was not given");
        assert_eq!(Answered { moves: None, ..answered }.agrees(), Some(false));
    }

    #[test]
    fn bounds_are_worded() {
        let bound = |lower, upper| {
            Bound::new(Score::new(lower).unwrap(), Score::new(upper).unwrap()).unwrap()
        };
        let cases = [
            (bound(2, 2), "+2"),
            (bound(2, 64), "at least +2"),
            (bound(-64, -4), "at most -4"),
            (bound(-4, 2), "-4 to +2"),
            (bound(64, 64), "+64"),
            (Bound::UNKNOWN, "-64 to +64"),
        ];
        for (bound, expected) in cases {
            assert_eq!(worded(bound, "at least", "at most"), expected);
        }
    }

    #[test]
    fn json_has_the_documented_fields() {
        let (problem, solution) = (problem(" F5:+2;"), solution(2, "f5"));
        let json: serde_json::Value =
            serde_json::from_str(&answered(&problem, &solution).json().unwrap()).unwrap();
        let expected = serde_json::json!({
            "position": START, "lower": 2, "upper": 2, "value": 2, "best_move": "f5", "line": ["f5"],
            "nodes": 1_234_567, "seconds": 0.25, "source": "both", "jobs": 3, "reused": 2,
            "expected": 2, "agrees": true,
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn without_a_store_no_answer_comes_from_it() {
        let problem = problem("");
        let source = |source, is_kept| {
            let solution = Solution { source, ..solution(2, "f5") };
            Answered { is_kept, ..answered(&problem, &solution) }.source()
        };
        assert_eq!(
            (source(Source::Store, true), source(Source::Store, false)),
            ("store", "memory")
        );
        assert_eq!(source(Source::Search, false), "search");
    }

    #[test]
    fn a_count_that_may_have_grown_is_no_total() {
        let problem = problem("");
        let said = |nodes| {
            let solution = Solution { nodes, ..solution(2, "f5") };
            let spent = Answered { is_complete: false, ..answered(&problem, &solution) };
            let json: serde_json::Value = serde_json::from_str(&spent.json().unwrap()).unwrap();
            let paragraph = spent.paragraph();
            let line = paragraph.lines().find(|line| line.starts_with("nodes")).unwrap();
            (line.to_owned(), spent.row().split_whitespace().nth(4).unwrap().to_owned(), json)
        };
        let (line, row, json) = said(1_234_567);
        assert_eq!((line.as_str(), row.as_str()), ("nodes      at least 1,234,567", ">=1,234,567"));
        assert_eq!(json["nodes"], 1_234_567);
        let (line, row, json) = said(0);
        assert_eq!((line.as_str(), row.as_str()), ("nodes      none counted by then", "-"));
        assert!(json["nodes"].is_null(), "{json}");
    }

    #[test]
    fn moves_stand_below_their_position() {
        let (problem, solution) = (problem(" F5:+2; D3:-4;"), solution(2, "f5"));
        let judged = |square: &str, lower, upper| {
            let square: Square = square.parse().unwrap();
            let [lower, upper] = [lower, upper].map(|discs| Score::new(discs).unwrap());
            let bound = Bound::new(lower, upper).unwrap();
            Move { square: Some(square), bound, line: vec![square] }
        };
        let moves = [judged("f5", 2, 2), judged("d3", -64, -2)];
        let answered = Answered { moves: Some(&moves), ..answered(&problem, &solution) };
        assert_eq!(answered.agrees(), None, "d3 may be worth -4, or less");
        let paragraph = answered.paragraph();
        let below: Vec<_> = paragraph.lines().skip(8).collect();
        let expected = [
            "move       value        expected   line",
            "f5         +2           +2 ✓       f5",
            "d3         at most -2   -4         d3",
        ];
        assert_eq!(below, expected, "{paragraph}");
        let rows = answered.rows();
        let place = |row: &str, word: &str| {
            row.chars().count() - row.rsplit_once(word).unwrap().1.chars().count()
        };
        let ends: Vec<_> =
            rows.lines().map(|row| [" f5", " d3"].map(|end| row.ends_with(end))).collect();
        assert_eq!(ends, [[true, false], [true, false], [false, true]], "{rows}");
        let [position, first, second] = rows.lines().collect::<Vec<_>>()[..] else {
            panic!("{rows}")
        };
        assert_eq!(place(position, "f5"), place(first, "f5"), "in the same column: {rows}");
        assert_eq!(place(first, "f5"), place(second, "d3"), "{rows}");
        let wrong = [judged("f5", 2, 2), judged("d3", 0, 0)];
        assert_eq!(Answered { moves: Some(&wrong), ..answered }.agrees(), Some(false));
        let json: serde_json::Value = serde_json::from_str(&answered.json().unwrap()).unwrap();
        let expected = serde_json::json!([
            { "move": "f5", "lower": 2, "upper": 2, "value": 2, "expected": 2, "line": ["f5"] },
            { "move": "d3", "lower": -64, "upper": -2, "expected": -4, "line": ["d3"] },
        ]);
        assert_eq!(json["moves"], expected);
    }

    #[test]
    fn the_paragraph_says_everything() {
        let (problem, solution) = (problem(" F5:+2;"), solution(2, "f5"));
        let expected = "\
to move    black, 60 empties
value      +2
expected   +2 ✓
best move  f5
line       f5
nodes      1,234,567 (4.9 M/s)
time       0.250 s
source     both (3 jobs done, 2 bounds reused)";
        assert_eq!(answered(&problem, &solution).paragraph(), expected);
    }
}
