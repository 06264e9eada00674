//! Handing jobs to workers.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use outflank_engine::{Bound, Position, Square, Symmetry, Window};

use super::fleet::{Lease, Target};
use super::message::{Command, Job, JobId, WorkerId};
use super::question::{Item, Key, Question, Rank, State};
use super::share::is_sure;
use super::solve::Solve;
use super::{Core, Turn, slots};

/// A goal among many requests may take so many times the largest job that is planned.
const GOAL_TIMES_JOB: f64 = 4.0;

/// Where there are more slots than requests the largest job shrinks with the square of the requests for each slot: with
/// smaller jobs several workers find enough to do for one request that is needed for sure.
const SHRINKING: i32 = 2;

/// But it stays so many times as large as the smallest.
const TIMES_THE_SMALLEST: f64 = 5.0;

impl Core {
    /// Hands out jobs as long as threads are free: from the queue, else speculative brothers, else
    /// second copies; all of it only until the turn's splits are used up.
    pub(super) fn dispatch(&mut self, turn: &mut Turn<'_>) {
        if self.audits.taking_back {
            return;
        }
        self.dismiss_helpers(turn);
        self.assign_audits(turn);
        if self.audits.taking_back {
            return;
        }
        self.call_back(turn);
        self.keep_to_requests(turn);
        self.help_neediest(turn);
        // What nobody who is free can take now does not keep others from what comes after it.
        let mut refused = 0;
        loop {
            self.help_more_urgent(turn);
            self.fill(turn, refused);
            let (moved, refused_now) = self.hand_out(turn, refused);
            let before = std::mem::replace(&mut refused, refused_now);
            if moved || refused > before {
                continue;
            }
            if turn.splits == 0 {
                return;
            }
            let idle = self.fleet.free_threads() > 0;
            if !(idle && (self.find_helper(turn) || self.split_oldest(turn))) {
                break;
            }
        }
        while self.fleet.free_threads() > 0 && self.back_up(turn) {}
        self.preempt(turn);
        if self.fleet.accepting() == 0 {
            self.answer_without_lines(turn);
        }
    }

    /// Takes items from the queue until every free slot could have one, besides the `refused` ones that nobody who
    /// is free can take; what does not fit a job is expanded.
    fn fill(&mut self, turn: &mut Turn<'_>, refused: usize) {
        let free = self.free_slots();
        let wanted = if free == 0 { 0 } else { free + refused };
        while turn.splits > 0 && self.ready.len() < wanted {
            let first = self.queue.first().map(|&(rank, _)| rank);
            if !first.is_some_and(is_sure) && self.can_help() {
                return; // That is worth more than what is perhaps not needed.
            }
            if self.config.speculation
                && let Some(&(brother, _)) = self.brothers.first()
                && first.is_none_or(|first| brother < first)
            {
                if self.splits_surer(turn, brother) {
                    return;
                }
                if self.speculate(turn) {
                    turn.splits -= 1;
                    continue;
                }
            }
            let Some((rank, item)) = self.queue.pop_first() else { return };
            if let Item::Question(key) = item {
                self.rehome(key);
            }
            match item {
                Item::Question(key) if !self.fits(key) => self.split_now(turn, key),
                _ => {
                    self.ready.insert((rank, item));
                }
            }
        }
    }

    /// Gives what waits in the place `old`, if anything does, the place `new`.
    pub(super) fn requeue(&mut self, old: (Rank, Item), new: (Rank, Item)) {
        if self.queue.remove(&old) {
            self.queue.insert(new);
        } else if self.ready.remove(&old) {
            self.ready.insert(new);
        }
    }

    /// Returns whether a question goes out as one job.
    pub(super) fn fits(&self, key: Key) -> bool {
        let Some(question) = self.questions.get(&key) else { return true };
        if question.must_split {
            return false;
        }
        if let Some(split_to) = self.split_to(question) {
            return key.position.empties() <= split_to;
        }
        let is_leaf = key.position.empties() <= self.config.leaf_empties;
        let predicted = question.predicted;
        // To find the size takes a look at every request: most questions do not need it.
        let is_small = predicted <= self.smallest_job()
            || predicted <= self.largest_for(key, question)
                && (self.is_whole(key, question) || predicted <= self.job_size());
        is_leaf || is_small || self.is_tried(key, question)
    }

