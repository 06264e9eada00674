//! Jobs whose search several workers share.
//!
//! In a small fleet nothing is cut that one worker could search: whoever has nothing else to do helps with what runs
//! instead. The engine of who leads sends it moves to try, as it would give them to threads of its own, and it may
//! have others try moves for what it tries. What they say to each other does not pass here, but for what is proved.
//!
//! Helpers go as soon as something waits that is needed for sure and is as urgent: who searches something whole takes the
//! fewest nodes.

use std::collections::{BTreeMap, BTreeSet};

use outflank_engine::SharedHint;

use super::fleet::{Lease, Target};
use super::message::{Command, JobId, Millis, WorkerId};
use super::question::{Item, Key, Question, Rank, State};
use super::split_running::CANDIDATES;
use super::{Core, Turn};

/// Who was asked to help with what, and as which jobs; those who have failed at it included, so that nobody is
/// asked twice.
#[derive(Debug, Default)]
pub(super) struct Sharing(BTreeMap<Key, BTreeMap<WorkerId, JobId>>);

impl Sharing {
    /// Returns the number of questions with which somebody was asked to help.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Core {
    /// Returns whether the fleet is so small that its workers share searches, and they can.
    pub(super) fn shares(&self) -> bool {
        (1..=self.config.most_sharing).contains(&self.slots()) && self.fleet.all_share()
    }

    /// Returns whether the search of a question is shared: of any in a small fleet; in a larger one of requests as they
    /// came, since it cuts those that are too large for one job for all.
    pub(super) fn may_share(&self, key: Key) -> bool {
        let is_root = || self.questions.get(&key).is_some_and(Question::is_root);
        self.shares() && (self.slots() <= self.config.small_up_to || is_root())
    }

    /// Returns whether a job of so many predicted nodes is shared if `worker` gets it: one that will be over soon is not
    /// worth a call.
    pub(super) fn is_to_be_shared(&self, worker: WorkerId, target: Target, predicted: f64) -> bool {
        let may_be = match target {
            Target::Question(key) => self.may_share(key) && predicted > self.config.shortest_job,
            Target::Help => true,
            _ => false,
        };
        may_be && self.fleet.can_share(worker)
    }

    /// Returns whether a worker has a part in the shared search of a job. A report need not end that: it may be of an
    /// earlier part of its, which it has kept.
    #[must_use]
    pub fn has_part(&self, worker: WorkerId, job: JobId) -> bool {
        self.fleet.lease(worker, job).is_some_and(|lease| lease.is_shared)
    }

    /// Returns who leads the shared search of a question, and the job.
    fn shared_lead(&self, key: Key) -> Option<(WorkerId, JobId)> {
        let State::Running { jobs, .. } = &self.questions.get(&key)?.state else { return None };
        let is_shared = |&&(worker, job): &&(WorkerId, JobId)| {
            self.fleet.lease(worker, job).is_some_and(|lease| lease.is_shared)
        };
        jobs.iter().find(is_shared).copied().filter(|_| self.shares())
    }

    /// Returns whether workers who are idle can help with the running job of a question.
    pub(super) fn is_shared(&self, key: Key) -> bool {
        self.shared_lead(key).is_some()
    }

    /// Returns whether something runs that workers who are idle can help with.
    pub(super) fn can_help(&self) -> bool {
        let mut running = self.single_copies.iter().take(CANDIDATES);
        self.shares() && running.any(|&(_, key)| self.is_shared(key))
    }

    /// Has an idle worker help with the job that has the fewest helpers. Returns whether there was one.
    pub(super) fn find_helper(&mut self, turn: &mut Turn<'_>) -> bool {
        self.find_helper_before(turn, None)
    }

    /// Has idle workers help with what is more urgent than all that waits, before they begin that.
    pub(super) fn help_more_urgent(&mut self, turn: &mut Turn<'_>) {
        if self.single_copies.is_empty() || !self.shares() {
            return;
        }
        while self.fleet.free_threads() > 0 {
            let waiting = [self.ready.first(), self.queue.first()].into_iter().flatten();
            let Some(class) = waiting.map(|(rank, _)| rank.class()).min() else { return };
            if !self.find_helper_before(turn, Some(class)) {
                return;
            }
        }
    }

    /// Has an idle worker help with the job that has the fewest helpers, of those that are more urgent than `class`, if
    /// that is given. Returns whether there was one.
    fn find_helper_before(&mut self, turn: &mut Turn<'_>, class: Option<u64>) -> bool {
        if !self.shares() {
            return false;
        }
        let running = self.single_copies.iter().take(CANDIDATES).map(|&(_, key)| key);
        let helpers = |key: &Key| self.sharing.0.get(key).map_or(0, BTreeMap::len);
        let is_before = |key: &Key| class.is_none_or(|class| self.class(*key) < class);
        let mut keys: Vec<Key> = running.filter(is_before).collect();
        keys.sort_by_key(helpers);
        keys.into_iter().any(|key| self.help_with(turn, key))
    }

    fn help_with(&mut self, turn: &mut Turn<'_>, key: Key) -> bool {
        let Some((lead, id)) = self.shared_lead(key) else { return false };
        let asked = self.sharing.0.get(&key).into_iter().flat_map(BTreeMap::keys);
        let others: Vec<WorkerId> = asked.copied().chain([lead]).collect();
        let Some((worker, free)) = self.fleet.choose_to_share(id, &others) else { return false };
        let Some(running) = self.fleet.lease_mut(lead, id) else { return false };
        running.was_helped = true;
        let running = *running;
        let job = Key { position: running.position, window: running.window };
        let lease = Lease::new(Target::Help, running.home, job, free, running.predicted);
        self.sharing.0.entry(key).or_default().insert(worker, id);
        self.send_job(turn, worker, lease, u64::MAX);
        self.make_familiar(key.position, lead); // What comes next is the lead's.
        true
    }

