//! When callers accept the coordinator's certificate, and whether any can.
//!
//! rustls is asked as callers ask it, at times that tell: before all others it says when a certificate begins, and
//! after them when it has expired. That nobody has signed it whom it trusts is no fault here: only callers know whom they
//! trust.

use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::ServerCertVerifier;
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error, RootCertStore};

const DAY: u64 = 24 * 60 * 60;
/// How long before a certificate expires somebody is told to renew it.
const SOON: u64 = 30 * DAY;

/// The seconds since 1970 at which a certificate begins and ends to be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Validity {
    begins: u64,
    pub(super) ends: u64,
}

/// What somebody should know of a certificate, with the days until then, or since then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    BeginsIn(u64),
    ExpiresIn(u64),
    ExpiredSince(u64),
}

impl Validity {
    /// Returns when `certificate` is valid, or why no caller can accept it, ever.
    pub(super) fn of(certificate: &CertificateDer<'_>) -> Result<Self, String> {
        let unreadable = |error: Error| format!("cannot be used: {error}");
        let parsed = ParsedCertificate::try_from(certificate).map_err(unreadable)?;
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone().into_owned()).map_err(unreadable)?;
        let provider = Arc::new(ring::default_provider());
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let verifier = verifier.build().map_err(|error| format!("cannot be used: {error}"))?;
        let name = ServerName::try_from("outflank-coordinator").expect("it is a name");
        let fault = |seconds| {
            let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
            match verifier.verify_server_cert(certificate, &[], &name, &[], now) {
                Err(Error::InvalidCertificate(fault)) => Some(fault),
                _ => None,
            }
        };
        let begins = match fault(0) {
            Some(CertificateError::NotValidYetContext { not_before, .. }) => not_before.as_secs(),
            _ => 0,
        };
        let Some(CertificateError::ExpiredContext { not_after, .. }) = fault(u64::MAX) else {
            return Err("ends before it begins".to_owned());
        };
        let ends = not_after.as_secs();
        let fault = fault(ends).and_then(|fault| unfitness(&fault));
        match (fault, verify_server_name(&parsed, &name)) {
            (Some(fault), _) => Err(format!("{fault}, expected one for a server")),
            (None, Err(error)) if is_nameless(&error) => {
                Err("has no name, expected those by which \
                 workers and clients know the coordinator (subjectAltName)"
                    .to_owned())
            }
            _ => Ok(Self { begins, ends }),
        }
    }

    /// Returns what somebody should know so many seconds after 1970 began.
    pub(super) fn trouble(self, now: u64) -> Option<Trouble> {
        match self {
            Self { begins, .. } if now < begins => Some(Trouble::BeginsIn((begins - now) / DAY)),
            Self { ends, .. } if now > ends => Some(Trouble::ExpiredSince((now - ends) / DAY)),
            Self { ends, .. } if ends - now < SOON => Some(Trouble::ExpiresIn((ends - now) / DAY)),
            _ => None,
        }
    }
}

/// Returns why a certificate is none for servers, if that is the fault.
fn unfitness(fault: &CertificateError) -> Option<&'static str> {
    match fault {
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            Some("is a certificate for callers or other purposes")
        }
        // The only trace of an error of a crate that is not named here.
        other if format!("{other:?}").contains("CaUsedAsEndEntity") => {
            Some("is the certificate of an authority")
        }
        _ => None,
    }
}

fn is_nameless(error: &Error) -> bool {
    let Error::InvalidCertificate(fault) = error else { return false };
    matches!(fault, CertificateError::NotValidForNameContext { presented, .. } if presented.is_empty())
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::pem::PemObject;

    use super::*;

    fn of(name: &str) -> Result<Validity, String> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/tls");
        let text = std::fs::read(format!("{folder}/{name}")).unwrap();
        Validity::of(&CertificateDer::from_pem_slice(&text).unwrap())
    }

    /// Nobody was told, at the start or when it expired.
    #[test]
    fn a_certificate_is_told_of_before_it_begins_soon_before_it_expires_and_after() {
        let validity = of("expired.pem").unwrap();
        let (begins, ends) = (1_767_225_600, 1_769_817_600);
        assert_eq!(validity, Validity { begins, ends });
        for (now, expected) in [
            (begins - 2 * DAY, Some(Trouble::BeginsIn(2))),
            (begins - 1, Some(Trouble::BeginsIn(0))),
            (begins, None),
            (ends - 30 * DAY, None),
            (ends - 30 * DAY + 1, Some(Trouble::ExpiresIn(29))),
            (ends, Some(Trouble::ExpiresIn(0))),
            (ends + 1, Some(Trouble::ExpiredSince(0))),
            (ends + 3 * DAY, Some(Trouble::ExpiredSince(3))),
        ] {
            assert_eq!(validity.trouble(now), expected, "{now}");
        }
    }

    /// The coordinator served with them, and no worker ever came.
    #[test]
    fn certificates_that_no_caller_can_accept_are_refused() {
        for good in ["coordinator.pem", "expired.pem", "early.pem"] {
            of(good).expect("only its time may be wrong");
        }
        for (name, expected) in [
            ("authority.pem", "is the certificate of an authority, expected one for a server"),
            ("caller.pem", "is a certificate for callers or other purposes, expected one for a"),
            ("nameless.pem", "has no name, expected those by which"),
        ] {
            let fault = of(name).unwrap_err();
            assert!(fault.starts_with(expected), "{fault}");
        }
    }
}
