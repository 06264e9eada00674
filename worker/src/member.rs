//! A job's place among those that share its search.
//!
//! Who leads has its engine send moves to others; who helps waits for such errands and does them, and may have others
//! try moves meanwhile, too. The engine's threads wait here, the connection hands on what is said: a *hand* is one of
//! the threads that have others try moves. Whatever is lost on the way, the search goes on without it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use outflank_engine::{Answer, Control, Errand, Hands, Request};
use outflank_proto::message::{Found, FromMember, FromWorker, Job, JobId, ToMember};

use crate::speech::Speaker;
use crate::{Solver, solver};

/// The most hands of a search.
const MOST_HANDS: usize = 15;
/// Moves go out of positions up to so many plies below that of the job.
const PLIES: u32 = 8;
/// The fewest empty squares of a position of which a move goes out: with fewer a search is over before it would be there.
const LEAST_EMPTIES: u32 = 16;

/// The number of the next errand. None comes twice, not in a job that is given again either: an answer that is late for
/// the one is none to the other.
static SENT: AtomicU64 = AtomicU64::new(1);

/// How long threads wait before they look whether they are still to: each look costs whoever searches on this processor.
/// Most of what ends their waiting wakes them; not so a node limit, a panic, and that no moves are left to try.
const LOOK: Duration = Duration::from_millis(10);
/// How long threads wait for what they need before they offer to do something for others meanwhile.
const SOON: Duration = Duration::from_micros(200);
/// How long threads wait for which there is nothing to do before they look.
const LONG_LOOK: Duration = Duration::from_millis(200);

/// What there is between one of the search's threads and another worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Hand {
    #[default]
    Free,
    /// It wants somebody.
    Calls,
    /// It has somebody, who does nothing.
    Engaged,
    /// It waits for the answer to this errand.
    Waits(u64),
    /// The answer to the last errand.
    Answered(Option<i32>),
    /// Whoever it had is gone.
    Lost,
}

impl Hand {
    /// Returns whether it has, or wants, somebody.
    fn is_busy(self) -> bool {
        !matches!(self, Self::Free | Self::Lost)
    }
}

/// An errand for this worker.
#[derive(Debug)]
enum Task {
    /// It waits to be done.
    New(Errand),
    /// It is being done.
    Runs(Arc<Control>),
}

#[derive(Debug, Default)]
struct State {
    /// The others that do errands.
    helpers: usize,
    hands: [Hand; MOST_HANDS],
    /// What this worker is to do, and the number with which it is to be answered. Who does an errand and waits for
    /// others is on one, and may do another meanwhile.
    tasks: Vec<(u64, Task)>,
    /// Whether the job is to end.
    stops: bool,
}

/// A job's place among those that share its search.
pub(crate) struct Member {
    job: JobId,
    era: u64,
    inside: Option<u64>,
    least_empties: u32,
    words: Speaker,
    state: Mutex<State>,
    /// The number of others has changed, or a search is over.
    company: Condvar,
    /// There is something for a hand.
    hands: Condvar,
    /// There is something to do, or to be done with.
    tasks: Condvar,
    /// The nodes of errands that are done.
    nodes: AtomicU64,
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("job", &self.job).finish_non_exhaustive()
    }
}

impl Member {
    /// Returns the place of `job`, whose words go out through `words`.
    pub(crate) fn new(job: &Job, words: Speaker) -> Arc<Self> {
        let least_empties = job.position.empties().saturating_sub(PLIES).max(LEAST_EMPTIES);
        Arc::new(Self {
            job: job.id,
            era: job.era,
            inside: job.inside,
            least_empties,
            words,
            state: Mutex::default(),
            company: Condvar::new(),
            hands: Condvar::new(),
            tasks: Condvar::new(),
            nodes: AtomicU64::new(0),
        })
    }

    /// Returns the others as the engine sees them that leads the search.
    pub(crate) fn hands(member: &Arc<Self>) -> Arc<dyn Hands> {
        Arc::new(Others { member: Arc::clone(member), count: MOST_HANDS })
    }

