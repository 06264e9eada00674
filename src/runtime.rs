//! The runtime that carries messages; searches have threads of their own.

use anyhow::Context;
use tokio::runtime::Builder;

use crate::exit::Failure;

/// Runs `future` to its end, on a runtime of its own.
///
/// Work that was [set aside](aside) and is not done by then ends with the process.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> anyhow::Result<T> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("starting the runtime")?;
    let done = runtime.block_on(future);
    // To drop it would be to wait for a store that is still being opened, or for standard input.
    runtime.shutdown_background();
    Ok(done)
}

/// Has `work`, which blocks, done without holding up the runtime, so that a signal is heard meanwhile.
///
/// Dropping the future does not stop it: what is given up must be safe against the end of the process.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.context("waiting for work that was set aside")?
}
