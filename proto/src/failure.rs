//! Failures of a coordinator that callers tell apart: what the code of a status does not say.

use tonic::metadata::MetadataValue;
use tonic::{Code, Status};

/// The metadata of a failure of the disk, or of what is on it: [`is_store_failure`].
const FAILED: (&str, &str) = ("outflank-failed", "store");

/// Returns the failure of a coordinator that could not read or write its proof store or a campaign's files, be it that
/// the disk is full or that they are damaged. Defects have the same code, so that this one is marked.
#[must_use]
pub fn store_failed(reason: impl Into<String>) -> Status {
    let mut status = Status::internal(reason);
    let (key, value) = FAILED;
    status.metadata_mut().insert(key, MetadataValue::from_static(value));
    status
}

/// Returns whether a call failed because of what the coordinator keeps on disk.
#[must_use]
pub fn is_store_failure(status: &Status) -> bool {
    let (key, value) = FAILED;
    status.code() == Code::Internal
        && status.metadata().get(key).is_some_and(|found| found.as_bytes() == value.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_the_store_is_told_from_defects_behind_the_wire() {
        let failed = store_failed("no space left on device").into_http::<()>();
        let received = Status::from_header_map(failed.headers()).expect("a status");
        assert!(is_store_failure(&received), "{received:?}");
        assert_eq!(received.message(), "no space left on device");
        assert!(!is_store_failure(&Status::internal("the index panicked")));
    }
}
