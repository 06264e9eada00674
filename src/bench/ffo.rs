//! `outflank bench ffo`: the end-game positions of FForum that the field compares its programs by.
//!
//! The engine alone is measured: no coordinator, no store, a fresh hash table for each position.

mod numbered;
mod report;

use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::Args;
use indicatif::ProgressBar;
use outflank_engine::{Answer, Control, Engine, Request, Settings};

use crate::arguments::Search;
use crate::exit::{Exit, Failure, OrExit};
use crate::{machine, numbers, progress};
use numbered::{Numbered, Selection};
use report::{Setting, Solved, Totals};

/// Solve the end-game positions of FForum and check every value and best move.
///
/// Values are exact, and each position begins with an empty hash table. A node is a position that
/// the search entered, searches of a few plies for the order of moves and the last squares
/// included; a move that was only generated, given a place in the order, or looked up in the hash
/// table is not counted. Other programs count otherwise (Edax counts moves scored for the order
/// and looked up, too), so compare the times of programs, and the nodes of one program.
#[derive(Debug, Args)]
pub(crate) struct Ffo {
    /// Which positions, 1 to 79: numbers and ranges with commas between them. #40 to #59 are the
    /// usual benchmark and take some minutes on one thread; #60 to #79 take hours.
    #[arg(long, visible_alias = "set", value_name = "FIRST-LAST,…", default_value = "40-59")]
    positions: Selection,
    #[command(flatten)]
    search: Search,
    /// Print one JSON object a line for each position, and one for the totals.
    #[arg(long)]
    json: bool,
}

/// The time between two looks at the node counter.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Solves the positions and prints the table.
pub(crate) fn run(arguments: &Ffo, quiet: bool) -> Result<Exit, Failure> {
    let options = machine::worker_options(&arguments.search)?;
    let setting = Setting {
        threads: options.threads as usize,
        table_bytes: options.table_bytes,
        isa: options.isa,
    };
    let engine = Engine::new(&Settings { isa: setting.isa, table_bytes: setting.table_bytes })
        .or_exit(Exit::BadInput)?;
    let totals = all(arguments, quiet, &engine, &setting)?;
    if totals.wrong().is_empty() {
        return Ok(Exit::Done);
    }
    let wrong: Vec<_> = totals.wrong().iter().map(|number| format!("#{number}")).collect();
    Err(anyhow!("the value or the best move is wrong: {}", wrong.join(", ")))
        .or_exit(Exit::Contradiction)
}

/// Solves all positions, printing each answer as it comes, and the totals.
fn all(arguments: &Ffo, quiet: bool, engine: &Engine, setting: &Setting) -> anyhow::Result<Totals> {
    let positions = arguments.positions.positions();
    let mut totals = Totals::default();
    let bar = bar(positions.len(), quiet);
    if !arguments.json {
        report::titles()?;
    }
    for numbered in &positions {
        bar.set_prefix(format!("#{}", numbered.number));
        let (answer, time) = solve(engine, numbered, setting.threads, &bar);
        let solved = Solved { numbered, answer: &answer, time };
        bar.suspend(|| if arguments.json { solved.print_json() } else { solved.print_row() })?;
        totals.add(&solved);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if arguments.json {
        totals.print_json(setting)?;
    } else {
        totals.print(setting)?;
    }
    Ok(totals)
}

/// Solves one position with a fresh table and shows the nodes meanwhile.
fn solve(
    engine: &Engine,
    numbered: &Numbered,
    threads: usize,
    bar: &ProgressBar,
) -> (Answer, Duration) {
    engine.clear();
    let request = &Request { threads, ..Request::exact(numbered.problem.position) };
    let (control, begin) = (&Control::default(), Instant::now());
    thread::scope(|scope| {
        let (running, ended) = mpsc::channel::<()>();
        let solver = scope.spawn(move || {
            let _running = running; // its end is the end of the channel
            (engine.solve(request, control), begin.elapsed())
        });
        while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
            show(bar, control.nodes(), begin.elapsed());
        }
        solver.join().unwrap_or_else(|panicked| resume_unwind(panicked))
    })
}

fn show(bar: &ProgressBar, nodes: u64, time: Duration) {
    let rate = numbers::short(numbers::rate(nodes, time));
    bar.set_message(format!(
        "{}, {} nodes, {rate}/s",
        numbers::span(time),
        numbers::short(nodes as f64)
    ));
}

/// Returns the progress bar, which counts positions; hidden if standard error is no terminal.
fn bar(positions: usize, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let template = "{spinner} {pos}/{len} [{bar:10}] {prefix} {wide_msg}";
    progress::bar(positions as u64, template)
}
