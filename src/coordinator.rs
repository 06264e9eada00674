//! `outflank coordinator`: serve a cluster.

use anyhow::{Context, anyhow};
use outflank_coordinator::client::CampaignsClient;
use outflank_proto::endpoint;
use tokio::net::{TcpListener, lookup_host};
use tokio::task::JoinSet;

use crate::arguments::Coordinator;
use crate::exit::{Exit, Failure, OrExit};
use crate::web::{self, Shown};
use crate::{access, cluster, interrupt, machine, output, runtime, store};

/// Serves until Ctrl-C or SIGTERM, then lets the workers hand back what they have proved.
pub(crate) fn run(arguments: &Coordinator) -> Result<Exit, Failure> {
    runtime::start()?.block_on(serve(arguments))
}

async fn serve(arguments: &Coordinator) -> Result<Exit, Failure> {
    machine::allow_many_files();
    let tokens = arguments.token_file.as_deref().map(access::tokens).transpose()?;
    let encryption = access::encryption(arguments)?;
    let (stop, _watch) = interrupt::watch().context("listening for Ctrl-C")?;
    let listener = listen(arguments).await?;
    let address = listener.local_addr().context("asking for the address")?;
    let web = match &arguments.web {
        Some(address) => Some(web::listen(address).await?),
        None => None,
    };
    let store = store::open(&arguments.store)?;
    let mut options = machine::coordinator_options(arguments.job_nodes);
    options.campaigns = Some(machine::campaigns(&arguments.store));
    options.docket = Some(machine::docket(&arguments.store));
    (options.tokens, options.encryption) = (tokens, encryption);
    options.core.audit_share = arguments.audit_share;
    options.core.audit_seed = arguments.audit_seed.unwrap_or_else(machine::unguessable);
    let service = cluster::start_service(options, store, arguments.threads)?;
    output::line(&format!("listening on {address}"))?;
    let (stop_web, mut watchers) = (stop.child_token(), JoinSet::new());
    if let Some(listener) = web {
        let address = listener.local_addr().context("asking for the address")?;
        output::line(&format!("to watch: http://{address}/"))?;
        let campaigns = CampaignsClient::new(service.connect_in_memory());
        let shown = Shown { observer: service.observer(), campaigns };
        watchers.spawn(web::serve(listener, web::of_coordinator(shown), stop_web));
    }
    service.serve(listener, stop).await.map_err(cluster::service_failure)?;
    Ok(Exit::Done)
}

async fn listen(arguments: &Coordinator) -> Result<TcpListener, Failure> {
    let listen = &arguments.listen;
    endpoint(listen).or_exit(Exit::BadInput)?;
    let addresses = lookup_host(listen).await.with_context(|| format!("finding {listen}"));
    let addresses: Vec<_> = addresses.or_exit(Exit::Connection)?.collect();
    let is_guarded = arguments.no_tls || arguments.tls_cert.is_some();
    if !is_guarded && addresses.iter().any(|address| !address.ip().is_loopback()) {
        let error = anyhow!(
            "{listen} can be reached by other machines: expected --tls-cert and --tls-key, a loopback \
             address, or --no-tls in a network that you trust"
        );
        return Err(Failure::new(Exit::BadInput, error));
    }
    let listener = TcpListener::bind(addresses.as_slice()).await;
    listener.with_context(|| format!("listening on {listen}")).or_exit(Exit::Connection)
}
