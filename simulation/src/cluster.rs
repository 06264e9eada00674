//! The virtual clock, the network and the workers around the core.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::ops::Range;
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
use crate::speed::speed_up;
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
    /// The number of workers.
    pub workers: usize,
    /// The threads of each of them, at least one.
    pub threads: u32,
    /// The nodes that a thread searches in a second.
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
            threads: 1,
            nodes_per_second: 29e6,
            latency: 500,
            config: Config::default(),
            thought: Arc::default(),
        }
    }
}

impl Cluster {
    /// Returns the number of searchers, one for each thread of each worker.
    #[must_use]
    pub fn searchers(&self) -> usize {
        self.workers * self.threads as usize
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
            threads: cluster.threads,
            shares: false,
        });
        let first = HEARTBEAT * (worker as u64 + 1) / cluster.workers as u64;
        world.schedule(first, Happening::Heartbeat(worker));
    }
    for (number, &Request { position, window }) in requests.iter().enumerate() {
        let solve = SolveId(number as u64);
        world.open += 1;
        world.hear(Event::Submitted { solve, position, window, budget: None });
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
    /// It is time to look at a searcher's job, as was agreed under this number.
    Look(usize, u64),
    /// A searcher comes to the end of its job, as was agreed under this number.
    Ended(usize, u64),
    /// What another worker believes arrives at a worker.
    Hinted(usize, Vec<SharedHint>),
    /// What is proved below a job's position arrives at its worker.
    Told(usize, JobId, Vec<(Position, Bound)>),
    Heartbeat(usize),
    Tick,
}

/// Who searches one job of a worker: each worker has as many searchers as threads.
#[derive(Default)]
struct Searcher {
    running: Option<Running>,
}

struct Running {
    job: Job,
    begin: u64,
    /// The nodes that are searched in a microsecond.
    speed: f64,
    /// The nodes that the job will have taken at least when it is looked at next.
    until: u64,
    /// The number of what was agreed last.
    appointment: u64,
}

impl Running {
    /// Returns the nodes that the job has taken by `now`.
    fn nodes(&self, now: u64) -> u64 {
        ((now - self.begin) as f64 * self.speed) as u64
    }
}

