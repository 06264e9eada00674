//! A coordinator that says only what a test says, at the other end of a worker's connections.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use outflank_kernel::Isa;
use outflank_proto::Access;
use outflank_proto::message::{FromWorker, Report, ToWorker, Welcome};
use outflank_proto::v1;
use outflank_proto::v1::cluster_server::{Cluster, ClusterServer};
use outflank_worker::{Coordinator, Gauges, Options, Solver, WorkerError, run_with};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::transport::server::Connected;
use tonic::transport::{Channel, Endpoint, Server, Uri};
use tonic::{Request as Call, Response, Status, Streaming};

/// Waits for what a worker should do at once. One that does not fails the test in place of holding it up.
pub(crate) async fn in_time<T>(done: impl Future<Output = T>) -> T {
    let patience = Duration::from_secs(60);
    tokio::time::timeout(patience, done).await.expect("the worker does it within a minute")
}

/// A connection of a worker, seen by the coordinator.
pub(crate) struct Connection {
    inbound: Streaming<v1::FromWorker>,
    outbound: mpsc::Sender<Result<v1::ToWorker, Status>>,
}

impl Connection {
    pub(crate) async fn tell(&self, message: ToWorker) {
        self.outbound.send(Ok(message.into())).await.unwrap();
    }

    /// Returns the next message that is no heartbeat; `None` after the worker has half-closed.
    pub(crate) async fn hear(&mut self) -> Option<FromWorker> {
        loop {
            match in_time(self.inbound.message()).await.unwrap()?.try_into().unwrap() {
                FromWorker::Heartbeat(_) => {}
                message => return Some(message),
            }
        }
    }

    /// Returns the next message, heartbeats included.
    pub(crate) async fn hear_any(&mut self) -> FromWorker {
        let message = in_time(self.inbound.message()).await.unwrap();
        message.expect("still connected").try_into().unwrap()
    }

    pub(crate) async fn hear_report(&mut self) -> Report {
        match self.hear().await {
            Some(FromWorker::Report(report)) => report,
            other => panic!("{other:?} in place of a report"),
        }
    }

    /// Waits for a heartbeat of exactly these jobs.
    pub(crate) async fn hear_beat_of(&mut self, jobs: &[u64]) {
        loop {
            let message = in_time(self.inbound.message()).await.unwrap();
            let message = message.expect("still connected");
            match message.try_into().unwrap() {
                FromWorker::Heartbeat(beat)
                    if beat.iter().map(|&(job, _)| job.0).eq(jobs.iter().copied()) =>
                {
                    return;
                }
                FromWorker::Heartbeat(_) => {}
                other => panic!("{other:?} in place of a heartbeat"),
            }
        }
    }

    /// Hears the hello and answers it; no news of running jobs are wanted.
    pub(crate) async fn welcome(&mut self) {
        self.welcome_with(20, 0).await;
    }

    /// Hears the hello and answers it; news are wanted after so many milliseconds, with 0 never.
    pub(crate) async fn welcome_for_news(&mut self, interim_millis: u32) {
        self.welcome_with(20, interim_millis).await;
    }

    /// Hears the hello and answers it with what is wanted.
    pub(crate) async fn welcome_with(&mut self, heartbeat_millis: u32, interim_millis: u32) {
        assert!(matches!(self.hear().await, Some(FromWorker::Hello(_))));
        let build = "test".to_owned();
        let welcome = Welcome { protocol: 1, heartbeat_millis, build, interim_millis };
        self.tell(ToWorker::Welcome(welcome)).await;
    }
}

/// Hands each connection to the test, or refuses it.
struct Scripted {
    connections: mpsc::Sender<Connection>,
    refusal: Option<Status>,
    calls: Arc<AtomicUsize>,
}

#[tonic::async_trait]
impl Cluster for Scripted {
    type WorkStream = ReceiverStream<Result<v1::ToWorker, Status>>;

    async fn work(
        &self,
        call: Call<Streaming<v1::FromWorker>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if let Some(status) = &self.refusal {
            return Err(status.clone());
        }
        let (outbound, messages) = mpsc::channel(100);
        let connection = Connection { inbound: call.into_inner(), outbound };
        self.connections.send(connection).await.map_err(|_| Status::unavailable("no script"))?;
        Ok(Response::new(ReceiverStream::new(messages)))
    }
}

