//! The coordinator's core: a pure state machine that decides what is searched by whom.
//!
//! Events go in, commands come out, time is a parameter: there is no clock, socket, disk or
//! randomness in here, all maps are ordered, and the same events give the same commands. What it
//! holds is derived from the proof store and the open requests, so that after a restart nothing has
//! to be recovered: what is not proved is asked again.
//!
//! The words are those of the project: a *question* is a canonical position with a window; with a
//! null window it is a *goal*. A question that is cheap enough goes to a worker as one *job*, any
//! other is expanded one ply: for a wide window the eldest child is asked for its value around the
//! likely one and every brother whether it is better, for a goal the children's goals are asked.
//! Goal (p, t), "is the value of p at least t?", holds if and only if goal (c, 2 − t) fails for some
//! child c, since all values are even.
//!
//! The scheme is a job-level alpha-beta search: eldest brother first where a move is sought
//! (Feldmann's young brothers wait), all children where a claim is upheld. Every question has a
//! chance of being needed, from the estimates of what was asked before it; idle workers get the most
//! needed question, speculative ones included, and last the parts of jobs that run long. Where many
//! threads search for few requests, those chances follow what workers believe of running jobs.

mod affinity;
mod audit;
mod backup;
mod bracket;
mod claims;
mod config;
mod crowd;
mod dispatch;
mod expect;
mod fleet;
mod goals;
mod graph;
mod inside;
mod line;
mod message;
mod mix;
mod need;
mod predictor;
mod preempt;
mod principal;
mod promote;
mod question;
mod recent;
mod share;
mod slots;
mod solve;
mod split;
mod split_running;
mod status;
mod thought;
mod told;
mod urgent;
mod value;
mod watchdog;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use outflank_engine::{Bound, Position, Window};

pub use crate::haste::Haste;
pub use config::Config;
pub use message::{
    AuditId, Command, Doubted, ErrandDone, Event, Interim, Job, JobId, Judgement, Memory, Method,
    Millis, ProcessId, Progress, Proof, Proofs, Report, Solution, SolveId, Source, Terms, WorkerId,
};
pub use status::Status;

use audit::Audits;
use backup::SideJobs;
use crowd::Crowd;
use fleet::{Fleet, Target, after};
use graph::{Graph, Known};
use inside::Insides;
use need::Unsettled;
use predictor::Predictor;
use question::{Item, Key, Question, Rank};
use recent::Recent;
use share::Sharing;
use solve::Solve;
use thought::Thought;
use told::Told;

/// With fewer nodes a search comes to no better opinion than a quick look: then a careful estimate is one.
pub const FEWEST_NODES: u64 = 200_000;

/// What the core believes about positions, without proof: it only chooses what is asked, when.
pub trait Advisor {
    /// Returns the likely value of `position` in discs, for the player to move.
    fn estimate(&self, position: Position) -> i32;

    /// Returns the likely value of `position` after a search of at most `nodes` nodes: where a wrong
    /// opinion costs whole jobs, a better one is worth some time. With fewer than [`FEWEST_NODES`] it is
    /// [`estimate`](Self::estimate).
    fn careful_estimate(&self, position: Position, nodes: u64) -> i32 {
        let _ = nodes;
        self.estimate(position)
    }

    /// Returns [`estimate`](Self::estimate) of each of the `positions`. As many of them as the advisor
    /// has [`threads`](Self::threads) take as long as one.
    fn estimates(&self, positions: &[Position]) -> Vec<i32> {
        positions.iter().map(|&position| self.estimate(position)).collect()
    }

    /// Returns the number of positions that the advisor searches at the same time, at least 1.
    fn threads(&self) -> usize {
        1
    }

    /// Returns [`careful_estimate`](Self::careful_estimate) of each of the `positions`. As many of
    /// them as the advisor has [`threads`](Self::threads) take as long as one.
    fn careful_estimates(&self, positions: &[Position], nodes: u64) -> Vec<i32> {
        positions.iter().map(|&position| self.careful_estimate(position, nodes)).collect()
    }

    /// Returns the wish that this advisor heeds: as long as there is haste, it answers from quick looks,
    /// and a longer one that it has begun ends.
    fn haste(&self) -> Haste {
        Haste::default()
    }

