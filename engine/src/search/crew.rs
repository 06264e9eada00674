//! The threads of one search and the work they share.
//!
//! Younger brothers wait (R. Feldmann): when the first move of a position has not cut off, the
//! remaining moves become a [`SplitPoint`], from which idle threads take one after the other. Where
//! a selective search believes that no move does, none waits; where it has found one that does, the
//! others wait for two. The thread that opened a split works on it too; when no move is left it
//! helps those who still work for it, deeper in the same tree, until they are done. A cut-off at any
//! split makes everything below it pointless, which the threads notice at their next position. While
//! no split is open, idle threads begin [ahead](super::ahead) what comes next.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::SearchSet;
use super::ahead::{Advance, Prospect};
use super::board::Node;
use super::hands;
use super::order::Candidate;
use super::principal::{Task, brother};
use super::probe::{Probe, Verdict};
use super::root_moves::RootMoves;
use super::searcher::{Searcher, Stopped};
use super::split_point::SplitPoint;
use super::tally::Event;
use super::turns::{self, Turns};
use super::witness::Witness;
use crate::evaluation::Weights;
use crate::table::{Hints, Table};
use crate::{Control, Errand, Hands, Position, Request};

/// Fewest empty squares at which a position is split: below, handing work over costs more than
/// the work.
const SPLIT_FROM: u32 = 13;

/// What an engine gives to a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tools<'a> {
    pub(crate) table: &'a Table,
    pub(crate) hints: &'a Hints,
    pub(crate) weights: Option<&'a Weights>,
    /// Number of the search, for the age of entries.
    pub(crate) generation: u8,
    /// Who wants to see what comparisons of costs look at.
    pub(crate) witness: Option<&'a Witness>,
    /// By which the threads take turns, in a rehearsal.
    pub(crate) turns: Option<&'a Turns>,
}

/// What the threads of one search have in common.
#[derive(Debug)]
pub(crate) struct Crew<'a> {
    pub(crate) table: &'a Table,
    pub(crate) hints: &'a Hints,
    pub(crate) weights: Option<&'a Weights>,
    pub(crate) control: &'a Control,
    pub(crate) generation: u8,
    pub(crate) witness: Option<&'a Witness>,
    pub(crate) turns: Option<&'a Turns>,
    pub(crate) root_moves: RootMoves,
    node_limit: AtomicU64,
    /// Threads that wait for work; read without the lock before a split is prepared.
    idle: AtomicUsize,
    /// Other engines that wait for moves of large enough positions.
    idle_hands: AtomicUsize,
    /// The fewest empty squares of these positions.
    errands_from: u32,
    /// The split of which each of the other engines tries a move.
    sent: Mutex<Vec<(usize, Arc<SplitPoint>)>>,
    /// The threads of the search.
    pub(super) threads: usize,
    /// Whether a split is open; read without the lock by who may have better things to do.
    has_work: AtomicBool,
    notices: Mutex<Notices>,
    changed: Condvar,
}

/// What hangs on the notice board of the threads: open splits, what can be begun ahead, and the end of the search.
#[derive(Debug, Default)]
struct Notices {
    open: Vec<Arc<SplitPoint>>,
    prospects: Vec<Arc<Prospect>>,
    over: bool,
}

impl Notices {
    /// Returns the oldest split of so many empty squares, or more, of which a move is left for other engine number `hand`.
    fn errands(&self, least_empties: u32, hand: usize) -> Option<Arc<SplitPoint>> {
        let is_worth_it = |split: &&Arc<SplitPoint>| {
            split.empties() >= least_empties && split.has_moves_for(hand)
        };
        self.open.iter().find(is_worth_it).map(Arc::clone)
    }
}