    /// Returns the others as the engine sees them that does `errand`.
    fn hands_for(member: &Arc<Self>, errand: &Errand) -> Arc<dyn Hands> {
        let is_deep = errand.position().empties() > member.least_empties;
        let count = if is_deep { member.state().helpers.min(MOST_HANDS) } else { 0 };
        Arc::new(Others { member: Arc::clone(member), count })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether there are others.
    pub(crate) fn has_company(&self) -> bool {
        self.state().helpers > 0
    }

    /// Says something, unless the worker has left.
    fn say(&self, word: FromMember) {
        self.words.say(FromWorker::Member(self.job, word));
    }

    /// Answers an errand that nobody begins.
    fn refuse(&self, number: u64) {
        self.say(FromMember::Answer { number, value: None, nodes: 0 });
    }

    /// Has all look again.
    fn call_all(&self) {
        [&self.company, &self.hands, &self.tasks].into_iter().for_each(Condvar::notify_all);
    }

    /// Takes what others say.
    pub(crate) fn hear(&self, word: ToMember) {
        let mut state = self.state();
        let hand_of = |hand: u32| usize::try_from(hand).unwrap_or(usize::MAX);
        match word {
            ToMember::Company(helpers) => {
                state.helpers = usize::try_from(helpers).unwrap_or(usize::MAX);
            }
            ToMember::Engaged { hand, is_there } => {
                if let Some(hand) = state.hands.get_mut(hand_of(hand)) {
                    *hand = match (is_there, *hand) {
                        (true, Hand::Calls) => Hand::Engaged,
                        (false, Hand::Engaged | Hand::Waits(_) | Hand::Answered(_)) => Hand::Lost,
                        (_, unchanged) => unchanged,
                    };
                }
            }
            ToMember::Answer { hand, number, value } => {
                if let Some(hand) = state.hands.get_mut(hand_of(hand))
                    && *hand == Hand::Waits(number)
                {
                    *hand = Hand::Answered(value);
                }
            }
            ToMember::Errand { number, .. } if state.stops => self.refuse(number),
            ToMember::Errand { number, errand } => state.tasks.push((number, Task::New(errand))),
            ToMember::Recall(number) => state.recall(Some(number)),
        }
        drop(state);
        match word {
            ToMember::Company(_) => self.call_all(),
            ToMember::Engaged { .. } | ToMember::Answer { .. } => self.hands.notify_all(),
            ToMember::Errand { .. } => self.tasks.notify_all(),
            ToMember::Recall(_) => {
                self.tasks.notify_all();
                self.hands.notify_all(); // Who waits for others with a part of the errand.
            }
        }
    }

    /// Notes that there is a connection again, and nobody known at its other end yet.
    pub(crate) fn connected(&self) {
        self.disconnected();
    }

    /// Notes that all others are out of reach.
    pub(crate) fn disconnected(&self) {
        let mut state = self.state();
        state.helpers = 0;
        for hand in state.hands.iter_mut().filter(|hand| hand.is_busy()) {
            *hand = Hand::Lost;
        }
        state.recall(None);
        state.tasks.clear(); // Nobody is left to be answered.
        drop(state);
        self.call_all();
    }

    /// Has whoever helps come to an end.
    pub(crate) fn stop(&self) {
        let mut state = self.state();
        state.stops = true;
        state.new_errands().for_each(|number| self.refuse(number));
        state.recall(None);
        drop(state);
        self.call_all();
    }

    /// Returns the searches of the errands that are being done.
    pub(crate) fn errands(&self) -> Vec<Arc<Control>> {
        self.state().running().cloned().collect()
    }

    /// Returns the nodes that errands have taken.
    pub(crate) fn nodes(&self) -> u64 {
        // While the lock is held: no errand ends between the two, which would be counted twice.
        let state = self.state();
        let running: u64 = state.running().map(|control| control.nodes()).sum();
        self.nodes.load(Ordering::Relaxed) + running
    }

    /// Does errands until the job is stopped; nothing is found out of the job itself.
    pub(crate) fn serve(
        member: &Arc<Self>,
        solver: &dyn Solver,
        request: &Request,
        job: &Control,
    ) -> Answer {
        solver.know(&request.known);
        while let Some((number, errand, control)) =
            member.next_errand(LONG_LOOK, true, |state| state.stops || job.is_stopped())
        {
            let value = solver.run_errand(&errand, request.threads, &control);
            member.done(number, value, &control);
        }
        solver::nothing(member.nodes())
    }

    /// Waits for an errand, which may have others do a part of it if it `is_shared`; `None` if the waiting `is_over`.
    fn next_errand(
        self: &Arc<Self>,
        look: Duration,
        is_shared: bool,
        is_over: impl Fn(&State) -> bool,
    ) -> Option<(u64, Errand, Arc<Control>)> {
        let mut state = self.state();
        loop {
            if is_over(&state) {
                return None;
            }
            let new = state.tasks.iter().find_map(|(number, task)| match task {
                Task::New(errand) => Some((*number, *errand)),
                Task::Runs(_) => None,
            });
            let Some((number, errand)) = new else {
                state = wait(&self.tasks, state, look);
                continue;
            };
            drop(state);
            let control = Arc::new(self.control_for(&errand, is_shared));
            state = self.state();
            let is_it = |(latest, task): &&mut (u64, Task)| {
                *latest == number && matches!(task, Task::New(waits) if *waits == errand)
            };
            // It may have been recalled meanwhile, and another connection may have brought one of the same number.
            if let Some((_, task)) = state.tasks.iter_mut().find(is_it) {
                *task = Task::Runs(Arc::clone(&control));
                return Some((number, errand, control));
            }
        }
    }

    /// Returns what controls the search of an errand.
    fn control_for(self: &Arc<Self>, errand: &Errand, is_shared: bool) -> Control {
        let control = Control::default().with_hints().with_found(self.inside);
        if is_shared { control.with_hands(Self::hands_for(self, errand)) } else { control }
    }

    /// Answers an errand, after what its search has come to believe and to know. One whose connection is gone is
    /// answered to nobody: who asks next may use its number for something else.
    fn done(&self, number: u64, value: Option<i32>, control: &Arc<Control>) {
        let (hints, bounds) = (control.take_hints(), control.take_found());
        if !hints.is_empty() {
            self.words.say(FromWorker::Hints(self.job, hints));
        }
        if !bounds.is_empty() {
            let found = Found { job: self.job, era: self.era, bounds };
            self.words.say(FromWorker::Found(found));
        }
        let mut state = self.state();
        self.nodes.fetch_add(control.nodes(), Ordering::Relaxed);
        let is_it = |(_, task): &mut (u64, Task)| matches!(task, Task::Runs(own) if Arc::ptr_eq(own, control));
        if state.tasks.extract_if(.., is_it).next().is_some() {
            // While the lock is held: what is said before the connection is lost is dropped with it.
            self.say(FromMember::Answer { number, value, nodes: control.nodes() });
        }
    }
}

impl State {
    /// Returns the searches of the errands that are being done.
    fn running(&self) -> impl Iterator<Item = &Arc<Control>> {
        self.tasks.iter().filter_map(|(_, task)| match task {
            Task::Runs(control) => Some(control),
            Task::New(_) => None,
        })
    }

