//! The Outflank cluster protocol: generated wire types ([`v1`]) and what they mean ([`message`]).
//!
//! Only this crate and the edges of coordinator and worker know the wire. Everything that arrives
//! is converted to the types of [`message`] first; a value out of range becomes an
//! [`InvalidField`], which names the field, and never a panic. `docs/protocol.md` describes the
//! order of the messages.

#![forbid(unsafe_code)]

mod access;
mod address;
mod backoff;
mod broken;
pub mod campaign;
mod client_messages;
mod domain;
mod failure;
pub mod fleet;
mod identity;
mod invalid;
mod line;
mod member;
pub mod message;
pub mod pem;
mod transport;
mod way;
mod whereabouts;
pub mod words;
mod worker_messages;

pub use access::{Access, Connection, InvalidToken, Pass, Token};
pub use address::{InvalidAddress, endpoint};
pub use backoff::Backoff;
pub use broken::Broken;
pub use failure::{is_made_up, is_role_refusal, is_store_failure, role_refused, store_failed};
pub use identity::Identity;
pub use invalid::InvalidField;
use outflank_engine::Position;
pub use transport::Transport;
pub use way::{Reached, Unreached, Way};

/// Messages, clients and servers generated from the files in `outflank/v1`.
#[allow(
    clippy::all,
    clippy::allow_attributes_without_reason,
    missing_docs,
    unused_qualifications,
    unreachable_pub,
    missing_debug_implementations,
    reason = "generated"
)]
pub mod v1 {
    tonic::include_proto!("outflank.v1");
}

/// The descriptors of all messages and services, for server reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/outflank.bin"));

/// The oldest version of the protocol that this build speaks.
pub const OLDEST_PROTOCOL: u32 = 1;

/// The newest version of the protocol that this build speaks.
pub const NEWEST_PROTOCOL: u32 = 1;

/// The most calls that a coordinator answers at a time over one connection; clients wait with more.
pub const MOST_CALLS: u32 = 256;

/// Returns the newest version that both this build and a peer with the versions `oldest..=newest`
/// speak, or `None` if there is none.
#[must_use]
pub fn common_protocol(oldest: u32, newest: u32) -> Option<u32> {
    let common = newest.min(NEWEST_PROTOCOL);
    (common >= oldest.max(OLDEST_PROTOCOL)).then_some(common)
}

/// Returns the position in the message field `field`, which must be there.
///
/// # Errors
/// [`InvalidField`] if it is absent or no position.
pub fn position(field: &str, wire: Option<v1::Position>) -> Result<Position, InvalidField> {
    invalid::needed(field, wire, "a position")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_common_version_is_chosen() {
        assert_eq!(common_protocol(1, 1), Some(1));
        assert_eq!(common_protocol(0, 7), Some(1));
        assert_eq!(common_protocol(2, 7), None);
        assert_eq!(common_protocol(0, 0), None);
        assert_eq!(common_protocol(1, 0), None);
    }
}
