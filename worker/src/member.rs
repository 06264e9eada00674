//! A job's place among those that share its search.
//!
//! Who leads has its engine send moves to others; who assists waits for such errands and does them, and may have others
//! try moves meanwhile, too. The engine's threads wait here, the connection hands on what is said: a *hand* is one of
//! the threads that have others try moves. Whatever is lost on the way, the search goes on without it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use outflank_engine::{Answer, Bound, Control, Errand, Hands, Request};
use outflank_proto::message::{Found, FromMember, FromWorker, Job, ToMember};
use tokio::sync::mpsc;

use crate::Solver;

/// The most hands of a search.
const MOST_HANDS: usize = 15;
/// Moves go out of positions up to so many plies below that of the job, …
const PLIES: u32 = 8;
/// … but of none with fewer empty squares than this, where a search is over before it would be there.
const LEAST_EMPTIES: u32 = 16;

/// The number of the next errand. None comes twice, not in a job that is given again either: an answer that is late for
/// the one is none to the other.
static SENT: AtomicU64 = AtomicU64::new(1);

/// How long threads wait before they look whether they are still to, …
const LOOK: Duration = Duration::from_millis(1);
/// … and those before whom there is nothing to do.
const LONG_LOOK: Duration = Duration::from_millis(50);

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
    /// What this worker is to do, and the number with which it is to be answered.
    task: Option<(u64, Task)>,
    /// Whether the job is to end.
    stops: bool,
}

/// A job's place among those that share its search.
pub(crate) struct Member {
    job: u64,
    era: u64,
    inside: Option<u64>,
    least_empties: u32,
    words: mpsc::UnboundedSender<FromWorker>,
    state: Mutex<State>,
    changed: Condvar,
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
    pub(crate) fn new(job: &Job, words: mpsc::UnboundedSender<FromWorker>) -> Arc<Self> {
        let least_empties = job.position.empties().saturating_sub(PLIES).max(LEAST_EMPTIES);
        Arc::new(Self {
            job: job.id,
            era: job.era,
            inside: job.inside,
            least_empties,
            words,
            state: Mutex::default(),
            changed: Condvar::new(),
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

    /// Says something, unless the worker has left.
    fn say(&self, word: FromMember) {
        drop(self.words.send(FromWorker::Member(self.job, word)));
    }

    /// Waits until something changes, or it is time to look.
    fn wait<'a>(&self, state: MutexGuard<'a, State>, time: Duration) -> MutexGuard<'a, State> {
        let waited = self.changed.wait_timeout(state, time);
        waited.map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state)
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
            ToMember::Errand { number, errand } => {
                if let Some((_, Task::Runs(control))) =
                    state.task.replace((number, Task::New(errand)))
                {
                    control.stop();
                }
            }
            ToMember::Recall(number) => state.recall(Some(number)),
        }
        drop(state);
        self.changed.notify_all();
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
        state.task = None; // Nobody is left to be answered.
        drop(state);
        self.changed.notify_all();
    }

    /// Has whoever assists come to an end.
    pub(crate) fn stop(&self) {
        let mut state = self.state();
        state.stops = true;
        state.recall(None);
        drop(state);
        self.changed.notify_all();
    }

    /// Returns the search of the errand that is being done.
    pub(crate) fn errand(&self) -> Option<Arc<Control>> {
        match &self.state().task {
            Some((_, Task::Runs(control))) => Some(Arc::clone(control)),
            _ => None,
        }
    }

    /// Returns the nodes that errands have taken.
    pub(crate) fn nodes(&self) -> u64 {
        // While the lock is held: no errand ends between the two, which would be counted twice.
        let state = self.state();
        let running = match &state.task {
            Some((_, Task::Runs(control))) => control.nodes(),
            _ => 0,
        };
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
        while let Some((number, errand, control)) = member.next_errand(job) {
            let value = solver.run_errand(&errand, request.threads, &control);
            member.done(number, value, &control);
        }
        Answer {
            bound: Bound::UNKNOWN,
            best_move: None,
            line: Vec::new(),
            children: Vec::new(),
            order: Vec::new(),
            nodes: member.nodes(),
            finished: false,
        }
    }

    /// Waits for an errand; `None` if the job is stopped.
    fn next_errand(self: &Arc<Self>, job: &Control) -> Option<(u64, Errand, Arc<Control>)> {
        let mut state = self.state();
        loop {
            if state.stops || job.is_stopped() {
                return None;
            }
            if let Some((number, Task::New(errand))) = state.task {
                drop(state);
                let control = Control::default().with_hints();
                let control = control.with_hands(Self::hands_for(self, &errand));
                let control = Arc::new(match self.inside {
                    Some(nodes) => control.with_found(nodes),
                    None => control,
                });
                state = self.state();
                match &mut state.task {
                    Some((latest, task)) if *latest == number => {
                        *task = Task::Runs(Arc::clone(&control));
                        return Some((number, errand, control));
                    }
                    _ => continue, // It was recalled meanwhile.
                }
            }
            state = self.wait(state, LONG_LOOK);
        }
    }

    /// Answers an errand, after what its search has come to believe and to know. One in whose place another has come, or
    /// whose connection is gone, is answered to nobody: who asks next may use its number for something else.
    fn done(&self, number: u64, value: Option<i32>, control: &Arc<Control>) {
        let (hints, bounds) = (control.take_hints(), control.take_found());
        if !hints.is_empty() {
            drop(self.words.send(FromWorker::Hints(self.job, hints)));
        }
        if !bounds.is_empty() {
            let found = Found { job: self.job, era: self.era, bounds };
            drop(self.words.send(FromWorker::Found(found)));
        }
        let mut state = self.state();
        self.nodes.fetch_add(control.nodes(), Ordering::Relaxed);
        if matches!(&state.task, Some((_, Task::Runs(own))) if Arc::ptr_eq(own, control)) {
            state.task = None;
            // While the lock is held: what is said before the connection is lost is dropped with it.
            self.say(FromMember::Answer { number, value, nodes: control.nodes() });
        }
    }
}