    /// Returns the numbers of the errands that wait to be done.
    fn new_errands(&self) -> impl Iterator<Item = u64> {
        let is_new = |(_, task): &&(u64, Task)| matches!(task, Task::New(_));
        self.tasks.iter().filter(is_new).map(|&(number, _)| number)
    }

    /// Stops the errand with this number, or all; what was not begun is forgotten.
    fn recall(&mut self, number: Option<u64>) {
        self.tasks.retain(|(latest, task)| {
            let is_meant = number.is_none_or(|number| number == *latest);
            match task {
                Task::Runs(control) if is_meant => control.stop(),
                Task::New(_) if is_meant => return false,
                _ => {}
            }
            true
        });
    }
}

/// Waits until something changes, or it is time to look.
fn wait<'a>(
    changed: &Condvar,
    state: MutexGuard<'a, State>,
    time: Duration,
) -> MutexGuard<'a, State> {
    let waited = changed.wait_timeout(state, time);
    waited.map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state)
}

/// Those with whom a search is shared, as the engine sees them.
///
/// Whether somebody is still to wait is asked while the lock is held, so that nobody is woken between the question and
/// the wait.
struct Others {
    member: Arc<Member>,
    count: usize,
}

impl Others {
    /// Gives the hand's engine back, if it has one or wants one.
    fn let_go(&self, state: &mut State, hand: usize) {
        if std::mem::take(&mut state.hands[hand]).is_busy() {
            self.member.say(FromMember::Release(number(hand)));
        }
    }
}

