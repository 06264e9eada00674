//! The thread that owns the campaigns, and the requests that it makes.
//!
//! A row's question takes the same way as a client's: it is announced to the links, submitted to the
//! core, and answered when the proofs are on disk. So that the core's memory does not depend on the
//! length of a list, only a few rows for each thread of the fleet are under way at once.

mod best_move;
mod flight;
mod grpc;

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit};
use outflank_engine::Bound;
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::incoming::LEFT_FOR_OTHERS;
use super::{ServiceError, Shared, failure, stopping};
use crate::campaign::{Ask, Roster};
pub(super) use grpc::CampaignsService;

/// The length of the queue to the thread.
const QUEUE: usize = 1024;
/// The time between two looks at the clock and at the size of the fleet.
const TICK: Duration = Duration::from_secs(1);
/// Rows under way for each thread of the fleet: one that is searched, one that waits. Where rows are
/// answered faster than that, as many as in the last tick: an answer takes the time of a disk sync.
const ROWS_PER_THREAD: u64 = 2;
/// The fewest and the most rows under way. The most leave room for clients among all requests.
const FEWEST_ROWS: u64 = 8;
const MOST_ROWS: u64 = 8_000;

/// The most lists on their way in or out at once. Each has a thread that waits for its client, of the runtime's 512:
/// who leaves lists unfinished holds up other lists, and nothing else.
const MOST_LISTS: usize = 64;

/// Its records, and while rows are handed out its list.
const FILES_PER_CAMPAIGN: u64 = 2;

/// What somebody wants of the campaigns.
type Call = Box<dyn FnOnce(&mut Roster) + Send>;
/// What somebody wants to know of them.
type Look = Box<dyn FnOnce(&Roster) + Send>;

/// What the thread receives.
pub(super) enum Order {
    /// Somebody wants something of the campaigns, when none is in doubt.
    Call(Call),
    /// Somebody wants to know how far they are.
    Look(Look),
    /// What is proved of the position of a row now.
    Answered { life: u64, row: u64, bound: Bound, nodes: u64 },
    /// A row's question has no answer.
    Failed { life: u64, row: u64, disputed: bool },
    /// Proofs were taken back.
    TakenBack,
    /// Time has passed.
    Tick,
    /// Nothing more will come.
    Close,
}

/// The way to the campaigns.
#[derive(Debug)]
pub(super) struct Campaigns {
    orders: mpsc::Sender<Order>,
    /// Their folder; `None` if the coordinator keeps none.
    folder: Option<PathBuf>,
    /// The files that those may have open which there were at the start.
    files: u64,
    /// A place for each list that may be on its way.
    places: Arc<Semaphore>,
    /// The same for so few rows that they wait for nobody: a status asks for them.
    short_places: Arc<Semaphore>,
    /// The last time that proofs were taken back.
    era: AtomicU64,
}

/// Returns both ends of the queue.
pub(super) fn channel(roster: Option<&Roster>) -> (Campaigns, mpsc::Receiver<Order>) {
    let (orders, receiver) = mpsc::channel(QUEUE);
    let folder = roster.map(|roster| roster.folder().to_owned());
    let files = FILES_PER_CAMPAIGN * roster.map_or(0, Roster::count) as u64;
    let [places, short_places] = [(); 2].map(|()| Arc::new(Semaphore::new(MOST_LISTS)));
    (Campaigns { orders, folder, files, places, short_places, era: AtomicU64::default() }, receiver)
}

impl Campaigns {
    /// Returns the folder of the campaigns.
    fn folder(&self) -> Result<&Path, Status> {
        let none = "this coordinator keeps no campaigns, expected one with a store on disk";
        self.folder.as_deref().ok_or_else(|| Status::failed_precondition(none))
    }

    /// Returns how many files those may have open which there were at the start.
    pub(super) fn files(&self) -> u64 {
        self.files
    }

