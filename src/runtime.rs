//! The runtime that carries messages; searches have threads of their own.

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

/// Returns the runtime of the process.
pub(crate) fn start() -> anyhow::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("starting the runtime")
}
