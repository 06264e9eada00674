//! Workers that search the model.

use outflank_coordinator::core::{Interim, Job, Report};
use outflank_engine::{Belief, Bound, FoundBound, Position, Score, Square, Symmetry, Window};

use super::ledger::Ledger;
use super::numbered::{Id, remember};
use super::search::{Begun, Found, Log, Searcher, Table};
use super::tree::Model;
use crate::crew::{Crew, Outlook, nothing};
use crate::random::{hash, normal};

/// The most positions that a worker remembers, before it forgets all.
const TABLE: usize = 1 << 15;

/// The standard deviation of a careful estimate of a root from its value, in discs.
const BELIEF_ERROR: f64 = 2.4;

/// The shares of a job's nodes after which its first and its last selective search have an opinion of it,
/// and the standard deviations of these from the value, in discs.
const OPINIONS: [(f64, f64); 2] = [(0.02, 5.0), (0.1, 2.0)];

/// The share of the nodes spent on a position at the horizon that need not be searched again when a job is
/// stopped there and its worker goes on with that position later: its table remembers, until it is full.
const KEPT: f64 = 0.9;

/// The plies looked ahead for the value to ask about first.
const GUESS_PLIES: u32 = 4;

/// All workers with their tables.
#[derive(Debug)]
pub struct Modelled {
    model: Model,
    searchers: Vec<Searching>,
    memories: Vec<Memory>,
    /// The threads of each worker.
    threads: usize,
    ledger: Ledger,
}

/// What a worker remembers from job to job. A search knows what was in it when it began.
#[derive(Debug, Default)]
struct Memory {
    table: Table,
    /// The positions at the horizon at which it was stopped, with the nodes that need not be searched again.
    begun: Begun,
}

/// The search of one job by a worker.
#[derive(Debug, Default)]
struct Searching {
    log: Log,
    /// The nodes that it had spent on the job before the search began that `log` is of.
    before: u64,
    /// The job and its report, if it is left to run.
    running: Option<(Job, Report)>,
    /// The nodes that the job would take without a limit.
    whole: u64,
    /// How far from the threshold the value of the job's position is, in discs.
    margin: i32,
    /// How often it has said what it believes of the job.
    said: usize,
    /// The dear bounds from inside the job that it has not told of yet.
    inside: Vec<FoundBound>,
    /// The nodes of the job up to which dear bounds were looked for.
    inspected: u64,
}

/// How one worker solves a position without any other.
#[derive(Clone, Debug)]
pub struct Alone {
    /// The nodes it takes.
    pub nodes: u64,
    /// What it proves.
    pub bound: Bound,
    /// What the real advisor would believe of the value, in discs.
    pub belief: i32,
    /// All that it has found on the way.
    found: Vec<(Id, Bound)>,
}

impl Modelled {
    /// Returns so many workers of `threads` threads with empty tables. A job on several threads is searched by one, which is
    /// given the speed of all.
    #[must_use]
    pub fn new(model: Model, workers: usize, threads: u32) -> Self {
        let threads = threads.max(1) as usize;
        let searchers = (0..workers * threads).map(|_| Searching::default()).collect();
        let memories = (0..workers).map(|_| Memory::default()).collect();
        Self { model, searchers, memories, threads, ledger: Ledger::default() }
    }

    /// Takes note of what one undisturbed worker has found, for [`Modelled::into_parts`].
    pub fn expect(&mut self, alone: &Alone) {
        self.ledger.expect(alone.found.iter().copied());
    }

    /// Returns the model, and where the nodes have gone.
    #[must_use]
    pub fn into_parts(self) -> (Model, Ledger) {
        (self.model, self.ledger)
    }
}

impl Modelled {
    /// Searches `job` as `searcher`, which has spent `nodes` nodes on it already.
    fn search(&mut self, searcher: usize, job: &Job, nodes: u64) {
        let guess =
            if job.window.is_null() { 0 } else { self.model.estimate(job.position, GUESS_PLIES) };
        let Memory { table, begun } = &self.memories[searcher / self.threads];
        let Searching { log, before, running, whole, margin, .. } = &mut self.searchers[searcher];
        *before = nodes;
        let mut search = Searcher::new(&mut self.model, table).after(nodes, begun);
        let bound = search.answer(job.position, job.window, guess);
        *whole = search.nodes.max(1);
        *margin = search.margin;
        *log = search.log;
        let mut report = nothing(job, (*whole).min(job.node_limit));
        if *whole <= job.node_limit {
            report.bound = bound;
            report.finished = true;
            report.best_move = Square::all(job.position.moves()).next();
        }
        *running = Some((job.clone(), report));
    }
}