    /// Returns down to how many empty squares the request of a question is to be split, if that was said.
    pub(super) fn split_to(&self, question: &Question) -> Option<u32> {
        self.solves.get(&question.home)?.terms?.split_to
    }

    /// Returns whether all threads work for a question that goes out whole: those of the only worker, or of workers that
    /// share its search.
    fn is_whole(&self, key: Key, question: &Question) -> bool {
        match self.fleet.accepting() {
            0 => false,
            1 => question.is_root(),
            _ => self.may_share(key),
        }
    }

    /// Returns the largest job that a question can go out as, in predicted nodes.
    fn largest_for(&self, key: Key, question: &Question) -> f64 {
        if self.is_whole(key, question) { self.config.longest_job } else { self.largest_job() }
    }

    /// Returns whether a goal that is too large for a job is given to a worker all the same, on trial: what it leaves
    /// is the order of the moves, what it believes, and its tables. Small fleets split it
    /// at once, as their workers do not stay with what they have tables for.
    fn is_tried(&self, key: Key, question: &Question) -> bool {
        self.is_one_of_many(key, question) && question.predicted > self.largest_for(key, question)
    }

    /// Returns whether a question is a goal among many requests, of which nobody has said where it is to be cut.
    fn is_one_of_many(&self, key: Key, question: &Question) -> bool {
        let is_leaf = key.position.empties() <= self.config.leaf_empties;
        let is_goal = key.window.is_null() && !is_leaf && self.split_to(question).is_none();
        is_goal && self.has_many_requests()
    }

    /// Returns the largest job that requests are cut into, in predicted nodes. What is cut costs more nodes
    /// than what is whole: so nothing is cut, but for its size, while there is a request for each slot.
    pub(super) fn job_size(&self) -> f64 {
        let slots = self.slots().max(1);
        if self.waits_for_slots() {
            return self.largest_job();
        }
        let remaining: f64 = self.solves.values().map(Solve::remaining).sum();
        let jobs = self.config.jobs_per_thread * slots as f64;
        (remaining / jobs).min(self.config.longest_job).max(self.smallest_job())
    }

    /// Returns the largest job now, in predicted nodes: as configured, smaller where workers share the requests of a crowd.
    pub(super) fn largest_job(&self) -> f64 {
        let whole = self.config.longest_job;
        let (open, slots) = (self.solves.len(), self.slots());
        if open >= slots || !self.has_many_requests() {
            return whole;
        }
        let share = open as f64 / slots as f64;
        (whole * share.powi(SHRINKING)).max(TIMES_THE_SMALLEST * self.smallest_job()).min(whole)
    }

    /// Returns the size up to which nothing is split, in predicted nodes: for a large fleet that is more than a worker would
    /// need, since otherwise the core could not keep up, and most workers would wait for its estimates.
    fn smallest_job(&self) -> f64 {
        let growth = self.fleet.threads() as f64 / self.config.large_above.max(1) as f64;
        let growth = growth.max(f64::from(self.width()));
        (self.config.shortest_job * growth).min(self.config.longest_job)
    }

    /// Returns whether there are too many requests to cut them up: one for each slot, or for each few of
    /// many slots. What runs long is split when workers are idle.
    fn waits_for_slots(&self) -> bool {
        let slots = self.slots();
        self.solves.len() >= slots || slots >= self.config.goals_from_slots && !self.is_deep()
    }

    /// Assigns what is ready. Returns whether anything was taken from the list, and how many of the first ones nobody
    /// who is free can take; so many were `refused` before.
    fn hand_out(&mut self, turn: &mut Turn<'_>, refused: usize) -> (bool, usize) {
        let free = self.free_slots();
        if free == 0 {
            return (false, refused);
        }
        let waiting = self.ready.len() - refused.min(self.ready.len());
        // Where splitting was broken off there will be more.
        let width = if turn.splits == 0 { self.width() } else { self.width_for(waiting) };
        let batch: Vec<(Rank, Item)> = self.ready.iter().take(free + refused).copied().collect();
        let (mut moved, mut refused) = (false, 0);
        for (rank, item) in batch {
            let done = match item {
                Item::Question(key) => self.assign_question(turn, key, width),
                Item::Line(solve) => self.assign_line(turn, solve, width),
            };
            if done {
                self.ready.remove(&(rank, item));
                moved = true;
            } else if self.fleet.free_threads() > 0 {
                refused += 1;
            }
        }
        (moved, refused)
    }

