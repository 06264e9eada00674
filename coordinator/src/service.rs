//! The coordinator as a service: an actor around the core, a writer in front of the store, and the
//! gRPC services that feed them.
//!
//! Three kinds of parts, connected by bounded queues:
//!
//! ```text
//!  workers, clients ──> gRPC tasks ──events──> actor thread (core) ──batches──> writer thread (store)
//!         ^                                        │ jobs, cancels                │ once on disk
//!         └────────────────────── links <──────────┴──────────────────────────────┘
//! ```
//!
//! Nothing that a worker or a client does can hold up the actor: it only ever tries to send. What
//! depends on a proof (acknowledgements, progress, solutions) takes the way through the writer, so
//! that nothing is claimed that is not on disk. The only thing the actor waits for is the disk: it notes itself what it
//! is about to tell workers.

mod actor;
mod campaigns;
mod circles;
mod clock;
mod cluster;
pub(crate) mod convert;
mod docket;
mod encryption;
mod error;
mod events;
mod failure;
mod fleet;
mod gate;
mod incoming;
mod journal;
mod links;
mod listen;
mod options;
mod pending;
mod proof_store;
mod solver;
mod tokens;
mod told_log;
mod trial;
mod writer;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use outflank_proto::{Access, Connection};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::Status;

use crate::campaign::Roster;
use crate::core::{self, Advisor, Core, Event, Haste};
use actor::Actor;
use campaigns::Campaigns;
use circles::Circles;
use docket::Docket;
pub use docket::{
    Adopted, MendedDocket, adopt_docket, docket_problems, mend_docket, pending_verdicts,
    reopen_verdicts, taken_back,
};
pub use encryption::{Encryption, InvalidEncryption};
pub use error::ServiceError;
use events::{Events, Input};
use failure::FirstFailure;
pub use fleet::Observer;
use fleet::Shown;
use links::Links;
use listen::InProcess;
pub use options::Options;
use pending::Pending;
pub use proof_store::ProofStore;
pub use tokens::{InvalidTokens, Role, Tokens};
use told_log::ToldLog;
use writer::Writer;

/// What the tasks of a service share.
#[derive(Debug)]
struct Shared {
    options: Options,
    events: Events,
    links: Links,
    circles: Circles,
    shown: Shown,
    store: Arc<dyn ProofStore>,
    failure: FirstFailure,
    campaigns: Campaigns,
    /// Ends the thoughts of the core's advisor.
    haste: Haste,
    /// Cancelled when the service begins to stop: workers are drained, clients are told.
    stopping: CancellationToken,
    /// When those must have ended that were connected when it began to stop.
    drained_by: OnceLock<Instant>,
    tasks: TaskTracker,
    next_worker: AtomicU64,
    next_solve: AtomicU64,
}

/// A running coordinator.
///
/// It is to be ended by [`Service::stop`] or [`Service::serve`]; dropped without, its threads go on
/// until the process ends. No acknowledged proof is lost by that.
#[derive(Debug)]
pub struct Service {
    shared: Arc<Shared>,
    in_process: InProcess,
    threads: Vec<JoinHandle<()>>,
    /// What tells the core the time, to its end: it would take silence for a pause of the process.
    ticking: JoinSet<()>,
}

impl Service {
    /// Starts a coordinator on `store`; it listens to nobody yet.
    ///
    /// # Errors
    /// [`ServiceError::Thread`] if the system gives no thread, [`ServiceError::Campaigns`] if the
    /// folder of the campaigns cannot be read, [`ServiceError::Store`] if what an earlier coordinator
    /// has left to do cannot be read or done.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn start(
        options: Options,
        store: Arc<dyn ProofStore>,
        advisor: Box<dyn Advisor + Send>,
    ) -> Result<Self, ServiceError> {
        store.check_in_place()?; // To open it may have taken an hour.
        let haste = advisor.haste();
        let core = Core::new(options.core.clone(), advisor);
        let docket = Docket::open(options.docket.as_deref())?;
        let roster = options.campaigns.as_deref().map(Roster::open).transpose()?;
        let (campaigns, orders) = campaigns::channel(roster.as_ref());
        let (events, inputs) = events::channel();
        let shared = Arc::new(Shared::new(options, store, events, campaigns, haste));
        shared.refuse_again(&docket);
        let era = docket.era();
        let mut threads = start_core(&shared, core, docket, inputs)?;
        let mut ticking = JoinSet::new();
        ticking.spawn(events::tick(Arc::clone(&shared)));
        if let Some(roster) = roster {
            threads.push(campaigns::start(&shared, roster, orders, era)?);
        }
        let in_process = InProcess::start(&shared);
        Ok(Self { shared, in_process, threads, ticking })
    }

    /// Returns a connection to this coordinator that needs no network; it carries the same services
    /// as a connection over TCP.
    #[must_use]
    pub fn connect_in_memory(&self) -> Connection {
        Access::default().over(self.in_process.connect())
    }

    /// Returns a way to see what the coordinator and its workers do.
    #[must_use]
    pub fn observer(&self) -> Observer {
        Observer(Arc::clone(&self.shared))
    }

    /// Makes the core come to an end with what it thinks about, until a client asks for something: who was waiting has
    /// given up, or is about to stop.
    pub fn hurry(&self) {
        self.shared.haste.begin();
    }

    /// Returns whether no worker has a job, and what workers have reported is on disk.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.shared.links.counts().jobs == 0
    }

    /// Completes as soon as a worker has joined.
    pub async fn worker_joined(&self) {
        self.shared.links.worker_joined().await;
    }

    /// Completes when the service can no longer work, with the reason; [`Service::stop`] is due
    /// then. Without a failure it never completes.
    pub async fn failure(&self) -> ServiceError {
        self.shared.failure.wait().await
    }

    /// Serves the connections that come in through `listener` until `stop` is cancelled or the
    /// service fails, then stops as [`Service::stop`] does.
    ///
    /// # Errors
    /// What made the service fail.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: CancellationToken,
    ) -> Result<(), ServiceError> {
        let ended = listen::serve(&self.shared, listener, &stop).await;
        let stopped = self.stop().await;
        ended.and(stopped)
    }

    /// Stops: drains the workers, tells the clients, writes what is pending, ends the threads.
    ///
    /// It takes at most the drain deadline of the [`Options`] and a few seconds, or half a minute where a disk or a
    /// thread hangs.
    ///
    /// # Errors
    /// What made the service fail, if it did, or [`ServiceError::Stuck`].
    pub async fn stop(self) -> Result<(), ServiceError> {
        let Self { shared, in_process, threads, mut ticking } = self;
        shared.begin_to_stop();
        in_process.stop(shared.drained_by()).await;
        shared.tasks.close();
        if tokio::time::timeout_at(shared.drained_by(), shared.tasks.wait()).await.is_err() {
            tracing::warn!(tasks = shared.tasks.len(), "connections did not end in time");
        }
        ticking.shutdown().await;
        // Where a disk hangs the threads may not even take the message that they are to end: their queues are full.
        let ending = async {
            shared.events.close().await;
            shared.campaigns.close().await;
            // A panic of a thread has been recorded as the service's failure already.
            let join = || threads.into_iter().map(JoinHandle::join).filter(Result::is_err).count();
            tokio::task::spawn_blocking(join).await
        };
        if tokio::time::timeout(Duration::from_secs(30), ending).await.is_err() {
            return Err(ServiceError::Stuck);
        }
        // Nothing may have been written since the store was moved.
        shared.failure.get().map_or_else(|| Ok(shared.store.check_in_place()?), Err)
    }
}

