//! The workers, their free threads and their leases.
//!
//! A worker that is *draining* has said that it wants no more jobs, one that is *resting* gets none for a while, since
//! its jobs fail. So there are several answers to the question how many workers there are:
//!
//! | | draining | resting | all threads busy | some threads free | for |
//! | --- | --- | --- | --- | --- | --- |
//! | connected | yes | yes | yes | yes | signs of life |
//! | *accepting* | | yes | yes | yes | the size of the fleet, by which questions are cut; judges in a dispute |
//! | *available* | | | yes | yes | judges of other claims; whether a worker can be avoided |
//! | *idle* | | | | yes | who gets the next job |
//!
//! `all` has the threads of those that are accepting, `free` the free threads of those that are available. Who was
//! resting when it began to drain is both, and counts as draining.

mod lease;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::message::{JobId, Millis, ProcessId, WorkerId};
use super::slots::{self, Tally};
use crate::bounded_map::BoundedMap;
pub(super) use lease::{Lease, Target};

/// The most workers that are remembered after they have left, and of their jobs.
const MOST_GONE: usize = 20_000;

/// A worker whose jobs fail one after the other, so many of them, rests from then on after each: so long, each time twice
/// as long, and at most so long. It may get no thread or no memory from its system, and would tear all questions to pieces.
const FAILURES: u32 = 3;
const REST: Duration = Duration::from_secs(1);
const LONGEST_REST: Duration = Duration::from_secs(300);

#[derive(Debug)]
struct Worker {
    process: ProcessId,
    threads: u32,
    shares: bool,
    free: u32,
    draining: bool,
    /// Until when it gets no jobs, because some have failed.
    rests_until: Option<Millis>,
    /// The jobs that have failed since it came to the end of one.
    failures: u32,
    deadline: Millis,
    jobs: BTreeSet<JobId>,
}

impl Worker {
    /// Returns whether it can be given jobs as far as it has free threads.
    fn is_available(&self) -> bool {
        !self.draining && self.rests_until.is_none()
    }
}

/// All connected workers.
#[derive(Debug, Default)]
pub(super) struct Fleet {
    workers: BTreeMap<WorkerId, Worker>,
    /// The processes of those that have left, whose last reports may be on their way.
    gone: BoundedMap<WorkerId, ProcessId, MOST_GONE>,
    leases: BTreeMap<(WorkerId, JobId), Lease>,
    /// The nodes that processes had told of in jobs which they had when their connection ended.
    left: BoundedMap<(ProcessId, JobId), u64, MOST_GONE>,
    /// The workers that can take a job now, by their free threads.
    idle: BTreeSet<(u32, WorkerId)>,
    /// When workers (no job) and leases run out.
    deadlines: BTreeSet<(Millis, WorkerId, Option<JobId>)>,
    /// The free threads of each worker that is available.
    free: Tally,
    /// The workers that rest because their jobs have failed, those that drain included.
    resting: BTreeSet<WorkerId>,
    /// How many workers do not drain.
    accepting: usize,
    /// The threads of each of these.
    all: Tally,
    /// How many leases were ever entered.
    leases_entered: u64,
}

impl Fleet {
    /// Returns the number of connected workers.
    pub(super) fn workers(&self) -> usize {
        self.workers.len()
    }

    /// Returns the number of workers that rest because their jobs have failed.
    pub(super) fn resting(&self) -> usize {
        self.resting.len()
    }

    /// Returns the number of workers that take jobs, be it after a rest.
    pub(super) fn accepting(&self) -> usize {
        self.accepting
    }

    /// Returns the number of threads of the workers that take jobs.
    pub(super) fn threads(&self) -> usize {
        self.all.threads()
    }

    /// Returns the most threads of one worker that takes jobs.
    pub(super) fn most_threads(&self) -> u32 {
        self.all.most()
    }

    /// Returns how many jobs of `width` threads the workers that take jobs can search at once.
    pub(super) fn slots(&self, width: u32) -> usize {
        self.all.slots(width)
    }

    /// Returns the number of threads that could start a job now.
    pub(super) fn free_threads(&self) -> usize {
        self.free.threads()
    }

    /// Returns how many jobs of `width` threads could start now.
    pub(super) fn free_slots(&self, width: u32) -> usize {
        self.free.slots(width)
    }

    /// Returns all jobs, each with its worker.
    pub(super) fn jobs(&self) -> Vec<(WorkerId, JobId)> {
        self.leases.keys().copied().collect()
    }

    /// Returns the number of leases, those of cancelled jobs included.
    pub(super) fn leases(&self) -> usize {
        self.leases.len()
    }