    /// Starts a job of `width` threads for a waiting question, or lets the question wait for a running job that
    /// answers it too. Returns `false` if no suitable worker is free.
    pub(super) fn assign_question(&mut self, turn: &mut Turn<'_>, key: Key, width: u32) -> bool {
        self.rehome(key);
        let Some(question) = self.questions.get(&key) else { return true };
        let job_key = self.narrowed(turn, key);
        if let Some(node) = self.graph.get_mut(key.position)
            && node.running.iter().any(|&(window, _)| includes(window, job_key.window))
        {
            node.parked.insert(key.window);
            self.set_state(key, State::Parked);
            return true;
        }
        let familiar = self.familiar(key.position);
        let Some((worker, free)) = self.fleet.choose(job_key.job_id(), familiar, question.avoid)
        else {
            return false;
        };
        let (home, limit) = (question.home, self.node_limit(key, question));
        let (predicted, doubt) = (question.predicted, question.rank.doubt);
        let threads = slots::of_free(free, width);
        if let Some(node) = self.graph.get_mut(key.position) {
            node.running.insert((job_key.window, key.window));
        }
        let jobs = BTreeSet::from([(worker, job_key.job_id())]);
        self.set_state(key, State::Running { jobs, since: turn.now });
        self.single_copies.insert((turn.now, key));
        self.doomed.remove(&(Reverse(doubt), key));
        let lease = Lease::new(Target::Question(key), home, job_key, threads, predicted);
        self.send_job(turn, worker, lease, limit);
        true
    }

    /// Returns the question with the part of its window that is still open.
    fn narrowed(&self, turn: &Turn<'_>, key: Key) -> Key {
        let bound = self.known(turn, key.position).bound;
        let low = key.window.lower().max(bound.lower());
        let high = key.window.upper().min(bound.upper());
        Key { window: Window::new(low, high).unwrap_or(key.window), ..key }
    }

    pub(super) fn node_limit(&self, key: Key, question: &Question) -> u64 {
        if self.is_tried(key, question) {
            return self.config.trial_job.min(self.largest_job()) as u64;
        }
        let growth = self.config.budget_factor.powi(question.overruns as i32 + 1);
        let limit = (question.predicted * growth).max(self.config.shortest_job);
        limit.min(self.most_of(key, question).unwrap_or(f64::INFINITY)) as u64
    }

    /// Returns the nodes after which a goal among many requests is split that was to fit a job: its prediction may have been
    /// so wrong that it would be one worker's for hours.
    fn most_of(&self, key: Key, question: &Question) -> Option<f64> {
        let largest = self.largest_for(key, question);
        let was_to_fit = question.predicted <= largest && self.is_one_of_many(key, question);
        was_to_fit.then_some(GOAL_TIMES_JOB * largest)
    }

    fn set_state(&mut self, key: Key, state: State) {
        if let Some(question) = self.questions.get_mut(&key) {
            question.state = state;
        }
    }

    /// Enters the lease and sends the job.
    pub(super) fn send_job(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        lease: Lease,
        node_limit: u64,
    ) {
        let Lease { position, window, threads, .. } = lease;
        self.make_familiar(position, worker);
        let id = Key { position, window }.job_id();
        let symmetry = self.graph.get(position).map(|node| node.symmetry).unwrap_or_default();
        let mut known = self.bounds_below(turn, position, symmetry);
        known.extend(self.bounds_inside(turn, lease.home, position, symmetry));
        self.note_told(turn, worker, &known);
        let mut lease = lease;
        (lease.limit, lease.told) = (node_limit, self.insides.newest(lease.home));
        lease.is_shared = self.is_to_be_shared(worker, lease.target, lease.predicted);
        self.enter_lease(turn, worker, id, lease);
        let era = self.audits.era;
        let job = Job {
            id,
            position,
            symmetry,
            window,
            node_limit,
            threads,
            known,
            era,
            hints: lease.is_shared,
            inside: self.dear(),
            is_apart: false,
            is_shared: lease.is_shared,
            helps: lease.target == Target::Help,
        };
        turn.commands.push(Command::Assign { worker, job });
    }

