//! Measures what the start and the restart of a busy cluster cost the core, without any network:
//! the time until every worker has a job, first with an empty store, then with what it holds after
//! many reports.
//!
//! `cargo run --release -p outflank-coordinator --example restart -- [WORKERS] [REPORTS]`

#![allow(clippy::print_stdout, reason = "the figures are its output")]

use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::time::{Duration, Instant};

use outflank_coordinator::advisor::EngineAdvisor;
use outflank_coordinator::core::{
    Command, Config, Core, Event, Job, Millis, Proofs, Report, SolveId, WorkerId,
};
use outflank_engine::{Bound, Control, Engine, Position, Request, Settings, Square, Window};
use outflank_kernel::Isa;

/// Requests open at once, and the empty squares of their positions.
const ROOTS: u64 = 16;
const EMPTIES: u32 = 26;
/// The largest job, in nodes: small, since this process searches all of them.
const JOB_NODES: f64 = 2_000.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |usual| arguments.next().map_or(Ok(usual), |text| text.parse::<u64>());
    let (workers, reports) = (number(10_000)?, number(10_000)?);
    let settings = Settings { isa: Isa::detect(), table_bytes: 64 << 20 };
    let engine = Engine::new(&settings)?;
    let mut store = Store::default();

    let mut first = Run::start("an empty store", &mut store, workers)?;
    first.work(&engine, reports);
    println!("{} positions proved", store.0.len());
    Run::start("a restart", &mut store, workers)?;
    Ok(())
}

/// All proofs, in memory.
#[derive(Debug, Default)]
struct Store(BTreeMap<Position, (Bound, Option<Square>)>);

impl Proofs for Store {
    fn get(&self, position: Position) -> Option<(Bound, Option<Square>)> {
        self.0.get(&position).copied()
    }
}

/// A coordinator's life.
#[derive(Debug)]
struct Run<'a> {
    core: Core,
    store: &'a mut Store,
    /// Jobs handed out, the oldest first.
    jobs: VecDeque<(WorkerId, Job)>,
    spent: Duration,
    solves: u64,
    events: u64,
}

impl<'a> Run<'a> {
    /// Starts one, and lets all workers join.
    fn start(title: &str, store: &'a mut Store, workers: u64) -> Result<Self, Box<dyn Error>> {
        // As with --job-nodes: nobody leads, and no job is larger.
        let config = Config {
            longest_job: JOB_NODES,
            shortest_job: JOB_NODES,
            most_led: 0,
            ..Config::default()
        };
        let core = Core::new(config, Box::new(EngineAdvisor::new()?));
        let (jobs, spent) = (VecDeque::new(), Duration::ZERO);
        let mut run = Self { core, store, jobs, spent, solves: 0, events: 0 };
        for _ in 0..ROOTS {
            run.submit();
        }
        let submitted = run.spent;
        for worker in 0..workers {
            run.feed(Event::Joined { worker: WorkerId(worker), threads: 1 });
        }
        println!(
            "{title}: {:.2} s for {ROOTS} requests, {:.2} s for {workers} workers, {} of which have a job",
            submitted.as_secs_f64(),
            (run.spent - submitted).as_secs_f64(),
            run.jobs.len(),
        );
        Ok(run)
    }

    /// Has so many jobs reported, and prints what each costs.
    fn work(&mut self, engine: &Engine, reports: u64) {
        let before = self.spent;
        for _ in 0..reports {
            let Some((worker, job)) = self.jobs.pop_front() else { break };
            let report = searched(engine, &job);
            self.feed(Event::Reported { worker, report });
        }
        let micros = (self.spent - before).as_secs_f64() * 1e6 / reports.max(1) as f64;
        println!("{reports} reports, {micros:.0} µs each");
    }

    fn submit(&mut self) {
        self.solves += 1;
        let (solve, window) = (SolveId(self.solves), Window::FULL);
        let position = played(self.solves, EMPTIES);
        self.feed(Event::Submitted { solve, position, window });
    }

    /// Feeds an event and does what the core says; a request that is answered is followed by
    /// another one.
    fn feed(&mut self, event: Event) {
        self.events += 1;
        let start = Instant::now();
        let commands = self.core.on(Millis(self.events / 10), event, self.store);
        self.spent += start.elapsed();
        for command in commands {
            match command {
                Command::Persist { proofs } => {
                    for proof in proofs {
                        let unknown = (Bound::UNKNOWN, None);
                        let held = self.store.0.entry(proof.position).or_insert(unknown);
                        let bound = held.0.merge(proof.bound).unwrap_or(held.0);
                        *held = (bound, proof.best_move.or(held.1));
                    }
                }
                Command::Assign { worker, job } => self.jobs.push_back((worker, job)),
                Command::Cancel { worker, job } => {
                    let found =
                        self.jobs.iter().position(|(at, given)| (*at, given.id) == (worker, job));
                    if let Some((worker, job)) = found.and_then(|at| self.jobs.remove(at)) {
                        self.feed(Event::Reported { worker, report: nothing(&job) });
                    }
                }
                Command::Solved { .. } => self.submit(),
                _ => {}
            }
        }
    }
}

fn searched(engine: &Engine, job: &Job) -> Report {
    let request = Request {
        position: job.position,
        window: job.window,
        node_limit: Some(job.node_limit),
        threads: 1,
        known: Vec::new(),
    };
    let answer = engine.solve(&request, &Control::default());
    Report {
        bound: answer.bound,
        best_move: answer.best_move,
        line: answer.line,
        children: answer.children,
        order: answer.order,
        nodes: answer.nodes,
        finished: answer.finished,
        ..nothing(job)
    }
}

fn nothing(job: &Job) -> Report {
    Report {
        job: job.id,
        position: job.position,
        bound: Bound::UNKNOWN,
        best_move: None,
        line: Vec::new(),
        children: Vec::new(),
        order: Vec::new(),
        nodes: 0,
        millis: 0,
        finished: false,
        failed: false,
        era: job.era,
    }
}

/// Returns the position of random game number `seed` with so many empty squares.
fn played(seed: u64, empties: u32) -> Position {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut position = Position::START;
    while position.empties() > empties || position.is_over() {
        if position.is_over() {
            position = Position::START;
        }
        if position.must_pass() {
            position = position.pass();
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        let moves: Vec<Square> = Square::all(position.moves()).collect();
        if let Some(&next) = moves.get((state >> 33) as usize % moves.len().max(1)) {
            position = position.play(next).unwrap_or(position);
        }
    }
    position
}
