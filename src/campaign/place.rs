//! Where the campaigns are: with a coordinator elsewhere, or in a store that this process opens.

use std::path::Path;

use outflank_coordinator::client::{CampaignsClient, Connection};

use super::arguments::{Action, Run, Source, Where};
use crate::cluster::{self, Local};
use crate::exit::Failure;
use crate::{machine, store};

/// What can be done where another process uses the store.
const IN_USE: store::Advice =
    "if that is a coordinator, ask it (--connect), otherwise wait until it has ended";

/// The way to the coordinator that keeps the campaigns.
#[derive(Debug)]
pub(super) struct Place {
    connection: Connection,
    local: Option<Local>,
}

impl Place {
    /// Connects to the coordinator that the arguments name, or starts one in this process.
    pub(super) async fn open(action: &Action) -> Result<Self, Failure> {
        let Where { connect, access, store } = match action.source() {
            Source::Worked(run) => return Self::worked(run).await,
            Source::Named(place) => place,
        };
        if let Some(address) = connect {
            return Ok(Self { connection: cluster::connect(address, access).await?, local: None });
        }
        machine::allow_many_files(); // Each campaign has one open, or two.
        let path = store.clone().map_or_else(machine::default_store, Ok)?;
        // Only an import has a reason to begin a store: elsewhere the name is mistyped.
        let opened = match action {
            Action::Import(_) => store::opened(&path, IN_USE).await?,
            _ => store::opened_existing(&path, IN_USE).await?,
        };
        let local = Local::without_worker(options(&path, None), opened).await?;
        Ok(Self { connection: local.connect(), local: Some(local) })
    }

    /// Starts a coordinator and a worker.
    async fn worked(run: &Run) -> Result<Self, Failure> {
        machine::allow_many_files();
        let path = run.store.clone().map_or_else(machine::default_store, Ok)?;
        let options = options(&path, run.job_nodes);
        let opened = store::opened_existing(&path, IN_USE).await?;
        let local = Local::with_worker(options, opened, &run.search).await?;
        Ok(Self { connection: local.connect(), local: Some(local) })
    }

    /// Returns the way to the campaigns.
    pub(super) fn client(&self) -> CampaignsClient {
        CampaignsClient::new(self.connection.clone())
    }

    /// Returns whether the coordinator is in this process: then nobody else can ask or work for it.
    pub(super) fn is_local(&self) -> bool {
        self.local.is_some()
    }

    /// Completes when the coordinator in this process has failed, with the reason.
    pub(super) async fn failure(&mut self) -> Failure {
        match &mut self.local {
            Some(local) => local.failure().await,
            None => std::future::pending().await,
        }
    }

    /// Stops what runs in this process.
    pub(super) async fn close(self) -> Result<(), Failure> {
        match self.local {
            Some(local) => local.stop().await,
            None => Ok(()),
        }
    }
}

fn options(store: &Path, job_nodes: Option<u64>) -> outflank_coordinator::service::Options {
    let mut options = machine::coordinator_options(job_nodes);
    options.campaigns = Some(machine::campaigns(store));
    options.docket = Some(machine::docket(store));
    options
}
