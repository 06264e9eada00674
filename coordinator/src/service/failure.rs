//! The failure of the service: the first one decides how it ends, and everybody learns it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::thread::{Builder, JoinHandle};

use outflank_proto::{store_failed, words};
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::{ServiceError, Shared};

/// The service's first failure, if it has failed.
#[derive(Debug, Default)]
pub(super) struct FirstFailure {
    error: OnceLock<ServiceError>,
    is_recorded: CancellationToken,
}

impl FirstFailure {
    /// Returns the failure, if there is one.
    pub(super) fn get(&self) -> Option<ServiceError> {
        self.error.get().cloned()
    }

    /// Waits for a failure.
    pub(super) async fn wait(&self) -> ServiceError {
        self.is_recorded.cancelled().await;
        self.get().expect("the failure is recorded before the token is cancelled")
    }
}

impl Shared {
    /// Records that the service cannot go on, and tells all workers and clients.
    pub(super) fn fail(&self, error: ServiceError) {
        let error = match error {
            // That a file is missing only follows from where the store is.
            ServiceError::Store(error) => {
                ServiceError::Store(self.store.check_in_place().err().unwrap_or(error))
            }
            error => error,
        };
        let text = words::of_error(&error);
        let is_store = matches!(error, ServiceError::Store(_));
        tracing::error!(error = text, "the coordinator stops");
        if self.failure.error.set(error).is_err() {
            return; // The first failure explains the later ones.
        }
        let reason = format!("the coordinator has failed: {text}");
        let status = if is_store { store_failed(reason) } else { Status::internal(reason) };
        self.links.end_all(&status);
        // Last: who waits for it ends what is still open, and does not say why.
        self.failure.is_recorded.cancel();
    }
}

/// Starts a thread; if it panics, the service fails.
pub(super) fn guarded(
    shared: &Arc<Shared>,
    part: &'static str,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, ServiceError> {
    let shared = Arc::clone(shared);
    let guarded = move || {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            let message = words::of_panic(panic.as_ref()).to_owned();
            shared.fail(ServiceError::Panicked { part, message });
        }
    };
    Builder::new()
        .name(format!("outflank {part}"))
        .spawn(guarded)
        .map_err(|error| ServiceError::Thread { part, source: Arc::new(error) })
}
