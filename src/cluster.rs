//! Where positions are solved: by a coordinator and a worker in this process, or by a cluster.
//!
//! Both ways run the same code: the coordinator in this process is reached through memory, the
//! other one through the network.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use outflank_coordinator::advisor::EngineAdvisor;
use outflank_coordinator::client::{self, Connection, Fetched, SolveRequest, Update};
use outflank_coordinator::core::Solution;
use outflank_coordinator::service::{Options, Service};
use outflank_coordinator::store::Store;
use outflank_engine::{Bound, Position, Window};
use outflank_worker::{Coordinator, WorkerError};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::arguments::{Search, Solve};
use crate::exit::{Exit, Failure, client_failure, service_failure, worker_failure};
use crate::{access, arguments, machine, runtime, store};

/// The time between two signs of life of the worker in this process: they carry the node counts that
/// the progress shows, and cost nothing here.
const HEARTBEAT: Duration = Duration::from_millis(250);

/// What can be done where another process uses the store.
const IN_USE: store::Advice =
    "wait until that has ended, or give another store (--store), or none (--no-store)";

/// The way to a coordinator that solves positions.
#[derive(Debug)]
pub(crate) struct Cluster {
    connection: Connection,
    local: Option<Local>,
    kept: Kept,
    /// The nodes after which a request is given up.
    node_budget: Option<u64>,
}

/// A coordinator in this process, with a worker or without.
#[derive(Debug)]
pub(crate) struct Local {
    service: Service,
    worker: JoinSet<Result<(), WorkerError>>,
    stop_worker: CancellationToken,
}

/// Where what is proved stays when the command ends.
#[derive(Debug)]
enum Kept {
    Nowhere,
    Store(PathBuf),
    Coordinator(String),
}

impl Cluster {
    /// Connects to the coordinator that the arguments name, or starts one in this process.
    pub(crate) async fn open(arguments: &Solve) -> Result<Self, Failure> {
        let node_budget = arguments.budget.nodes();
        if let Some(address) = &arguments.connect {
            let connection = connect(address, &arguments.access).await?;
            let kept = Kept::Coordinator(address.clone());
            return Ok(Self { connection, local: None, kept, node_budget });
        }
        let mut options = machine::coordinator_options(arguments.job_nodes);
        let (store, kept) = if arguments.no_store {
            (Store::in_memory(), Kept::Nowhere)
        } else {
            let path = arguments.store.clone().map_or_else(machine::default_store, Ok)?;
            options.docket = Some(machine::docket(&path));
            (store::opened(&path, IN_USE).await?, Kept::Store(path))
        };
        let local = Local::with_worker(options, store, &arguments.search).await?;
        Ok(Self { connection: local.connect(), local: Some(local), kept, node_budget })
    }

    /// Solves `position` in `window`; `on_update` hears of the progress. Dropping the future
    /// abandons the request.
    pub(crate) async fn solve(
        &mut self,
        position: Position,
        window: Window,
        on_update: impl FnMut(Update),
    ) -> Result<Solution, Failure> {
        let request = SolveRequest { position, window, node_budget: self.node_budget };
        let answer = client::ask(self.connection.clone(), request, on_update);
        self.unless_failed(async { answer.await.map_err(client_failure) }).await
    }

    /// Returns what `work` gives, which waits for answers, or why the coordinator or the worker in this process gives
    /// none any more.
    pub(crate) async fn unless_failed<T>(
        &mut self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let Some(local) = &mut self.local else { return work.await };
        tokio::select! {
            biased;
            failure = local.failure() => Err(failure),
            done = work => done,
        }
    }

    /// Gives up what was asked of `position` and is not waited for any more, of which `known` is proved. Returns what is
    /// proved when the workers that searched it have said how far they came.
    pub(crate) async fn give_up(&self, position: Position, known: Bound) -> Fetched {
        if let Some(local) = &self.local {
            local.service.hurry();
        }
        client::left_over(self.connection.clone(), position, known, || self.is_idle()).await
    }

    /// Returns whether nobody searches anything in this process.
    fn is_idle(&self) -> bool {
        self.local.as_ref().is_some_and(|local| local.service.is_idle())
    }

    /// Returns the connection to the coordinator.
    pub(crate) fn connection(&self) -> Connection {
        self.connection.clone()
    }

    /// Returns whether the coordinator is not in this process: it can have several workers.
    pub(crate) const fn is_remote(&self) -> bool {
        self.local.is_none()
    }