impl<'a> Crew<'a> {
    /// Returns the crew of a search of `root` that stops after `limit` nodes.
    pub(crate) fn new(
        tools: &'a Tools<'a>,
        control: &'a Control,
        limit: u64,
        root: Position,
    ) -> Self {
        Self {
            table: tools.table,
            hints: tools.hints,
            weights: tools.weights,
            control,
            generation: tools.generation,
            witness: tools.witness,
            turns: tools.turns,
            root_moves: RootMoves::new(root),
            node_limit: AtomicU64::new(limit),
            idle: AtomicUsize::new(0),
            idle_hands: AtomicUsize::new(0),
            errands_from: control.hands().map_or(u32::MAX, Hands::least_empties),
            sent: Mutex::default(),
            threads: 1,
            has_work: AtomicBool::new(false),
            notices: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Returns the crew with so many threads.
    pub(crate) fn of_threads(self, threads: usize) -> Self {
        Self { threads: Request::threads_of(threads), ..self }
    }

    /// Returns what the engine gives to the search.
    fn tools(&self) -> Tools<'a> {
        Tools {
            table: self.table,
            hints: self.hints,
            weights: self.weights,
            generation: self.generation,
            witness: self.witness,
            turns: self.turns,
        }
    }

    /// Returns the number of nodes after which the search stops.
    pub(crate) fn node_limit(&self) -> u64 {
        self.node_limit.load(Ordering::Relaxed)
    }

    /// Lets the search take as many nodes again as it might so far.
    pub(crate) fn renew_limit(&self) {
        let limit = self.control.nodes().saturating_add(self.node_limit());
        self.node_limit.store(limit, Ordering::Relaxed);
    }

    fn notices(&self) -> MutexGuard<'_, Notices> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what sends the waiting threads home when it goes, also with a panic.
    pub(crate) fn shift(&self) -> Shift<'_> {
        Shift(self)
    }

    /// Sends the waiting threads home.
    fn dismiss(&self) {
        self.notices().over = true;
        self.call(0);
        if let Some(hands) = self.control.hands() {
            hands.rouse();
        }
    }

    /// Works on whatever is open, as thread number `thread`, until the search is over.
    pub(crate) fn help<K: SearchSet>(&'a self, kernels: K, thread: usize) {
        let _seat = self.turns.map(|turns| turns.enter(thread));
        let mut searcher = Searcher::new(kernels, self);
        searcher.thread = thread;
        while let Some(offer) = self.wait_for_work(thread) {
            match offer {
                Offer::Split(split) => work_on(&mut searcher, &split, true),
                Offer::Ahead(advance) => advance.run(&mut searcher),
            }
            searcher.report_nodes();
        }
    }

