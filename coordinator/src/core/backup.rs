//! Second copies of jobs that run long and cannot be split, when workers have nothing else to do: whoever is first ends
//! the other.
//!
//! The worker of a straggler may be slow, or stand still and not have been missed yet. For whoever waits that is the same,
//! whether the job is to answer a question, to find the rest of a line, or to judge a claim; the last two hold answers back.

use std::collections::{BTreeMap, BTreeSet};

use super::fleet::{Lease, Target, after};
use super::message::{JobId, Millis, WorkerId};
use super::question::{Key, State};
use super::split_running::CANDIDATES;
use super::{Core, Turn};

/// Who is at the jobs that answer no question: those of judges and those for lines.
#[derive(Debug, Default)]
pub(super) struct SideJobs(BTreeMap<Target, BTreeSet<(WorkerId, JobId)>>);

impl SideJobs {
    /// Notes that `worker` has a job for `target`, if that is such a one.
    pub(super) fn begin(&mut self, target: Target, worker: WorkerId, job: JobId) {
        if let Target::Line(_) | Target::Audit(_) = target {
            self.0.entry(target).or_default().insert((worker, job));
        }
    }

    /// Notes that the job of `worker` for `target` has ended, or is not waited for any more.
    pub(super) fn end(&mut self, target: Target, worker: WorkerId) {
        if let Some(jobs) = self.0.get_mut(&target) {
            jobs.retain(|&(other, _)| other != worker);
            if jobs.is_empty() {
                self.0.remove(&target);
            }
        }
    }

    /// Returns the number of things that somebody is at.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether somebody is at it.
    pub(super) fn run(&self, target: Target) -> bool {
        self.0.contains_key(&target)
    }

    /// Takes the jobs that run for `target` out.
    pub(super) fn take(&mut self, target: Target) -> BTreeSet<(WorkerId, JobId)> {
        self.0.remove(&target).unwrap_or_default()
    }

    /// Returns what one worker alone is at.
    fn alone(&self) -> impl Iterator<Item = (Target, WorkerId, JobId)> {
        self.0.iter().filter_map(|(&target, jobs)| match jobs.first() {
            Some(&(worker, job)) if jobs.len() == 1 => Some((target, worker, job)),
            _ => None,
        })
    }
}

impl Core {
    /// Gives a job that has run long to a second worker. Returns whether there was one, and a worker for it.
    pub(super) fn back_up(&mut self, turn: &mut Turn<'_>) -> bool {
        self.back_up_side_job(turn) || self.back_up_question(turn)
    }

    /// Returns whether a job that runs since `since` has run so long that it gets a second copy.
    fn is_straggler(&self, now: Millis, since: Millis) -> bool {
        after(since, self.config.backup_after) <= now
    }

    /// Gives the job that has run longest, and that a second worker is free for, to that one, if it has run long and cannot be
    /// split. Returns whether there was one.
    fn back_up_question(&mut self, turn: &mut Turn<'_>) -> bool {
        let now = turn.now;
        let old = self.single_copies.iter().copied().take(CANDIDATES);
        let old = old.filter(|&(since, _)| self.is_straggler(now, since));
        let old: Vec<_> = old.filter(|&(since, key)| !self.may_split(now, since, key)).collect();
        old.into_iter().any(|(since, key)| self.copy_question(turn, since, key))
    }

    fn copy_question(&mut self, turn: &mut Turn<'_>, since: Millis, key: Key) -> bool {
        let Some(question) = self.questions.get(&key) else { return false };
        let State::Running { jobs, .. } = &question.state else { return false };
        let Some(&(first, id)) = jobs.first() else { return false };
        let limit = self.node_limit(key, question);
        let Some(worker) = self.copy(turn, first, id, limit) else { return false };
        self.single_copies.remove(&(since, key));
        if let Some(question) = self.questions.get_mut(&key)
            && let State::Running { jobs, .. } = &mut question.state
        {
            jobs.insert((worker, id));
        }
        true
    }

    /// Does the same with what one judge, or one worker that looks for a line, is at alone.
    fn back_up_side_job(&mut self, turn: &mut Turn<'_>) -> bool {
        let begun = |(target, worker, job): (Target, WorkerId, JobId)| {
            let lease = self.fleet.lease(worker, job)?;
            let is_old = self.is_straggler(turn.now, lease.begun);
            is_old.then_some((lease.begun, target, worker, job))
        };
        let old: BTreeSet<_> = self.side_jobs.alone().filter_map(begun).collect();
        old.into_iter().any(|(_, target, worker, job)| match target {
            Target::Audit(audit) => self.ask_second_judge(turn, audit, worker),
            _ => {
                let limit = self.fleet.lease(worker, job).map_or(0, |lease| lease.limit);
                self.copy(turn, worker, job, limit).is_some()
            }
        })
    }

    /// Stops those who are at something that is done, or that nobody needs any more.
    pub(super) fn stop_side_jobs(&mut self, turn: &mut Turn<'_>, target: Target) {
        let jobs = self.side_jobs.take(target);
        self.cancel(turn, &jobs);
    }

    /// Gives job `id`, which `first` has, to a second worker. Returns that one, if one is free.
    fn copy(
        &mut self,
        turn: &mut Turn<'_>,
        first: WorkerId,
        id: JobId,
        limit: u64,
    ) -> Option<WorkerId> {
        let (worker, free) = self.fleet.choose(id, None, Some(first))?;
        if worker == first {
            return None;
        }
        let running = self.fleet.lease(first, id)?;
        let job = Key { position: running.position, window: running.window };
        let copy = Lease::new(running.target, running.home, job, free, running.predicted);
        self.send_job(turn, worker, copy, limit);
        Some(worker)
    }
}
