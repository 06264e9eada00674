//! A whole cluster in virtual time: the real core, simulated workers, a lossy network.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use outflank_coordinator::core::{
    Command, Config, Core, Event, Job, JobId, Millis, Proof, Proofs, Report, Solution, SolveId,
    WorkerId,
};
use outflank_engine::{Bound, Position, Square, Window};

use crate::advisor::Heuristic;
use crate::oracle::{Oracle, replay};
use crate::random::Random;
use crate::worker;

/// How many percent of messages and jobs go wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// Messages that get lost.
    pub(crate) lost: u64,
    /// Reports that arrive twice.
    pub(crate) repeated: u64,
    /// Reports that arrive a minute late.
    pub(crate) late: u64,
    /// Reports of a job that crashed.
    pub(crate) failed: u64,
    /// Reports with false claims.
    pub(crate) wrong: u64,
    /// Seconds in which a worker comes or goes, or the coordinator starts again.
    pub(crate) churn: u64,
}

/// The proofs that have reached the disk.
#[derive(Debug, Default)]
pub(crate) struct Store(pub(crate) BTreeMap<Position, (Bound, Option<Square>)>);

impl Proofs for Store {
    fn get(&self, position: Position) -> Option<(Bound, Option<Square>)> {
        self.0.get(&position).copied()
    }
}

#[derive(Debug, Default)]
struct SimWorker {
    threads: u32,
    jobs: BTreeMap<JobId, (Job, u64)>,
}

enum Happening {
    Arrives(Event),
    Ends { worker: WorkerId, job: JobId, nodes: u64 },
    Second,
}

/// What came of the requests.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) solved: BTreeMap<SolveId, Solution>,
    pub(crate) contradicted: BTreeSet<SolveId>,
    pub(crate) quarantined: Vec<(Proof, Bound)>,
    pub(crate) jobs: u64,
    pub(crate) cancelled: u64,
    pub(crate) events: u64,
    pub(crate) restarts: u64,
}

pub(crate) struct World {
    pub(crate) core: Core,
    pub(crate) store: Store,
    pub(crate) outcome: Outcome,
    oracle: Rc<Oracle>,
    config: Config,
    random: Random,
    faults: Faults,
    now: u64,
    agenda: BTreeMap<(u64, u64), Happening>,
    workers: BTreeMap<WorkerId, SimWorker>,
    requests: BTreeMap<SolveId, (Position, Window)>,
    in_flight: BTreeSet<(WorkerId, JobId)>,
    entries: u64,
    names: u64,
}

/// Sizes so small that positions of about ten empties are split over several plies.
pub(crate) fn tiny() -> Config {
    Config {
        shortest_job: 16.0,
        longest_job: 200.0,
        jobs_per_thread: 4.0,
        budget_factor: 4.0,
        leaf_empties: 3,
        ..Config::default()
    }
}

impl World {
    pub(crate) fn new(seed: u64, oracle: &Rc<Oracle>, config: Config, faults: Faults) -> Self {
        let mut world = Self {
            core: Core::new(config.clone(), Box::new(Heuristic)),
            store: Store::default(),
            outcome: Outcome::default(),
            oracle: Rc::clone(oracle),
            config,
            random: Random(seed),
            faults,
            now: 0,
            agenda: BTreeMap::new(),
            workers: BTreeMap::new(),
            requests: BTreeMap::new(),
            in_flight: BTreeSet::new(),
            entries: 0,
            names: 0,
        };
        world.schedule(1_000, Happening::Second);
        world
    }

    /// Connects a worker.
    pub(crate) fn join(&mut self, threads: u32) {
        self.names += 1;
        let worker = WorkerId(self.names);
        self.workers.insert(worker, SimWorker { threads, jobs: BTreeMap::new() });
        self.apply(Event::Joined { worker, threads });
    }

    /// Asks for a position.
    pub(crate) fn submit(&mut self, position: Position, window: Window) -> SolveId {
        self.names += 1;
        let solve = SolveId(self.names);
        self.requests.insert(solve, (position, window));
        self.apply(Event::Submitted { solve, position, window });
        solve
    }

    /// Runs until every request has ended.
    pub(crate) fn run(&mut self) {
        while !self.requests.is_empty() {
            self.step();
        }
    }

    /// Runs until the workers have reported everything.
    pub(crate) fn drain(&mut self) {
        while self.core.status().jobs_running > 0 {
            self.step();
        }
    }

    fn step(&mut self) {
        let ((time, _), happening) = self.agenda.pop_first().expect("a second always follows");
        self.now = time;
        self.outcome.events += 1;
        assert!(self.outcome.events < 300_000, "no end in sight: {:?}", self.core);
        match happening {
            Happening::Arrives(event) => self.apply(event),
            Happening::Ends { worker, job, nodes } => self.job_ends(worker, job, nodes),
            Happening::Second => self.second(),
        }
    }

    fn schedule(&mut self, delay: u64, happening: Happening) {
        self.entries += 1;
        self.agenda.insert((self.now + delay, self.entries), happening);
    }