impl Model {
    /// Returns how one worker, undisturbed and asking around the right value, answers `window` of
    /// `position`, and what the real advisor would believe: the value with a normal error of the size
    /// measured on FForum's positions, where it is known.
    pub fn sequential(&mut self, position: Position, window: Window) -> Alone {
        let guess = self.estimate(position, GUESS_PLIES);
        let value = self.value_of(position, window, guess).value().map_or(guess, Score::discs);
        let table = Table::default();
        let mut searcher = Searcher::new(self, &table);
        let bound = searcher.answer(position.canonical(), window, value);
        let nodes = searcher.nodes;
        let found = searcher.into_found().into_iter().collect();
        let error = BELIEF_ERROR * normal(hash(self.shape().seed, position, 2));
        Alone { nodes, bound, belief: value + error.round() as i32, found }
    }

    /// Returns what the tree says of `position` in `window`, asked around `guess` first.
    pub fn value_of(&mut self, position: Position, window: Window, guess: i32) -> Bound {
        let table = Table::default();
        let mut searcher = Searcher::new(self, &table);
        searcher.answer(position.canonical(), window, guess)
    }
}

impl Crew for Modelled {
    fn begin(&mut self, searcher: usize, job: &Job) {
        let memory = &mut self.memories[searcher / self.threads];
        if memory.table.len() > TABLE {
            memory.table.clear();
            memory.begun.clear();
        }
        for &(position, bound) in &job.known {
            remember(&mut memory.table, self.model.id(position.canonical()), bound);
        }
        let Searching { said, inside, inspected, .. } = &mut self.searchers[searcher];
        (*said, *inspected) = (0, 0);
        inside.clear();
        self.search(searcher, job, 0);
    }

    fn know(&mut self, searcher: usize, nodes: u64, known: &[(Position, Bound)]) -> bool {
        let state = &mut self.searchers[searcher];
        let Some((job, _)) = state.running.take() else { return false };
        let at_work = state.at_work(nodes);
        let memory = &mut self.memories[searcher / self.threads];
        state.keep(&job, nodes, memory, &mut self.model, &mut self.ledger);
        memory.begun.extend(at_work);
        for &(position, bound) in known {
            remember(&mut memory.table, self.model.id(position.canonical()), bound);
        }
        self.search(searcher, &job, nodes);
        true
    }

    fn inside(&mut self, searcher: usize, nodes: u64) -> Vec<FoundBound> {
        let state = &mut self.searchers[searcher];
        if let Some((job, _)) = &state.running {
            let (least, met) = (job.inside, Met::by(job));
            state.inspect(nodes, least, met, &self.model);
        }
        std::mem::take(&mut state.inside)
    }

    fn look(&mut self, searcher: usize, nodes: u64) -> Outlook {
        let seed = self.model.shape().seed;
        let Searching { running, whole, margin, said, log, .. } = &mut self.searchers[searcher];
        let Some((job, report)) = running else { return Outlook::default() };
        let after = |number: usize| {
            let opinion = OPINIONS.get(number).filter(|_| job.window.is_null());
            let after = opinion.map(|(share, _)| ((share * *whole as f64) as u64).max(1));
            after.filter(|&after| after < report.nodes)
        };
        let interim = after(*said).filter(|&after| after <= nodes).map(|_| {
            *said += 1;
            Interim { job: job.id, belief: belief(seed, job, *margin, *said) }
        });
        let next = after(*said).into_iter().chain(next_dear(log, nodes, job.inside)).min();
        match next.filter(|&next| next < report.nodes) {
            Some(next) => Outlook { until: next, ends: false, interim },
            None => Outlook { until: report.nodes, ends: true, interim },
        }
    }

    fn end(&mut self, searcher: usize) -> Report {
        let state = &mut self.searchers[searcher];
        let unfinished = state.running.as_ref().filter(|(_, report)| !report.finished);
        if let Some(limit) = unfinished.map(|(_, report)| report.nodes) {
            return self.stop(searcher, limit);
        }
        let (job, report) = state.running.take().expect("the searcher has a job");
        let memory = &mut self.memories[searcher / self.threads];
        state.keep(&job, u64::MAX, memory, &mut self.model, &mut self.ledger);
        report
    }

