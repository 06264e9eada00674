//! The workers' side of the service: one task for each connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use outflank_proto::message::{Found, FromWorker, Hello, ToWorker, Welcome};
use outflank_proto::v1::cluster_server::Cluster;
use outflank_proto::{NEWEST_PROTOCOL, OLDEST_PROTOCOL, common_protocol, v1};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, Streaming};

use super::gate::Peer;
use super::links::{WorkerLink, WorkerQueue, WorkerRecord};
use super::{Shared, convert, stopping};
use crate::core::{Event, WorkerId};
use crate::store::Origin;

/// The length of the queue of messages to a worker. A worker that lets it fill up is cut off.
const QUEUE: usize = 2048;

/// The shortest time between two interim reports of a job: a fraction of the shortest job that is
/// worth splitting.
const INTERIM_MILLIS: u32 = 50;

/// The service that workers call.
#[derive(Debug)]
pub(super) struct ClusterService(pub(super) Arc<Shared>);

#[tonic::async_trait]
impl Cluster for ClusterService {
    type WorkStream = ReceiverStream<Result<v1::ToWorker, Status>>;

    async fn work(
        &self,
        request: Request<Streaming<v1::FromWorker>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        let shared = Arc::clone(&self.0);
        if shared.stopping.is_cancelled() {
            return Err(stopping());
        }
        let address = request.extensions().get::<Peer>().and_then(|peer| peer.address);
        let mut inbound = request.into_inner();
        let deadline = shared.options.hello_deadline;
        let hello =
            tokio::time::timeout(deadline, hello(&mut inbound)).await.map_err(|_elapsed| {
                let seconds = deadline.as_secs_f64();
                Status::deadline_exceeded(format!("no hello within {seconds} seconds"))
            })??;
        let protocol = negotiate(&hello)?;
        let (queue, messages) = mpsc::channel(QUEUE);
        let connection = Connection::open(shared, hello, address, queue, protocol)?;
        let tasks = connection.shared.tasks.clone();
        tasks.spawn(connection.run(inbound));
        Ok(Response::new(ReceiverStream::new(messages)))
    }
}

/// Reads the first message of a connection.
async fn hello(inbound: &mut Streaming<v1::FromWorker>) -> Result<Hello, Status> {
    let Some(message) = inbound.message().await? else {
        return Err(Status::invalid_argument("the stream ended, expected a hello"));
    };
    match message.try_into()? {
        FromWorker::Hello(hello) => Ok(hello),
        _ => Err(Status::invalid_argument("field message is not a hello, expected a hello first")),
    }
}

fn negotiate(hello: &Hello) -> Result<u32, Status> {
    let (oldest, newest) = (hello.oldest_protocol, hello.newest_protocol);
    common_protocol(oldest, newest).ok_or_else(|| {
        Status::failed_precondition(format!(
            "the worker speaks protocol versions {oldest} to {newest}, this coordinator needs \
             {OLDEST_PROTOCOL} to {NEWEST_PROTOCOL}: use a worker of the same release"
        ))
    })
}

/// Returns the id of the weights that a worker's build names, such as `outflank 0.1.0 (avx2), weights 8a0561c1bc44c00d`;
/// nothing if it has none or does not say.
fn weights_of(build: &str) -> &str {
    let is_id = |text: &&str| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    build.rsplit_once(", weights ").map(|(_, id)| id).filter(is_id).unwrap_or_default()
}

/// One worker's connection.
#[derive(Debug)]
struct Connection {
    shared: Arc<Shared>,
    worker: WorkerId,
    /// What its process is known by.
    name: String,
    queue: WorkerQueue,
    cut: CancellationToken,
    /// What the core could not be told yet.
    unheard: Option<Event>,
}