    /// Returns the scale of the errors of estimates, in discs, above 0: that of the logistic
    /// distribution that stands for them. The engine's are off by 6.7 discs (root mean square).
    fn error(&self) -> f64 {
        3.7
    }

    /// Returns the number of nodes that one worker will probably search to solve `position`, whose
    /// likely value is `estimate`, in `window`.
    fn predicted_nodes(&self, position: Position, window: Window, estimate: i32) -> f64;
}

/// The coordinator's state.
pub struct Core {
    config: Config,
    advisor: Box<dyn Advisor + Send>,
    graph: Graph,
    questions: BTreeMap<Key, Question>,
    solves: BTreeMap<SolveId, Solve>,
    crowd: Crowd,
    fleet: Fleet,
    /// What waits for a worker, to be expanded if it is too large.
    queue: BTreeSet<(Rank, Item)>,
    /// What waits for a worker and fits one.
    ready: BTreeSet<(Rank, Item)>,
    /// The questions where one more brother can be tried, those first where it is needed most
    /// likely.
    brothers: BTreeSet<(Rank, Key)>,
    /// The jobs that have one copy running, the oldest first.
    single_copies: BTreeSet<(Millis, Key)>,
    side_jobs: SideJobs,
    /// The questions whose children's needs must be looked at again.
    unsettled: BTreeSet<Unsettled>,
    /// Running questions that are hardly needed any more, those first that are needed least.
    doomed: BTreeSet<(Reverse<u32>, Key)>,
    /// Running questions whose jobs are being stopped so that they can be split.
    stopping: BTreeSet<Key>,
    /// Workers that have just ended a job, with the request it was for.
    freed: Vec<(WorkerId, SolveId)>,
    recent: Recent,
    audits: Audits,
    predictor: Predictor,
    thought: Thought,
    insides: Insides,
    told: Told,
    sharing: Sharing,
    /// Since when something waits that is more urgent than what runs.
    urgent_since: Option<Millis>,
    asked: u64,
    arrivals: u64,
    illegal_claims: u64,
    given_up: u64,
}

/// What one event needs and produces.
struct Turn<'a> {
    now: Millis,
    proofs: &'a dyn Proofs,
    persist: Vec<Proof>,
    commands: Vec<Command>,
    /// Positions whose bound has become tighter, and the positions above them not told yet.
    changed: Vec<Position>,
    conflicts: Vec<Conflict>,
    /// How many questions may still be split for workers that are free.
    splits: usize,
}

/// A claim that contradicts what is proved, and the bound that is held.
#[derive(Clone, Copy, Debug)]
struct Conflict {
    claim: Proof,
    held: Bound,
}

impl Core {
    /// Returns a core without workers and requests.
    #[must_use]
    pub fn new(config: Config, advisor: Box<dyn Advisor + Send>) -> Self {
        Self {
            config,
            advisor,
            graph: Graph::default(),
            questions: BTreeMap::new(),
            solves: BTreeMap::new(),
            crowd: Crowd::default(),
            fleet: Fleet::default(),
            queue: BTreeSet::new(),
            ready: BTreeSet::new(),
            brothers: BTreeSet::new(),
            single_copies: BTreeSet::new(),
            side_jobs: SideJobs::default(),
            unsettled: BTreeSet::new(),
            doomed: BTreeSet::new(),
            stopping: BTreeSet::new(),
            freed: Vec::new(),
            recent: Recent::default(),
            audits: Audits::default(),
            predictor: Predictor::default(),
            thought: Thought::default(),
            insides: Insides::default(),
            told: Told::default(),
            sharing: Sharing::default(),
            urgent_since: None,
            asked: 0,
            arrivals: 0,
            illegal_claims: 0,
            given_up: 0,
        }
    }

    /// Applies one event and returns what the shell must do, in this order.
    ///
    /// `now` must not go backwards. `proofs` is the store; it may lag behind the proofs of the last
    /// `Persist` commands, which the core remembers.
    pub fn on(&mut self, now: Millis, event: Event, proofs: &dyn Proofs) -> Vec<Command> {
        let mut turn = Turn::new(now, proofs);
        self.apply(&mut turn, event);
        self.dispatch(&mut turn);
        turn.finish()
    }

