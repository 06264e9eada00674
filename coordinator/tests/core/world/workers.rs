//! The simulated workers and the network between them and the coordinator.

use std::collections::BTreeMap;

use outflank_coordinator::core::{ErrandDone, Event, Job, JobId, ProcessId, Report, WorkerId};
use outflank_engine::FoundBound;

use super::{Faults, Happening, NEVER, World};
use crate::tables::{Believer, Tables, Values};
use crate::worker;

/// How a worker comes to the end of its jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pace {
    #[default]
    Normal,
    /// It says that it searches more and more, and never comes to an end.
    Endless,
    /// It gives signs of life, and searches nothing.
    Still,
}

#[derive(Debug, Default)]
pub(super) struct SimWorker {
    pub(super) threads: u32,
    pub(super) jobs: BTreeMap<JobId, (Job, u64)>,
    /// Reports that were not acknowledged.
    pub(super) outbox: Vec<Report>,
    /// How many percent of its reports are lies.
    pub(super) lies: u64,
    /// How many percent of its messages from inside jobs are.
    pub(super) lies_inside: u64,
    /// In how many percent of the seconds it says what nobody has asked it for.
    pub(super) mischief: u64,
    pub(super) pace: Pace,
    /// The first connection of this process, once it has had one.
    pub(super) process: Option<WorkerId>,
    /// Whether it takes no more jobs.
    pub(super) is_draining: bool,
    /// What it was told and believes.
    pub(super) tables: Tables,
}

impl SimWorker {
    /// Returns whether it lies, or stands still.
    pub(super) fn is_bad(&self) -> bool {
        self.lies + self.lies_inside + self.mischief > 0 || self.pace != Pace::Normal
    }

    /// Makes an honest worker of it.
    pub(super) fn repent(&mut self) {
        (self.lies, self.lies_inside, self.mischief) = (0, 0, 0);
        self.pace = Pace::Normal;
    }
}

impl World {
    /// Connects a worker.
    pub(crate) fn join(&mut self, threads: u32) {
        self.connect(SimWorker { threads, ..SimWorker::default() });
    }

    /// Connects a worker of which so many percent of the reports are lies.
    pub(crate) fn join_liar(&mut self, threads: u32, lies: u64) -> WorkerId {
        self.connect(SimWorker { threads, lies, lies_inside: lies, ..SimWorker::default() })
    }

    /// Connects a worker that misleads others: it lies about what it finds inside its jobs, and its reports say what
    /// it has found.
    pub(crate) fn join_deceiver(&mut self, threads: u32, lies_inside: u64) -> WorkerId {
        self.connect(SimWorker { threads, lies_inside, ..SimWorker::default() })
    }

    pub(super) fn connect(&mut self, state: SimWorker) -> WorkerId {
        self.names += 1;
        let (worker, threads) = (WorkerId(self.names), state.threads);
        let process = state.process.unwrap_or(worker);
        self.processes.insert(worker, process);
        if state.lies + state.lies_inside + state.mischief > 0 {
            self.liars.insert(process);
        }
        let mut state = SimWorker { process: Some(process), is_draining: false, ..state };
        if self.is_calm {
            state.repent();
        }
        let again = state.outbox.clone();
        self.workers.insert(worker, state);
        let process = ProcessId(process.0);
        self.apply(Event::Joined { worker, process, threads, shares: self.shares });
        self.outcome.happened.sent_again += again.len() as u64;
        for report in again {
            self.deliver(Event::Reported { worker, report });
        }
        worker
    }

    /// Connects a worker again that was disconnected, unless it was found to be wrong since.
    pub(super) fn come_back(&mut self, state: SimWorker) {
        if !state.process.is_some_and(|process| self.outcome.convicted.contains(&process)) {
            self.connect(state);
        }
    }

    /// Returns whether the next message gets lost.
    pub(super) fn is_lost(&mut self) -> bool {
        let is_lost = self.random.chance(self.faults.lost);
        self.outcome.happened.lost += u64::from(is_lost);
        is_lost
    }

    /// Returns whether the core makes use of what workers believe.
    fn hears_beliefs(&self) -> bool {
        self.shares || self.config.goals_from_slots == 1
    }