    /// Has `work` done with the campaigns and returns what came of it.
    async fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Roster) -> T + Send + 'static,
    ) -> Result<T, Status> {
        self.folder()?;
        let (answer, answered) = oneshot::channel();
        let call = Order::Call(Box::new(move |roster| {
            // Whoever asked may have gone during a review, and does not want it any more.
            if !answer.is_closed() {
                drop(answer.send(work(roster)));
            }
        }));
        self.tell(call).await;
        answered.await.map_err(|_gone| stopping())
    }

    /// Returns what `look` finds out about the campaigns, also while some are in doubt.
    async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Roster) -> T + Send + 'static,
    ) -> Result<T, Status> {
        self.folder()?;
        let (answer, answered) = oneshot::channel();
        let order = Order::Look(Box::new(move |roster| drop(answer.send(look(roster)))));
        self.tell(order).await;
        answered.await.map_err(|_gone| stopping())
    }

    /// Gives the thread an order; one that has ended needs none.
    async fn tell(&self, order: Order) {
        if self.orders.send(order).await.is_err() {
            tracing::debug!("the campaigns had ended");
        }
    }

    /// Has the outcomes compared with what is still proved, now that proofs were taken back for the time `era`. Should
    /// that be lost, the docket says so to the next coordinator.
    pub(super) fn taken_back(&self, era: u64) {
        self.era.fetch_max(era, Ordering::Relaxed);
        // Nobody waits here: to compare them takes long, and with any order the thread sees the time. No order is needed
        // where others fill the queue, or where there is no thread.
        drop(self.orders.try_send(Order::TakenBack));
    }

    /// Lets the thread stop after the orders so far.
    pub(super) async fn close(&self) {
        self.tell(Order::Close).await;
    }
}

/// Starts the thread, after proofs were taken back for the time `era`.
pub(super) fn start(
    shared: &Arc<Shared>,
    mut roster: Roster,
    orders: mpsc::Receiver<Order>,
    era: u64,
) -> Result<JoinHandle<()>, ServiceError> {
    warn_of_few_files(roster.count(), shared.campaigns.files);
    roster.taken_back(era);
    shared.campaigns.era.fetch_max(era, Ordering::Relaxed);
    let keeper = Keeper {
        shared: Arc::clone(shared),
        runtime: Handle::current(),
        roster,
        started: Instant::now(),
        answered: 0,
        answered_before: 0,
        flights: BTreeMap::new(),
        calls: VecDeque::new(),
    };
    shared.tasks.spawn(tick(Arc::clone(shared)));
    failure::guarded(shared, "campaigns", move || keeper.run(orders))
}

/// Says so if this process may have fewer files open than the `files` that the campaigns may take, and those that they
/// leave for connections and for others.
fn warn_of_few_files(campaigns: usize, files: u64) {
    let needed = files + 2 * LEFT_FOR_OTHERS;
    if campaigns > 0
        && let Ok((open_files, _)) = getrlimit(Resource::RLIMIT_NOFILE)
        && open_files < needed
    {
        tracing::warn!(
            campaigns,
            open_files,
            "the campaigns may take nearly all open files, and rest without: expected a hard limit (ulimit -Hn) of \
             {needed}, and one for each worker and client"
        );
    }
}

/// Tells the thread the time again and again until the service stops.
async fn tick(shared: Arc<Shared>) {
    let mut interval = tokio::time::interval(TICK);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let ended = shared.stopping.cancelled();
    tokio::pin!(ended);
    loop {
        tokio::select! {
            () = &mut ended => return,
            _ = interval.tick() => shared.campaigns.tell(Order::Tick).await,
        }
    }
}

/// The owner of the campaigns.
struct Keeper {
    shared: Arc<Shared>,
    runtime: Handle,
    roster: Roster,
    started: Instant,
    /// Rows answered since the last tick, and between the last two.
    answered: u64,
    answered_before: u64,
    /// For each life of a campaign, the way to give up its requests.
    flights: BTreeMap<u64, CancellationToken>,
    /// What others want; it waits for the end of a review, so that nobody is given an outcome that may have fallen.
    calls: VecDeque<Call>,
}

