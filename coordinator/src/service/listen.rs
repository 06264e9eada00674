//! Serving the services on TCP and inside the process.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use outflank_proto::v1::campaigns_server::CampaignsServer;
use outflank_proto::v1::cluster_server::ClusterServer;
use outflank_proto::v1::fleet_server::FleetServer;
use outflank_proto::v1::solver_server::SolverServer;
use outflank_proto::{DESCRIPTORS, MOST_CALLS};
use tokio::io::DuplexStream;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::transport::server::Router;
use tonic::transport::{Channel, Endpoint, Server, Uri};
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tower::service_fn;

use super::campaigns::CampaignsService;
use super::cluster::ClusterService;
use super::fleet::FleetService;
use super::gate::Gate;
use super::gate::refusals::{Refusals, Refused};
use super::incoming::Incoming;
use super::solver::SolverService;
use super::{Encryption, Options, ServiceError, Shared};

/// The bytes that may be under way in one direction of a connection in memory.
const PIPE_BYTES: usize = 256 << 10;

/// The time between two looks whether there is something to say of those who were refused.
const BETWEEN_LOOKS: Duration = Duration::from_secs(10);

/// The time between two looks at the certificate: a warning at the start alone is forgotten when it expires.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns all services behind `gate`, and the way to say that they are about to stop.
///
/// Health and reflection are open to all who may connect: those who ask for them know no token, and learn
/// nothing. So they keep no connection, either: otherwise those who know no token could take the places of all others.
fn services(shared: &Arc<Shared>, gate: &Gate, server: Server) -> (Router, HealthReporter) {
    let (reporter, health) = tonic_health::server::health_reporter();
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .build_v1()
        .expect("the descriptors were made by the build script");
    let cluster = ClusterService(Arc::clone(shared));
    let solver = SolverService(Arc::clone(shared));
    let campaigns = CampaignsService(Arc::clone(shared));
    let fleet = FleetService(Arc::clone(shared));
    let routes = Routes::new(gate.before(ClusterServer::new(cluster)))
        .add_service(gate.before(SolverServer::new(solver)))
        .add_service(gate.before(CampaignsServer::new(campaigns)))
        .add_service(gate.before(FleetServer::new(fleet)))
        .add_service(health)
        .add_service(reflection);
    // Each call takes memory, and some are answered without a token.
    let mut server = server
        .max_concurrent_streams(MOST_CALLS)
        .tcp_nodelay(true)
        .http2_keepalive_interval(Some(Duration::from_secs(20)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)));
    (server.add_routes(routes), reporter)
}

/// Serves on `listener` until `stop`, then lets the connections end, and drops those that do not.
pub(super) async fn serve(
    shared: &Arc<Shared>,
    listener: TcpListener,
    stop: &CancellationToken,
) -> Result<(), ServiceError> {
    let gate = Gate::new(shared.options.tokens.as_ref());
    let connections = Arc::new(Refusals::new(Refused::Connections));
    let ended = serve_behind(&gate, &connections, shared, listener, stop).await;
    gate.refusals().tell_rest();
    connections.tell_rest();
    ended
}

/// Says of those who were refused what is not said yet, and of the certificate what somebody should know, for ever.
async fn watch(gate: &Gate, connections: &Refusals, encryption: Option<&Encryption>) -> Infallible {
    let (mut looks, mut days) = (interval(BETWEEN_LOOKS), interval(DAY));
    loop {
        tokio::select! {
            _ = looks.tick() => {
                gate.refusals().tell_in_time();
                connections.tell_in_time();
            }
            _ = days.tick() => {
                if let Some(encryption) = encryption {
                    encryption.warn();
                }
            }
        }
    }
}

async fn serve_behind(
    gate: &Gate,
    connections: &Arc<Refusals>,
    shared: &Arc<Shared>,
    listener: TcpListener,
    stop: &CancellationToken,
) -> Result<(), ServiceError> {
    let Options { encryption, .. } = &shared.options;
    let failed = |error| ServiceError::Serving(Arc::new(error));
    let server = encryption.as_ref().map_or_else(|| Ok(Server::builder()), Encryption::server);
    let server = server.map_err(failed)?;
    let (router, health) = services(shared, gate, server);
    health.set_serving::<ClusterServer<ClusterService>>().await;
    health.set_serving::<SolverServer<SolverService>>().await;
    let deadline = shared.options.call_deadline;
    let incoming =
        Incoming::new(listener, deadline, shared.campaigns.files(), Arc::clone(connections));
    let closing = CancellationToken::new();
    let serving = router.serve_with_incoming_shutdown(incoming, closing.cancelled());
    tokio::pin!(serving);
    let ended = tokio::select! {
        ended = &mut serving => Some(ended),
        () = stop.cancelled() => {
            let workers = shared.links.counts().workers;
            tracing::info!(workers, "told to stop: workers may hand back what they have proved");
            None
        }
        _failure = shared.failure.wait() => None,
        never = watch(gate, connections, encryption.as_ref()) => match never {},
    };
    if let Some(ended) = ended {
        return ended.map_err(failed);
    }
    health.set_service_status("", ServingStatus::NotServing).await;
    health.set_not_serving::<ClusterServer<ClusterService>>().await;
    health.set_not_serving::<SolverServer<SolverService>>().await;
    shared.begin_to_stop();
    closing.cancel();
    // Unresponsive peers could hold the server up for ever.
    match tokio::time::timeout_at(shared.drained_by(), serving).await {
        Ok(ended) => ended.map_err(failed),
        Err(_elapsed) => {
            tracing::warn!("connections did not close in time");
            Ok(())
        }
    }
}

/// The server for connections inside this process.
#[derive(Debug)]
pub(super) struct InProcess {
    connections: mpsc::Sender<DuplexStream>,
    server: JoinHandle<Result<(), tonic::transport::Error>>,
}

impl InProcess {
    pub(super) fn start(shared: &Arc<Shared>) -> Self {
        let (router, _health) = services(shared, &Gate::new(None), Server::builder());
        let (connections, incoming) = mpsc::channel(16);
        let incoming = ReceiverStream::new(incoming).map(Ok::<_, io::Error>);
        let closing = shared.stopping.clone().cancelled_owned();
        let server = shared.tasks.spawn(router.serve_with_incoming_shutdown(incoming, closing));
        Self { connections, server }
    }

    /// Returns a channel that makes its connections through memory, again if one is lost.
    pub(super) fn connect(&self) -> Channel {
        let connections = self.connections.clone();
        let connector = service_fn(move |_: Uri| {
            let connections = connections.clone();
            async move {
                let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
                let gone = |_| io::Error::new(io::ErrorKind::ConnectionRefused, "it has stopped");
                connections.send(theirs).await.map_err(gone)?;
                Ok::<_, io::Error>(TokioIo::new(ours))
            }
        });
        Endpoint::from_static("http://memory").connect_with_connector_lazy(connector)
    }

    /// Lets the connections end when the service is stopping, and drops those that have not at `deadline`.
    pub(super) async fn stop(mut self, deadline: Instant) {
        match tokio::time::timeout_at(deadline, &mut self.server).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(error))) => tracing::warn!(%error, "serving inside the process"),
            Ok(Err(error)) => tracing::warn!(%error, "serving inside the process"),
            Err(_elapsed) => self.server.abort(),
        }
    }
}
