//! `outflank coordinator`: serve a cluster.

use anyhow::{Context, anyhow};
use outflank_coordinator::client::CampaignsClient;
use outflank_coordinator::service::Service;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::arguments::Coordinator;
use crate::exit::{Exit, Failure, service_failure};
use crate::port::{self, Port};
use crate::web::{self, Limits, Shown};
use crate::{access, cluster, interrupt, machine, output, runtime, store};

/// Serves until Ctrl-C, SIGTERM or SIGHUP, then lets the workers hand back what they have proved.
pub(crate) fn run(arguments: &Coordinator) -> Result<Exit, Failure> {
    runtime::block_on(serve(arguments))?
}

async fn serve(arguments: &Coordinator) -> Result<Exit, Failure> {
    let (stop, _watch) = interrupt::watch().context("listening for Ctrl-C")?;
    let Some(started) = stop.run_until_cancelled(start(arguments)).await else {
        tracing::info!(store = %arguments.store.display(), "told to stop before it could serve");
        return Ok(Exit::Done);
    };
    let Started { service, listener, web } = started?;
    let address = listener.local_addr().context("asking for the address")?;
    let store = arguments.store.display();
    output::line(&format!("listening on {address}"))?;
    tracing::info!(%address, %store, "serving");
    let _watchers = match web {
        Some(listener) => watchers(listener, &service, &stop)?,
        None => JoinSet::new(),
    };
    service.serve(listener, stop).await.map_err(service_failure)?;
    tracing::info!(%address, %store, "stopped");
    Ok(Exit::Done)
}

/// A coordinator that can be reached.
struct Started {
    service: Service,
    listener: TcpListener,
    /// Where those who watch connect.
    web: Option<TcpListener>,
}

/// Starts a coordinator. Nobody can connect before everything is ready: a connection would only wait, and whoever
/// probes the port would believe that the coordinator is there.
async fn start(arguments: &Coordinator) -> Result<Started, Failure> {
    machine::allow_many_files();
    machine::warn_without_weights();
    let tokens = arguments.token_file.as_deref().map(access::tokens).transpose()?;
    let encrypted = access::encryption(arguments)?;
    // What is wrong with the addresses is said before a store is opened, which may take an hour.
    let port = guarded_port(arguments).await?;
    let web = match &arguments.web {
        Some(address) => Some(Port::take(address).await?),
        None => None,
    };
    let store = store::opened(&arguments.store, store::WAIT).await?;
    let mut options = machine::coordinator_options(arguments.job_nodes);
    options.campaigns = Some(machine::campaigns(&arguments.store));
    options.docket = Some(machine::docket(&arguments.store));
    (options.tokens, options.encryption) = (tokens, encrypted);
    options.core.audit_share = arguments.audit_share;
    options.core.audit_seed = arguments.audit_seed.unwrap_or_else(machine::unguessable);
    let service = cluster::start_service(options, store, arguments.threads).await?;
    let web = web.map(Port::listen).transpose()?;
    Ok(Started { service, listener: port.listen()?, web })
}

/// Takes the address to listen on, if only this machine can reach it or others may.
async fn guarded_port(arguments: &Coordinator) -> Result<Port, Failure> {
    let listen = &arguments.listen;
    let addresses = port::addresses(listen).await?;
    let is_guarded = arguments.no_tls || arguments.tls_cert.is_some();
    if !is_guarded && addresses.iter().any(|address| !port::is_loopback(address)) {
        let error = anyhow!(
            "{listen} can be reached by other machines: expected --tls-cert and --tls-key, a loopback \
             address, or --no-tls in a network that you trust"
        );
        return Err(Failure::new(Exit::BadInput, error));
    }
    Port::first_of(listen, &addresses)
}

/// Answers those who watch until `stop`, or until the set is dropped.
fn watchers(
    listener: TcpListener,
    service: &Service,
    stop: &CancellationToken,
) -> Result<JoinSet<()>, Failure> {
    let address = listener.local_addr().context("asking for the address")?;
    output::line(&format!("to watch: http://{address}/"))?;
    let campaigns = CampaignsClient::new(service.connect_in_memory());
    let shown = Shown { observer: service.observer(), campaigns };
    let mut watchers = JoinSet::new();
    let (answers, limits) = (web::of_coordinator(shown), Limits::default());
    watchers.spawn(web::serve(listener, answers, limits, stop.child_token()));
    Ok(watchers)
}
