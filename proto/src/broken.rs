//! Connections that break, told from calls that get an answer nobody likes.

use std::error::Error;
use std::sync::Arc;

use tonic::{Status, TimeoutExpired};

use crate::way::cause;
use crate::words;

/// A connection has broken before a call over it was answered, or before the answer ended. It is the source of the
/// call's status.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{cause}")]
pub struct Broken {
    /// The address to which it led.
    pub address: String,
    /// Everything that is known of why.
    pub cause: String,
}

impl Broken {
    /// Returns why a call has failed whose status this is, if its connection broke.
    #[must_use]
    pub fn of(status: &Status) -> Option<&Self> {
        status.source().and_then(|source| source.downcast_ref())
    }
}

/// Returns `status` with the address, where it says that a connection to it broke. What the other side has said, and that
/// it took too long, say nothing of the connection.
pub(crate) fn at(address: &str, status: Status) -> Status {
    if status.source().is_none_or(|source| cause::<TimeoutExpired>(source).is_some()) {
        return status;
    }
    let cause = words::of_status(&status);
    let mut named = Status::new(status.code(), cause.clone());
    named.set_source(Arc::new(Broken { address: address.to_owned(), cause }));
    named
}

#[cfg(test)]
mod tests {
    use std::io;

    use tonic::Code;

    use super::*;

    #[test]
    fn only_what_this_side_found_of_a_connection_has_its_address() {
        let reset = || Status::from_error(io::Error::from(io::ErrorKind::ConnectionReset).into());
        let named = at("n1:6464", reset());
        assert_eq!(Broken::of(&named).map(|broken| &*broken.address), Some("n1:6464"));
        assert_eq!(named.code(), reset().code());
        assert_eq!(words::of_status(&named), words::of_status(&reset()));
        let late = Status::from_error(TimeoutExpired(()).into());
        for other in [Status::unavailable("the coordinator is stopping"), late] {
            let (code, text) = (other.code(), other.message().to_owned());
            let same = at("n1:6464", other);
            assert!(Broken::of(&same).is_none(), "{same:?}");
            assert_eq!((same.code(), same.message()), (code, &*text));
        }
        assert_eq!(at("n1:6464", Status::new(Code::Unknown, "")).message(), "");
    }
}
