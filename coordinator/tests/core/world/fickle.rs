//! Clients and campaigns that change their minds, and the end of everything that goes wrong.

use outflank_coordinator::core::{Advisor, Event, JobId, Proof, SolveId, Terms, WorkerId};
use outflank_engine::{Position, Score, Window};

use super::workers::{Pace, SimWorker};
use super::{Asked, Faults, Happening, World};
use crate::advisor::Heuristic;

/// The most requests that are open at the same time.
const MOST_OPEN: usize = 6;

/// By how much the clock leaps, in milliseconds.
const LEAPS: [u64; 4] = [3_000, 40_000, 700_000, 20_000_000];

impl World {
    /// Says what clients and campaigns ask about.
    pub(crate) fn about(mut self, roots: &[Position]) -> Self {
        self.roots = roots.to_vec();
        self
    }

    /// Lets the client of a request give it up.
    pub(crate) fn give_up(&mut self, solve: SolveId) {
        if self.requests.remove(&solve).is_some() {
            self.outcome.happened.given_up += 1;
            self.given_up.insert(solve);
            self.apply(Event::Abandoned { solve });
        }
    }

    pub(crate) fn change_a_mind(&mut self) {
        let open: Vec<SolveId> = self.requests.keys().copied().collect();
        let one = match open.len() as u64 {
            0 => None,
            count => Some(open[self.random.below(count) as usize]),
        };
        match (self.random.below(6), one) {
            (0, Some(solve)) => self.give_up(solve),
            (1, Some(solve)) => {
                // A campaign has another priority now.
                let asked = self.requests[&solve];
                if asked.terms.is_some() {
                    self.give_up(solve);
                    let terms = self.any_terms();
                    self.ask(Asked { terms: Some(terms), ..asked });
                }
            }
            (2, _) => {
                // It is paused.
                for solve in open {
                    let asked = self.requests.get(&solve).filter(|asked| asked.terms.is_some());
                    self.paused.extend(asked.copied());
                    if asked.is_some() {
                        self.give_up(solve);
                    }
                }
            }
            (3, _) if !self.paused.is_empty() => {
                for asked in std::mem::take(&mut self.paused) {
                    self.ask(asked);
                }
            }
            _ if open.len() < MOST_OPEN => {
                let count = self.roots.len() as u64;
                let mut position = self.roots[self.random.below(count) as usize];
                if self.random.chance(30) {
                    position = self.any_position();
                }
                if position.empties() > 9 {
                    return;
                }
                let window = self.any_window();
                let terms = self.random.chance(40).then(|| self.any_terms());
                self.ask(Asked { position, window, terms });
            }
            _ => {}
        }
    }

    fn any_terms(&mut self) -> Terms {
        let split_to = self.random.chance(40).then(|| self.random.below(9) as u32);
        Terms { priority: self.random.below(3) as u8, split_to }
    }

    fn any_window(&mut self) -> Window {
        let ends = [0, 1].map(|_| Score::floor(self.random.below(129) as i32 - 64));
        match self.random.below(3) {
            0 => Window::at_least(ends[0]).unwrap_or(Window::FULL),
            1 => Window::new(ends[0].min(ends[1]), ends[0].max(ends[1])).unwrap_or(Window::FULL),
            _ => Window::FULL,
        }
    }

    pub(super) fn leap(&mut self) {
        self.outcome.happened.leaps += 1;
        self.now += LEAPS[self.random.below(4) as usize];
    }

    /// Runs for so many milliseconds.
    pub(crate) fn run_for(&mut self, span: u64) {
        let end = self.now + span;
        while self.now < end {
            self.step();
        }
    }

    /// Runs until `is_done`, or for so many milliseconds. Returns whether it is done.
    pub(crate) fn run_until(&mut self, span: u64, is_done: impl Fn(&Self) -> bool) -> bool {
        let end = self.now + span;
        while self.now <= end && !is_done(self) {
            self.step();
        }
        is_done(self)
    }

    /// Returns the claims whose audits are owed although a worker could solve them.
    pub(crate) fn owed(&self) -> Vec<Proof> {
        let most = self.config.longest_job * self.config.budget_factor;
        let is_solved = |claim: &Proof| {
            let is_of_one_side =
                claim.bound.lower() == Score::MIN || claim.bound.upper() == Score::MAX;
            let goal = Window::at_least(Score::DRAW).filter(|_| is_of_one_side);
            let window = goal.unwrap_or(Window::FULL);
            Heuristic.predicted_nodes(claim.position, window, 0) <= most
        };
        self.store.docket().copied().filter(is_solved).collect()
    }

    /// Returns the time, in milliseconds.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Returns the open requests.
    pub(crate) fn open(&self) -> usize {
        self.requests.len()
    }

    /// Ends all that goes wrong, and leaves as many workers as said that have never lied. Who has lied or
    /// stands still leaves, is not heard of any more, or goes on as others do.
    pub(crate) fn calm(&mut self, honest: usize) {
        self.faults = Faults { slow_disk: self.faults.slow_disk, ..Faults::default() };
        self.least = Some(honest);
        if self.random.chance(30) {
            self.restart();
        }
        let mut left = honest;
        let ids: Vec<WorkerId> = self.workers.keys().copied().collect();
        for worker in ids {
            // With another one it may have been refused.
            let Some(state) = self.workers.get(&worker) else { continue };
            let is_bad = state.is_bad() || state.process.is_some_and(|it| self.liars.contains(&it));
            if !is_bad && !state.is_draining && left > 0 {
                left -= 1;
                continue;
            }
            match self.random.below(3) {
                0 => self.leave(worker),
                1 => {
                    self.workers.remove(&worker);
                }
                _ if is_bad => self.repent(worker),
                _ => self.leave(worker),
            }
        }
        self.is_calm = true;
        // Who has connected again meanwhile goes on with what it had, and comes to the end of it.
        let of = |(&worker, state): (&WorkerId, &SimWorker)| {
            state
                .jobs
                .iter()
                .map(move |(&job, &(_, nodes))| (worker, job, nodes))
                .collect::<Vec<_>>()
        };
        for (worker, job, nodes) in self.workers.iter().flat_map(of).collect::<Vec<_>>() {
            self.schedule(5 * 60_000, Happening::Ends { worker, job, nodes });
        }
        self.fill_up();
    }

    fn repent(&mut self, worker: WorkerId) {
        let Some(state) = self.workers.get_mut(&worker) else { return };
        let stands = state.pace != Pace::Normal;
        state.repent();
        let jobs: Vec<JobId> = state.jobs.keys().copied().collect();
        for job in jobs.into_iter().filter(|_| stands) {
            self.schedule(10, Happening::Ends { worker, job, nodes: 10 });
        }
    }
}
