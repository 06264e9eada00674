//! Threads that take turns, so that a machine with few processors can rehearse a search on many.
//!
//! Each thread has a clock, which counts the nodes that it visits and what it takes to wait, to wake up and to hand
//! work over. One thread runs at a time, the one whose clock is farthest behind; where threads meet, at notices and
//! at splits, it is strictly that one, so that a rehearsal repeats exactly, and what a thread finds there is what it
//! would find on a machine with a processor for each. Not part of it: locks, memory, and work that visits no nodes.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What it takes to wake up, in nodes: some 15 µs.
const WAKING: u64 = 500;

/// What it takes to open a split, in nodes.
pub(super) const OPENING: u64 = 70;

/// What it takes to take a move, in nodes.
pub(super) const TAKING: u64 = 10;

/// What a search takes on many processors, in the time in which one of them visits a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rehearsal {
    /// The time from the beginning to the end of the search.
    pub time: u64,
    /// What all threads together spent on handing work over.
    pub handing_over: u64,
}

/// The clocks of the threads of one search, and whose turn it is.
#[derive(Debug)]
pub(crate) struct Turns {
    schedule: Mutex<Schedule>,
    /// Each thread waits for its own call.
    calls: Vec<Condvar>,
}

#[derive(Debug)]
struct Schedule {
    clocks: Vec<Clock>,
    /// The thread that runs.
    runs: usize,
    handing_over: u64,
}

/// The clock of one thread.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    /// In nodes since the search began.
    time: u64,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Works,
    Waits,
    /// Called while it waited, since the time given, and has done nothing since.
    Roused(u64),
    Gone,
}

/// Whether a thread may run ahead of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// By a few thousand nodes, which saves changing over: it meets nobody now.
    Loose,
    /// Not at all.
    Strict,
}

impl Pace {
    /// Returns the number of nodes by which a thread may be ahead.
    fn lead(self) -> u64 {
        match self {
            Self::Loose => 2048,
            Self::Strict => 0,
        }
    }
}

impl Turns {
    /// Returns the clocks of `threads` threads, of which number 0 begins.
    pub(crate) fn new(threads: usize) -> Self {
        let schedule =
            Schedule { clocks: vec![Clock::default(); threads], runs: 0, handing_over: 0 };
        Self {
            schedule: Mutex::new(schedule),
            calls: (0..threads).map(|_| Condvar::new()).collect(),
        }
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `thread` begin when its turn comes; it leaves with what is returned.
    pub(super) fn enter(&self, thread: usize) -> Seat<'_> {
        self.wait_for_turn(self.schedule(), thread);
        Seat { turns: self, thread }
    }

    /// Counts `nodes` that `thread` has visited, and lets those go on that are behind it.
    pub(super) fn spend(&self, thread: usize, nodes: u64, pace: Pace) {
        let mut schedule = self.schedule();
        let clock = &mut schedule.clocks[thread];
        clock.time += nodes;
        if nodes > 0 {
            clock.state = State::Works;
        }
        let now = clock.time;
        if let Some((time, next)) = schedule.next()
            && (time + pace.lead(), next) < (now, thread)
        {
            self.call(&mut schedule, next);
            self.wait_for_turn(schedule, thread);
        }
    }

    /// Counts what handing work over takes `thread`, as if it were nodes.
    pub(super) fn hand_over(&self, thread: usize, nodes: u64) {
        self.schedule().handing_over += nodes;
        self.spend(thread, nodes, Pace::Strict);
    }

    /// Lets the others work until `thread` is roused. One that was roused for nothing has not stopped waiting.
    pub(super) fn rest(&self, thread: usize) {
        let mut schedule = self.schedule();
        let clock = &mut schedule.clocks[thread];
        if let State::Roused(since) = clock.state {
            clock.time = since;
        }
        clock.state = State::Waits;
        self.pass_on(&mut schedule);
        self.wait_for_turn(schedule, thread);
    }

    /// Wakes all who wait, by the clock of `thread`.
    pub(super) fn rouse(&self, thread: usize) {
        let mut schedule = self.schedule();
        let now = schedule.clocks[thread].time;
        for clock in schedule.clocks.iter_mut().filter(|clock| clock.state == State::Waits) {
            clock.state = State::Roused(clock.time);
            clock.time = clock.time.max(now) + WAKING;
        }
    }

    /// Returns what the search took.
    pub(crate) fn taken(&self) -> Rehearsal {
        let schedule = self.schedule();
        Rehearsal { time: schedule.clocks[0].time, handing_over: schedule.handing_over }
    }

    fn pass_on(&self, schedule: &mut Schedule) {
        if let Some((_, next)) = schedule.next() {
            self.call(schedule, next);
        }
    }

    fn call(&self, schedule: &mut Schedule, thread: usize) {
        schedule.runs = thread;
        self.calls[thread].notify_one();
    }

    fn wait_for_turn(&self, mut schedule: MutexGuard<'_, Schedule>, thread: usize) {
        while schedule.runs != thread {
            schedule = self.calls[thread].wait(schedule).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Schedule {
    /// Returns the time and the number of the thread whose clock is the least, of those that can run.
    fn next(&self) -> Option<(u64, usize)> {
        let runs = |clock: &Clock| !matches!(clock.state, State::Waits | State::Gone);
        let clocks = self.clocks.iter().enumerate().filter(|(_, clock)| runs(clock));
        clocks.map(|(thread, clock)| (clock.time, thread)).min()
    }
}

/// The place of a thread among those that take turns; others go on when it is given up, also with a panic.
#[derive(Debug)]
pub(super) struct Seat<'a> {
    turns: &'a Turns,
    thread: usize,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let mut schedule = self.turns.schedule();
        schedule.clocks[self.thread].state = State::Gone;
        self.turns.pass_on(&mut schedule);
    }
}

#[cfg(test)]
mod tests;