    fn second(&mut self) {
        self.schedule(1_000, Happening::Second);
        if self.now.is_multiple_of(10_000) {
            let beats: Vec<Event> =
                self.workers.iter().map(|(&id, state)| heartbeat(id, state)).collect();
            for beat in beats {
                self.deliver(beat);
            }
        }
        if self.random.chance(self.faults.churn) {
            self.churn();
        }
        self.apply(Event::Tick);
    }

    fn churn(&mut self) {
        let ids: Vec<WorkerId> = self.workers.keys().copied().collect();
        let pick = self.random.below(ids.len() as u64 + 3) as usize;
        let Some(&worker) = ids.get(pick) else {
            if self.random.chance(10) {
                self.restart();
            } else if ids.len() < 8 {
                let threads = 1 + self.random.below(4) as u32;
                self.join(threads);
            }
            return;
        };
        match self.random.below(3) {
            0 => self.leave(worker),
            1 => {
                self.apply(Event::Draining { worker });
                let jobs: Vec<JobId> = self.workers[&worker].jobs.keys().copied().collect();
                for job in jobs {
                    self.stop_job(worker, job);
                }
            }
            // The machine hangs: nobody says so.
            _ => {
                self.workers.remove(&worker);
            }
        }
        if self.workers.len() < 2 {
            self.join(2);
        }
    }

    fn leave(&mut self, worker: WorkerId) {
        self.workers.remove(&worker);
        self.apply(Event::Left { worker });
    }

    /// The coordinator dies: only what is on disk is left, workers and clients connect again.
    fn restart(&mut self) {
        self.outcome.restarts += 1;
        self.core = Core::new(self.config.clone(), Box::new(Heuristic));
        for (_, state) in std::mem::take(&mut self.workers) {
            self.names += 1;
            let worker = WorkerId(self.names);
            let threads = state.threads;
            self.workers.insert(worker, state);
            self.apply(Event::Joined { worker, threads });
        }
        for (solve, (position, window)) in self.requests.clone() {
            self.apply(Event::Submitted { solve, position, window });
        }
    }

    fn apply(&mut self, event: Event) {
        let reported = match &event {
            Event::Reported { report, .. } => Some(report.clone()),
            _ => None,
        };
        if let Event::Reported { worker, report } = &event {
            self.in_flight.remove(&(*worker, report.job));
        }
        for command in self.core.on(Millis(self.now), event, &self.store) {
            self.obey(command, reported.as_ref());
        }
    }

    fn obey(&mut self, command: Command, reported: Option<&Report>) {
        match command {
            Command::Assign { worker, job } => self.assign(worker, job),
            Command::Cancel { worker, job } => {
                self.outcome.cancelled += 1;
                self.in_flight.remove(&(worker, job));
                if !self.random.chance(self.faults.lost) {
                    self.stop_job(worker, job);
                }
            }
            Command::Persist { proofs } => proofs.iter().for_each(|proof| self.write(proof)),
            Command::Acknowledge { job, .. } => {
                let report = reported.expect("only reports are acknowledged");
                assert_eq!(job, report.job);
                self.check_acknowledged(report);
            }
            Command::Progressed { solve, progress } => {
                let (position, _) = self.requests[&solve];
                self.check_bound(position, progress.bound);
            }
            Command::Solved { solve, solution } => self.solved(solve, solution),
            Command::Contradicted { solve, held, claimed, .. } => {
                assert!(held.merge(claimed).is_err() && self.faults.wrong > 0);
                self.requests.remove(&solve).expect("it was open");
                self.outcome.contradicted.insert(solve);
            }
            Command::Quarantine { claim, held } => {
                assert!(held.merge(claim.bound).is_err() && self.faults.wrong > 0);
                self.outcome.quarantined.push((claim, held));
            }
            Command::Disconnect { worker, .. } => {
                self.workers.remove(&worker);
            }
        }
    }

    /// Returns whether nothing goes wrong and no job is meant to have two copies.
    fn is_quiet(&self) -> bool {
        self.faults == Faults::default() && self.config.backup_after == NEVER
    }

    fn assign(&mut self, worker: WorkerId, job: Job) {
        self.outcome.jobs += 1;
        for &(position, bound) in &job.known {
            self.check_bound(position, bound);
        }
        if self.is_quiet() {
            let twice = self.in_flight.iter().any(|&(_, id)| id == job.id);
            assert!(!twice, "{job:?} is in flight already");
            self.in_flight.insert((worker, job.id));
        }
        if self.random.chance(self.faults.lost) {
            return;
        }
        let predicted = 2_f64.powi(job.position.empties() as i32);
        let factor = 2_f64.powi(self.random.below(8) as i32 - 3);
        let nodes = (predicted * factor) as u64 + 1;
        let searched = nodes.min(job.node_limit);
        let delay = 5 + 20 * searched / u64::from(job.threads);
        let id = job.id;
        let Some(state) = self.workers.get_mut(&worker) else { return };
        state.jobs.insert(id, (job, nodes));
        let threads = state.threads;
        let busy: u32 = state.jobs.values().map(|(job, _)| job.threads).sum();
        assert!(busy <= threads || !self.is_quiet(), "{worker:?} has {threads} threads");
        self.schedule(delay, Happening::Ends { worker, job: id, nodes: searched });
    }

