//! The virtual clock, the network and the workers around the core.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use outflank_coordinator::core::{
    Advisor, Command, Config, Core, Event, Job, JobId, Millis, ProcessId, Proof, Proofs, Report,
    SolveId, WorkerId,
};
use outflank_engine::{Bound, Position, SharedHint, Square, Window};

use crate::crew::Crew;
use crate::measures::{Measures, Piece};
use crate::usefulness::Usefulness;

/// A position whose value is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The position.
    pub position: Position,
    /// The window.
    pub window: Window,
}

/// The cluster that is simulated.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The number of workers, of one thread each.
    pub workers: usize,
    /// The nodes that a worker searches in a second.
    pub nodes_per_second: f64,
    /// The time that a message takes, in microseconds.
    pub latency: u64,
    /// The core's numbers.
    pub config: Config,
    /// The nodes that the core's advisor has searched so far; they hold the core up.
    pub thought: Arc<AtomicU64>,
}

impl Default for Cluster {
    fn default() -> Self {
        Self {
            workers: 2,
            nodes_per_second: 29e6,
            latency: 500,
            config: Config::default(),
            thought: Arc::default(),
        }
    }
}

/// The time between two heartbeats of a worker, in microseconds.
const HEARTBEAT: u64 = 5_000_000;

/// The time between two ticks of the core, in microseconds.
const TICK: u64 = 100_000;

/// Runs until all requests are answered. `watch` sees every job when it has ended.
pub fn simulate(
    cluster: &Cluster,
    advisor: Box<dyn Advisor + Send>,
    requests: &[Request],
    crew: &mut dyn Crew,
    watch: &mut dyn FnMut(&Piece),
) -> Measures {
    let mut world = World::new(cluster, advisor, crew, watch);
    for worker in 0..cluster.workers {
        world.apply(Event::Joined {
            worker: WorkerId(worker as u64),
            process: ProcessId(worker as u64),
            threads: 1,
        });
        let first = HEARTBEAT * (worker as u64 + 1) / cluster.workers as u64;
        world.schedule(first, Happening::Heartbeat(worker));
    }
    for (number, &Request { position, window }) in requests.iter().enumerate() {
        let solve = SolveId(number as u64);
        world.open += 1;
        world.hear(Event::Submitted { solve, position, window });
    }
    world.schedule(0, Happening::Tick);
    while world.open > 0 {
        world.step();
    }
    world.finish(requests)
}

/// The proofs on the simulated disk.
#[derive(Debug, Default)]
struct Disk(HashMap<Position, (Bound, Option<Square>), BuildHasherDefault<DefaultHasher>>);

impl Proofs for Disk {
    fn get(&self, position: Position) -> Option<(Bound, Option<Square>)> {
        self.0.get(&position).copied()
    }
}

impl Disk {
    fn write(&mut self, proof: &Proof) {
        let entry = self.0.entry(proof.position).or_insert((Bound::UNKNOWN, None));
        entry.0 = entry.0.merge(proof.bound).unwrap_or(entry.0);
        entry.1 = proof.best_move.or(entry.1);
    }
}

enum Happening {
    /// A message arrives at the coordinator.
    Arrives(Event),
    /// A job arrives at a worker.
    Assigned(usize, Job),
    /// A cancellation arrives at a worker.
    Cancelled(usize, JobId),
    /// It is time to look at a worker's job, as was agreed under this number.
    Look(usize, u64),
    /// A worker comes to the end of its job, as was agreed under this number.
    Ended(usize, u64),
    /// What another worker believes arrives at a worker.
    Hinted(usize, Vec<SharedHint>),
    /// What is proved below a job's position arrives at its worker.
    Told(usize, JobId, Vec<(Position, Bound)>),
    Heartbeat(usize),
    Tick,
}

#[derive(Default)]
struct Worker {
    running: Option<Running>,
}

struct Running {
    job: Job,
    begin: u64,
    /// The nodes that the job will have taken at least when it is looked at next.
    until: u64,
    /// The number of what was agreed last.
    appointment: u64,
}

struct World<'a> {
    cluster: &'a Cluster,
    core: Core,
    disk: Disk,
    crew: &'a mut dyn Crew,
    watch: &'a mut dyn FnMut(&Piece),
    workers: Vec<Worker>,
    now: u64,
    /// When the core has thought its commands over.
    core_free: u64,
    agenda: BTreeMap<(u64, u64), Happening>,
    entries: u64,
    open: usize,
    measures: Measures,
    usefulness: Usefulness,
}