/// The coordinator's end of a connection.
struct Pipe {
    stream: DuplexStream,
    is_stuck: Arc<AtomicBool>,
}

impl AsyncRead for Pipe {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.is_stuck.load(Ordering::SeqCst) {
            return Poll::Pending; // For ever.
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl Connected for Pipe {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

/// A scripted coordinator and the way to it.
pub(crate) struct Script {
    channel: Channel,
    pub(crate) connections: mpsc::Receiver<Connection>,
    /// How often a worker has called.
    pub(crate) calls: Arc<AtomicUsize>,
    is_stuck: Arc<AtomicBool>,
}

impl Script {
    pub(crate) fn start(refusal: Option<Status>) -> Self {
        let calls = Arc::new(AtomicUsize::new(0));
        let (sender, connections) = mpsc::channel(10);
        let scripted = Scripted { connections: sender, refusal, calls: Arc::clone(&calls) };
        let is_stuck = Arc::new(AtomicBool::new(false));
        let (pipes, incoming) = mpsc::channel::<Pipe>(10);
        let incoming = ReceiverStream::new(incoming).map(Ok::<_, io::Error>);
        let server = Server::builder().add_service(ClusterServer::new(scripted));
        tokio::spawn(server.serve_with_incoming(incoming));
        let stuck = Arc::clone(&is_stuck);
        let connector = tower::service_fn(move |_: Uri| {
            let (pipes, is_stuck) = (pipes.clone(), Arc::clone(&stuck));
            async move {
                let (ours, stream) = tokio::io::duplex(1 << 16);
                pipes.send(Pipe { stream, is_stuck }).await.map_err(io::Error::other)?;
                Ok::<_, io::Error>(TokioIo::new(ours))
            }
        });
        let channel = Endpoint::from_static("http://test").connect_with_connector_lazy(connector);
        Self { channel, connections, calls, is_stuck }
    }

    /// Makes the coordinator read nothing any more, as one does whose process is stopped, and returns when the worker's
    /// queue and the connection are full.
    pub(crate) async fn reads_nothing(&self) {
        self.is_stuck.store(true, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_secs(3600)).await;
    }

    /// Starts a worker.
    pub(crate) fn worker(&self, solver: impl Solver) -> Running {
        let stop = CancellationToken::new();
        let options = Options::new(2, 0, Isa::detect());
        let gauges = Arc::clone(&options.gauges);
        let coordinator = Coordinator::over(Access::default().over(self.channel.clone()));
        let working = run_with(Arc::new(solver), options, coordinator, stop.clone());
        Running { stop, gauges, task: tokio::spawn(working) }
    }

    /// Waits for a connection and welcomes the worker.
    pub(crate) async fn connection(&mut self) -> Connection {
        let mut connection = self.caller().await;
        connection.welcome().await;
        connection
    }

    /// Waits for a connection, whose worker waits for a welcome.
    pub(crate) async fn caller(&mut self) -> Connection {
        in_time(self.connections.recv()).await.unwrap()
    }
}

/// A worker of the test.
pub(crate) struct Running {
    pub(crate) stop: CancellationToken,
    pub(crate) gauges: Arc<Gauges>,
    task: JoinHandle<Result<(), WorkerError>>,
}

impl Running {
    /// Ends the worker as if its process were killed.
    pub(crate) fn kill(self) {
        self.task.abort();
    }

    /// Waits until the worker has ended.
    pub(crate) async fn ends(self) -> Result<(), WorkerError> {
        in_time(self.task).await.unwrap()
    }
}

/// Stops a worker that has nothing left to hand back, and sees it take its leave.
pub(crate) async fn leaves(worker: Running, mut connection: Connection) {
    worker.stop.cancel();
    assert_eq!(connection.hear().await, Some(FromWorker::Draining));
    gone(worker, connection).await;
}

/// Sees a worker end that has said that it leaves, and has nothing left to hand back.
pub(crate) async fn gone(worker: Running, mut connection: Connection) {
    assert_eq!(connection.hear().await, None);
    drop(connection);
    worker.ends().await.unwrap();
}
