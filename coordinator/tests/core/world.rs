//! A whole cluster in virtual time: the real core, simulated workers, a lossy network.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use outflank_coordinator::core::{
    Command, Config, Core, Event, Job, JobId, Method, Millis, Proof, Proofs, Report, Solution,
    SolveId, WorkerId,
};
use outflank_engine::{Bound, Position, Square, Window};

use crate::advisor::Heuristic;
use crate::disk::{Disk, Release};
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
    /// The longest time that a write takes, in milliseconds.
    pub(crate) slow_disk: u64,
}

/// How often what has happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Happened {
    pub(crate) lost: u64,
    pub(crate) repeated: u64,
    pub(crate) late: u64,
    pub(crate) failed: u64,
    pub(crate) wrong: u64,
    pub(crate) left: u64,
    pub(crate) drained: u64,
    pub(crate) hung: u64,
    pub(crate) restarts: u64,
    pub(crate) sent_again: u64,
}

impl Happened {
    /// Adds what has happened in another run.
    pub(crate) fn add(&mut self, other: Self) {
        self.lost += other.lost;
        self.repeated += other.repeated;
        self.late += other.late;
        self.failed += other.failed;
        self.wrong += other.wrong;
        self.left += other.left;
        self.drained += other.drained;
        self.hung += other.hung;
        self.restarts += other.restarts;
        self.sent_again += other.sent_again;
    }

    /// Returns the number of faults.
    pub(crate) fn faults(self) -> u64 {
        let network = self.lost + self.repeated + self.late;
        network + self.failed + self.wrong + self.left + self.drained + self.hung + self.restarts
    }
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
    /// Reports that were not acknowledged.
    outbox: Vec<Report>,
    /// How many percent of its reports are lies.
    lies: u64,
}

enum Happening {
    Arrives(Event),
    Ends { worker: WorkerId, job: JobId, nodes: u64 },
    Written,
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
    pub(crate) happened: Happened,
    /// The workers that were found to be wrong.
    pub(crate) convicted: Vec<WorkerId>,
}

pub(crate) struct World {
    pub(crate) core: Core,
    pub(crate) store: Disk,
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
    /// What was acknowledged.
    promised: BTreeMap<Position, Bound>,
    liars: BTreeSet<WorkerId>,
    entries: u64,
    names: u64,
    /// When the disk will have written what it was given.
    busy_until: u64,
}

/// Sizes so small that positions of about ten empties are split over several plies.
pub(crate) fn tiny() -> Config {
    Config {
        shortest_job: 16.0,
        longest_job: 200.0,
        jobs_per_thread: 4.0,
        budget_factor: 4.0,
        leaf_empties: 3,
        most_led: 0,
        ..Config::default()
    }
}

impl World {
    pub(crate) fn new(seed: u64, oracle: &Rc<Oracle>, config: Config, faults: Faults) -> Self {
        let mut world = Self {
            core: Core::new(config.clone(), Box::new(Heuristic)),
            store: Disk::default(),
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
            promised: BTreeMap::new(),
            liars: BTreeSet::new(),
            entries: 0,
            names: 0,
            busy_until: 0,
        };
        world.schedule(1_000, Happening::Second);
        world
    }

    /// Puts a real store under the world.
    pub(crate) fn on_real_store(mut self) -> Self {
        self.store = Disk::real();
        self
    }

    /// Connects a worker.
    pub(crate) fn join(&mut self, threads: u32) {
        self.connect(SimWorker { threads, ..SimWorker::default() });
    }

    /// Connects a worker of which so many percent of the reports are lies.
    pub(crate) fn join_liar(&mut self, threads: u32, lies: u64) -> WorkerId {
        self.connect(SimWorker { threads, lies, ..SimWorker::default() })
    }