struct World<'a> {
    cluster: &'a Cluster,
    core: Core,
    disk: Disk,
    crew: &'a mut dyn Crew,
    watch: &'a mut dyn FnMut(&Piece),
    searchers: Vec<Searcher>,
    /// The jobs of each worker that are on their way to it, which takes as long as the core thinks.
    coming: Vec<Vec<JobId>>,
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
            searchers: (0..cluster.searchers()).map(|_| Searcher::default()).collect(),
            coming: vec![Vec::new(); cluster.workers],
            now: 0,
            core_free: 0,
            agenda: BTreeMap::new(),
            entries: 0,
            open: 0,
            measures: Measures {
                workers: cluster.workers,
                threads: cluster.searchers(),
                ..Measures::default()
            },
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
            Happening::Cancelled(worker, job) => {
                if let Some(searcher) = self.searcher_of(worker, job) {
                    self.cancel(searcher);
                }
            }
            Happening::Look(searcher, number) => {
                if self.keeps(searcher, number) {
                    self.look(searcher);
                }
            }
            Happening::Ended(searcher, number) => self.end(searcher, number),
            Happening::Hinted(worker, hints) => {
                let first = self.searchers_of(worker).start;
                self.crew.hear(first, &hints);
            }
            Happening::Told(worker, job, known) => {
                if let Some(searcher) = self.searcher_of(worker, job) {
                    self.told(searcher, &known);
                }
            }
            Happening::Heartbeat(worker) => self.heartbeat(worker),
            Happening::Tick => {
                self.schedule(TICK, Happening::Tick);
                self.share_tables();
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
                self.coming[worker.0 as usize].push(job.id);
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
            Command::Judge(_) => unreachable!("workers that tell the truth are not tried"),
            Command::Acknowledge { .. }
            | Command::Forget { .. }
            | Command::GaveUp { .. }
            | Command::Resting { .. }
            | Command::Progressed { .. }
            | Command::Quarantine { .. }
            | Command::Disconnect { .. }
            | Command::Doubt { .. }
            | Command::Told { .. }
            | Command::Answer { .. }
            | Command::Cleared { .. } => {}
        }
    }

    /// Returns the searchers of `worker`.
    fn searchers_of(&self, worker: usize) -> Range<usize> {
        let threads = self.cluster.threads as usize;
        worker * threads..(worker + 1) * threads
    }

    /// Returns the worker of `searcher`.
    fn worker_of(&self, searcher: usize) -> usize {
        searcher / self.cluster.threads as usize
    }

    /// Returns who searches `job` for `worker`.
    fn searcher_of(&self, worker: usize, job: JobId) -> Option<usize> {
        let is_its = |running: &Running| running.job.id == job;
        self.searchers_of(worker)
            .find(|&searcher| self.searchers[searcher].running.as_ref().is_some_and(is_its))
    }

    fn begin(&mut self, worker: usize, job: Job) {
        self.coming[worker].retain(|&coming| coming != job.id);
        let mut searchers = self.searchers_of(worker);
        let idle = searchers.find(|&searcher| self.searchers[searcher].running.is_none());
        let searcher = idle.expect("a worker has no more jobs than threads");
        self.crew.begin(searcher, &job);
        let speed = self.cluster.nodes_per_second / 1e6 * speed_up(job.threads);
        let running = Running { job, begin: self.now, speed, until: 0, appointment: 0 };
        self.searchers[searcher].running = Some(running);
        self.look(searcher);
    }

    /// Returns whether what was agreed with `searcher` under this number still holds.
    fn keeps(&self, searcher: usize, number: u64) -> bool {
        let running = self.searchers[searcher].running.as_ref();
        running.is_some_and(|running| running.appointment == number)
    }

    /// Has those who search beside each other for one worker know what the others have found.
    fn share_tables(&mut self) {
        if self.cluster.threads == 1 {
            return;
        }
        for worker in 0..self.cluster.workers {
            let searchers = self.searchers_of(worker);
            let is_busy = |&searcher: &usize| self.searchers[searcher].running.is_some();
            let busy: Vec<usize> = searchers.filter(is_busy).collect();
            if busy.len() > 1 {
                busy.into_iter().for_each(|searcher| self.told(searcher, &[]));
            }
        }
    }

    fn told(&mut self, searcher: usize, known: &[(Position, Bound)]) {
        let Some(running) = &self.searchers[searcher].running else { return };
        let nodes = running.nodes(self.now);
        if self.crew.know(searcher, nodes, known) {
            if let Some(running) = &mut self.searchers[searcher].running {
                running.until = nodes;
            }
            self.look(searcher);
        }
    }

    fn look(&mut self, searcher: usize) {
        if let Some(running) = &self.searchers[searcher].running {
            self.tell_inside(searcher, running.until);
        }
        let now = self.now;
        let number = self.entries + 1;
        let Some(running) = &mut self.searchers[searcher].running else { return };
        let outlook = self.crew.look(searcher, running.until);
        running.until = outlook.until;
        running.appointment = number;
        let job = running.job.id;
        let time = running.begin + (outlook.until as f64 / running.speed) as u64;
        let next = if outlook.ends { Happening::Ended } else { Happening::Look };
        self.schedule(time.saturating_sub(now).max(1), next(searcher, number));
        let hints = self.crew.hints(searcher);
        let worker = WorkerId(self.worker_of(searcher) as u64);
        if !hints.is_empty() {
            let arrives = Happening::Arrives(Event::Hinted { worker, job, hints });
            self.schedule(self.cluster.latency, arrives);
        }
        if let Some(interim) = outlook.interim {
            let arrives = Happening::Arrives(Event::Interim { worker, interim });
            self.schedule(self.cluster.latency, arrives);
        }
    }

    fn end(&mut self, searcher: usize, number: u64) {
        if !self.keeps(searcher, number) {
            return;
        }
        if let Some(running) = &self.searchers[searcher].running {
            self.tell_inside(searcher, running.until);
        }
        let Some(Running { job, begin, .. }) = self.searchers[searcher].running.take() else {
            return;
        };
        let report = self.crew.end(searcher);
        self.reported(searcher, job, begin, report, false);
    }

    fn cancel(&mut self, searcher: usize) {
        let Some(running) = &self.searchers[searcher].running else { return };
        let nodes = running.nodes(self.now);
        self.tell_inside(searcher, nodes);
        let Some(Running { job, begin, .. }) = self.searchers[searcher].running.take() else {
            return;
        };
        let report = self.crew.stop(searcher, nodes);
        self.reported(searcher, job, begin, report, true);
    }

    fn reported(&mut self, searcher: usize, job: Job, begin: u64, report: Report, cancelled: bool) {
        let Report { nodes, finished, bound, .. } = report;
        let worker = self.worker_of(searcher);
        let piece = Piece { worker, begin, end: self.now, nodes, cancelled, finished, bound, job };
        self.measures.add(&piece);
        self.usefulness.add(&piece);
        (self.watch)(&piece);
        let worker = WorkerId(worker as u64);
        let arrives = Happening::Arrives(Event::Reported { worker, report });
        self.schedule(self.cluster.latency, arrives);
    }

    /// Has `searcher` tell of the dear bounds that it has found in the first so many nodes of its job.
    fn tell_inside(&mut self, searcher: usize, nodes: u64) {
        let Some(running) = &self.searchers[searcher].running else { return };
        let (job, era) = (running.job.id, running.job.era);
        let bounds = self.crew.inside(searcher, nodes);
        if !bounds.is_empty() {
            let worker = WorkerId(self.worker_of(searcher) as u64);
            let event = Event::Found { worker, job, era, bounds };
            self.schedule(self.cluster.latency, Happening::Arrives(event));
        }
    }

    fn heartbeat(&mut self, worker: usize) {
        self.schedule(HEARTBEAT, Happening::Heartbeat(worker));
        let running = self.searchers_of(worker).filter_map(|searcher| {
            let running = self.searchers[searcher].running.as_ref()?;
            Some((running.job.id, running.nodes(self.now)))
        });
        // The core gives a job when it has thought, and here counts its time from before that.
        let coming = self.coming[worker].iter().map(|&job| (job, 0));
        let jobs = running.chain(coming).collect();
        let event = Event::Heartbeat { worker: WorkerId(worker as u64), jobs };
        self.schedule(self.cluster.latency, Happening::Arrives(event));
    }

    fn finish(mut self, requests: &[Request]) -> Measures {
        // What still runs when the last answer is there was searched in vain.
        for searcher in 0..self.searchers.len() {
            self.cancel(searcher);
        }
        for &(solve, bound) in &self.measures.answers {
            let root = requests[solve.0 as usize].position.canonical();
            self.usefulness.prove(&self.disk, root, bound);
        }
        self.measures.needed_nodes = self.usefulness.nodes();
        self.measures
    }
}