    /// Applies one event as [`Core::on`] does, but hands out no job: [`Core::assign`] does that
    /// afterwards, for many events at once.
    pub fn hear(&mut self, now: Millis, event: Event, proofs: &dyn Proofs) -> Vec<Command> {
        let mut turn = Turn::new(now, proofs);
        self.apply(&mut turn, event);
        turn.finish()
    }

    /// Hands out jobs and splits at most `splits` questions for that: so a fleet that comes all at
    /// once does not keep the core from hearing anybody. Returns the commands, and whether the
    /// limit has ended it.
    pub fn assign(
        &mut self,
        now: Millis,
        splits: usize,
        proofs: &dyn Proofs,
    ) -> (Vec<Command>, bool) {
        let mut turn = Turn { splits, ..Turn::new(now, proofs) };
        self.dispatch(&mut turn);
        let is_limited = turn.splits == 0;
        (turn.finish(), is_limited)
    }

    fn apply(&mut self, turn: &mut Turn<'_>, event: Event) {
        let now = turn.now;
        match event {
            Event::Resumed { era, doubted, memory } => self.resumed(turn, era, doubted, memory),
            Event::Submitted { solve, position, window, budget } => {
                self.submitted(turn, solve, position, window, budget, None);
            }
            Event::Enlisted { solve, position, window, terms } => {
                self.submitted(turn, solve, position, window, None, Some(terms));
            }
            Event::Abandoned { solve } => self.forget(turn, solve),
            Event::Joined { worker, process, threads, shares } => {
                self.joined(turn, worker, process, threads, shares);
            }
            Event::Draining { worker } => {
                self.fleet.renew(worker, after(now, self.config.lease));
                self.fleet.drain(worker);
            }
            Event::Left { worker } => self.left(turn, worker),
            Event::Heartbeat { worker, jobs } => self.heartbeat(turn, worker, &jobs),
            Event::Reported { worker, .. }
            | Event::Interim { worker, .. }
            | Event::Hinted { worker, .. }
            | Event::Found { worker, .. }
                if self.is_guilty(worker) => {}
            Event::Found { worker, job, era, bounds } => {
                self.found_inside(turn, worker, job, era, &bounds);
            }
            Event::ErrandDone(done) => self.errand_done(turn, &done),
            Event::Hinted { worker, job, hints } => self.hinted(turn, worker, job, hints),
            Event::Interim { worker, interim } => self.interim(worker, interim),
            Event::Reported { worker, report } => self.reported(turn, worker, &report),
            Event::Traced { process, others_below } => self.traced(turn, process, others_below),
            Event::TakenBack { era } => self.start_again(turn, era),
            Event::Suspected { claims } => self.suspected(turn, &claims),
            Event::Tick => self.tick(turn),
        }
        self.settle_needs(turn);
    }

    fn joined(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        process: ProcessId,
        threads: u32,
        shares: bool,
    ) {
        self.left(turn, worker);
        let deadline = after(turn.now, self.config.lease);
        self.fleet.join(worker, process, threads.max(1), shares, deadline);
        self.told.has_come(process);
        self.audits.absent.remove(&process);
        self.audits.look_at_debts(turn.now);
    }

    fn left(&mut self, turn: &mut Turn<'_>, worker: WorkerId) {
        if self.fleet.is_connected(worker) {
            let process = self.fleet.process(worker);
            self.told.has_left(process);
            if !self.fleet.is_draining(worker) && !self.is_guilty(worker) {
                self.expect_back(turn.now, process);
            }
        }
        for (_, lease) in self.fleet.leave(worker) {
            self.account(&lease, lease.nodes);
            self.lost(turn, lease.target, worker);
        }
    }