    /// Passes on what a worker has come to believe, where searches are shared. Nothing is concluded from it here.
    pub(super) fn hinted(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        job: JobId,
        hints: Vec<SharedHint>,
    ) {
        let is_running = self.fleet.lease_mut(worker, job).is_some();
        let workers = self.fleet.accepting_besides(worker);
        if is_running && self.shares() && !workers.is_empty() {
            turn.commands.push(Command::Hint { workers, hints });
        }
    }

    /// Has the helpers stop whose lead is done, or gone.
    pub(super) fn dismiss_helpers(&mut self, turn: &mut Turn<'_>) {
        let is_over = |key: &Key| self.shared_lead(*key).is_none();
        let over: Vec<Key> = self.sharing.0.keys().copied().filter(is_over).collect();
        for key in over {
            let jobs = self.sharing.0.remove(&key).unwrap_or_default();
            let jobs = jobs.into_iter().filter(|&(worker, job)| self.helps(worker, job)).collect();
            self.cancel(turn, &jobs);
        }
    }

    /// Returns the question with whose job a worker helps.
    pub(super) fn helped(&self, worker: WorkerId, job: JobId) -> Option<Key> {
        let is_it =
            |(_, asked): &(&Key, &BTreeMap<WorkerId, JobId>)| asked.get(&worker) == Some(&job);
        self.sharing.0.iter().find(is_it).map(|(&key, _)| key)
    }

    /// Notes that a helper searches: whoever leads may wait for that, and searches nothing meanwhile.
    pub(super) fn note_help(&mut self, now: Millis, helper: WorkerId, job: JobId) {
        let lead = self.helped(helper, job).and_then(|key| self.shared_lead(key));
        if let Some(lease) = lead.and_then(|(lead, job)| self.fleet.lease_mut(lead, job)) {
            lease.searched = now;
        }
    }

    fn helps(&self, worker: WorkerId, job: JobId) -> bool {
        self.fleet.lease(worker, job).is_some_and(|lease| lease.target == Target::Help)
    }

    /// Has as many helpers stop as are needed for what waits and is needed for sure, of those that can have it and help with
    /// nothing that is more urgent.
    pub(super) fn call_back(&mut self, turn: &mut Turn<'_>) {
        if self.sharing.0.is_empty() {
            return;
        }
        let judges = self.unfit_to_judge().into_iter().map(|unfit| Waiting { class: 0, unfit });
        let waiting = judges.chain(self.surely_waiting()).collect();
        for waiting in self.without_worker(waiting) {
            self.call_one_back(turn, &waiting);
        }
    }

    /// Returns the first things that wait and are needed for sure.
    pub(super) fn surely_waiting(&self) -> Vec<Waiting> {
        let sure = |list| {
            let list: &BTreeSet<(Rank, Item)> = list;
            list.iter().take(CANDIDATES).take_while(|(rank, _)| is_sure(*rank)).copied()
        };
        let avoid = |item| match item {
            Item::Question(key) => self.questions.get(&key).and_then(|question| question.avoid),
            Item::Line(id) => self.solves.get(&id).and_then(|solve| solve.line_avoid),
        };
        let waiting = |(rank, item): (Rank, Item)| Waiting {
            class: rank.class(),
            unfit: self.fleet.avoidable(avoid(item)).into_iter().collect(),
        };
        sure(&self.ready).chain(sure(&self.queue)).map(waiting).collect()
    }

    /// Returns those for whom nobody is free, or will be as soon as a job has stopped that was told to.
    pub(super) fn without_worker(&self, waiting: Vec<Waiting>) -> Vec<Waiting> {
        let mut coming = self.fleet.coming(self.width());
        let has_none = |waiting: &Waiting| {
            // Whoever comes and cannot have it helps again, and would be called back again and again.
            let fit = coming.iter().position(|worker| !waiting.unfit.contains(worker));
            fit.map(|place| coming.swap_remove(place)).is_none()
        };
        waiting.into_iter().filter(has_none).collect()
    }

    /// Has a helper stop that can have what waits, of the job that has the most of them and is not more urgent.
    fn call_one_back(&mut self, turn: &mut Turn<'_>, waiting: &Waiting) {
        let last = |(&key, asked): (&Key, &BTreeMap<WorkerId, JobId>)| {
            let helps = |&(worker, job): &(WorkerId, JobId)| self.helps(worker, job);
            let helpers = || asked.iter().map(|(&worker, &job)| (worker, job)).filter(helps);
            let fit = helpers().rfind(|(worker, _)| !waiting.unfit.contains(worker));
            fit.map(|(worker, job)| (helpers().count(), key, worker, job))
        };
        let all = self.sharing.0.iter().filter(|(key, _)| self.class(**key) >= waiting.class);
        let most = all.filter_map(last).max_by_key(|&(count, ..)| count);
        let Some((_, key, worker, job)) = most else { return };
        // It may help again.
        self.sharing.0.entry(key).and_modify(|asked| _ = asked.remove(&worker));
        self.cancel(turn, &BTreeSet::from([(worker, job)]));
    }
}

/// Something that waits for a worker and is needed for sure.
#[derive(Debug)]
pub(super) struct Waiting {
    /// The class of its request.
    pub(super) class: u64,
    /// The workers who cannot have it.
    pub(super) unfit: Vec<WorkerId>,
}

/// Returns whether what waits is needed for sure, as far as one can tell.
pub(super) fn is_sure(rank: Rank) -> bool {
    rank.step == 0
}
