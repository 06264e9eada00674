//! `outflank worker`: search for a coordinator.

use anyhow::Context;

use crate::arguments::Worker;
use crate::exit::{Exit, Failure};
use crate::{access, cluster, interrupt, machine, runtime};

/// Works until Ctrl-C or SIGTERM, then hands back what the running jobs have proved.
pub(crate) fn run(arguments: &Worker) -> Result<Exit, Failure> {
    runtime::start()?.block_on(async {
        // Before anything that takes time: whoever starts many workers also stops some that have
        // hardly begun.
        let (stop, _watch) = interrupt::watch().context("listening for Ctrl-C")?;
        let coordinator = cluster::checked(&arguments.connect, access::shown(&arguments.access)?)?;
        let options = machine::worker_options(&arguments.search)?;
        let worked = outflank_worker::run(options, coordinator, stop).await;
        worked.map_err(cluster::worker_failure)?;
        Ok(Exit::Done)
    })
}