impl Keeper {
    /// Works until the queue is closed, or the store is not where it was opened: campaigns are written by their names, and
    /// those that have them now may be others. There is an order each second, so that this is found out soon.
    fn run(mut self, mut orders: mpsc::Receiver<Order>) {
        while let Some(order) = self.next(&mut orders) {
            if !self.shared.is_in_place() {
                break;
            }
            self.heed_what_was_taken_back();
            let fill = match order {
                Order::Call(call) => {
                    self.calls.push_back(call);
                    self.serve();
                    true
                }
                Order::Look(look) => {
                    look(&self.roster);
                    false
                }
                Order::Answered { life, row, bound, nodes } => {
                    self.answered += 1;
                    if let Some(next) = self.roster.answered(life, row, bound, nodes) {
                        self.ask(next);
                    }
                    true
                }
                Order::Failed { life, row, disputed } => {
                    self.roster.failed(life, row, disputed);
                    false // With the next tick: what refuses now will refuse again at once.
                }
                Order::TakenBack => true,
                Order::Tick => {
                    self.roster.tick(self.started.elapsed());
                    self.answered_before = std::mem::take(&mut self.answered);
                    self.serve(); // A campaign in doubt may rest by now.
                    true
                }
                Order::Close => break,
            };
            if fill && !self.shared.stopping.is_cancelled() {
                self.go_on(); // Rows of other campaigns may be answered without a pause.
                self.fill();
            }
        }
        self.roster.tick(self.started.elapsed());
    }

    /// Returns the next order. Until it comes, it goes on with what takes long, as it does bit by bit between orders, but not
    /// when the service stops: the next coordinator does it.
    fn next(&mut self, orders: &mut mpsc::Receiver<Order>) -> Option<Order> {
        loop {
            match orders.try_recv() {
                Err(TryRecvError::Empty) if self.shared.stopping.is_cancelled() => {
                    self.calls.clear(); // Whoever waits is told so by that.
                    return orders.blocking_recv();
                }
                Err(TryRecvError::Empty) => {
                    if !self.shared.is_in_place() {
                        return None;
                    }
                    if !self.go_on() {
                        return orders.blocking_recv();
                    }
                }
                order => return order.ok(),
            }
        }
    }

    /// Does a little of what takes long: outcomes that are in doubt are compared with what is proved, and lists with what
    /// was imported. Returns whether there was any.
    fn go_on(&mut self) -> bool {
        let is_in_doubt = self.roster.is_to_be_reviewed();
        if is_in_doubt {
            self.review();
        }
        let checked = self.roster.check_list();
        if checked == Some(true) {
            self.fill();
        }
        is_in_doubt || checked.is_some()
    }

    /// Has the outcomes compared with what is proved if proofs were taken back since that was done last.
    fn heed_what_was_taken_back(&mut self) {
        let era = self.shared.campaigns.era.load(Ordering::Relaxed);
        if self.roster.era() != era {
            self.roster.taken_back(era);
        }
    }

    /// Compares some of the outcomes that are in doubt with what is proved.
    fn review(&mut self) {
        let store = Arc::clone(&self.shared.store);
        self.roster.review(&|position| store.bound(position.canonical()));
        self.serve();
    }

    /// Does what others want unless a campaign is in doubt, as one may be that has just come or goes on again. Gives up
    /// requests that nobody waits for.
    fn serve(&mut self) {
        while !self.roster.is_to_be_reviewed()
            && let Some(call) = self.calls.pop_front()
        {
            call(&mut self.roster);
        }
        self.give_up_earlier_lives();
    }

    fn fill(&mut self) {
        let threads = self.shared.links.counts().threads;
        let appetite = self.answered.max(self.answered_before);
        let width = (ROWS_PER_THREAD * threads).max(appetite).clamp(FEWEST_ROWS, MOST_ROWS);
        for ask in self.roster.fill(usize::try_from(width).unwrap_or(usize::MAX)) {
            self.ask(ask);
        }
    }

    fn ask(&mut self, ask: Ask) {
        let given_up = self.flights.entry(ask.life).or_default().clone();
        let flight = flight::fly(Arc::clone(&self.shared), ask, given_up);
        self.shared.tasks.spawn_on(flight, &self.runtime);
    }

    fn give_up_earlier_lives(&mut self) {
        let lives = self.roster.lives();
        self.flights.retain(|life, given_up| {
            let is_current = lives.contains(life);
            if !is_current {
                given_up.cancel();
            }
            is_current
        });
    }
}