impl Hands for Others {
    fn count(&self) -> usize {
        self.count
    }

    fn least_empties(&self) -> u32 {
        self.member.least_empties
    }

    fn attend(&self, hand: usize, is_over: &dyn Fn() -> bool) -> bool {
        let mut state = self.member.state();
        while !is_over() {
            if hand < state.helpers {
                return true;
            }
            state = wait(&self.member.company, state, LONG_LOOK);
        }
        false
    }

    fn rouse(&self) {
        drop(self.member.state());
        self.member.call_all();
    }

    fn recall(&self) {
        drop(self.member.state());
        self.member.hands.notify_all();
    }

    fn serve(
        &self,
        hands: &[usize],
        run: &dyn Fn(&Errand, &Control) -> Option<i32>,
        is_over: &dyn Fn() -> bool,
    ) -> bool {
        let offered = hands.iter().fold(0_u64, |offered, &hand| offered | 1 << hand);
        if self.count == 0 || offered == 0 {
            return false;
        }
        let member = &self.member;
        let mut state = member.state();
        if !is_over() {
            state = wait(&member.tasks, state, SOON);
        }
        drop(state);
        if is_over() {
            return true;
        }
        member.say(FromMember::Offer(offered));
        while let Some((number, errand, control)) = member.next_errand(LOOK, false, |_| is_over()) {
            let value = run(&errand, &control);
            member.done(number, value, &control);
        }
        member.say(FromMember::Offer(0));
        true
    }

    fn nudge(&self) {
        drop(self.member.state());
        self.member.tasks.notify_all();
    }

    fn engage(&self, hand: usize, is_wanted: &dyn Fn() -> bool) -> bool {
        let mut state = self.member.state();
        loop {
            let is_helped = hand < state.helpers;
            match state.hands[hand] {
                Hand::Engaged => return true,
                _ if !is_helped || !is_wanted() => {
                    self.let_go(&mut state, hand);
                    return false;
                }
                Hand::Calls => {}
                _ => {
                    state.hands[hand] = Hand::Calls;
                    self.member.say(FromMember::Call(number(hand)));
                }
            }
            state = wait(&self.member.hands, state, LOOK);
        }
    }

    fn release(&self, hand: usize) {
        self.let_go(&mut self.member.state(), hand);
    }

    fn run(&self, hand: usize, errand: &Errand, is_pointless: &dyn Fn() -> bool) -> Option<i32> {
        let mut state = self.member.state();
        if !state.hands[hand].is_busy() {
            return None; // Whoever it had is gone.
        }
        let sent = SENT.fetch_add(1, Ordering::Relaxed);
        state.hands[hand] = Hand::Waits(sent);
        self.member.say(FromMember::Errand { hand: number(hand), number: sent, errand: *errand });
        loop {
            match state.hands[hand] {
                Hand::Answered(value) => {
                    state.hands[hand] = Hand::Engaged;
                    if value.is_none() {
                        // It may refuse the next at once, too.
                        drop(wait(&self.member.hands, state, LOOK));
                    }
                    return value;
                }
                Hand::Waits(_) if is_pointless() => {
                    state.hands[hand] = Hand::Engaged;
                    self.member.say(FromMember::Recall { hand: number(hand), number: sent });
                    return None;
                }
                Hand::Waits(_) => state = wait(&self.member.hands, state, LOOK),
                _ => return None,
            }
        }
    }
}

fn number(hand: usize) -> u32 {
    u32::try_from(hand).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
