//! A whole cluster in virtual time: the real core, simulated workers, a lossy network.

mod checks;
mod churn;
mod faults;
mod fickle;
mod mischief;
mod shell;
mod workers;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use outflank_coordinator::core::{
    Config, Core, Event, JobId, Proof, Proofs, Solution, SolveId, Terms, WorkerId,
};
use outflank_engine::{Bound, FoundBound, Position, Square, Window};

use crate::advisor::Heuristic;
use crate::disk::Disk;
use crate::oracle::Oracle;
use crate::random::Random;
pub(crate) use faults::{Faults, Happened};
use workers::{SimWorker, heartbeat};

/// The proofs that have reached the disk.
#[derive(Debug, Default)]
pub(crate) struct Store(pub(crate) BTreeMap<Position, (Bound, Option<Square>)>);

impl Proofs for Store {
    fn get(&self, position: Position) -> Option<(Bound, Option<Square>)> {
        self.0.get(&position).copied()
    }
}

enum Happening {
    Arrives(Event),
    Ends {
        worker: WorkerId,
        job: JobId,
        nodes: u64,
    },
    Written,
    /// A worker connects again that was disconnected.
    Returns(SimWorker),
    /// The core hands out what it has not yet.
    Assigns,
    Second,
}

/// What a client or a campaign has asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) position: Position,
    pub(crate) window: Window,
    /// How it is served, if it belongs to a campaign.
    pub(crate) terms: Option<Terms>,
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
    /// The worker processes that were found to be wrong, named after their first connections.
    pub(crate) convicted: Vec<WorkerId>,
    /// How often what a worker claimed was taken back without refusing it.
    pub(crate) pardoned: u64,
    /// How often a bound was taken back that nobody has claimed.
    pub(crate) retracted: u64,
    /// How many of those that were convicted had never lied.
    pub(crate) wronged: u64,
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
    requests: BTreeMap<SolveId, Asked>,
    /// The requests that were given up.
    given_up: BTreeSet<SolveId>,
    in_flight: BTreeSet<(WorkerId, JobId)>,
    /// What was acknowledged.
    promised: BTreeMap<Position, Bound>,
    liars: BTreeSet<WorkerId>,
    /// The process behind each connection that there ever was, named after its first one.
    processes: BTreeMap<WorkerId, WorkerId>,
    entries: u64,
    names: u64,
    /// When the disk will have written what it was given.
    busy_until: u64,
    /// Whether its workers share searches.
    shares: bool,
    /// The bounds that those hear of who are told that something was found out for them, by their numbers.
    answers: BTreeMap<u64, FoundBound>,
    /// What clients and campaigns ask about.
    roots: Vec<Position>,
    /// How many workers that never lied there are at least; if nothing is said, as many as requests need.
    least: Option<usize>,
    /// What campaigns ask that are paused.
    paused: Vec<Asked>,
    /// Whether nobody lies any more.
    is_calm: bool,
    /// Whether the store may hold what is false although nobody has lied.
    has_damage: bool,
    /// The most questions that the core splits before it hears the next event, if there is a limit.
    splits: Option<usize>,
    /// Whether it is to hand out jobs soon.
    is_to_assign: bool,
}

/// Sizes so small that positions of about ten empties are split over several plies.
pub(crate) fn tiny() -> Config {
    Config {
        shortest_job: 16.0,
        longest_job: 200.0,
        trial_job: 60.0,
        jobs_per_thread: 4.0,
        budget_factor: 4.0,
        leaf_empties: 3,
        small_up_to: 0,
        goals_from_slots: usize::MAX,
        inside_nodes: 1.0,
        inside_nodes_per_thread: 0.0,
        ..Config::default()
    }
}

/// The same where beliefs steer what is asked, as with many threads for a request.
pub(crate) fn steered() -> Config {
    Config { goals_from_slots: 1, slots_per_deep: 0, ..tiny() }
}