    /// Returns whether what is proved is there for later commands.
    pub(crate) const fn keeps(&self) -> bool {
        !matches!(self.kept, Kept::Nowhere)
    }

    /// Returns what the user should know about what has been proved when a search is interrupted, and which command goes
    /// on, in words.
    pub(crate) fn kept(&self, again: &str) -> String {
        match &self.kept {
            Kept::Nowhere => "nothing is kept, because of --no-store".to_owned(),
            Kept::Store(path) => {
                format!("what is proved is kept in {}; {again}", path.display())
            }
            Kept::Coordinator(address) => {
                format!("the coordinator at {address} keeps what is proved; {again}")
            }
        }
    }

    /// Stops what runs in this process, after what it has proved is on disk.
    pub(crate) async fn close(self) -> Result<(), Failure> {
        match self.local {
            Some(local) => local.stop().await,
            None => Ok(()),
        }
    }
}

/// Connects to the coordinator at `address`, and says so if that has to wait for it.
pub(crate) async fn connect(
    address: &str,
    access: &arguments::Access,
) -> Result<Connection, Failure> {
    let access = access::shown(access)?;
    let limit = client::START_LIMIT.as_secs();
    let on_wait =
        || tracing::warn!("no coordinator listens at {address} yet, trying for {limit} s");
    client::connect_at_start(address, &access, on_wait).await.map_err(client_failure)
}

impl Local {
    /// Starts a coordinator that nobody works for.
    pub(crate) async fn without_worker(options: Options, store: Store) -> Result<Self, Failure> {
        let service = start_service(options, store, None).await?;
        Ok(Self { service, worker: JoinSet::new(), stop_worker: CancellationToken::new() })
    }

    /// Starts a coordinator and a worker, and waits until the worker has joined: a coordinator
    /// without workers has no way to find a line.
    pub(crate) async fn with_worker(
        mut options: Options,
        store: Store,
        search: &Search,
    ) -> Result<Self, Failure> {
        options.heartbeat = HEARTBEAT;
        let worker_options = machine::worker_options(search)?;
        let mut local = Self::without_worker(options, store).await?;
        let coordinator = Coordinator::over(local.connect());
        let stop = local.stop_worker.clone();
        local.worker.spawn(outflank_worker::run(worker_options, coordinator, stop));
        tokio::select! {
            () = local.service.worker_joined() => {}
            failure = failure(&local.service, &mut local.worker) => return Err(failure),
        }
        Ok(local)
    }

    /// Returns a connection to the coordinator.
    pub(crate) fn connect(&self) -> Connection {
        self.service.connect_in_memory()
    }

    /// Completes when nothing can be done in this process any more, with the reason.
    pub(crate) async fn failure(&mut self) -> Failure {
        failure(&self.service, &mut self.worker).await
    }

    /// Stops everything, after what has been proved is on disk.
    pub(crate) async fn stop(mut self) -> Result<(), Failure> {
        // The worker leaves when the coordinator has heard what it hands back.
        self.service.hurry();
        self.stop_worker.cancel();
        let worked = self.worker.join_next().await.unwrap_or(Ok(Ok(())));
        self.service.stop().await.map_err(service_failure)?;
        worked.context("the worker")?.map_err(worker_failure)
    }
}

/// Completes when nothing can be solved in this process any more, with the reason.
async fn failure(service: &Service, worker: &mut JoinSet<Result<(), WorkerError>>) -> Failure {
    tokio::select! {
        failure = service.failure() => service_failure(failure),
        Some(ended) = worker.join_next() => match ended {
            Ok(Ok(())) => Failure::new(Exit::Failed, anyhow!("the worker has left")),
            Ok(Err(error)) => worker_failure(error),
            Err(error) => Failure::new(Exit::Failed, anyhow!(error).context("the worker")),
        },
    }
}

/// Starts a coordinator that uses the engine's estimates, with so many threads for them or as many as usual.
///
/// Long campaigns take their time, too: as with a store, the runtime is not held up, and dropping the future gives up.
pub(crate) async fn start_service(
    options: Options,
    store: Store,
    threads: Option<u32>,
) -> Result<Service, Failure> {
    let threads = threads.unwrap_or_else(machine::threads_of_coordinator);
    let advisor = EngineAdvisor::new(threads as usize);
    let advisor = advisor.context("setting the coordinator's estimates up")?;
    let start = move || Service::start(options, Arc::new(store), Box::new(advisor));
    runtime::aside(move || start().map_err(service_failure)).await
}
