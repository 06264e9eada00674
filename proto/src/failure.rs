//! Failures of calls that callers tell apart: what the code of a status does not say.

use tonic::metadata::MetadataValue;
use tonic::{Code, Status};

/// What a status says beside its code: a key of its metadata, and the value.
type Mark = (&'static str, &'static str);

/// The mark of a refusal that is for the caller's role: [`is_role_refusal`].
const REFUSED: Mark = ("outflank-refused", "role");

/// The mark of a failure of the disk, or of what is on it: [`is_store_failure`].
const FAILED: Mark = ("outflank-failed", "store");

/// Returns the refusal of a caller whose token is known, and is for something else. Workers that were found
/// to be wrong are refused with the same code, so that this one is marked.
#[must_use]
pub fn role_refused(reason: &str) -> Status {
    marked(Status::permission_denied(reason), REFUSED)
}

/// Returns whether a call was refused for the role of the caller's token.
#[must_use]
pub fn is_role_refusal(status: &Status) -> bool {
    has_mark(status, Code::PermissionDenied, REFUSED)
}

/// Returns the failure of a coordinator that could not read or write its proof store or a campaign's files, be it that
/// the disk is full or that they are damaged. Defects have the same code, so that this one is marked.
#[must_use]
pub fn store_failed(reason: impl Into<String>) -> Status {
    marked(Status::internal(reason), FAILED)
}

/// Returns whether a call failed because of what the coordinator keeps on disk.
#[must_use]
pub fn is_store_failure(status: &Status) -> bool {
    has_mark(status, Code::Internal, FAILED)
}

/// Returns whether no coordinator has said that. Another HTTP server may answer at its address, for a while such as a
/// proxy before it, or because the address is that of its page: then tonic makes up a status from the HTTP code, with
/// the headers of that server's answer or none.
#[must_use]
pub fn is_made_up(status: &Status) -> bool {
    let may_be = [Code::Unimplemented, Code::PermissionDenied, Code::Unauthenticated];
    let kind = status.metadata().get("content-type");
    let is_grpc = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"));
    may_be.contains(&status.code()) && !is_grpc
}

fn marked(mut status: Status, (key, value): Mark) -> Status {
    status.metadata_mut().insert(key, MetadataValue::from_static(value));
    status
}

fn has_mark(status: &Status, code: Code, (key, value): Mark) -> bool {
    status.code() == code
        && status.metadata().get(key).is_some_and(|found| found.as_bytes() == value.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_for_the_role_is_told_from_others_behind_the_wire() {
        let refused = role_refused("of another role").into_http::<()>();
        let received = Status::from_header_map(refused.headers()).expect("a status");
        assert!(is_role_refusal(&received), "{received:?}");
        assert!(!is_role_refusal(&Status::permission_denied("it was wrong")));
    }

    #[test]
    fn a_failure_of_the_store_is_told_from_defects_behind_the_wire() {
        let failed = store_failed("no space left on device").into_http::<()>();
        let received = Status::from_header_map(failed.headers()).expect("a status");
        assert!(is_store_failure(&received), "{received:?}");
        assert_eq!(received.message(), "no space left on device");
        assert!(!is_store_failure(&Status::internal("the index panicked")));
    }

    #[test]
    fn only_what_no_coordinator_has_said_is_made_up() {
        let said = |code, kind: Option<&'static str>| {
            let mut status = Status::new(code, "");
            if let Some(kind) = kind {
                status.metadata_mut().insert("content-type", MetadataValue::from_static(kind));
            }
            status
        };
        for code in [Code::Unimplemented, Code::PermissionDenied, Code::Unauthenticated] {
            assert!(is_made_up(&said(code, None)), "{code:?}");
            assert!(is_made_up(&said(code, Some("text/html"))), "{code:?}");
            assert!(!is_made_up(&said(code, Some("application/grpc"))), "{code:?}");
            assert!(!is_made_up(&said(code, Some("application/grpc+proto"))), "{code:?}");
        }
        assert!(
            !is_made_up(&said(Code::Unavailable, None)),
            "no server says that with an HTTP code"
        );
    }
}