    /// Adds a worker, which `shares` searches with others if it can.
    pub(super) fn join(
        &mut self,
        worker: WorkerId,
        process: ProcessId,
        threads: u32,
        shares: bool,
        deadline: Millis,
    ) {
        let state = Worker {
            process,
            threads,
            shares,
            free: threads,
            draining: false,
            rests_until: None,
            failures: 0,
            deadline,
            jobs: BTreeSet::new(),
        };
        self.workers.insert(worker, state);
        self.deadlines.insert((deadline, worker, None));
        self.idle.insert((threads, worker));
        self.free.enter(threads);
        self.all.enter(threads);
        self.accepting += 1;
    }

    /// Gives `worker` no more jobs.
    pub(super) fn drain(&mut self, worker: WorkerId) {
        let Some(state) = self.workers.get_mut(&worker) else { return };
        let was_available = state.is_available();
        if std::mem::replace(&mut state.draining, true) {
            return;
        }
        if was_available {
            self.idle.remove(&(state.free, worker));
            self.free.leave(state.free);
        }
        self.all.leave(state.threads);
        self.accepting -= 1;
    }

    /// Takes note that a job of `worker` has failed, and lets it rest for a while from `now` on if that was not the first.
    /// Returns how long it rests.
    pub(super) fn has_failed(&mut self, worker: WorkerId, now: Millis) -> Option<Duration> {
        let state = self.workers.get_mut(&worker)?;
        if !state.is_available() {
            return None; // Jobs that fail together are one reason to rest.
        }
        state.failures += 1;
        let rests = state.failures.checked_sub(FAILURES)?;
        let rest = REST.saturating_mul(1 << rests.min(20)).min(LONGEST_REST);
        state.rests_until = Some(after(now, rest));
        self.idle.remove(&(state.free, worker));
        self.free.leave(state.free);
        self.resting.insert(worker);
        Some(rest)
    }

    /// Takes note that `worker` has come to the end of a job.
    pub(super) fn has_worked(&mut self, worker: WorkerId) {
        if let Some(state) = self.workers.get_mut(&worker) {
            state.failures = 0;
        }
    }

    /// Gives jobs again to who has rested long enough by `now`. Returns whether there was one.
    pub(super) fn wake(&mut self, now: Millis) -> bool {
        let is_over = |worker: &WorkerId| {
            self.workers
                .get(worker)
                .and_then(|state| state.rests_until)
                .is_none_or(|end| end <= now)
        };
        let awake: Vec<WorkerId> = self.resting.iter().copied().filter(is_over).collect();
        let is_any = !awake.is_empty();
        for worker in awake {
            self.resting.remove(&worker);
            let Some(state) = self.workers.get_mut(&worker) else { continue };
            state.rests_until = None;
            if state.is_available() {
                self.free.enter(state.free);
                if state.free > 0 {
                    self.idle.insert((state.free, worker));
                }
            }
        }
        is_any
    }

    /// Returns whether `worker` is connected.
    pub(super) fn is_connected(&self, worker: WorkerId) -> bool {
        self.workers.contains_key(&worker)
    }

    /// Returns whether `worker` could start a job now.
    pub(super) fn is_free(&self, worker: WorkerId) -> bool {
        self.workers.get(&worker).is_some_and(|state| state.free > 0 && state.is_available())
    }

    /// Returns whether `worker` wants no more jobs.
    pub(super) fn is_draining(&self, worker: WorkerId) -> bool {
        self.workers.get(&worker).is_none_or(|state| state.draining)
    }

    /// Removes `worker` and returns its leases.
    pub(super) fn leave(&mut self, worker: WorkerId) -> Vec<(JobId, Lease)> {
        let jobs = self.workers.get(&worker).map(|state| state.jobs.clone()).unwrap_or_default();
        let leases: Vec<(JobId, Lease)> =
            jobs.into_iter().filter_map(|job| Some((job, self.end(worker, job)?))).collect();
        let process = self.process(worker);
        for (job, lease) in &leases {
            self.left.insert((process, *job), lease.nodes);
        }
        self.drain(worker);
        self.resting.remove(&worker);
        if let Some(state) = self.workers.remove(&worker) {
            self.deadlines.remove(&(state.deadline, worker, None));
            self.gone.insert(worker, state.process);
        }
        leases
    }