    /// Returns whether nothing goes wrong and no job is meant to have two copies.
    pub(super) fn is_quiet(&self) -> bool {
        self.faults == Faults::default() && self.config.backup_after == NEVER
    }

    pub(super) fn assign(&mut self, worker: WorkerId, job: Job) {
        self.outcome.jobs += 1;
        for &(position, bound) in job.known.iter().filter(|_| !self.anyone_lies()) {
            self.check_bound(position, bound);
        }
        if self.is_quiet() && !job.helps {
            let twice = self.in_flight.iter().any(|&(_, id)| id == job.id);
            assert!(!twice, "{job:?} is in flight already");
            self.in_flight.insert((worker, job.id));
        }
        if self.is_lost() {
            return;
        }
        if let Some(state) = self.workers.get_mut(&worker) {
            state.tables.enter(job.era);
            state.tables.hear(&self.oracle, &job.known);
        }
        let predicted = 2_f64.powi(job.position.empties() as i32);
        let factor = 2_f64.powi(self.random.below(8) as i32 - 3);
        let nodes = (predicted * factor) as u64 + 1;
        let searched = nodes.min(job.node_limit);
        let delay = 5 + 20 * searched / u64::from(job.threads);
        let id = job.id;
        if self.hears_beliefs() && self.random.chance(40) {
            let interim = worker::interim(&self.oracle, &mut self.random, &job);
            let begun = 1 + self.random.below(delay);
            self.schedule(begun, Happening::Arrives(Event::Interim { worker, interim }));
        }
        if job.inside.is_some() {
            self.find_inside(worker, &job, delay);
        }
        if job.helps {
            self.help(worker, &job, delay);
        }
        let helps = job.helps;
        let Some(state) = self.workers.get_mut(&worker) else { return };
        state.jobs.insert(id, (job, nodes));
        let (threads, pace) = (state.threads, state.pace);
        let busy: u32 = state.jobs.values().map(|(job, _)| job.threads).sum();
        assert!(busy <= threads || !self.is_quiet(), "{worker:?} has {threads} threads");
        if pace != Pace::Normal {
            return;
        }
        // Who helps does so until it is told to stop, unless its search crashes.
        if !helps || self.random.chance(self.faults.failed) {
            self.schedule(delay, Happening::Ends { worker, job: id, nodes: searched });
        }
    }

    /// Has a worker try moves for others that share a search with it while a job goes on, or just after it.
    fn help(&mut self, worker: WorkerId, job: &Job, delay: u64) {
        for _ in 0..self.random.below(4) {
            let Some(found) = self.found_inside(worker, job).into_iter().next() else { continue };
            let has_it = |&(&id, state): &(&WorkerId, &SimWorker)| {
                id != worker && state.jobs.contains_key(&job.id)
            };
            let others: Vec<WorkerId> =
                self.workers.iter().filter(has_it).map(|(&id, _)| id).collect();
            if others.is_empty() {
                return;
            }
            let asker = others[self.random.below(others.len() as u64) as usize];
            self.entries += 1;
            let number = self.entries;
            self.answers.insert(number, found);
            let (job, era, found) = (job.id, job.era, Some(found));
            let done = ErrandDone { worker, job, era, asker, hand: 0, number, value: 0, found };
            let event = Event::ErrandDone(done);
            let after = 1 + self.random.below(delay + delay / 4);
            if self.random.chance(self.faults.repeated) {
                self.outcome.happened.repeated += 1;
                self.schedule(after + 1, Happening::Arrives(event.clone()));
            }
            if self.random.chance(self.faults.late) {
                self.outcome.happened.late += 1;
                self.schedule(60_000, Happening::Arrives(event));
            } else if !self.is_lost() {
                self.schedule(after, Happening::Arrives(event));
            }
        }
    }

    /// Has a worker hear what another one has found out for it, if that is believed.
    pub(super) fn hear_answer(&mut self, worker: WorkerId, number: u64, value: Option<i32>) {
        let FoundBound { position, bound, .. } = self.answers[&number];
        if value.is_none() {
            self.outcome.happened.unanswered += 1;
            return;
        }
        self.outcome.happened.answered += 1;
        self.check_bound(position, bound);
        if let Some(state) = self.workers.get_mut(&worker) {
            state.tables.hear(&self.oracle, &[(position, bound)]);
        }
    }

