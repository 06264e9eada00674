//! Workers that search the model.

use outflank_coordinator::core::{Interim, Job, Report};
use outflank_engine::{Belief, Bound, Position, Score, Square, Window};

use super::search::{Searcher, Table};
use super::tree::Model;
use crate::crew::{Crew, Outlook, nothing};
use crate::random::{hash, normal, unit};

/// The most positions that a worker remembers, before it forgets all.
const TABLE: usize = 1 << 15;

/// The standard deviation of a careful estimate of a root from its value, in discs.
const BELIEF_ERROR: f64 = 2.4;

/// The share of a job's nodes after which the last selective search has an opinion of it.
const BELIEVED_AFTER: f64 = 0.2;

/// How often that opinion of a goal is wrong.
const BELIEVED_WRONGLY: f64 = 0.05;

/// The plies looked ahead for the value to ask about first.
const GUESS_PLIES: u32 = 4;

/// All workers with their tables.
#[derive(Debug)]
pub struct Modelled {
    model: Model,
    workers: Vec<Worker>,
}

#[derive(Debug, Default)]
struct Worker {
    table: Table,
    log: Vec<(u64, Position, Bound)>,
    /// The job and its report, if it is left to run.
    running: Option<(Job, Report)>,
    /// Whether it has said what it believes of the job.
    said: bool,
}

impl Modelled {
    /// Returns so many workers with empty tables.
    #[must_use]
    pub fn new(model: Model, workers: usize) -> Self {
        Self { model, workers: (0..workers).map(|_| Worker::default()).collect() }
    }

    /// Returns the model.
    #[must_use]
    pub fn into_model(self) -> Model {
        self.model
    }
}

impl Model {
    /// Returns the nodes in which one worker, undisturbed and asking around the right value, answers
    /// `window` of `position`, and what the real advisor would believe of the value, in discs: with a
    /// normal error of the size measured on FForum's positions, where the value is known.
    pub fn sequential(&mut self, position: Position, window: Window) -> (u64, i32) {
        let guess = self.estimate(position, GUESS_PLIES);
        let value = self.value_of(position, window, guess).value().map_or(guess, Score::discs);
        let table = Table::default();
        let mut searcher = Searcher::new(self, &table, u64::MAX);
        searcher.answer(position.canonical(), window, value).expect("there is no limit");
        let nodes = searcher.nodes;
        let error = BELIEF_ERROR * normal(hash(self.shape().seed, position, 2));
        (nodes, value + error.round() as i32)
    }

    /// Returns what the tree says of `position` in `window`, asked around `guess` first.
    pub fn value_of(&mut self, position: Position, window: Window, guess: i32) -> Bound {
        let table = Table::default();
        let mut searcher = Searcher::new(self, &table, u64::MAX);
        searcher.answer(position.canonical(), window, guess).expect("there is no limit")
    }
}

impl Crew for Modelled {
    fn begin(&mut self, worker: usize, job: &Job) {
        let Worker { table, log, running, said } = &mut self.workers[worker];
        if table.len() > TABLE {
            table.clear();
        }
        for &(position, bound) in &job.known {
            remember(table, position.canonical(), bound);
        }
        let guess =
            if job.window.is_null() { 0 } else { self.model.estimate(job.position, GUESS_PLIES) };
        let mut searcher = Searcher::new(&mut self.model, table, job.node_limit);
        let answered = searcher.answer(job.position, job.window, guess);
        let nodes = searcher.nodes.max(1);
        *log = searcher.log;
        let mut report = nothing(job, nodes);
        if let Ok(bound) = answered {
            report.bound = bound;
            report.finished = true;
            report.best_move = Square::all(job.position.moves()).next();
        }
        *running = Some((job.clone(), report));
        *said = false;
    }

    fn look(&mut self, worker: usize, nodes: u64) -> Outlook {
        let seed = self.model.shape().seed;
        let Worker { running, said, .. } = &mut self.workers[worker];
        let Some((job, report)) = running else { return Outlook::default() };
        let opinion = (BELIEVED_AFTER * report.nodes as f64) as u64;
        let has_opinion = report.finished && job.window.is_null() && !*said;
        if has_opinion && nodes < opinion {
            return Outlook { until: opinion, ends: false, interim: None };
        }
        let interim =
            has_opinion.then(|| Interim { job: job.id, belief: belief(seed, job, report) });
        *said = true;
        Outlook { until: report.nodes, ends: true, interim }
    }

    fn end(&mut self, worker: usize) -> Report {
        let state = &mut self.workers[worker];
        state.keep(u64::MAX);
        let (_, report) = state.running.take().expect("the worker has a job");
        report
    }

    fn stop(&mut self, worker: usize, nodes: u64) -> Report {
        let state = &mut self.workers[worker];
        let (job, report) = state.running.take().expect("the worker has a job");
        let nodes = nodes.min(report.nodes);
        state.keep(nodes);
        Report { children: state.children(job.position), ..nothing(&job, nodes) }
    }
}

impl Worker {
    /// Takes what was found in the first so many nodes into the table.
    fn keep(&mut self, nodes: u64) {
        for (after, position, bound) in std::mem::take(&mut self.log) {
            if after <= nodes {
                remember(&mut self.table, position, bound);
            }
        }
    }

    fn children(&self, position: Position) -> Vec<(Square, Bound)> {
        let bound = |square: Square| {
            let child = position.play(square)?.canonical();
            Some((square, *self.table.get(&child)?))
        };
        Square::all(position.moves()).filter_map(bound).collect()
    }
}

/// Returns what a worker believes of a goal after its last selective search.
fn belief(seed: u64, job: &Job, report: &Report) -> Belief {
    let threshold = job.window.upper().discs();
    let holds = report.bound.lower().discs() >= threshold;
    let is_wrong = unit(hash(seed, job.position, (2000 + threshold) as u64)) < BELIEVED_WRONGLY;
    let value = if holds == is_wrong { threshold - 2 } else { threshold };
    Belief { value, best_move: None, searches: 3, is_last: true }
}

fn remember(table: &mut Table, position: Position, bound: Bound) {
    let held = table.entry(position).or_insert(Bound::UNKNOWN);
    *held = held.merge(bound).unwrap_or(*held);
}