    fn stop(&mut self, searcher: usize, nodes: u64) -> Report {
        let state = &mut self.searchers[searcher];
        let (job, report) = state.running.take().expect("the searcher has a job");
        let nodes = nodes.min(report.nodes);
        let kept = |spent: u64| (KEPT * spent as f64) as u64;
        let at_work = state.at_work(nodes).map(|(id, spent)| (id, kept(spent)));
        let memory = &mut self.memories[searcher / self.threads];
        state.keep(&job, nodes, memory, &mut self.model, &mut self.ledger);
        memory.begun.extend(at_work);
        let children = memory.children(job.position, &self.model);
        Report { children, order: self.model.order(job.position), ..nothing(&job, nodes) }
    }
}

impl Searching {
    /// Returns the position that is being searched after so many nodes, with the nodes spent on it.
    fn at_work(&self, nodes: u64) -> Option<(Id, u64)> {
        let next = self.log.after(nodes);
        let &Found { id, spent, .. } = self.log.found.get(next)?;
        let begin = next.checked_sub(1).map_or(self.before, |last| self.log.found[last].after);
        Some((id, spent + nodes.saturating_sub(begin)))
    }

    /// Puts the dear bounds that were found in the first so many nodes of the job aside, to be told.
    fn inspect(&mut self, nodes: u64, least: Option<u64>, met: Met, model: &Model) {
        let Some(least) = least else { return };
        let log = &self.log;
        let news = log.after(self.inspected)..log.after(nodes);
        let dear = news.filter(|&place| log.found[place].nodes >= least).map(|place| FoundBound {
            position: met.turned(model.position(log.found[place].id)),
            bound: log.found[place].bound,
            nodes: log.found[place].nodes,
        });
        self.inside.extend(dear);
        let end = log.found.last().map_or(0, |last| last.after);
        self.inspected = self.inspected.max(nodes.min(end));
    }

    /// Takes what was found in the first so many nodes of `job` into the worker's memory and the ledger.
    fn keep(
        &mut self,
        job: &Job,
        nodes: u64,
        memory: &mut Memory,
        model: &mut Model,
        ledger: &mut Ledger,
    ) {
        self.inspect(nodes, job.inside, Met::by(job), model);
        let asked = (model.id(job.position), job.window);
        for found in std::mem::take(&mut self.log).found {
            let Found { after, id, bound, is_leaf, .. } = found;
            if after <= nodes {
                remember(&mut memory.table, id, bound);
                if is_leaf {
                    memory.begun.remove(&id);
                    ledger.add(asked, id, bound, found.nodes as f64);
                }
            }
        }
    }
}

impl Memory {
    /// Returns what is known of the positions after the moves of `position`.
    fn children(&self, position: Position, model: &Model) -> Vec<(Square, Bound)> {
        let bound = |square: Square| {
            let child = position.play(square)?.canonical();
            Some((square, *self.table.get(&model.find(child)?)?))
        };
        Square::all(position.moves()).filter_map(bound).collect()
    }
}

/// Returns after how many nodes the next dear bound is found.
fn next_dear(log: &Log, nodes: u64, least: Option<u64>) -> Option<u64> {
    let least = least?;
    let mut next = log.after(nodes)..log.found.len();
    next.find(|&place| log.found[place].nodes >= least).map(|place| log.found[place].after)
}

/// How searches of a job meet the positions of the model, which are canonical: with these squares filled.
#[derive(Clone, Copy, Debug)]
struct Met(u64);

impl Met {
    fn by(job: &Job) -> Self {
        Self(!job.symmetry.position(job.position).empty())
    }

    /// Returns a position below that of the job as a search of the job meets it.
    fn turned(self, below: Position) -> Position {
        let turned = Symmetry::all().map(|symmetry| symmetry.position(below));
        let mut met = turned.filter(|turned| !turned.empty() & self.0 == self.0);
        met.next().unwrap_or(below)
    }
}

/// Returns what a worker believes of a goal after so many selective searches, when the value is so far
/// from the threshold.
fn belief(seed: u64, job: &Job, margin: i32, searches: usize) -> Belief {
    let threshold = job.window.upper().discs();
    let (_, error) = OPINIONS[searches - 1];
    let error = error * normal(hash(seed, job.position, 2000 + searches as u64));
    // Half a disc to the side of the answer: values are even.
    let holds = f64::from(margin) + 1.0 + error > 0.0;
    let value = if holds { threshold } else { threshold - 2 };
    let is_last = searches == OPINIONS.len();
    Belief { value, best_move: None, searches: searches as u32, is_last }
}
