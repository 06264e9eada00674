//! `outflank worker`: search for a coordinator.

use std::sync::Arc;

use anyhow::Context;
use outflank_worker::Coordinator;
use tokio::task::JoinSet;

use crate::arguments::Worker;
use crate::exit::{Exit, Failure, OrExit, worker_failure};
use crate::port::Port;
use crate::web::{self, Limits};
use crate::{access, interrupt, machine, runtime};

/// Works until Ctrl-C, SIGTERM or SIGHUP, then hands back what the running jobs have proved.
pub(crate) fn run(arguments: &Worker) -> Result<Exit, Failure> {
    runtime::block_on_here(async {
        // Before anything that takes time: whoever starts many workers also stops some that have
        // hardly begun.
        let (stop, _watch) = interrupt::watch().context("listening for Ctrl-C")?;
        let coordinator = Coordinator::at(&arguments.connect, access::shown(&arguments.access)?)
            .or_exit(Exit::BadInput)?;
        let options = machine::worker_options(&arguments.search)?;
        let mut watchers = JoinSet::new();
        if let Some(address) = &arguments.metrics {
            let listener = Port::take(address).await?.listen()?;
            let address = listener.local_addr().context("asking for the address")?;
            tracing::info!("numbers for Prometheus: http://{address}/metrics");
            let answers = web::of_worker(Arc::clone(&options.gauges));
            watchers.spawn(web::serve(listener, answers, Limits::default(), stop.child_token()));
        }
        let worked = outflank_worker::run(options, coordinator, stop).await;
        worked.map_err(worker_failure)?;
        Ok(Exit::Done)
    })?
}
