//! The certificate by which others know a process.

use std::fmt;

use tonic::transport;

/// A certificate by which others know this process, and its key.
#[derive(Clone)]
pub struct Identity {
    /// The certificate, and those that lead to the one that others know (PEM).
    pub certificates: Vec<u8>,
    /// The private key (PEM).
    pub key: Vec<u8>,
}

/// Says nothing of the key.
impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(…)")
    }
}

impl From<&Identity> for transport::Identity {
    fn from(identity: &Identity) -> Self {
        Self::from_pem(&identity.certificates, &identity.key)
    }
}