    fn wait_for_work(&'a self, thread: usize) -> Option<Offer<'a>> {
        let mut notices = self.notices();
        loop {
            // Whoever would begin something after a stop gives it back at once, again and again.
            if notices.over || self.control.is_stopped() {
                return None;
            }
            // The oldest split is the highest in the tree, with the largest pieces of work.
            if let Some(split) = notices.open.first() {
                return Some(Offer::Split(Arc::clone(split)));
            }
            if let Some(advance) = Advance::next(self, &notices.prospects) {
                return Some(Offer::Ahead(advance));
            }
            notices = self.wait_for_change(notices, thread);
        }
    }

    /// Waits for a split whose moves are worth sending to other engine number `hand`; `None` if the search is over.
    pub(super) fn wait_for_errands(
        &self,
        least_empties: u32,
        hand: usize,
    ) -> Option<Arc<SplitPoint>> {
        let mut notices = self.notices();
        loop {
            if notices.over {
                return None;
            }
            if let Some(split) = notices.errands(least_empties, hand) {
                return Some(split);
            }
            self.idle_hands.fetch_add(1, Ordering::Relaxed);
            notices = self.changed.wait(notices).unwrap_or_else(PoisonError::into_inner);
            self.idle_hands.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Returns a split whose moves are worth sending to other engine number `hand`, if one is open.
    pub(super) fn errands(&self, least_empties: u32, hand: usize) -> Option<Arc<SplitPoint>> {
        self.notices().errands(least_empties, hand)
    }

    /// Returns whether the search is over.
    pub(super) fn is_over(&self) -> bool {
        self.notices().over
    }

    /// Counts a thread that would take work.
    pub(super) fn count_idle(&self) {
        self.idle.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes back that a thread would take work.
    pub(super) fn count_busy(&self) {
        self.idle.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns whether a split is open.
    pub(super) fn has_work(&self) -> bool {
        self.has_work.load(Ordering::Relaxed)
    }

    /// Waits until `split`, of which no move is left to take, is done, or there is work below it, which is returned. Where
    /// the other engines that try its moves can use help, does that meanwhile.
    fn wait_for<K: SearchSet>(
        &self,
        kernels: K,
        split: &Arc<SplitPoint>,
        thread: usize,
    ) -> Option<Arc<SplitPoint>> {
        let may_serve = self.threads == 1 && self.control.hands().is_some();
        let (mut notices, mut serves) = (self.notices(), may_serve);
        loop {
            if split.has_returned() {
                return Some(Arc::clone(split));
            }
            if split.is_done() {
                return None;
            }
            if let Some(below) = notices.open.iter().find(|open| open.is_below(split)) {
                return Some(Arc::clone(below));
            }
            if serves {
                drop(notices);
                serves = self.serve(kernels, split);
                notices = self.notices();
            } else {
                notices = self.wait_for_change(notices, thread);
                serves = may_serve;
            }
        }
    }

    /// Tries moves for the other engines that try those of `split`, until they are done; `false` if nobody can use that.
    fn serve<K: SearchSet>(&self, kernels: K, split: &Arc<SplitPoint>) -> bool {
        let Some(hands) = self.control.hands() else { return false };
        let is_its = |sent: &Arc<SplitPoint>| Arc::ptr_eq(sent, split) || sent.is_below(split);
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let numbers: Vec<usize> =
            sent.iter().filter(|(_, sent)| is_its(sent)).map(|&(hand, _)| hand).collect();
        drop(sent);
        let tools = self.tools();
        let run =
            |errand: &Errand, control: &Control| hands::run(kernels, &tools, errand, 1, control);
        hands.serve(&numbers, &run, &|| split.is_done() || split.has_returned())
    }

    /// Notes that other engine number `hand` tries moves of `split`; `None`: of none.
    pub(super) fn note_sent(&self, hand: usize, split: Option<&Arc<SplitPoint>>) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.retain(|&(other, _)| other != hand);
        sent.extend(split.map(|split| (hand, Arc::clone(split))));
    }

    fn wait_for_change<'b>(
        &'b self,
        notices: MutexGuard<'b, Notices>,
        thread: usize,
    ) -> MutexGuard<'b, Notices> {
        self.count_idle();
        let notices = if let Some(turns) = self.turns {
            drop(notices);
            turns.rest(thread);
            self.notices()
        } else {
            self.changed.wait(notices).unwrap_or_else(PoisonError::into_inner)
        };
        self.count_busy();
        notices
    }

    pub(super) fn open(&self, split: &Arc<SplitPoint>, thread: usize) {
        let mut notices = self.notices();
        notices.open.push(Arc::clone(split));
        self.has_work.store(true, Ordering::Relaxed);
        drop(notices);
        self.call(thread);
    }

    pub(super) fn close(&self, split: &Arc<SplitPoint>, thread: usize) {
        let mut notices = self.notices();
        notices.open.retain(|open| !Arc::ptr_eq(open, split));
        self.has_work.store(!notices.open.is_empty(), Ordering::Relaxed);
        drop(notices);
        self.call(thread);
    }

    /// Lets who opened a split see that a move of it came back. The lock is for him who has just looked and is about to
    /// wait: what changes outside of the notices could fall between the two.
    pub(super) fn call_owner(&self) {
        drop(self.notices());
        self.call(0);
    }

    /// Puts up what can be begun ahead.
    pub(super) fn post(&self, prospect: &Arc<Prospect>, thread: usize) {
        self.notices().prospects.push(Arc::clone(prospect));
        self.call(thread);
    }

    /// Takes down what was put up.
    pub(super) fn remove(&self, prospect: &Arc<Prospect>) {
        self.notices().prospects.retain(|posted| !Arc::ptr_eq(posted, prospect));
    }

    /// Lets those who wait see what `thread` has changed among the notices.
    pub(super) fn call(&self, thread: usize) {
        self.changed.notify_all();
        if let Some(turns) = self.turns {
            turns.rouse(thread);
        }
    }
}

#[cfg(test)]
impl Crew<'_> {
    /// Returns the number of threads that would take work.
    pub(super) fn idle(&self) -> usize {
        self.idle.load(Ordering::Relaxed)
    }

    /// Returns whether there is no notice.
    pub(super) fn offers_nothing(&self) -> bool {
        let notices = self.notices();
        notices.open.is_empty() && notices.prospects.is_empty()
    }
}

/// What the notices have for a thread.
#[derive(Debug)]
enum Offer<'a> {
    Split(Arc<SplitPoint>),
    /// There is no split, but something to begin ahead.
    Ahead(Advance<'a>),
}

/// The time for which the threads of a search work.
#[derive(Debug)]
pub(crate) struct Shift<'a>(&'a Crew<'a>);

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.control.stop(); // Who waits for other engines looks at nothing else.
        }
        self.0.dismiss();
    }
}