    fn connect(&mut self, state: SimWorker) -> WorkerId {
        self.names += 1;
        let (worker, threads) = (WorkerId(self.names), state.threads);
        if state.lies > 0 {
            self.liars.insert(worker);
        }
        let again = state.outbox.clone();
        self.workers.insert(worker, state);
        self.apply(Event::Joined { worker, threads });
        self.outcome.happened.sent_again += again.len() as u64;
        for report in again {
            self.deliver(Event::Reported { worker, report });
        }
        worker
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
            Happening::Written => self.written(),
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
                self.outcome.happened.drained += 1;
                self.apply(Event::Draining { worker });
                let jobs: Vec<JobId> = self.workers[&worker].jobs.keys().copied().collect();
                for job in jobs {
                    self.stop_job(worker, job);
                }
            }
            // The machine hangs: nobody says so.
            _ => {
                self.outcome.happened.hung += 1;
                self.workers.remove(&worker);
            }
        }
        if self.workers.len() < 2 {
            self.join(2);
        }
    }

    fn leave(&mut self, worker: WorkerId) {
        self.outcome.happened.left += 1;
        self.workers.remove(&worker);
        self.apply(Event::Left { worker });
    }

    /// The coordinator dies: only what is on disk is left, workers and clients connect again.
    fn restart(&mut self) {
        self.outcome.happened.restarts += 1;
        self.store.crash(&mut self.random);
        self.busy_until = self.now;
        self.check_promises();
        self.core = Core::new(self.config.clone(), Box::new(Heuristic));
        for (_, state) in std::mem::take(&mut self.workers) {
            self.connect(state);
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
        let (mut proofs, mut releases, mut trial) = (Vec::new(), Vec::new(), None);
        for command in self.core.on(Millis(self.now), event, &self.store) {
            match command {
                Command::Persist { proofs: new } => proofs = new,
                Command::Convict { .. } | Command::Trace { .. } => trial = Some(command),
                Command::Acknowledge { .. } => releases.push((command, reported.clone())),
                Command::Progressed { .. }
                | Command::Solved { .. }
                | Command::Contradicted { .. }
                | Command::Quarantine { .. } => releases.push((command, None)),
                command => self.obey(command),
            }
        }
        self.put(proofs, releases);
        if let Some(trial) = trial {
            self.judge(trial);
        }
    }

    fn put(&mut self, proofs: Vec<Proof>, releases: Vec<Release>) {
        for proof in &proofs {
            self.check_proof(proof);
        }
        let delay = match self.faults.slow_disk {
            0 => 0,
            longest => self.random.below(longest),
        };
        // One after the other, as the writer works.
        self.busy_until = self.busy_until.max(self.now) + delay;
        self.store.take(self.busy_until, proofs, releases);
        if self.busy_until == self.now {
            self.written();
        } else {
            self.schedule(self.busy_until - self.now, Happening::Written);
        }
    }

    fn written(&mut self) {
        for (command, report) in self.store.write(self.now) {
            self.release(command, report);
        }
    }

    /// Does what the service does when somebody was wrong.
    fn judge(&mut self, trial: Command) {
        for (command, report) in self.store.write(u64::MAX) {
            self.release(command, report);
        }
        let guilty = match trial {
            Command::Convict { workers, .. } => workers,
            Command::Trace { position, held, truth } => {
                match self.store.source(position, held, truth) {
                    Ok(worker) => vec![worker],
                    Err(bounds) => {
                        let claims = bounds.into_iter().map(suspicion).collect();
                        self.apply(Event::Suspected { claims });
                        return;
                    }
                }
            }
            _ => unreachable!("nothing else is tried"),
        };
        for worker in guilty {
            self.outcome.convicted.push(worker);
            self.workers.remove(&worker);
            self.store.withdraw(worker);
            self.promised.clear();
            self.apply(Event::Left { worker });
        }
        while self.workers.len() < 3 {
            self.join(1);
        }
        self.apply(Event::TakenBack);
    }

    fn release(&mut self, command: Command, reported: Option<Report>) {
        match command {
            Command::Acknowledge { worker, job } => {
                let report = reported.expect("only reports are acknowledged");
                assert_eq!(job, report.job);
                if let Some(state) = self.workers.get_mut(&worker) {
                    state.outbox.retain(|kept| *kept != report);
                }
                self.check_acknowledged(&report);
            }
            Command::Progressed { solve, progress } => {
                if let Some(&(position, _)) = self.requests.get(&solve) {
                    self.check_bound(position, progress.bound);
                }
            }
            Command::Solved { solve, solution } => self.solved(solve, solution),
            Command::Contradicted { solve, held, claimed, .. } => {
                assert!(held.merge(claimed).is_err() && self.anyone_lies());
                self.requests.remove(&solve).expect("it was open");
                self.outcome.contradicted.insert(solve);
            }
            Command::Quarantine { claim, held } => {
                assert!(self.anyone_lies());
                self.outcome.quarantined.push((claim, held));
            }
            command => unreachable!("{command:?} waits for nothing"),
        }
    }

    fn anyone_lies(&self) -> bool {
        self.faults.wrong > 0 || !self.liars.is_empty()
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Assign { worker, job } => self.assign(worker, job),
            Command::Cancel { worker, job } => {
                self.outcome.cancelled += 1;
                self.in_flight.remove(&(worker, job));
                if !self.is_lost() {
                    self.stop_job(worker, job);
                }
            }
            Command::Disconnect { worker, .. } => {
                self.workers.remove(&worker);
            }
            Command::Forget { .. } | Command::GaveUp { .. } => {}
            command => unreachable!("{command:?} waits for the disk, or for a verdict"),
        }
    }

    /// Returns whether the next message gets lost.
    fn is_lost(&mut self) -> bool {
        let is_lost = self.random.chance(self.faults.lost);
        self.outcome.happened.lost += u64::from(is_lost);
        is_lost
    }

    /// Returns whether nothing goes wrong and no job is meant to have two copies.
    fn is_quiet(&self) -> bool {
        self.faults == Faults::default() && self.config.backup_after == NEVER
    }

    fn assign(&mut self, worker: WorkerId, job: Job) {
        self.outcome.jobs += 1;
        for &(position, bound) in job.known.iter().filter(|_| !self.anyone_lies()) {
            self.check_bound(position, bound);
        }
        if self.is_quiet() {
            let twice = self.in_flight.iter().any(|&(_, id)| id == job.id);
            assert!(!twice, "{job:?} is in flight already");
            self.in_flight.insert((worker, job.id));
        }
        if self.is_lost() {
            return;
        }
        let predicted = 2_f64.powi(job.position.empties() as i32);
        let factor = 2_f64.powi(self.random.below(8) as i32 - 3);
        let nodes = (predicted * factor) as u64 + 1;
        let searched = nodes.min(job.node_limit);
        let delay = 5 + 20 * searched / u64::from(job.threads);
        let id = job.id;
        if self.config.most_led > 0 && self.random.chance(40) {
            let interim = worker::interim(&self.oracle, &mut self.random, &job);
            let begun = 1 + self.random.below(delay);
            self.schedule(begun, Happening::Arrives(Event::Interim { worker, interim }));
        }
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
        let lies = self.workers[&worker].lies;
        let report = if self.random.chance(self.faults.wrong) {
            self.outcome.happened.wrong += 1;
            worker::false_report(&mut self.random, &job, nodes)
        } else if self.random.chance(lies) {
            self.outcome.happened.wrong += 1;
            worker::lie(&self.oracle, &mut self.random, &job, nodes)
        } else if self.random.chance(self.faults.failed) {
            self.outcome.happened.failed += 1;
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
        if let Some(state) = self.workers.get_mut(&worker) {
            state.outbox.push(report.clone());
        }
        let event = Event::Reported { worker, report };
        if self.random.chance(self.faults.repeated) {
            self.outcome.happened.repeated += 1;
            self.deliver(event.clone());
        }
        if self.random.chance(self.faults.late) {
            self.outcome.happened.late += 1;
            self.schedule(60_000, Happening::Arrives(event));
        } else {
            self.deliver(event);
        }
    }

    fn deliver(&mut self, event: Event) {
        if !self.is_lost() {
            let delay = 1 + self.random.below(50);
            self.schedule(delay, Happening::Arrives(event));
        }
    }

    fn check_proof(&self, proof: &Proof) {
        assert_eq!(proof.position, proof.position.canonical());
        self.check_bound(proof.position, proof.bound);
        if let Some(square) = proof.best_move {
            assert!(proof.position.play(square).is_some(), "{proof:?} has an illegal move");
        }
    }

    fn check_bound(&self, position: Position, bound: Bound) {
        if !self.anyone_lies() {
            let value = self.oracle.value(position);
            let holds = bound.merge(Bound::exact(value)).is_ok();
            assert!(holds, "{bound} of {position:?} is false: {value}");
        }
    }

    /// Notes what was acknowledged, which must be on disk, for ever.
    fn check_acknowledged(&mut self, report: &Report) {
        if self.anyone_lies() {
            return;
        }
        self.promise(report.position, report.bound);
        for &(square, bound) in &report.children {
            self.promise(report.position.play(square).unwrap(), bound);
        }
    }

    fn promise(&mut self, position: Position, bound: Bound) {
        let promised = self.promised.entry(position.canonical()).or_insert(bound);
        *promised = promised.merge(bound).expect("both are true");
        let promised = *promised;
        self.check_promise(position.canonical(), promised);
    }

    /// Checks that nothing acknowledged is lost.
    pub(crate) fn check_promises(&self) {
        for (&position, &bound) in &self.promised {
            self.check_promise(position, bound);
        }
    }

    fn check_promise(&self, position: Position, bound: Bound) {
        let stored = self.store.kept.get(position).map_or(Bound::UNKNOWN, |(bound, _)| bound);
        assert!(stored.implies(bound) || position.is_over(), "{bound} acknowledged, not stored");
    }

    fn solved(&mut self, solve: SolveId, solution: Solution) {
        let (position, window) = self.requests.remove(&solve).expect("it was open");
        assert!(solution.bound.answers(window));
        self.check_bound(position, solution.bound);
        if !self.anyone_lies() {
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

/// Returns a claim whose author nobody knows.
fn suspicion((position, bound): (Position, Bound)) -> Proof {
    let method = Method::Inference;
    Proof { position, bound, best_move: None, nodes: 0, method, worker: None }
}

fn heartbeat(worker: WorkerId, state: &SimWorker) -> Event {
    let jobs = state.jobs.keys().map(|&job| (job, 1)).collect();
    Event::Heartbeat { worker, jobs }
}

/// A time span that never ends in these tests.
pub(crate) const NEVER: Duration = Duration::from_secs(1 << 32);