impl<'a> World<'a> {
    fn new(
        cluster: &'a Cluster,
        advisor: Box<dyn Advisor + Send>,
        crew: &'a mut dyn Crew,
        watch: &'a mut dyn FnMut(&Piece),
    ) -> Self {
        Self {
            cluster,
            core: Core::new(cluster.config.clone(), advisor),
            disk: Disk::default(),
            crew,
            watch,
            workers: (0..cluster.workers).map(|_| Worker::default()).collect(),
            now: 0,
            core_free: 0,
            agenda: BTreeMap::new(),
            entries: 0,
            open: 0,
            measures: Measures { workers: cluster.workers, ..Measures::default() },
            usefulness: Usefulness::default(),
        }
    }

    fn schedule(&mut self, delay: u64, happening: Happening) {
        self.entries += 1;
        self.agenda.insert((self.now + delay, self.entries), happening);
    }

    fn step(&mut self) {
        let ((time, _), happening) = self.agenda.pop_first().expect("a tick always follows");
        self.now = time;
        match happening {
            Happening::Arrives(event) => self.apply(event),
            Happening::Assigned(worker, job) => self.begin(worker, job),
            Happening::Cancelled(worker, job) => self.cancel(worker, job),
            Happening::Look(worker, number) => {
                if self.keeps(worker, number) {
                    self.look(worker);
                }
            }
            Happening::Ended(worker, number) => self.end(worker, number),
            Happening::Hinted(worker, hints) => self.crew.hear(worker, &hints),
            Happening::Told(worker, job, known) => self.told(worker, job, &known),
            Happening::Heartbeat(worker) => self.heartbeat(worker),
            Happening::Tick => {
                self.schedule(TICK, Happening::Tick);
                self.apply(Event::Tick);
            }
        }
    }

    /// Gives the core an event and obeys.
    fn apply(&mut self, event: Event) {
        self.decide(|core, now, disk| core.on(now, event, disk));
    }

    /// Gives the core one of many events, after which nobody gets a job yet.
    fn hear(&mut self, event: Event) {
        self.decide(|core, now, disk| core.hear(now, event, disk));
    }

    fn decide(&mut self, decide: impl FnOnce(&mut Core, Millis, &Disk) -> Vec<Command>) {
        let begin = Instant::now();
        let commands = decide(&mut self.core, Millis(self.now / 1000), &self.disk);
        self.measures.thinking += begin.elapsed();
        let thought = self.cluster.thought.swap(0, Ordering::Relaxed);
        self.measures.thought += thought;
        let micros = thought as f64 * 1e6 / self.cluster.nodes_per_second;
        self.core_free = self.core_free.max(self.now) + micros as u64;
        self.measures.decisions += 1 + commands.len() as u64;
        for command in commands {
            self.obey(command);
        }
    }

    fn obey(&mut self, command: Command) {
        let latency = self.core_free - self.now + self.cluster.latency;
        match command {
            Command::Assign { worker, job } => {
                self.measures.jobs += 1;
                self.measures.hash([self.now, worker.0, job.id.0]);
                self.schedule(latency, Happening::Assigned(worker.0 as usize, job));
            }
            Command::Cancel { worker, job } => {
                self.schedule(latency, Happening::Cancelled(worker.0 as usize, job));
            }
            Command::Tell { worker, job, known } => {
                let arrives = Happening::Told(worker.0 as usize, job, known);
                self.schedule(latency, arrives);
            }
            Command::Hint { workers, hints } => {
                for worker in workers {
                    let arrives = Happening::Hinted(worker.0 as usize, hints.clone());
                    self.schedule(latency, arrives);
                }
            }
            Command::Persist { proofs } => {
                proofs.iter().for_each(|proof| self.disk.write(proof));
            }
            Command::Solved { solve, solution } => {
                self.open -= 1;
                self.measures.makespan = self.now;
                self.measures.answers.push((solve, solution.bound));
            }
            Command::Contradicted { position, held, claimed, .. } => {
                unreachable!(
                    "workers that tell the truth contradict: {position:?} {held} {claimed}"
                )
            }
            Command::Convict { .. } | Command::Trace { .. } | Command::Condemn { .. } => {
                unreachable!("workers that tell the truth are not tried")
            }
            Command::Acknowledge { .. }
            | Command::Forget { .. }
            | Command::GaveUp { .. }
            | Command::Progressed { .. }
            | Command::Quarantine { .. }
            | Command::Disconnect { .. }
            | Command::Doubt { .. }
            | Command::Told { .. }
            | Command::Cleared { .. } => {}
        }
    }

    fn begin(&mut self, worker: usize, job: Job) {
        self.crew.begin(worker, &job);
        let state = &mut self.workers[worker];
        state.running = Some(Running { job, begin: self.now, until: 0, appointment: 0 });
        self.look(worker);
    }

    /// Returns whether what was agreed with `worker` under this number still holds.
    fn keeps(&self, worker: usize, number: u64) -> bool {
        let running = self.workers[worker].running.as_ref();
        running.is_some_and(|running| running.appointment == number)
    }

