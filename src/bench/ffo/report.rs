//! The table, the JSON objects and the totals.

use std::time::Duration;

use anyhow::Context;
use outflank_engine::evaluation::Weights;
use outflank_engine::{Answer, Score, notation};
use outflank_kernel::Isa;
use serde::Serialize;

use super::numbered::Numbered;
use crate::bench::usage::usage;
use crate::numbers::{counted, grouped, rate, short, span};
use crate::output;

/// What the positions are solved with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    pub(super) threads: usize,
    pub(super) table_bytes: usize,
    pub(super) isa: Isa,
}

/// A position and its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solved<'a> {
    pub(super) numbered: &'a Numbered,
    pub(super) answer: &'a Answer,
    /// How long it took on the clock.
    pub(super) time: Duration,
}

/// Prints the titles of the table.
pub(super) fn titles() -> anyhow::Result<()> {
    output::line(&row(["no", "empties", "score", "move", "time", "nodes", "nodes/s", "line"]))
}

fn row([number, empties, score, best, time, nodes, rate, line]: [&str; 8]) -> String {
    let row = format!(
        "{number:>5} {empties:>7} {score:>5} {best:>4} {time:>12} {nodes:>18} {rate:>9}  {line}"
    );
    row.trim_end().to_owned()
}

impl Solved<'_> {
    /// Prints the line of the table; a wrong answer gets a second line.
    pub(super) fn print_row(&self) -> anyhow::Result<()> {
        let Self { numbered, answer, time } = *self;
        output::line(&row([
            &numbered.number.to_string(),
            &numbered.problem.position.empties().to_string(),
            &answer.bound.to_string(),
            &answer.best_move.map_or_else(|| "none".to_owned(), |square| square.to_string()),
            &span(time),
            &grouped(answer.nodes),
            &short(rate(answer.nodes, time)),
            &notation::moves(&answer.line),
        ]))?;
        if numbered.agrees(answer) {
            return Ok(());
        }
        let moves = numbered.best_moves().join(" or ");
        output::line(&format!(
            "WRONG: the value of #{} is {} by {moves}",
            numbered.number,
            numbered.value()
        ))
    }

    /// Prints the JSON object.
    pub(super) fn print_json(&self) -> anyhow::Result<()> {
        let Self { numbered, answer, time } = *self;
        let problem = &numbered.problem;
        print(&PositionObject {
            number: numbered.number,
            position: notation::board(problem.position, problem.side),
            empties: problem.position.empties(),
            lower: answer.bound.lower().discs(),
            upper: answer.bound.upper().discs(),
            value: answer.bound.value().map(Score::discs),
            best_move: answer.best_move.map(|square| square.to_string()),
            line: answer.line.iter().map(ToString::to_string).collect(),
            nodes: answer.nodes,
            seconds: time.as_secs_f64(),
            expected: numbered.value().discs(),
            expected_moves: numbered.best_moves(),
            agrees: numbered.agrees(answer),
        })
    }
}

/// Sums over all positions.
#[derive(Debug, Default)]
pub(super) struct Totals {
    positions: usize,
    nodes: u64,
    time: Duration,
    wrong: Vec<usize>,
}

impl Totals {
    pub(super) fn add(&mut self, solved: &Solved<'_>) {
        self.positions += 1;
        self.nodes += solved.answer.nodes;
        self.time += solved.time;
        if !solved.numbered.agrees(solved.answer) {
            self.wrong.push(solved.numbered.number);
        }
    }

    /// Returns the numbers of the positions with a wrong value or move.
    pub(super) fn wrong(&self) -> &[usize] {
        &self.wrong
    }

    /// Prints the last line of the table, and what the positions were solved with.
    pub(super) fn print(&self, setting: &Setting) -> anyhow::Result<()> {
        let Self { positions, nodes, time, wrong } = self;
        let (nodes_text, rate) = (grouped(*nodes), short(rate(*nodes, *time)));
        let found = format!("{}, {} wrong", counted(*positions as u64, "position"), wrong.len());
        output::line(&row(["total", "", "", "", &span(*time), &nodes_text, &rate, &found]))?;
        let usage = usage().context("asking for the resources used")?;
        output::line(&format!(
            "{} thread{}, {}, weights {}",
            setting.threads,
            if setting.threads == 1 { "" } else { "s" },
            setting.isa,
            weights(),
        ))?;
        output::line(&format!(
            "memory at its peak {} MiB, hash table {} MiB; processor time {} and {} in the system",
            usage.peak_memory >> 20,
            setting.table_bytes >> 20,
            span(usage.user),
            span(usage.system),
        ))
    }

    /// Prints the totals as a JSON object.
    pub(super) fn print_json(&self, setting: &Setting) -> anyhow::Result<()> {
        let usage = usage().context("asking for the resources used")?;
        print(&TotalsObject {
            positions: self.positions,
            nodes: self.nodes,
            seconds: self.time.as_secs_f64(),
            wrong: &self.wrong,
            threads: setting.threads,
            hash_bytes: setting.table_bytes,
            peak_memory_bytes: usage.peak_memory,
            user_seconds: usage.user.as_secs_f64(),
            system_seconds: usage.system.as_secs_f64(),
            isa: setting.isa.to_string(),
            version: env!("CARGO_PKG_VERSION"),
            weights: weights(),
        })
    }
}

/// Returns the name of the weights that order the moves.
fn weights() -> String {
    Weights::embedded()
        .map_or_else(|_| "none".to_owned(), |weights| format!("{:016x}", weights.id()))
}

fn print(object: &impl Serialize) -> anyhow::Result<()> {
    output::line(&serde_json::to_string(object).context("writing JSON")?)
}

/// The object of one position.
#[derive(Serialize)]
struct PositionObject {
    number: usize,
    position: String,
    empties: u32,
    lower: i32,
    upper: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i32>,
    best_move: Option<String>,
    line: Vec<String>,
    nodes: u64,
    seconds: f64,
    expected: i32,
    expected_moves: Vec<String>,
    agrees: bool,
}

/// The last object.
#[derive(Serialize)]
struct TotalsObject<'a> {
    positions: usize,
    nodes: u64,
    seconds: f64,
    wrong: &'a [usize],
    threads: usize,
    hash_bytes: usize,
    peak_memory_bytes: u64,
    user_seconds: f64,
    system_seconds: f64,
    isa: String,
    version: &'static str,
    weights: String,
}
