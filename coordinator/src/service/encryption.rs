//! What connections over the network are encrypted with, and who may make them.

use std::error::Error;

use outflank_proto::Identity;
use tonic::transport::{Certificate, Server, ServerTlsConfig};

/// Certificates, or a key, that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the coordinator's certificates or their key cannot be used")]
pub struct InvalidEncryption(#[source] Box<dyn Error + Send + Sync>);

/// A certificate of the coordinator and, if callers must have one, too, that of whoever has signed
/// theirs.
#[derive(Clone, Debug)]
pub struct Encryption(ServerTlsConfig);

impl Encryption {
    /// Encrypts with `identity`. With `callers` (PEM) only those may connect who show a certificate that
    /// is signed by one in there.
    ///
    /// # Errors
    /// [`InvalidEncryption`] if one of them cannot be read, or key and certificate do not belong together.
    pub fn new(identity: &Identity, callers: Option<&[u8]>) -> Result<Self, InvalidEncryption> {
        let mut config = ServerTlsConfig::new().identity(identity.into());
        if let Some(callers) = callers {
            config = config.client_ca_root(Certificate::from_pem(callers));
        }
        let encryption = Self(config);
        match encryption.server() {
            Ok(_) => Ok(encryption),
            Err(error) => Err(InvalidEncryption(innermost(error))),
        }
    }

    /// Returns a server that encrypts so.
    pub(super) fn server(&self) -> Result<Server, tonic::transport::Error> {
        Server::builder().tls_config(self.0.clone())
    }
}

/// Returns what is behind an error that says only that it came from the transport.
fn innermost(error: tonic::transport::Error) -> Box<dyn Error + Send + Sync> {
    match error.source() {
        Some(source) => source.to_string().into(),
        None => error.into(),
    }
}