    /// Enters the lease of a job, whatever it is for, and counts it for its request until it ends.
    pub(super) fn enter_lease(
        &mut self,
        turn: &Turn<'_>,
        worker: WorkerId,
        job: JobId,
        lease: Lease,
    ) {
        if let Some(solve) = self.solves.get_mut(&lease.home) {
            solve.running += 1;
        }
        self.side_jobs.begin(lease.target, worker, job);
        self.fleet.begin(worker, job, lease, (turn.now, self.config.lease));
    }

    /// Returns the worker whose table probably knows most of `position`.
    pub(super) fn familiar(&self, position: Position) -> Option<WorkerId> {
        let node = self.graph.get(position)?;
        node.worker.or_else(|| {
            let parents = self.graph.parents(position);
            parents.into_iter().find_map(|parent| self.graph.get(parent)?.worker)
        })
    }

    pub(super) fn make_familiar(&mut self, position: Position, worker: WorkerId) {
        if let Some(node) = self.graph.get_mut(position) {
            node.worker = Some(worker);
        }
    }

    /// Returns what is proved of the positions one ply below, which are turned by `symmetry`.
    pub(super) fn bounds_below(
        &self,
        turn: &Turn<'_>,
        position: Position,
        symmetry: Symmetry,
    ) -> Vec<(Position, Bound)> {
        let known = |square: Square| {
            let child = position.play(square)?;
            let bound = self.known(turn, child.canonical()).bound;
            let is_open = bound != Bound::UNKNOWN && !child.is_over();
            is_open.then(|| (symmetry.position(child), bound))
        };
        Square::all(position.moves()).filter_map(known).collect()
    }

    /// Puts a question back whose job was lost or failed at `worker`; after too many losses it is
    /// split.
    pub(super) fn job_lost(&mut self, turn: &mut Turn<'_>, key: Key, worker: WorkerId) {
        let limit = self.config.retry_limit;
        if let Some(question) = self.questions.get_mut(&key) {
            question.losses += 1;
            question.avoid = Some(worker);
            if question.losses >= limit && !question.must_split {
                question.must_split = true;
                let (job, position, losses) = (key.job_id(), key.position, question.losses);
                self.given_up += 1;
                turn.commands.push(Command::GaveUp { job, position, losses });
            }
        }
        self.job_ended(key, worker);
    }

    /// Puts a question back whose job ran into its node limit.
    pub(super) fn job_overran(&mut self, turn: &mut Turn<'_>, key: Key, worker: WorkerId) {
        let is_leaf = key.position.empties() <= self.config.leaf_empties;
        let (limit, factor) = (self.config.retry_limit, self.config.budget_factor);
        let Some(question) = self.questions.get(&key) else { return };
        let was_tried = self.is_tried(key, question);
        let most = self.most_of(key, question);
        let Some(question) = self.questions.get_mut(&key) else { return };
        if self.stopping.remove(&key) {
            question.must_split = true;
            self.job_ended(key, worker);
            return;
        }
        question.overruns += 1;
        if !is_leaf || question.overruns >= limit {
            question.must_split = true;
            // What has only taken as much as it may says little of what is below.
            let is_long = most.is_some_and(|most| most < question.predicted * factor);
            if !was_tried && !is_long {
                question.scale *= factor;
            }
            if let State::Running { jobs, .. } = &mut question.state {
                let all = std::mem::take(jobs).into_iter();
                let (own, copies) = all.partition(|copy| copy.0 == worker);
                *jobs = own;
                self.cancel(turn, &copies);
            }
        }
        self.job_ended(key, worker);
    }

    /// Takes `worker` off a running question; without any other copy it goes back to the queue.
    pub(super) fn job_ended(&mut self, key: Key, worker: WorkerId) {
        let Some(question) = self.questions.get_mut(&key) else { return };
        if let State::Expanded { rivals, .. } = &mut question.state {
            rivals.retain(|rival| rival.0 != worker);
            if rivals.is_empty() {
                self.unpark(key);
            }
            return;
        }
        let State::Running { jobs, since } = &mut question.state else { return };
        jobs.retain(|copy| copy.0 != worker);
        let since = *since;
        self.single_copies.remove(&(since, key));
        match jobs.len() {
            0 => {
                self.unpark(key);
                self.enqueue(key);
            }
            1 => {
                self.single_copies.insert((since, key));
            }
            _ => {}
        }
    }
}

/// Returns whether the answer to `outer` also answers `inner`.
pub(super) fn includes(outer: Window, inner: Window) -> bool {
    outer.lower() <= inner.lower() && inner.upper() <= outer.upper()
}
