//! The runtime that carries messages; searches have threads of their own.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::Context;
use tokio::runtime::Builder;

use crate::exit::Failure;

/// The threads of a runtime that has some of its own.
const WORKERS: usize = 2;

/// More threads without which nothing goes on: what is set aside has its own, and so has the index of a store.
const OTHERS: usize = 4;

/// Runs `future` to its end, on a runtime of its own.
///
/// Work that was [set aside](aside) and is not done by then ends with the process.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> anyhow::Result<T> {
    run(Builder::new_multi_thread().worker_threads(WORKERS), WORKERS, future)
}

/// Runs `future` as [`block_on`] does, on no thread but this one: where one connection is all that is served, others
/// would wake each other for every message, and hold up the searches whose processors they use.
pub(crate) fn block_on_here<T>(future: impl Future<Output = T>) -> anyhow::Result<T> {
    run(&mut Builder::new_current_thread(), 0, future)
}

/// Runs `future` on a runtime with so many threads of its own.
fn run<T>(
    builder: &mut Builder,
    threads: usize,
    future: impl Future<Output = T>,
) -> anyhow::Result<T> {
    ask_for_threads(threads + OTHERS).context("starting the threads of the runtime")?;
    let runtime = builder.enable_all().build().context("starting the runtime")?;
    let done = runtime.block_on(future);
    // To drop it would be to wait for a store that is still being opened, or for standard input.
    runtime.shutdown_background();
    Ok(done)
}

/// Returns whether the system gives so many threads at once: without them the runtime would panic, or wait for them for
/// ever, and so would the index of a store.
fn ask_for_threads(count: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = || drop(gate.lock());
        let given =
            (0..count).try_for_each(|_| thread::Builder::new().spawn_scoped(scope, wait).map(drop));
        drop(closed);
        given
    })
}

/// Has `work`, which blocks, done without holding up the runtime, so that a signal is heard meanwhile.
///
/// Dropping the future does not stop it: what is given up must be safe against the end of the process.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.context("waiting for work that was set aside")?
}