    /// Has a worker tell, while a job goes on or just after it, of what it has found inside.
    fn find_inside(&mut self, worker: WorkerId, job: &Job, delay: u64) {
        let bounds = self.found_inside(worker, job);
        if bounds.is_empty() || self.is_lost() {
            return;
        }
        let event = Event::Found { worker, job: job.id, era: job.era, bounds };
        let after = 1 + self.random.below(delay + delay / 4);
        self.schedule(after, Happening::Arrives(event));
    }

    /// Returns what a worker says that it has found inside a job.
    fn found_inside(&mut self, worker: WorkerId, job: &Job) -> Vec<FoundBound> {
        let lies = self.workers.get(&worker).map_or(0, |state| state.lies_inside);
        if self.random.chance(lies) {
            let lie = worker::false_inside(&self.oracle, &mut self.random, job);
            self.outcome.happened.wrong += u64::from(lie.is_some());
            lie.into_iter().collect()
        } else if let Some(state) = self.workers.get(&worker) {
            let believer = Believer { oracle: &self.oracle, tables: &state.tables };
            worker::inside(&believer, &mut self.random, job)
        } else {
            Vec::new()
        }
    }

    pub(super) fn job_ends(&mut self, worker: WorkerId, job: JobId, nodes: u64) {
        let Some((job, needed)) =
            self.workers.get_mut(&worker).and_then(|state| state.jobs.remove(&job))
        else {
            return;
        };
        let lies = self.workers[&worker].lies;
        let report = if job.helps {
            self.outcome.happened.failed += 1;
            Report { failed: true, ..worker::empty(&job, nodes) }
        } else if self.random.chance(self.faults.wrong) {
            self.outcome.happened.wrong += 1;
            worker::false_report(&mut self.random, &job, nodes)
        } else if self.random.chance(lies) {
            self.outcome.happened.wrong += 1;
            worker::lie(&self.oracle, &mut self.random, &job, nodes)
        } else if self.random.chance(self.faults.failed) {
            self.outcome.happened.failed += 1;
            Report { failed: true, ..worker::empty(&job, nodes) }
        } else {
            self.honest_report(worker, &job, nodes, nodes >= needed)
        };
        self.send_report(worker, report);
    }

    /// Returns what a worker finds that believes what it was told, unless it searches apart.
    fn honest_report(&mut self, worker: WorkerId, job: &Job, nodes: u64, is_done: bool) -> Report {
        let nothing = Tables::default();
        let told = self.workers.get(&worker).filter(|_| !job.is_apart).map(|state| &state.tables);
        let believer = Believer { oracle: &self.oracle, tables: told.unwrap_or(&nothing) };
        let is_misled = believer.value(job.position) != self.oracle.value(job.position);
        self.outcome.happened.misled += u64::from(is_misled);
        match is_done {
            true => worker::finished(&believer, &mut self.random, job, nodes),
            false => worker::stopped(&believer, &mut self.random, job, nodes),
        }
    }

    pub(super) fn stop_job(&mut self, worker: WorkerId, job: JobId) {
        if self.workers.get(&worker).is_some_and(|state| state.pace != Pace::Normal) {
            return;
        }
        let Some((job, _)) =
            self.workers.get_mut(&worker).and_then(|state| state.jobs.remove(&job))
        else {
            return;
        };
        let report = self.honest_report(worker, &job, 1, false);
        self.send_report(worker, report);
    }

    pub(super) fn send_report(&mut self, worker: WorkerId, report: Report) {
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

    pub(super) fn deliver(&mut self, event: Event) {
        if !self.is_lost() {
            let delay = 1 + self.random.below(50);
            self.schedule(delay, Happening::Arrives(event));
        }
    }
}

/// Returns the sign of life of a worker that searches on.
pub(super) fn heartbeat(worker: WorkerId, state: &SimWorker, now: u64) -> Event {
    let nodes = if state.pace == Pace::Still { 1 } else { now / 10_000 };
    let jobs = state.jobs.keys().map(|&job| (job, nodes)).collect();
    Event::Heartbeat { worker, jobs }
}