/// A move that was taken from a split, to which it goes with what came of it.
pub(super) struct Taken<'a> {
    crew: &'a Crew<'a>,
    split: &'a Arc<SplitPoint>,
    candidate: Candidate,
    pub(super) outcome: Outcome,
}

/// What came of a move that was taken from a split.
pub(super) enum Outcome {
    /// Its search has panicked: nobody is to wait for it, and the panic comes out where the threads are joined.
    Panic,
    Value(Result<i32, Stopped>),
    /// The other engine of this number has no value for it.
    Back(usize),
}

impl<'a> Taken<'a> {
    pub(super) fn new(
        crew: &'a Crew<'a>,
        split: &'a Arc<SplitPoint>,
        candidate: Candidate,
    ) -> Self {
        Self { crew, split, candidate, outcome: Outcome::Panic }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        match self.outcome {
            Outcome::Value(value) => {
                if self.split.finish(self.candidate.square, value)
                    && let Some(hands) = self.crew.control.hands()
                {
                    hands.recall();
                }
            }
            Outcome::Back(hand) => self.split.give_back(self.candidate, hand),
            Outcome::Panic => {
                self.crew.control.stop();
                self.split.finish(self.candidate.square, Err(Stopped));
                self.crew.close(self.split, 0);
            }
        }
    }
}

/// Returns whether the remaining `moves` of a position are worth sharing now.
#[inline(always)]
pub(crate) fn worth_splitting<K>(searcher: &Searcher<'_, K>, empties: u32, moves: usize) -> bool {
    let Crew { idle, idle_hands, errands_from, .. } = searcher.crew;
    let waits = |idle: &AtomicUsize| idle.load(Ordering::Relaxed) > 0;
    let is_wanted = || waits(idle) || empties >= *errands_from && waits(idle_hands);
    empties >= SPLIT_FROM && moves > 1 && is_wanted() && searcher.ahead.is_none()
}

/// Returns how many moves of `node` are tried before idle threads take the others, by what a selective search says of
/// it: where that found no move, all will be searched anyway; where it found one, the next is likely to do as well.
#[cold]
#[inline(never)]
pub(crate) fn elders<K: SearchSet>(searcher: &Searcher<'_, K>, node: &Node, alpha: i32) -> usize {
    let probe = Probe { table: searcher.table(), hints: searcher.hints() };
    match probe.verdict(searcher.kernels, node.board, node.empties, alpha) {
        Verdict::Doubted | Verdict::Refuted => 0,
        Verdict::Unknown => 1,
        Verdict::Believed(_) | Verdict::Proved => 2,
    }
}

/// Searches `moves` together with idle threads and takes their values into `task`.
///
/// # Errors
/// [`Stopped`] if the search was asked to stop.
#[inline(never)]
pub(crate) fn split<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    moves: &[Candidate],
    task: &mut Task,
) -> Result<(), Stopped> {
    searcher.hand_over(turns::OPENING);
    let split = Arc::new(SplitPoint::new(searcher.split.clone(), moves.to_vec(), *task));
    searcher.crew.open(&split, searcher.thread);
    searcher.tally.count(task.node.empties, Event::Split);
    work_on(searcher, &split, false);
    while let Some(below) = searcher.crew.wait_for(searcher.kernels, &split, searcher.thread) {
        work_on(searcher, &below, true);
    }
    *task = split.outcome()?;
    Ok(())
}

/// Takes moves of `split` until none is left; `by_other` if another thread has opened it.
fn work_on<K: SearchSet>(searcher: &mut Searcher<'_, K>, split: &Arc<SplitPoint>, by_other: bool) {
    let outer = searcher.split.replace(Arc::clone(split));
    while let Some((task, candidate)) = split.take() {
        searcher.hand_over(turns::TAKING);
        searcher.tally.count(task.node.empties, Event::Taken { by_other });
        let mut taken = Taken::new(searcher.crew, split, candidate);
        taken.outcome = Outcome::Value(brother(searcher, &task, candidate));
        searcher.meet();
    }
    searcher.crew.close(split, searcher.thread);
    searcher.split = outer;
}

#[cfg(test)]
mod tests;
