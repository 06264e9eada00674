//! Idle workers help a lead: they go through the same selective searches in another order, and each
//! hears what the others come to believe.
//!
//! Nothing is concluded from any of that: hints are passed on and not looked at, and the report of an
//! assistant counts like every other.
//!
//! The worker of a job that is split while it runs is told what others prove of the positions one ply below
//! its own; what is found deeper inside jobs is told by `inside`.

use std::collections::{BTreeMap, BTreeSet};

use outflank_engine::{Position, SharedHint};

use super::fleet::{Lease, Target};
use super::message::{Command, JobId, WorkerId};
use super::question::{Key, State};
use super::{Core, Turn};

/// Who was asked to assist the leads, and with which jobs; those who are done with it included, so
/// that nobody is asked twice.
#[derive(Debug, Default)]
pub(super) struct Assistants(BTreeMap<Key, BTreeMap<WorkerId, JobId>>);

impl Core {
    /// Passes on what a worker has come to believe. A large fleet has no ear for it.
    pub(super) fn hinted(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        job: JobId,
        hints: Vec<SharedHint>,
    ) {
        let is_running = self.fleet.lease_mut(worker, job).is_some();
        let workers = self.fleet.accepting_besides(worker);
        let is_heard = self.is_small_fleet() || self.shares();
        if is_running && is_heard && !workers.is_empty() {
            turn.commands.push(Command::Hint { workers, hints });
        }
    }

    /// Gives an idle worker the job of a lead that has not finished its selective searches. Returns
    /// whether there was one.
    pub(super) fn find_assistant(&mut self, turn: &mut Turn<'_>) -> bool {
        if !self.is_small_fleet() || self.shares() {
            return false; // Nobody leads, and there may be thousands of jobs.
        }
        let keys: Vec<Key> = self.single_copies.iter().map(|&(_, key)| key).collect();
        keys.into_iter().any(|key| self.assist(turn, key))
    }

    fn assist(&mut self, turn: &mut Turn<'_>, key: Key) -> bool {
        let Some((lead, id)) = self.lead_of(key) else { return false };
        let mut others: Vec<WorkerId> = vec![lead];
        others.extend(self.assistants.0.get(&key).into_iter().flat_map(BTreeMap::keys));
        let Some((worker, free)) = self.fleet.choose_besides(id, &others) else { return false };
        let Some(&mut running) = self.fleet.lease_mut(lead, id) else { return false };
        let Some(question) = self.questions.get(&key) else { return false };
        let limit = self.node_limit(key, question);
        let job = Key { position: running.position, window: running.window };
        let target = Target::Assistance(others.len() as u32 - 1);
        let lease = Lease::new(target, running.home, job, free, running.predicted);
        self.assistants.0.entry(key).or_default().insert(worker, id);
        self.start(turn, worker, lease, limit);
        self.make_familiar(key.position, lead); // What comes next is the lead's.
        true
    }

    /// Returns the lead of a request that is large enough to be led, and its job.
    fn lead_of(&self, key: Key) -> Option<(WorkerId, JobId)> {
        let question = self.questions.get(&key)?;
        let is_large = question.predicted > self.job_size();
        let jobs = match &question.state {
            State::Running { jobs, .. } => jobs,
            State::Expanded { rivals, .. } => rivals,
            State::Waiting | State::Parked => return None,
        };
        let is_led = self.is_root(key) && !self.is_believed(key.position);
        jobs.first().copied().filter(|_| is_led && is_large && self.wants_value(key))
    }

    /// Tells workers whose jobs were split while they run what is proved below, if any of the
    /// positions in `changed` is there.
    pub(super) fn tell_of(&mut self, turn: &mut Turn<'_>, changed: &[Position]) {
        let parents = changed.iter().flat_map(|&position| self.graph.parents(position));
        for position in parents.collect::<BTreeSet<_>>() {
            let Some(node) = self.graph.get(position) else { continue };
            let (symmetry, windows) = (node.symmetry, node.windows.iter());
            let questions =
                windows.filter_map(|&window| self.questions.get(&Key { position, window }));
            let rivals = questions.filter_map(|question| match &question.state {
                State::Expanded { rivals, .. } => Some(rivals),
                _ => None,
            });
            for (worker, job) in rivals.flatten().copied().collect::<Vec<_>>() {
                let known = self.bounds_below(turn, position, symmetry);
                self.note_told(turn, worker, &known);
                turn.commands.push(Command::Tell { worker, job, known });
            }
        }
    }

    /// Has the assistants stop whose lead is done, or gone.
    pub(super) fn dismiss_assistants(&mut self, turn: &mut Turn<'_>) {
        let is_over = |key: &Key| self.lead_of(*key).is_none();
        let over: Vec<Key> = self.assistants.0.keys().copied().filter(is_over).collect();
        for key in over {
            let jobs = self.assistants.0.remove(&key).unwrap_or_default();
            let assists = |&(worker, job): &(WorkerId, JobId)| {
                let lease = self.fleet.lease(worker, job);
                lease.is_some_and(|lease| matches!(lease.target, Target::Assistance(_)))
            };
            let jobs = jobs.into_iter().filter(assists).collect();
            self.cancel(turn, &jobs);
        }
    }
}