    /// Returns the worker for a job, and the number of its free threads: `prefer` if it has any,
    /// otherwise the one with the most, that is not `avoid` and does not have `job` already. `avoid`
    /// counts only if others take jobs.
    pub(super) fn choose(
        &self,
        job: JobId,
        prefer: Option<WorkerId>,
        avoid: Option<WorkerId>,
    ) -> Option<(WorkerId, u32)> {
        if let Some(worker) = prefer.filter(|_| prefer != avoid)
            && let Some(state) = self.workers.get(&worker)
            && state.free > 0
            && state.is_available()
            && !state.jobs.contains(&job)
        {
            return Some((worker, state.free));
        }
        let avoid = self.avoidable(avoid);
        self.idle
            .iter()
            .rev()
            .map(|&(free, worker)| (worker, free))
            .find(|&(worker, _)| Some(worker) != avoid && !self.leases.contains_key(&(worker, job)))
    }

    /// Returns the worker to `avoid` if others take jobs, and do not rest.
    pub(super) fn avoidable(&self, avoid: Option<WorkerId>) -> Option<WorkerId> {
        let is_counted = |worker: &WorkerId| !self.is_draining(*worker);
        let resting = self.resting.iter().filter(|worker| is_counted(worker)).count();
        let available = self.accepting - resting;
        let is_available = |worker| self.workers.get(&worker).is_some_and(Worker::is_available);
        avoid.filter(|&worker| available > usize::from(is_available(worker)))
    }

    /// Returns the worker with the most free threads that can share the search of a job with `others`, and is none of them.
    pub(super) fn choose_to_share(
        &self,
        job: JobId,
        others: &[WorkerId],
    ) -> Option<(WorkerId, u32)> {
        let suits = |worker| {
            let has_it = others.contains(&worker) || self.leases.contains_key(&(worker, job));
            !has_it && self.can_share(worker)
        };
        let idle = self.idle.iter().rev().map(|&(free, worker)| (worker, free));
        idle.into_iter().find(|&(worker, _)| suits(worker))
    }

    /// Returns whether `worker` can share searches with others.
    pub(super) fn can_share(&self, worker: WorkerId) -> bool {
        self.workers.get(&worker).is_some_and(|state| state.shares)
    }

    /// Returns whether all workers can.
    pub(super) fn all_share(&self) -> bool {
        self.workers.values().all(|state| state.shares)
    }

    /// Returns the workers that could begin a job of `width` threads now, or can when a job has stopped that was told to,
    /// once for each such job.
    pub(super) fn coming(&self, width: u32) -> Vec<WorkerId> {
        let free = self
            .idle
            .iter()
            .flat_map(|&(free, worker)| std::iter::repeat_n(worker, slots::slots(free, width)));
        let stopping = self.leases.iter().filter(|(_, lease)| lease.stopped.is_some());
        let stopping = stopping.map(|(&(worker, _), _)| worker);
        free.chain(stopping.filter(|&worker| !self.is_draining(worker))).collect()
    }

    /// Returns the process of a worker, which may have left a while ago.
    pub(super) fn process(&self, worker: WorkerId) -> ProcessId {
        let connected = self.workers.get(&worker).map(|state| state.process);
        let known = connected.or_else(|| self.gone.get(&worker).copied());
        known.unwrap_or(ProcessId(worker.0))
    }

    /// Returns the connections of `process`.
    pub(super) fn connections(&self, process: ProcessId) -> Vec<WorkerId> {
        let is_its = |(_, state): &(&WorkerId, &Worker)| state.process == process;
        self.workers.iter().filter(is_its).map(|(&id, _)| id).collect()
    }

    /// Returns the worker with the most free threads whose process is none of `others`.
    pub(super) fn choose_of_others(&self, job: JobId, others: &[ProcessId]) -> Option<WorkerId> {
        let suits = |&worker: &WorkerId| {
            !others.contains(&self.process(worker)) && !self.leases.contains_key(&(worker, job))
        };
        self.idle.iter().rev().map(|&(_, worker)| worker).find(suits)
    }

    /// Returns whether at least `count` processes take jobs that are none of `others`, be it after a rest.
    pub(super) fn others_accept(&self, count: usize, others: &[ProcessId]) -> bool {
        self.are_others(count, others, |state| !state.draining)
    }

    /// Returns whether at least `count` processes that are none of `others` take jobs and do not rest.
    pub(super) fn others_are_available(&self, count: usize, others: &[ProcessId]) -> bool {
        self.are_others(count, others, Worker::is_available)
    }

    fn are_others(
        &self,
        count: usize,
        others: &[ProcessId],
        counts: impl Fn(&Worker) -> bool,
    ) -> bool {
        let mut found = BTreeSet::new();
        for process in
            self.workers.values().filter(|state| counts(state)).map(|state| state.process)
        {
            if found.len() >= count {
                break;
            }
            if !others.contains(&process) {
                found.insert(process);
            }
        }
        found.len() >= count
    }

