//! Machines that come, go, hang and start again.

use outflank_coordinator::core::{Core, Event, JobId, Method, Proof, WorkerId};
use outflank_engine::{Bound, Position};

use super::World;
use super::workers::SimWorker;
use crate::advisor::Heuristic;
use crate::disk::Batch;

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
        let otherwise = if self.liars.is_empty() { 2 } else { 4 };
        while self.counted() < self.least.unwrap_or(otherwise) {
            self.join(2);
        }
    }

    /// Returns the number of workers that take jobs, without those that have ever lied if the number of the others was said.
    fn counted(&self) -> usize {
        let lied = |process| self.least.is_some() && self.liars.contains(&process);
        let is_counted =
            |state: &&SimWorker| !state.is_draining && !state.process.is_some_and(lied);
        self.workers.values().filter(is_counted).count()
    }

    /// Leaves an inference in the store, as damage does that has lost what it was inferred from. It may be false.
    pub(crate) fn leave_baseless(&mut self, position: Position, bound: Bound) {
        let proof = Proof::of(position, bound, Method::Inference);
        self.has_damage = true;
        self.store.take(Batch { proofs: vec![proof], ..Batch::default() });
        self.written();
    }

    /// The coordinator dies, and so many percent of what is on disk are lost to damage, which a repair leaves out.
    pub(crate) fn restart_damaged(&mut self, percent: u64) {
        self.has_damage = true;
        self.promised.clear();
        self.store.lose(&mut self.random, percent);
        self.outcome.happened.damaged += 1;
        self.restart();
    }

    pub(super) fn leave(&mut self, worker: WorkerId) {
        self.outcome.happened.left += 1;
        self.workers.remove(&worker);
        self.apply(Event::Left { worker });
    }

    /// The coordinator dies: only what is on disk is left, workers and clients connect again.
    pub(super) fn restart(&mut self) {
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
        for (solve, asked) in self.requests.clone() {
            self.send_request(solve, asked);
        }
    }
}
