//! `outflank solve`: positions in, proved values out.

mod moves;
mod together;

use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use outflank_coordinator::client::Fetched;
use outflank_coordinator::core::Solution;
use outflank_engine::Window;
use outflank_engine::notation::Problem;
use tokio_util::sync::CancellationToken;

use crate::arguments::Solve;
use crate::budget::Budget;
use crate::cluster::Cluster;
use crate::exit::{Exit, Failure, OrExit};
use crate::output::{self, Answered, Format, Totals};
use crate::progress::Display;
use crate::{input, interrupt, numbers, runtime, typed};
use moves::{Combined, Questions};
use together::{Solver, Together};

/// Solves the positions that the arguments name: on a cluster side by side, here only those that are easy, the others one
/// after the other.
pub(crate) fn run(arguments: &Solve, quiet: bool) -> Result<Exit, Failure> {
    let problems = input::read(&arguments.position, arguments.board)?;
    runtime::block_on(solve(arguments, quiet, &problems))?
}

async fn solve(arguments: &Solve, quiet: bool, problems: &[Problem]) -> Result<Exit, Failure> {
    let (stop, _watch) = interrupt::watch().context("listening for Ctrl-C")?;
    let Some(cluster) = unless_stopped(&stop, Box::pin(Cluster::open(arguments))).await else {
        return Ok(interrupt::before_the_begin());
    };
    let mut cluster = cluster?;
    let window = arguments.window.unwrap_or(Window::FULL);
    let questions = match arguments.moves {
        true => Questions::of_moves(problems, window),
        false => Questions::of_positions(problems, window),
    };
    let mut run = Run {
        cluster: &mut cluster,
        questions: &questions,
        budget: arguments.budget,
        unanswered: 0,
        format: format(arguments, problems),
        quiet,
    };
    let solved = unless_stopped(&stop, Box::pin(run.all(problems))).await;
    let unanswered = run.unanswered;
    let kept = cluster.kept(&match solved {
        None => format!("to go on: {}", typed::command_line()),
        // With the same budget it would be spent again.
        Some(_) => format!("to go on without one: {}", typed::command_line_without_budget()),
    });
    let closed = cluster.close().await;
    let Some(totals) = solved else {
        closed?;
        output::note(&format!("interrupted; {kept}"));
        return Ok(Exit::Interrupted);
    };
    let totals = totals?;
    closed?;
    match totals.disagreeing() {
        0 if unanswered > 0 => {
            let positions = numbers::counted(unanswered, "position");
            output::note(&format!(
                "the budget was spent at {positions}, it takes a larger one; {kept}"
            ));
            Ok(Exit::Spent)
        }
        0 => Ok(Exit::Done),
        count => {
            Err(anyhow!("{count} of {} answers disagree with the given scores", problems.len()))
                .or_exit(Exit::Contradiction)
        }
    }
}

/// Returns what `work` gives, or `None` if `stop` comes first; the work is dropped then.
async fn unless_stopped<T>(stop: &CancellationToken, work: impl Future<Output = T>) -> Option<T> {
    stop.run_until_cancelled(work).await
}

const fn format(arguments: &Solve, problems: &[Problem]) -> Format {
    match (arguments.json, problems.len()) {
        (true, _) => Format::Json,
        (false, 1) => Format::Paragraph,
        (false, _) => Format::Table,
    }
}

/// How the positions of one command are solved and shown.
struct Run<'a> {
    cluster: &'a mut Cluster,
    questions: &'a Questions,
    budget: Budget,
    /// The positions whose budget was spent before they were answered.
    unanswered: u64,
    format: Format,
    quiet: bool,
}

impl Run<'_> {
    /// Solves all positions, printing each answer as it comes, and the totals of a table.
    async fn all(&mut self, problems: &[Problem]) -> Result<Totals, Failure> {
        let mut totals = Totals::default();
        if self.format == Format::Table {
            output::titles()?;
        }
        let begin = Instant::now();
        let mut together = None;
        for (index, problem) in problems.iter().enumerate() {
            let (combined, time) = self.answer(index, problem, &mut together).await?;
            let has_moves = combined.moves.as_ref().is_some_and(|moves| !moves.is_empty());
            if has_moves && combined.is_complete && self.cluster.keeps() {
                self.keep(problem).await?;
            }
            let Combined { solution, moves, is_complete } = combined;
            self.unanswered += u64::from(!is_complete);
            let (number, solution, moves) = (index + 1, &solution, moves.as_deref());
            let is_kept = self.cluster.keeps();
            let answered =
                Answered { number, problem, solution, time, is_complete, is_kept, moves };
            match &together {
                Some(together) => together.aside(|| answered.print(self.format))?,
                None => answered.print(self.format)?,
            }
            totals.add(&answered);
        }
        drop(together);
        if self.format == Format::Table {
            totals.print(begin.elapsed())?;
        }
        Ok(totals)
    }

    /// Returns the answer for position `index` of the command, which is `problem`, and how long it took.
    async fn answer(
        &mut self,
        index: usize,
        problem: &Problem,
        together: &mut Option<Together>,
    ) -> Result<(Combined, Duration), Failure> {
        let questions = self.questions;
        let (mut solutions, mut times) = (Vec::new(), Vec::new());
        for place in questions.places(index) {
            if together.as_ref().is_none_or(Together::is_done) {
                *together = self.together(place);
            }
            let (solution, time) = match together {
                Some(together) => {
                    self.cluster.unless_failed(together.answer(place, questions.list())).await?
                }
                None => self.one(place, questions.name(index, place)).await?,
            };
            solutions.push(solution);
            times.push(time);
        }
        let time = match together {
            Some(_) => times.iter().copied().max().unwrap_or_default(), // side by side
            None => times.iter().sum(),
        };
        Ok((questions.combine(index, problem, solutions), time))
    }

    /// Asks for a position of which every move is answered, so that what follows for it is kept as well.
    async fn keep(&mut self, problem: &Problem) -> Result<(), Failure> {
        // The window that was asked after each move, seen from before it.
        let window = -self.questions.window();
        self.cluster.solve(problem.position, window, |_| {}).await.map(drop)
    }

    /// Asks for the question at `place` and those behind it that can be asked at once, if there are any, and none has a
    /// budget that would be spent while it waits.
    fn together(&self, place: usize) -> Option<Together> {
        let (list, window) = (self.questions.list(), self.questions.window());
        let solver = if self.cluster.is_remote() { Solver::Cluster } else { Solver::Here };
        let places = solver.side_by_side(list, place);
        let is_list = places.len() > 1 && self.budget.is_open();
        let connection = self.cluster.connection();
        is_list.then(|| Together::ask(solver, connection, list, places, window, self.quiet))
    }

    /// Solves the position at `place` among the questions and shows the progress under `name`.
    async fn one(&mut self, place: usize, name: String) -> Result<(Solution, Duration), Failure> {
        let position = self.questions.list()[place].position;
        let window = self.questions.window();
        let mut display = Display::start(name, self.quiet);
        let meter = self.budget.meter();
        let on_update = |update| {
            meter.update(&update);
            display.update(&update);
        };
        let answer = tokio::select! {
            biased;
            solved = self.cluster.solve(position, window, on_update) => Ok(solved?),
            partial = meter.spent() => Err(partial),
        };
        let solution = match answer {
            Ok(solution) => solution,
            // Nothing of it goes on when the next position begins, which has a budget of its own.
            Err(partial) => {
                let Fetched { bound, best_move } =
                    self.cluster.give_up(position, partial.bound).await;
                Solution { bound, best_move, ..partial }
            }
        };
        Ok((solution, display.finish()))
    }
}
