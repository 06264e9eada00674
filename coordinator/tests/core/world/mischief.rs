//! Workers that say what nobody has asked them for, about any position, and contradict others and themselves.

use outflank_coordinator::core::{ErrandDone, Event, Interim, JobId, Proofs, Report, WorkerId};
use outflank_engine::{Belief, BoardSize, Bound, FoundBound, Position, Score, Square};

use super::World;
use super::workers::{Pace, SimWorker};
use crate::random::{Random, position};
use crate::worker;

/// The most nodes that a message may name.
const MOST_NODES: u64 = 1 << 53;

/// Of positions with no more empties than this the values are found quickly.
const SMALL: u32 = 9;

impl World {
    /// Connects a worker that lies, and in so many percent of the seconds says what nobody has asked it for.
    pub(crate) fn join_mischievous(&mut self, threads: u32, mischief: u64) -> WorkerId {
        let (lies, lies_inside) = (self.random.below(60), self.random.below(60));
        let pace = match self.random.below(6) {
            0 => Pace::Endless,
            1 => Pace::Still,
            _ => Pace::Normal,
        };
        let state =
            SimWorker { threads, lies, lies_inside, mischief, pace, ..SimWorker::default() };
        self.connect(state)
    }

    /// Has a worker claim what is true of a position that nobody has asked it about.
    pub(crate) fn claim_unasked(&mut self, worker: WorkerId, position: Position) {
        let position = position.canonical();
        let bound = Bound::exact(self.oracle.value(position));
        let (children, line, finished, failed) = (Vec::new(), Vec::new(), true, false);
        let (job, era) = (JobId(4711), self.store.era);
        let report = self.unasked(position, bound);
        let report = Report { job, era, children, line, finished, failed, ..report };
        self.deliver(Event::Reported { worker, report });
    }

    pub(super) fn make_mischief(&mut self) {
        let all: Vec<(WorkerId, u64)> =
            self.workers.iter().map(|(&id, state)| (id, state.mischief)).collect();
        for (worker, mischief) in all {
            if mischief > 0 && self.random.chance(mischief) {
                self.outcome.happened.unasked += 1;
                self.say_something(worker);
            }
        }
    }

    fn say_something(&mut self, worker: WorkerId) {
        match self.random.below(12) {
            0..4 => {
                let about = self.any_position();
                self.report_about(worker, about);
            }
            4 => self.contradict_each_other(worker),
            5 => self.contradict_itself(worker),
            6 => {
                let bounds = (0..1 + self.random.below(3)).map(|_| self.any_found()).collect();
                let (job, era) = (self.any_job(), self.any_era());
                self.deliver(Event::Found { worker, job, era, bounds });
            }
            7 => {
                let (job, era, asker) = (self.any_job(), self.any_era(), self.any_worker());
                let (found, hand, value) = (Some(self.any_found()), 0, 0);
                self.entries += 1;
                let number = self.entries;
                self.answers.insert(number, found.expect("it is there"));
                let done = ErrandDone { worker, job, era, asker, hand, number, value, found };
                self.deliver(Event::ErrandDone(done));
            }
            8 => {
                let value = if self.random.chance(50) { 64 } else { -64 };
                let best_move = Square::new(self.random.below(64) as u32);
                let belief = Belief { value, best_move, searches: 1, is_last: true };
                let interim = Interim { job: self.any_job(), belief };
                self.deliver(Event::Interim { worker, interim });
            }
            9 => {
                let nodes = self.any_nodes();
                let jobs = (0..self.random.below(4)).map(|_| (self.any_job(), nodes)).collect();
                self.deliver(Event::Heartbeat { worker, jobs });
            }
            10 => {
                // About a job that it has: it gives up, fails, or says nothing at all.
                let Some((job, _)) = self.workers[&worker].jobs.values().next().cloned() else {
                    return;
                };
                let (finished, failed) = (self.random.chance(30), self.random.chance(30));
                let nodes = self.any_nodes();
                let report = Report { finished, failed, ..worker::empty(&job, nodes) };
                self.deliver(Event::Reported { worker, report });
            }
            _ => {
                // Another connection of the same process.
                let process = self.workers[&worker].process;
                if self.workers.len() < 10 {
                    self.connect(SimWorker {
                        threads: 1,
                        process,
                        mischief: 20,
                        ..SimWorker::default()
                    });
                }
            }
        }
    }

    /// Reports something about a position: its own bound, some of its moves, a line.
    fn report_about(&mut self, worker: WorkerId, position: Position) {
        let bound = self.any_bound(position);
        let report = self.unasked(position, bound);
        self.deliver(Event::Reported { worker, report });
    }

    /// Two claims about the same position that cannot both be true, by one or two workers.
    fn contradict_each_other(&mut self, worker: WorkerId) {
        let position = self.any_position().canonical();
        let value = self.any_score();
        let other = if value == Score::MAX { value.down() } else { value.up() };
        let second = if self.random.chance(50) { worker } else { self.any_worker() };
        let is_of_liar = self.workers.get(&second).is_some_and(|state| state.mischief > 0);
        let second = if is_of_liar { second } else { worker };
        for (worker, value) in [(worker, value), (second, other)] {
            let report = Report {
                children: Vec::new(),
                line: Vec::new(),
                ..self.unasked(position, Bound::exact(value))
            };
            self.deliver(Event::Reported { worker, report });
        }
    }

