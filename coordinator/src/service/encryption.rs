//! What connections over the network are encrypted with, and who may make them.

#[cfg(test)]
mod tests;
mod validity;

use std::error::Error;
use std::time::Duration;

use outflank_proto::Identity;
use outflank_proto::pem::{InvalidPem, check_identity, check_trusted};
use rustls::pki_types::UnixTime;
use tonic::transport::{Certificate, Server, ServerTlsConfig};

use validity::{Trouble, Validity};

/// Certificates, or a key, that a coordinator cannot use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEncryption {
    /// One of the files cannot be used.
    #[error(transparent)]
    Pem(#[from] InvalidPem),
    /// No caller can ever accept the certificate.
    #[error("the coordinator's certificate {fault}")]
    Certificate {
        /// What is wrong with it: words to put behind the name of its file.
        fault: String,
    },
}

/// A certificate of the coordinator and, if callers must have one, too, that of whoever has signed
/// theirs.
#[derive(Clone, Debug)]
pub struct Encryption {
    config: ServerTlsConfig,
    validity: Validity,
}

impl Encryption {
    /// Encrypts with `identity`. With `callers` (PEM) only those may connect who show a certificate that
    /// is signed by one in there.
    ///
    /// # Errors
    /// [`InvalidEncryption`] if one of them cannot be read or used, key and certificate do not belong together, or no
    /// caller can ever accept the certificate. One that has expired or is not valid yet is none of these: the clock may be
    /// wrong.
    pub fn new(identity: &Identity, callers: Option<&[u8]>) -> Result<Self, InvalidEncryption> {
        let chain = check_identity(identity)?;
        callers.map_or(Ok(()), check_trusted)?;
        let unfit = |fault| InvalidEncryption::Certificate { fault };
        let validity =
            Validity::of(chain.first().expect("there is at least one")).map_err(unfit)?;
        let mut config = ServerTlsConfig::new().identity(identity.into());
        if let Some(callers) = callers {
            config = config.client_ca_root(Certificate::from_pem(callers));
        }
        let encryption = Self { config, validity };
        match encryption.server() {
            Ok(_) => Ok(encryption),
            Err(error) => Err(unfit(format!("cannot be used: {}", innermost(&error)))),
        }
    }

    /// Returns the time since 1970 began at which the certificate expires.
    pub(super) fn expiry(&self) -> Duration {
        Duration::from_secs(self.validity.ends)
    }

    /// Warns if somebody should renew the certificate, or look at the clock.
    pub(super) fn warn(&self) {
        // By the clock of the calendar, as callers judge: where it leaps, only a warning is wrong.
        match self.validity.trouble(UnixTime::now().as_secs()) {
            Some(Trouble::BeginsIn(days)) => tracing::warn!(
                days,
                "the coordinator's certificate is not valid for so many days yet: nobody can connect, unless the \
                 clock is wrong; expected one that is valid, and a restart"
            ),
            Some(Trouble::ExpiresIn(days)) => tracing::warn!(
                days,
                "the coordinator's certificate expires in so many days, and nobody can connect any more then: \
                 expected a new one, and a restart"
            ),
            Some(Trouble::ExpiredSince(days)) => tracing::warn!(
                days,
                "the coordinator's certificate expired so many days ago: nobody can connect any more, unless the \
                 clock is wrong; expected a new one, and a restart"
            ),
            None => {}
        }
    }

    /// Returns a server that encrypts so.
    pub(super) fn server(&self) -> Result<Server, tonic::transport::Error> {
        Server::builder().tls_config(self.config.clone())
    }
}

/// Returns what is behind an error that says only that it came from the transport.
fn innermost(error: &tonic::transport::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}
