//! What connections over the network are encrypted with, and who may make them.

mod pem;
#[cfg(test)]
mod tests;
mod validity;

use std::error::Error;
use std::fmt;
use std::time::Duration;

use outflank_proto::Identity;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::sign::CertifiedKey;
use rustls::{InconsistentKeys, RootCertStore};
use tonic::transport::{Certificate, Server, ServerTlsConfig};

use validity::{Trouble, Validity};

/// What a key may be: what the cryptography that is built in can sign with.
const KINDS: &str = "RSA of 2048 to 4096 bits, ECDSA on P-256 or P-384, or Ed25519";

/// One of the files that encryption needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncryptionPart {
    /// The coordinator's certificate, and those that lead to the one that others know.
    Certificate,
    /// The key of the first of these.
    Key,
    /// The certificates that have signed those of callers.
    Callers,
}

impl fmt::Display for EncryptionPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Certificate => "the coordinator's certificate",
            Self::Key => "the key of the coordinator's certificate",
            Self::Callers => "what has signed the certificates of callers",
        })
    }
}

/// Certificates, or a key, that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} {fault}")]
pub struct InvalidEncryption {
    /// What cannot be used.
    pub part: EncryptionPart,
    /// What is wrong with it, and what was expected: words to put behind the name of its file.
    pub fault: String,
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
        use EncryptionPart::{Callers, Certificate as Own, Key};
        let certificates = of(Own, pem::text(&identity.certificates))?;
        let key = of(Key, pem::text(&identity.key))?;
        let mut config = ServerTlsConfig::new()
            .identity(tonic::transport::Identity::from_pem(certificates, key));
        let chain = of(Own, pem::certificates(certificates))?;
        let validity = chain.first().map(Validity::of);
        pair(chain, of(Key, pem::key(key))?)?;
        let validity = of(Own, validity.expect("there is at least one"))?;
        if let Some(callers) = callers {
            let callers = of(Callers, pem::text(callers))?;
            of(Callers, pem::certificates(callers).and_then(authorities))?;
            config = config.client_ca_root(Certificate::from_pem(callers));
        }
        let encryption = Self { config, validity };
        match encryption.server() {
            Ok(_) => Ok(encryption),
            Err(error) => of(Own, Err(format!("cannot be used: {}", innermost(&error)))),
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

fn of<T>(part: EncryptionPart, read: Result<T, String>) -> Result<T, InvalidEncryption> {
    read.map_err(|fault| InvalidEncryption { part, fault })
}

/// Checks that `key` can be used, and is that of the first of the certificates.
fn pair(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<(), InvalidEncryption> {
    let loaded = ring::default_provider().key_provider.load_private_key(key);
    let unusable = |_| format!("is of a kind that cannot be used, expected {KINDS}");
    let key = of(EncryptionPart::Key, loaded.map_err(unusable))?;
    match CertifiedKey::new(chain, key).keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(()),
        Err(rustls::Error::InconsistentKeys(_)) => {
            let fault = "does not belong to the certificate, expected the key that it was made for";
            of(EncryptionPart::Key, Err(fault.to_owned()))
        }
        Err(error) => {
            // The only trace of an error of a crate that is not named here.
            let fault = match format!("{error:?}") {
                text if text.contains("UnsupportedCertVersion") => "is of an old version of X.509",
                _ => "has a CERTIFICATE that cannot be read",
            };
            let fault = format!("{fault}, expected an X.509 certificate of version 3");
            of(EncryptionPart::Certificate, Err(fault))
        }
    }
}

/// Checks that some of the certificates may have signed others.
fn authorities(certificates: Vec<CertificateDer<'static>>) -> Result<(), String> {
    match RootCertStore::empty().add_parsable_certificates(certificates) {
        (0, _) => {
            Err("has no CERTIFICATE that can be read, expected one of an authority".to_owned())
        }
        _ => Ok(()),
    }
}

/// Returns what is behind an error that says only that it came from the transport.
fn innermost(error: &tonic::transport::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}