    /// Returns the nodes that a job which began at `begin` has taken.
    fn nodes_since(&self, begin: u64) -> u64 {
        ((self.now - begin) as f64 * self.cluster.nodes_per_second / 1e6) as u64
    }

    fn told(&mut self, worker: usize, job: JobId, known: &[(Position, Bound)]) {
        let Some(running) = &self.workers[worker].running else { return };
        let nodes = self.nodes_since(running.begin);
        if running.job.id == job && self.crew.know(worker, nodes, known) {
            if let Some(running) = &mut self.workers[worker].running {
                running.until = nodes;
            }
            self.look(worker);
        }
    }

    fn look(&mut self, worker: usize) {
        if let Some(running) = &self.workers[worker].running {
            self.tell_inside(worker, running.until);
        }
        let (now, speed) = (self.now, self.cluster.nodes_per_second);
        let number = self.entries + 1;
        let Some(running) = &mut self.workers[worker].running else { return };
        let outlook = self.crew.look(worker, running.until);
        running.until = outlook.until;
        running.appointment = number;
        let job = running.job.id;
        let time = running.begin + (outlook.until as f64 * 1e6 / speed) as u64;
        let next = if outlook.ends { Happening::Ended } else { Happening::Look };
        self.schedule(time.saturating_sub(now).max(1), next(worker, number));
        let hints = self.crew.hints(worker);
        if !hints.is_empty() {
            let (worker, job) = (WorkerId(worker as u64), job);
            let arrives = Happening::Arrives(Event::Hinted { worker, job, hints });
            self.schedule(self.cluster.latency, arrives);
        }
        if let Some(interim) = outlook.interim {
            let worker = WorkerId(worker as u64);
            let arrives = Happening::Arrives(Event::Interim { worker, interim });
            self.schedule(self.cluster.latency, arrives);
        }
    }

    fn end(&mut self, worker: usize, number: u64) {
        if !self.keeps(worker, number) {
            return;
        }
        if let Some(running) = &self.workers[worker].running {
            self.tell_inside(worker, running.until);
        }
        let Some(Running { job, begin, .. }) = self.workers[worker].running.take() else {
            return;
        };
        let report = self.crew.end(worker);
        self.reported(worker, job, begin, report, false);
    }

    fn cancel(&mut self, worker: usize, job: JobId) {
        if let Some(running) = &self.workers[worker].running
            && running.job.id == job
        {
            self.tell_inside(worker, self.nodes_since(running.begin));
        }
        let running = self.workers[worker].running.take_if(|running| running.job.id == job);
        let Some(Running { job, begin, .. }) = running else { return };
        let report = self.crew.stop(worker, self.nodes_since(begin));
        self.reported(worker, job, begin, report, true);
    }

    fn reported(&mut self, worker: usize, job: Job, begin: u64, report: Report, cancelled: bool) {
        let Report { nodes, finished, bound, .. } = report;
        let piece = Piece { worker, begin, end: self.now, nodes, cancelled, finished, bound, job };
        self.measures.add(&piece);
        self.usefulness.add(&piece);
        (self.watch)(&piece);
        let worker = WorkerId(worker as u64);
        let arrives = Happening::Arrives(Event::Reported { worker, report });
        self.schedule(self.cluster.latency, arrives);
    }

    /// Has `worker` tell of the dear bounds that it has found in the first so many nodes of its job.
    fn tell_inside(&mut self, worker: usize, nodes: u64) {
        let Some(running) = &self.workers[worker].running else { return };
        let (job, era) = (running.job.id, running.job.era);
        let bounds = self.crew.inside(worker, nodes);
        if !bounds.is_empty() {
            let worker = WorkerId(worker as u64);
            let event = Event::Found { worker, job, era, bounds };
            self.schedule(self.cluster.latency, Happening::Arrives(event));
        }
    }

    fn heartbeat(&mut self, worker: usize) {
        self.schedule(HEARTBEAT, Happening::Heartbeat(worker));
        let running = self.workers[worker]
            .running
            .iter()
            .map(|running| (running.job.id, self.nodes_since(running.begin)));
        let jobs = running.collect();
        let event = Event::Heartbeat { worker: WorkerId(worker as u64), jobs };
        self.schedule(self.cluster.latency, Happening::Arrives(event));
    }

    fn finish(mut self, requests: &[Request]) -> Measures {
        // What still runs when the last answer is there was searched in vain.
        for worker in 0..self.workers.len() {
            if let Some(running) = &self.workers[worker].running {
                let job = running.job.id;
                self.cancel(worker, job);
            }
        }
        for &(solve, bound) in &self.measures.answers {
            let root = requests[solve.0 as usize].position.canonical();
            self.usefulness.prove(&self.disk, root, bound);
        }
        self.measures.needed_nodes = self.usefulness.nodes();
        self.measures
    }
}