    /// A report whose bounds contradict each other.
    fn contradict_itself(&mut self, worker: WorkerId) {
        let position = self.any_position().canonical();
        let Some(square) = Square::lowest(position.moves()) else { return };
        let value = self.true_value(position).unwrap_or(Score::DRAW);
        let (bound, below) = match self.random.chance(50) {
            true if value < Score::MAX => (Bound::exact(value), Bound::at_most(-value.up())),
            _ if value > Score::MIN => (Bound::exact(value.down()), Bound::exact(-value)),
            _ => return,
        };
        let report = Report { children: vec![(square, below)], ..self.unasked(position, bound) };
        self.deliver(Event::Reported { worker, report });
    }

    fn unasked(&mut self, position: Position, bound: Bound) -> Report {
        let position = position.canonical();
        let mut children = Vec::new();
        for square in Square::all(position.moves()) {
            if self.random.chance(20) {
                let child = position.play(square).expect("it is legal");
                children.push((square, self.any_bound(child)));
            }
        }
        let (mut line, mut here) = (Vec::new(), position);
        for _ in 0..self.random.below(4) {
            if here.must_pass() {
                here = here.pass();
            }
            let Some(square) = Square::lowest(here.moves()) else { break };
            here = here.play(square).expect("it is legal");
            line.push(square);
        }
        let order = Square::all(position.moves()).take(self.random.below(5) as usize).collect();
        Report {
            job: self.any_job(),
            position,
            bound,
            best_move: line.first().copied(),
            line,
            children,
            order,
            nodes: self.any_nodes(),
            millis: 1,
            finished: self.random.chance(60),
            failed: self.random.chance(10),
            era: self.any_era(),
        }
    }

    pub(super) fn any_position(&mut self) -> Position {
        let roots = self.roots.clone();
        match self.random.below(10) {
            0 => Position::START,
            1 => {
                let empties = 40 + self.random.below(16) as u32;
                position(&mut self.random, empties)
            }
            2 => {
                let mut over = position(&mut self.random, 2);
                while !over.is_over() {
                    over = step(&mut self.random, over);
                }
                over
            }
            3 => BoardSize::new(6, 6).expect("it is a size").start(),
            4 => {
                let empties = 2 + self.random.below(7) as u32;
                position(&mut self.random, empties)
            }
            _ if roots.is_empty() => position(&mut self.random, 6),
            _ => {
                let mut below = roots[self.random.below(roots.len() as u64) as usize];
                for _ in 0..self.random.below(2) * self.random.below(6) {
                    below = step(&mut self.random, below);
                }
                below
            }
        }
    }

    fn true_value(&self, position: Position) -> Option<Score> {
        (position.empties() <= SMALL).then(|| self.oracle.value(position))
    }

    fn any_score(&mut self) -> Score {
        Score::floor(self.random.below(129) as i32 - 64)
    }

    /// Returns a bound of a position that is true, nearly true, or absurd.
    fn any_bound(&mut self, position: Position) -> Bound {
        let value = match self.true_value(position) {
            Some(value) if self.random.chance(85) => value,
            _ => self.any_score(),
        };
        match self.random.below(9) {
            0 => Bound::UNKNOWN,
            1 => Bound::exact(value),
            2 => Bound::at_least(value),
            3 => Bound::at_most(value),
            4 => Bound::exact(value.up()),
            5 => Bound::exact(value.down()),
            6 => Bound::at_least(value.up().up()),
            7 => Bound::at_most(value.down()),
            // What is stored already, and a little more.
            _ => {
                let held = self.store.get(position.canonical()).map(|(bound, _)| bound);
                held.map_or(Bound::at_least(value.up()), |held| Bound::exact(held.lower()))
            }
        }
    }

    fn any_found(&mut self) -> FoundBound {
        let position = self.any_position();
        FoundBound { position, bound: self.any_bound(position), nodes: self.any_nodes() }
    }

    fn any_nodes(&mut self) -> u64 {
        match self.random.below(4) {
            0 => 0,
            1 => MOST_NODES,
            _ => self.random.below(1_000),
        }
    }

    fn any_job(&mut self) -> JobId {
        let all: Vec<JobId> =
            self.workers.values().flat_map(|state| state.jobs.keys()).copied().collect();
        match all.len() as u64 {
            0 => JobId(4711),
            _ if self.random.chance(20) => JobId(4711),
            count => all[self.random.below(count) as usize],
        }
    }

    fn any_worker(&mut self) -> WorkerId {
        let all: Vec<WorkerId> = self.workers.keys().copied().collect();
        match all.len() as u64 {
            0 => WorkerId(0),
            count => all[self.random.below(count) as usize],
        }
    }

    fn any_era(&mut self) -> u64 {
        match self.random.below(12) {
            0 => u64::MAX,
            1 => self.store.era + 1,
            2 => self.store.era.saturating_sub(1),
            _ => self.store.era,
        }
    }
}

fn step(random: &mut Random, position: Position) -> Position {
    let moves: Vec<Square> = Square::all(position.moves()).collect();
    match moves.len() as u64 {
        0 if position.must_pass() => position.pass(),
        0 => position,
        count => position.play(moves[random.below(count) as usize]).expect("it is legal"),
    }
}
