//! A core that is fed events one by one, with a store that writes at once.

use std::time::Duration;

use outflank_coordinator::core::{
    AuditId, Command, Config, Core, Doubted, Event, Interim, Job, Memory, Millis, ProcessId, Proof,
    Report, SolveId, WorkerId,
};
use outflank_engine::{Bound, Position, Window};

use crate::advisor::Heuristic;
use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::worker::finished;
use crate::world::Store;

/// The core under test.
pub(crate) struct Script {
    pub(crate) core: Core,
    pub(crate) store: Store,
}

impl Script {
    pub(crate) fn new(config: Config) -> Self {
        Self { core: Core::new(config, Box::new(Heuristic)), store: Store::default() }
    }

    /// Applies `event` at second `second`, obeys `Persist` and returns all commands.
    pub(crate) fn at(&mut self, second: u64, event: Event) -> Vec<Command> {
        let commands = self.core.on(Millis(1_000 * second), event, &self.store);
        for command in &commands {
            if let Command::Persist { proofs } = command {
                for proof in proofs {
                    let entry =
                        self.store.0.entry(proof.position).or_insert((Bound::UNKNOWN, None));
                    *entry = (entry.0.merge(proof.bound).unwrap(), proof.best_move);
                }
            }
        }
        commands
    }

    pub(crate) fn join(&mut self, second: u64, worker: u64, threads: u32) -> Vec<Command> {
        self.at(second, joined(worker, worker, threads))
    }

    /// Has a worker join that can share searches.
    pub(crate) fn join_sharing(&mut self, second: u64, worker: u64) -> Vec<Command> {
        let (worker, process) = (WorkerId(worker), ProcessId(worker));
        self.at(second, Event::Joined { worker, process, threads: 1, shares: true })
    }

    pub(crate) fn submit(&mut self, second: u64, solve: u64, position: Position) -> Vec<Command> {
        self.submit_window(second, solve, position, Window::FULL)
    }

    pub(crate) fn submit_window(
        &mut self,
        second: u64,
        solve: u64,
        position: Position,
        window: Window,
    ) -> Vec<Command> {
        let event = Event::Submitted { solve: SolveId(solve), position, window, budget: None };
        self.at(second, event)
    }

    pub(crate) fn interim(&mut self, second: u64, worker: u64, interim: Interim) -> Vec<Command> {
        self.at(second, Event::Interim { worker: WorkerId(worker), interim })
    }

    pub(crate) fn report(&mut self, second: u64, worker: u64, report: Report) -> Vec<Command> {
        self.at(second, Event::Reported { worker: WorkerId(worker), report })
    }

    pub(crate) fn heartbeat(&mut self, second: u64, worker: u64, jobs: &[&Job]) -> Vec<Command> {
        let jobs = jobs.iter().map(|job| (job.id, 1_000)).collect();
        self.at(second, Event::Heartbeat { worker: WorkerId(worker), jobs })
    }
}

/// Returns the event of a worker of a process that joins.
pub(crate) fn joined(worker: u64, process: u64, threads: u32) -> Event {
    let (worker, process) = (WorkerId(worker), ProcessId(process));
    Event::Joined { worker, process, threads, shares: false }
}

/// Returns the event of a coordinator that begins where another has stopped, which may have told anybody anything; the
/// claims are those that it had solved again, and nobody knows who made them.
pub(crate) fn resumed(era: u64, doubted: &[(u64, Proof)]) -> Event {
    let nameless =
        |&(audit, claim): &(u64, Proof)| Doubted { audit: AuditId(audit), claim, author: None };
    let memory = Memory { has_gaps: true, ..Memory::default() };
    Event::Resumed { era, doubted: doubted.iter().map(nameless).collect(), memory }
}

/// Sizes that let every test position go out as one job.
pub(crate) fn whole() -> Config {
    Config { small_up_to: 0, progress_interval: Duration::from_secs(10_000), ..Config::default() }
}

/// Sizes that split positions of nine empties once or more.
pub(crate) fn split() -> Config {
    Config {
        shortest_job: 16.0,
        longest_job: 300.0,
        jobs_per_thread: 1e-9,
        leaf_empties: 3,
        ..whole()
    }
}

/// Returns the jobs assigned by `commands`, with their workers.
pub(crate) fn assigned(commands: &[Command]) -> Vec<(u64, Job)> {
    let assignments = commands.iter().filter_map(|command| match command {
        Command::Assign { worker, job } => Some((worker.0, job.clone())),
        _ => None,
    });
    assignments.collect()
}

/// Returns the only job assigned by `commands`, with its worker.
pub(crate) fn only_job(commands: &[Command]) -> (u64, Job) {
    let jobs = assigned(commands);
    assert_eq!(jobs.len(), 1, "{commands:?}");
    jobs[0].clone()
}

/// Returns the position that most lists of events are about.
pub(crate) fn nine_empties() -> Position {
    position(&mut Random(11), 9)
}

/// Returns the report of a worker that has solved `job`.
pub(crate) fn truth(job: &Job) -> Report {
    finished(&Oracle::default(), &mut Random(1), job, 100)
}