impl State {
    /// Stops the errand with this number, or any; one that was not begun is forgotten.
    fn recall(&mut self, number: Option<u64>) {
        if let Some((latest, task)) = &self.task
            && number.is_none_or(|number| number == *latest)
        {
            match task {
                Task::Runs(control) => control.stop(),
                Task::New(_) => self.task = None,
            }
        }
    }
}

/// Those with whom a search is shared, as the engine sees them.
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
        while !is_over() {
            let state = self.member.state();
            if hand < state.helpers {
                return true;
            }
            drop(self.member.wait(state, LONG_LOOK));
        }
        false
    }

    fn rouse(&self) {
        self.member.changed.notify_all();
    }

    fn engage(&self, hand: usize, is_wanted: &dyn Fn() -> bool) -> bool {
        loop {
            let is_wanted = is_wanted();
            let mut state = self.member.state();
            let is_helped = hand < state.helpers;
            match state.hands[hand] {
                Hand::Engaged => return true,
                _ if !is_wanted || !is_helped => {
                    self.let_go(&mut state, hand);
                    return false;
                }
                Hand::Calls => {}
                _ => {
                    state.hands[hand] = Hand::Calls;
                    self.member.say(FromMember::Call(number(hand)));
                }
            }
            drop(self.member.wait(state, LOOK));
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
                    return value;
                }
                Hand::Waits(_) => {}
                _ => return None,
            }
            drop(state);
            let is_pointless = is_pointless();
            state = self.member.state();
            if is_pointless && state.hands[hand] == Hand::Waits(sent) {
                state.hands[hand] = Hand::Engaged;
                self.member.say(FromMember::Recall { hand: number(hand), number: sent });
                return None;
            }
            if let Hand::Waits(_) = state.hands[hand] {
                state = self.member.wait(state, LOOK);
            }
        }
    }
}

fn number(hand: usize) -> u32 {
    u32::try_from(hand).unwrap_or(u32::MAX)
}