    /// Returns the workers that take jobs and are not `worker`.
    pub(super) fn accepting_besides(&self, worker: WorkerId) -> Vec<WorkerId> {
        let accepts = |&(&id, state): &(&WorkerId, &Worker)| id != worker && !state.draining;
        self.workers.iter().filter(accepts).map(|(&id, _)| id).collect()
    }

    /// Returns all workers.
    pub(super) fn ids(&self) -> Vec<WorkerId> {
        self.workers.keys().copied().collect()
    }

    /// Sees to it that no report of a running job is believed; returns the jobs, which are to stop.
    pub(super) fn disown_leases(&mut self) -> Vec<(WorkerId, JobId)> {
        self.leases.values_mut().for_each(|lease| lease.target = Target::Disowned);
        self.leases.keys().copied().collect()
    }

    /// Returns the number of leases that were ever entered.
    pub(super) fn leases_entered(&self) -> u64 {
        self.leases_entered
    }

    /// Enters a lease that begins now and runs out after `span` without a sign of life.
    pub(super) fn begin(
        &mut self,
        worker: WorkerId,
        job: JobId,
        lease: Lease,
        (now, span): (Millis, Duration),
    ) {
        let deadline = after(now, span);
        let mut lease = lease;
        if let Some(nodes) = self.left.remove(&(self.process(worker), job)) {
            (lease.nodes, lease.charged, lease.is_resumed) = (nodes, nodes, true);
        }
        self.leases_entered += 1;
        self.occupy(worker, |free| free - lease.threads);
        if let Some(state) = self.workers.get_mut(&worker) {
            state.jobs.insert(job);
        }
        self.deadlines.insert((deadline, worker, Some(job)));
        self.leases.insert((worker, job), Lease { begun: now, searched: now, deadline, ..lease });
    }

    /// Ends a lease and returns it.
    pub(super) fn end(&mut self, worker: WorkerId, job: JobId) -> Option<Lease> {
        let lease = self.leases.remove(&(worker, job))?;
        self.deadlines.remove(&(lease.deadline, worker, Some(job)));
        self.occupy(worker, |free| free + lease.threads);
        if let Some(state) = self.workers.get_mut(&worker) {
            state.jobs.remove(&job);
        }
        Some(lease)
    }

    /// Returns the lease of `job` by `worker`.
    pub(super) fn lease(&self, worker: WorkerId, job: JobId) -> Option<&Lease> {
        self.leases.get(&(worker, job))
    }

    /// Returns the lease of `job` by `worker`.
    pub(super) fn lease_mut(&mut self, worker: WorkerId, job: JobId) -> Option<&mut Lease> {
        self.leases.get_mut(&(worker, job))
    }

    /// Notes a sign of life of `worker`.
    pub(super) fn renew(&mut self, worker: WorkerId, deadline: Millis) {
        if let Some(state) = self.workers.get_mut(&worker) {
            self.deadlines.remove(&(state.deadline, worker, None));
            self.deadlines.insert((deadline, worker, None));
            state.deadline = deadline;
        }
    }

    /// Notes a sign of life of one job.
    pub(super) fn renew_lease(&mut self, worker: WorkerId, job: JobId, deadline: Millis) {
        if let Some(lease) = self.leases.get_mut(&(worker, job)) {
            self.deadlines.remove(&(lease.deadline, worker, Some(job)));
            self.deadlines.insert((deadline, worker, Some(job)));
            lease.deadline = deadline;
        }
    }

    /// Returns one worker, or one lease of it, that has run out by `now`.
    pub(super) fn expired(&self, now: Millis) -> Option<(WorkerId, Option<JobId>)> {
        let &(deadline, worker, job) = self.deadlines.first()?;
        (deadline <= now).then_some((worker, job))
    }

    fn occupy(&mut self, worker: WorkerId, change: impl Fn(u32) -> u32) {
        let Some(state) = self.workers.get_mut(&worker) else { return };
        let free = change(state.free);
        if state.is_available() {
            self.idle.remove(&(state.free, worker));
            if free > 0 {
                self.idle.insert((free, worker));
            }
            self.free.leave(state.free);
            self.free.enter(free);
        }
        state.free = free;
    }
}

/// Returns the time `span` after `now`.
pub(super) fn after(now: Millis, span: Duration) -> Millis {
    Millis(now.0.saturating_add(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests;
