//! How the service ends, if it ends badly: the first failure decides, and everybody learns it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::thread::{Builder, JoinHandle};

use outflank_proto::store_failed;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::{ServiceError, Shared};

/// The service's first failure.
#[derive(Debug, Default)]
pub(super) struct Fate {
    failure: OnceLock<ServiceError>,
    failed: CancellationToken,
}

impl Fate {
    /// Returns the failure, if there is one.
    pub(super) fn get(&self) -> Option<ServiceError> {
        self.failure.get().cloned()
    }

    /// Waits for a failure.
    pub(super) async fn failure(&self) -> ServiceError {
        self.failed.cancelled().await;
        self.get().expect("the failure is recorded before the token is cancelled")
    }
}

impl Shared {
    /// Records that the service cannot go on, and tells all workers and clients.
    pub(super) fn fail(&self, error: ServiceError) {
        let text = chain(&error);
        let is_store = matches!(error, ServiceError::Store(_));
        tracing::error!(error = text, "the coordinator stops");
        if self.fate.failure.set(error).is_err() {
            return; // The first failure explains the later ones.
        }
        self.fate.failed.cancel();
        let reason = format!("the coordinator has failed: {text}");
        let status = if is_store { store_failed(reason) } else { Status::internal(reason) };
        self.links.end_all(&status);
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
            shared.fail(ServiceError::Panicked { part, message: message(panic.as_ref()) });
        }
    };
    Builder::new()
        .name(format!("outflank {part}"))
        .spawn(guarded)
        .map_err(|error| ServiceError::Thread { part, source: Arc::new(error) })
}

/// Returns what a panic said.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no message".to_owned())
}

/// Returns an error and its causes on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_panic_said_is_told() {
        let panics: [(Box<dyn Any + Send>, &str); 3] = [
            (Box::new("the table is gone"), "the table is gone"),
            (Box::new(format!("{} tables are gone", 2)), "2 tables are gone"),
            (Box::new(7), "no message"),
        ];
        for (panic, said) in panics {
            assert_eq!(message(panic.as_ref()), said);
        }
    }
}