/// Starts the core's thread and the writer's, once everything is done that an earlier coordinator has left to do.
fn start_core(
    shared: &Arc<Shared>,
    core: Core,
    docket: Docket,
    inputs: mpsc::Receiver<Input>,
) -> Result<Vec<JoinHandle<()>>, ServiceError> {
    let (batches, written) = mpsc::channel(writer::BATCHES);
    let pending: Arc<Pending> = Arc::default();
    let (era, doubted, excused) = (docket.era(), docket.doubted(), docket.excused());
    let mut writer = Writer::new(shared, Arc::clone(&pending), docket);
    writer.finish_verdicts()?;
    // After the verdicts: what workers were told counts only as far as the store still holds it.
    let (told, memory) = shared.told_log()?;
    let resumed = Event::Resumed { era, doubted, memory: core::Memory { excused, ..memory } };
    let actor = Actor::new(core, shared, pending, batches, told, resumed);
    Ok(vec![
        failure::guarded(shared, "core", move || actor.run(inputs))?,
        failure::guarded(shared, "writer", move || writer.run(written))?,
    ])
}

/// Returns what ends the calls of clients and workers when the coordinator stops, and refuses new ones.
fn stopping() -> Status {
    Status::unavailable("the coordinator is stopping")
}

impl Shared {
    /// Returns what a service shares to which nobody is connected.
    fn new(
        options: Options,
        store: Arc<dyn ProofStore>,
        events: Events,
        campaigns: Campaigns,
        haste: Haste,
    ) -> Self {
        Self {
            options,
            events,
            links: Links::default(),
            circles: Circles::default(),
            shown: Shown::new(),
            store,
            failure: FirstFailure::default(),
            campaigns,
            haste,
            stopping: CancellationToken::new(),
            drained_by: OnceLock::new(),
            tasks: TaskTracker::new(),
            next_worker: AtomicU64::new(1),
            next_solve: AtomicU64::new(1),
        }
    }

    /// Refuses the workers that an earlier coordinator has refused.
    fn refuse_again(&self, docket: &Docket) {
        for verdict in docket.refused() {
            let (workers, reason) = (verdict.workers.join(" and "), &verdict.reason);
            tracing::warn!(
                workers,
                reason,
                "an earlier coordinator found these to be wrong: they are refused"
            );
            self.links.distrust_still(&verdict.workers, reason);
        }
    }

    /// Opens the file that notes what workers are told, beside the docket.
    fn told_log(&self) -> Result<(ToldLog, core::Memory), ServiceError> {
        let path = self.options.docket.as_ref().map(|docket| docket.with_file_name("told.jsonl"));
        let is_held = |position, bound| self.store.holds(position, bound);
        Ok(ToldLog::open(path.as_deref(), self.store.count() > 0, is_held)?)
    }

    /// Returns whether the store is where it was opened; where it is not, the service fails.
    fn is_in_place(&self) -> bool {
        let Err(error) = self.store.check_in_place() else { return true };
        // Whoever has found that first has said so.
        if self.failure.get().is_none() {
            self.fail(ServiceError::Store(error));
        }
        false
    }

    /// Tells workers and clients that the service stops. Repeating it does nothing.
    fn begin_to_stop(&self) {
        self.drained_by(); // The time runs from now on.
        self.haste.begin();
        self.links.end_solves(&stopping());
        self.stopping.cancel();
    }

    /// Returns when connections must have ended once the service is stopping: after their own deadline, and some time for
    /// the last messages.
    fn drained_by(&self) -> Instant {
        let limit = self.options.drain_deadline + Duration::from_secs(1);
        *self.drained_by.get_or_init(|| Instant::now() + limit)
    }
}