    fn heartbeat(&mut self, turn: &mut Turn<'_>, worker: WorkerId, jobs: &[(JobId, u64)]) {
        let deadline = after(turn.now, self.config.lease);
        self.fleet.renew(worker, deadline);
        if self.disconnect_if_hung(turn, worker, jobs) {
            return;
        }
        for &(job, nodes) in jobs {
            let Some(lease) = self.fleet.lease_mut(worker, job) else {
                // A job of an earlier life of the coordinator, or one whose lease has run out.
                turn.commands.push(Command::Cancel { worker, job });
                continue;
            };
            let went_on = std::mem::take(&mut lease.is_resumed).then_some(nodes >= lease.nodes);
            if went_on == Some(false) {
                (lease.nodes, lease.charged) = (0, 0); // It began the job again.
            }
            let more = nodes.saturating_sub(lease.nodes);
            lease.nodes = lease.nodes.max(nodes);
            let target = lease.target;
            if let Some(solve) = self.solves.get_mut(&lease.home) {
                solve.running_nodes = solve.running_nodes.saturating_add(more);
            }
            if went_on == Some(true)
                && let Target::Question(key) = target
                && let Some(question) = self.questions.get_mut(&key)
            {
                question.losses = question.losses.saturating_sub(1); // It was the connection that was lost.
            }
            self.fleet.renew_lease(worker, job, deadline);
            self.note_progress(turn, worker, job, more);
            self.tell_inside(turn, worker, job);
        }
    }

    fn tick(&mut self, turn: &mut Turn<'_>) {
        if self.fleet.wake(turn.now) {
            self.audits.look_at_debts(turn.now);
        }
        while let Some((worker, job)) = self.fleet.expired(turn.now) {
            if let Some(job) = job {
                if let Some(lease) = self.fleet.end(worker, job) {
                    self.account(&lease, lease.nodes);
                    self.lost(turn, lease.target, worker);
                }
            } else {
                let silent = self.config.lease.as_secs_f64();
                let reason = format!("no sign of life for {silent} s");
                turn.commands.push(Command::Disconnect { worker, reason });
                self.left(turn, worker);
            }
        }
        self.stop_for_urgent(turn);
        self.tell_soon(turn);
        self.report_progress(turn);
    }

    /// Puts the work of a lease that ended without a usable report back.
    fn lost(&mut self, turn: &mut Turn<'_>, target: Target, worker: WorkerId) {
        match target {
            Target::Question(key) => self.job_lost(turn, key, worker),
            Target::Line(solve) => self.line_lost(turn, solve, worker),
            Target::Audit(id) => self.audit_ended(turn, id, worker, None),
            Target::Help | Target::Disowned | Target::Nothing => {}
        }
    }

    /// Drops everything that was concluded, but for the requests, the workers and the predictions.
    fn forget_everything(&mut self) {
        self.graph = Graph::default();
        self.questions.clear();
        self.queue.clear();
        self.ready.clear();
        self.brothers.clear();
        self.single_copies.clear();
        self.side_jobs = SideJobs::default();
        self.unsettled.clear();
        self.doomed.clear();
        self.stopping.clear();
        self.recent = Recent::default();
        self.insides = Insides::default();
        self.sharing = Sharing::default();
    }

    /// Returns what is proved of `position`, canonical, as far as it is remembered.
    fn known(&self, turn: &Turn<'_>, position: Position) -> Known {
        match self.graph.get(position) {
            Some(node) => node.known,
            None => self.recent.known(turn.proofs, position),
        }
    }

    /// Remembers a proof and has it written to the store, unless it is there.
    fn persist(&mut self, turn: &mut Turn<'_>, proof: Proof) {
        let stored = self.recent.known(turn.proofs, proof.position);
        if !stored.bound.implies(proof.bound) {
            self.recent.note(stored, &proof);
            turn.persist.push(proof);
        }
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status();
        f.debug_struct("Core")
            .field("config", &self.config)
            .field("status", &status)
            .finish_non_exhaustive()
    }
}

impl<'a> Turn<'a> {
    fn new(now: Millis, proofs: &'a dyn Proofs) -> Self {
        let (persist, commands) = (Vec::new(), Vec::new());
        let (changed, conflicts) = (Vec::new(), Vec::new());
        Self { now, proofs, persist, commands, changed, conflicts, splits: usize::MAX }
    }

    /// Returns the commands, the proofs first: all that follows may rest on them.
    fn finish(mut self) -> Vec<Command> {
        if !self.persist.is_empty() {
            self.commands.insert(0, Command::Persist { proofs: self.persist });
        }
        self.commands
    }
}