    fn job_ends(&mut self, worker: WorkerId, job: JobId, nodes: u64) {
        let Some((job, needed)) =
            self.workers.get_mut(&worker).and_then(|state| state.jobs.remove(&job))
        else {
            return;
        };
        let report = if self.random.chance(self.faults.wrong) {
            worker::false_report(&mut self.random, &job, nodes)
        } else if self.random.chance(self.faults.failed) {
            Report { failed: true, ..worker::empty(&job, nodes) }
        } else if nodes < needed {
            worker::stopped(&self.oracle, &mut self.random, &job, nodes)
        } else {
            worker::finished(&self.oracle, &mut self.random, &job, nodes)
        };
        self.send_report(worker, report);
    }

    fn stop_job(&mut self, worker: WorkerId, job: JobId) {
        let Some((job, _)) =
            self.workers.get_mut(&worker).and_then(|state| state.jobs.remove(&job))
        else {
            return;
        };
        let report = worker::stopped(&self.oracle, &mut self.random, &job, 1);
        self.send_report(worker, report);
    }

    fn send_report(&mut self, worker: WorkerId, report: Report) {
        let event = Event::Reported { worker, report };
        if self.random.chance(self.faults.repeated) {
            self.deliver(event.clone());
        }
        if self.random.chance(self.faults.late) {
            self.schedule(60_000, Happening::Arrives(event));
        } else {
            self.deliver(event);
        }
    }

    fn deliver(&mut self, event: Event) {
        if !self.random.chance(self.faults.lost) {
            let delay = 1 + self.random.below(50);
            self.schedule(delay, Happening::Arrives(event));
        }
    }

    fn write(&mut self, proof: &Proof) {
        assert_eq!(proof.position, proof.position.canonical());
        self.check_bound(proof.position, proof.bound);
        if let Some(square) = proof.best_move {
            assert!(proof.position.play(square).is_some(), "{proof:?} has an illegal move");
        }
        let entry = self.store.0.entry(proof.position).or_insert((Bound::UNKNOWN, None));
        entry.0 = entry.0.merge(proof.bound).expect("the core persists no contradiction");
        entry.1 = proof.best_move.or(entry.1);
    }

    fn check_bound(&self, position: Position, bound: Bound) {
        if self.faults.wrong == 0 {
            let value = self.oracle.value(position);
            let holds = bound.merge(Bound::exact(value)).is_ok();
            assert!(holds, "{bound} of {position:?} is false: {value}");
        }
    }

    fn check_acknowledged(&self, report: &Report) {
        if self.faults.wrong > 0 {
            return;
        }
        self.check_stored(report.position, report.bound);
        for &(square, bound) in &report.children {
            self.check_stored(report.position.play(square).unwrap(), bound);
        }
    }

    fn check_stored(&self, position: Position, bound: Bound) {
        let canonical = position.canonical();
        let stored = self.store.0.get(&canonical).map_or(Bound::UNKNOWN, |entry| entry.0);
        assert!(stored.implies(bound) || position.is_over(), "{bound} acknowledged, not stored");
    }

    fn solved(&mut self, solve: SolveId, solution: Solution) {
        let (position, window) = self.requests.remove(&solve).expect("it was open");
        assert!(solution.bound.answers(window));
        self.check_bound(position, solution.bound);
        if self.faults.wrong == 0 {
            self.check_line(position, &solution);
        }
        self.outcome.solved.insert(solve, solution);
    }

    fn check_line(&self, position: Position, solution: &Solution) {
        let Some(value) = solution.bound.value() else { return };
        let mut reached = (position, value);
        for &square in &solution.line {
            if reached.0.must_pass() {
                reached = (reached.0.pass(), -reached.1);
            }
            reached = (reached.0.play(square).expect("a legal line"), -reached.1);
            assert_eq!(self.oracle.value(reached.0), reached.1, "the line keeps the value");
        }
        let is_complete = replay(position, &solution.line) == Some(value);
        let may_be_cut = self.faults.churn + self.faults.lost + self.faults.failed > 0;
        assert!(is_complete || may_be_cut, "the line {:?} ends early", solution.line);
        assert_eq!(solution.best_move, solution.line.first().copied().or(solution.best_move));
    }
}

fn heartbeat(worker: WorkerId, state: &SimWorker) -> Event {
    let jobs = state.jobs.keys().map(|&job| (job, 1)).collect();
    Event::Heartbeat { worker, jobs }
}

/// A time span that never ends in these tests.
pub(crate) const NEVER: Duration = Duration::from_secs(1 << 32);