impl Connection {
    /// Welcomes a worker, unless it is refused, and announces it to the core if that is not behindhand:
    /// the welcome waits for nothing.
    fn open(
        shared: Arc<Shared>,
        hello: Hello,
        address: Option<SocketAddr>,
        queue: WorkerQueue,
        protocol: u32,
    ) -> Result<Self, Status> {
        let worker = WorkerId(shared.next_worker.fetch_add(1, Ordering::Relaxed));
        let name = hello.name();
        let record = WorkerRecord::new(&hello, Instant::now());
        let known_as = name.clone().unwrap_or_else(|| format!("{}/{}", hello.host, worker.0));
        let Hello { build, isa, host, threads, listens, shares, .. } = hello;
        let heartbeat = shared.options.heartbeat.as_millis().max(1);
        let welcome = ToWorker::Welcome(Welcome {
            protocol,
            heartbeat_millis: u32::try_from(heartbeat).unwrap_or(u32::MAX),
            build: shared.options.build.clone(),
            interim_millis: INTERIM_MILLIS,
        });
        let process = convert::process(&known_as);
        let origin = Origin {
            build: format!("{build} {isa}"),
            weights: weights_of(&build).to_owned(),
            worker: known_as.clone(),
            host: host.clone(),
            run: shared.options.run.clone(),
        };
        let cut = CancellationToken::new();
        let link = WorkerLink {
            queue: queue.clone(),
            cut: cut.clone(),
            origin: Arc::new(origin),
            listens,
            record,
        };
        shared.links.add_worker(worker, name.as_deref(), link)?;
        let (name, address) = (known_as.as_str(), address.map(tracing::field::display));
        tracing::info!(
            worker = worker.0,
            name,
            host,
            address,
            build,
            isa,
            threads,
            "worker joined"
        );
        shared.links.tell(worker, welcome);
        let unheard = shared.events.offer(Event::Joined { worker, process, threads, shares });
        Ok(Self { shared, worker, name: known_as, queue, cut, unheard })
    }

    /// Hands the worker's messages to the core until the connection ends.
    async fn run(mut self, inbound: Streaming<v1::FromWorker>) {
        if let Some(joined) = self.unheard.take() {
            self.shared.events.send(joined).await;
        }
        match self.relay(inbound).await {
            Ok(()) => tracing::info!(worker = self.worker.0, name = self.name, "worker left"),
            Err(status) => {
                // Without what lies behind it, which is a page of the insides of HTTP/2.
                let (code, cause) = (status.code(), status.message());
                tracing::warn!(
                    worker = self.worker.0,
                    name = self.name,
                    ?code,
                    cause,
                    "connection to a worker ended"
                );
                if self.queue.try_send(Err(status)).is_err() {
                    tracing::debug!(worker = self.worker.0, "the worker cannot be told why");
                }
            }
        }
        // The stream to the worker ends with that: it waits for nothing else.
        self.shared.links.hang_up(self.worker);
        drop(self.queue);
        self.shared.circles.leave_all(&self.shared.links, self.worker);
        self.shared.events.send(Event::Left { worker: self.worker }).await;
    }

    async fn relay(&self, mut inbound: Streaming<v1::FromWorker>) -> Result<(), Status> {
        let mut deadline = None;
        loop {
            let overdue = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.cut.cancelled() => return Ok(()),
                () = self.shared.stopping.cancelled(), if deadline.is_none() => {
                    // Keep reading: results in flight must not be lost.
                    deadline = Some(Instant::now() + self.shared.options.drain_deadline);
                    self.shared.events.send(Event::Draining { worker: self.worker }).await;
                    self.shared.links.tell(self.worker, ToWorker::Drain);
                }
                () = overdue => return Err(Status::unavailable("the coordinator has stopped")),
                message = inbound.message() => match message? {
                    Some(message) => self.accept(message.try_into()?).await?,
                    None => return Ok(()), // The worker has half-closed.
                },
            }
        }
    }

    async fn accept(&self, message: FromWorker) -> Result<(), Status> {
        let worker = self.worker;
        let event = match message {
            FromWorker::Hello(_) => {
                return Err(Status::invalid_argument("field message is a second hello"));
            }
            FromWorker::Heartbeat(jobs) => {
                self.shared.links.heard(worker, &jobs);
                Event::Heartbeat { worker, jobs }
            }
            FromWorker::Interim(interim) => Event::Interim { worker, interim },
            FromWorker::Hints(job, hints) => Event::Hinted { worker, job, hints },
            FromWorker::Found(Found { job, era, bounds }) => {
                Event::Found { worker, job, era, bounds }
            }
            FromWorker::Member(job, word) => {
                match self.shared.circles.hear(&self.shared.links, worker, job, word) {
                    Some(done) => Event::ErrandDone(done),
                    None => return Ok(()),
                }
            }
            FromWorker::Report(report) => {
                self.shared.links.reported(worker, &report);
                Event::Reported { worker, report }
            }
            FromWorker::Draining => {
                self.shared.links.drains(worker);
                Event::Draining { worker }
            }
        };
        self.shared.events.send(event).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_of_a_build_are_its_id_of_them() {
        let named = "outflank 0.1.0 (avx2), weights 8a0561c1bc44c00d";
        assert_eq!(weights_of(named), "8a0561c1bc44c00d");
        let none = "outflank 0.1.0 (avx2), weights none: weights file has checksum 643a72bf";
        for other in ["outflank 0.1.0", none, "", "outflank 0.1.0, weights 8a05"] {
            assert_eq!(weights_of(other), "", "{other}");
        }
    }
}
