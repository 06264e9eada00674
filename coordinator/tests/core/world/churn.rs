//! Machines that come, go, hang and start again.

use outflank_coordinator::core::{Core, Event, JobId, WorkerId};

use super::World;
use crate::advisor::Heuristic;

impl World {
    pub(super) fn churn(&mut self) {
        let ids: Vec<WorkerId> = self.workers.keys().copied().collect();
        let pick = self.random.below(ids.len() as u64 + 3) as usize;
        let Some(&worker) = ids.get(pick) else {
            if self.random.chance(10) {
                self.restart();
            } else if ids.len() < 8 {
                let threads = 1 + self.random.below(4) as u32;
                self.join(threads);
            }
            return;
        };
        match self.random.below(3) {
            0 => self.leave(worker),
            1 => {
                self.outcome.happened.drained += 1;
                self.apply(Event::Draining { worker });
                self.workers.entry(worker).and_modify(|state| state.is_draining = true);
                let jobs: Vec<JobId> = self.workers[&worker].jobs.keys().copied().collect();
                for job in jobs {
                    self.stop_job(worker, job);
                }
            }
            // The machine hangs: nobody says so.
            _ => {
                self.outcome.happened.hung += 1;
                self.workers.remove(&worker);
            }
        }
        self.fill_up();
    }

    /// Has so many workers join that every request can be answered: where there is a liar, enough
    /// to vote.
    pub(super) fn fill_up(&mut self) {
        let least = if self.liars.is_empty() { 2 } else { 4 };
        while self.workers.values().filter(|state| !state.is_draining).count() < least {
            self.join(2);
        }
    }

    fn leave(&mut self, worker: WorkerId) {
        self.outcome.happened.left += 1;
        self.workers.remove(&worker);
        self.apply(Event::Left { worker });
    }

    /// The coordinator dies: only what is on disk is left, workers and clients connect again.
    fn restart(&mut self) {
        self.outcome.happened.restarts += 1;
        self.store.crash(&mut self.random);
        self.busy_until = self.now;
        self.check_promises();
        self.core = Core::new(self.config.clone(), Box::new(Heuristic));
        let (era, doubted, memory) = (self.store.era, self.store.doubted(), self.store.memory());
        self.apply(Event::Resumed { era, doubted, memory });
        for (_, state) in std::mem::take(&mut self.workers) {
            self.connect(state);
        }
        for (solve, (position, window)) in self.requests.clone() {
            self.apply(Event::Submitted { solve, position, window, budget: None });
        }
    }
}