/// Returns one of the two, or one where beliefs steer what goes out whole and is split late, or where they do so if there
/// are enough workers, so that seeds have them in turn.
pub(crate) fn in_turn(number: u64) -> Config {
    match number % 3 {
        0 if number.is_multiple_of(2) => tiny(),
        // Few workers of several threads have jobs with all of them, and more, or more requests, are steered.
        0 => Config { small_up_to: 3, goals_from_slots: 4, ..tiny() },
        // Every other time as if the fleet were a large one.
        1 if number.is_multiple_of(2) => Config { large_above: 1, slots_of_each: 1, ..steered() },
        1 => steered(),
        _ => {
            let split_soon = Duration::from_millis(5);
            // Whole requests, or larger ones on trial.
            let longest_job = if number.is_multiple_of(2) { 1e9 } else { 200.0 };
            Config { slots_per_deep: usize::MAX, longest_job, split_soon, ..steered() }
        }
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
            given_up: BTreeSet::new(),
            in_flight: BTreeSet::new(),
            promised: BTreeMap::new(),
            liars: BTreeSet::new(),
            processes: BTreeMap::new(),
            entries: 0,
            names: 0,
            busy_until: 0,
            shares: false,
            answers: BTreeMap::new(),
            roots: Vec::new(),
            least: None,
            paused: Vec::new(),
            is_calm: false,
            has_damage: false,
            splits: None,
            is_to_assign: false,
        };
        world.schedule(1_000, Happening::Second);
        world
    }

    /// Puts a real store under the world.
    pub(crate) fn on_real_store(mut self) -> Self {
        self.store = Disk::real();
        self
    }

    /// Lets all workers share searches, if there are few enough.
    pub(crate) fn with_sharing(mut self) -> Self {
        self.shares = true;
        self.config.small_up_to = self.config.most_sharing;
        self.core = Core::new(self.config.clone(), Box::new(Heuristic));
        self
    }

    /// Lets workers be as few as they are.
    pub(crate) fn with_few(mut self) -> Self {
        self.least = Some(0);
        self
    }

    /// Lets the core hear events between `splits` questions that it splits, as the service does.
    pub(crate) fn in_turns(mut self, splits: usize) -> Self {
        self.splits = Some(splits);
        self
    }

    /// Asks for a position.
    pub(crate) fn submit(&mut self, position: Position, window: Window) -> SolveId {
        self.ask(Asked { position, window, terms: None })
    }

    /// Asks for something, as a client or a campaign.
    pub(crate) fn ask(&mut self, asked: Asked) -> SolveId {
        self.names += 1;
        let solve = SolveId(self.names);
        self.requests.insert(solve, asked);
        self.send_request(solve, asked);
        solve
    }

    fn send_request(&mut self, solve: SolveId, asked: Asked) {
        let Asked { position, window, terms } = asked;
        self.apply(match terms {
            Some(terms) => Event::Enlisted { solve, position, window, terms },
            None => Event::Submitted { solve, position, window, budget: None },
        });
    }

    /// Runs until every request has ended.
    pub(crate) fn run(&mut self) {
        while !self.requests.is_empty() {
            self.step();
        }
    }

    /// Runs until no claim is to be audited any more that a worker could solve.
    pub(crate) fn settle(&mut self) {
        while self.core.status().audits_open > 0 || !self.owed().is_empty() {
            self.step();
        }
    }

    /// Returns who knows all values.
    pub(crate) fn oracle(&self) -> &Oracle {
        &self.oracle
    }

    /// Runs until the workers have reported everything.
    pub(crate) fn drain(&mut self) {
        while self.core.status().jobs_running > 0 {
            self.step();
        }
    }

    fn step(&mut self) {
        let ((time, _), happening) = self.agenda.pop_first().expect("a second always follows");
        // After a leap of the clock what was due is late.
        self.now = self.now.max(time);
        self.outcome.events += 1;
        let docket = || self.store.docket().collect::<Vec<_>>();
        assert!(self.outcome.events < 300_000, "no end in sight: {:?} {:?}", self.core, docket());
        match happening {
            Happening::Arrives(event) => self.apply(event),
            Happening::Ends { worker, job, nodes } => self.job_ends(worker, job, nodes),
            Happening::Written => self.written(),
            Happening::Returns(state) => self.come_back(state),
            Happening::Assigns => self.assigns(),
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
                self.workers.iter().map(|(&id, state)| heartbeat(id, state, self.now)).collect();
            for beat in beats {
                self.deliver(beat);
            }
        }
        if self.random.chance(self.faults.churn) {
            self.churn();
        }
        if self.faults.fickle > 0 && self.random.chance(self.faults.fickle) {
            self.change_a_mind();
        }
        if self.faults.leaps > 0 && self.random.chance(self.faults.leaps) {
            self.leap();
        }
        self.make_mischief();
        self.apply(Event::Tick);
    }
}

/// A time span that never ends in these tests.
pub(crate) const NEVER: Duration = Duration::from_secs(1 << 32);
