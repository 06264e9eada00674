//! Certificates and keys as files have them (PEM): what is wrong with them is found before anybody is called, and said
//! in more than the words of whoever encrypts, who leaves out what it cannot read.

use std::sync::Arc;

use rustls::RootCertStore;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::pem::{Error, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SigningKey};

use crate::identity::Identity;

/// What tells an encrypted key: the first of the forms has a label of its own, the older one a line.
const ENCRYPTED: [&str; 2] = ["-----BEGIN ENCRYPTED PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED"];

/// Certificates or a key that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPem {
    /// There is no certificate.
    #[error("there is no certificate, expected -----BEGIN CERTIFICATE-----")]
    NoCertificate,
    /// One of the certificates cannot be read.
    #[error("certificate {number} cannot be read: {cause}")]
    Certificate {
        /// Which, counted from 1.
        number: usize,
        /// Why.
        cause: String,
    },
    /// The key is kept with a passphrase.
    #[error(
        "the key is encrypted, expected one without a passphrase, as `openssl pkey -in FILE -out NEW` makes it"
    )]
    Encrypted,
    /// The key cannot be read.
    #[error("the key cannot be read: {cause}")]
    Key {
        /// Why.
        cause: String,
    },
    /// The key is of a kind that is not known.
    #[error(
        "the key cannot be used, expected ECDSA with P-256 or P-384, Ed25519, or RSA of 2048 to 4096 bits"
    )]
    Kind,
    /// The key is that of another certificate.
    #[error("the key does not belong to the first certificate")]
    Mismatch,
}

/// Checks certificates to trust: each of them must be readable, or those whom it has signed would be refused later.
///
/// # Errors
/// [`InvalidPem::NoCertificate`] and [`InvalidPem::Certificate`].
pub fn check_trusted(pem: &[u8]) -> Result<(), InvalidPem> {
    let mut trusted = RootCertStore::empty();
    for (number, certificate) in (1..).zip(certificates(pem)?) {
        let added = trusted.add(certificate);
        added.map_err(|error| InvalidPem::Certificate { number, cause: unreadable(&error) })?;
    }
    Ok(())
}

/// Checks a certificate, those behind it, and its key; returns the certificates, of which there is at least one.
///
/// # Errors
/// [`InvalidPem`] says what is wrong.
pub fn check_identity(identity: &Identity) -> Result<Vec<CertificateDer<'static>>, InvalidPem> {
    let certified = CertifiedKey::new(certificates(&identity.certificates)?, key(&identity.key)?);
    match certified.keys_match() {
        Ok(()) => Ok(certified.cert),
        Err(rustls::Error::InconsistentKeys(_)) => Err(InvalidPem::Mismatch),
        Err(error) => Err(InvalidPem::Certificate { number: 1, cause: unreadable(&error) }),
    }
}

/// Returns the certificates, one at least.
fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, InvalidPem> {
    let mut certificates = Vec::new();
    for (number, read) in (1..).zip(CertificateDer::pem_slice_iter(pem)) {
        let read = read.map_err(|error| InvalidPem::Certificate { number, cause: cause(&error) });
        certificates.push(read?);
    }
    if certificates.is_empty() { Err(InvalidPem::NoCertificate) } else { Ok(certificates) }
}

/// Returns what signs with a key.
fn key(pem: &[u8]) -> Result<Arc<dyn SigningKey>, InvalidPem> {
    let text = String::from_utf8_lossy(pem);
    if text.lines().any(|line| ENCRYPTED.contains(&line.trim_end())) {
        return Err(InvalidPem::Encrypted);
    }
    let key = PrivateKeyDer::from_pem_slice(pem);
    let key = key.map_err(|error| InvalidPem::Key { cause: cause(&error) })?;
    any_supported_type(&key).map_err(|_unknown| InvalidPem::Kind)
}

/// Returns what is wrong with a certificate that is PEM.
fn unreadable(error: &rustls::Error) -> String {
    // The only trace of an error of a crate that is not named here; `openssl x509 -req` makes such ones unless it is told
    // of extensions.
    match format!("{error:?}") {
        text if text.contains("UnsupportedCertVersion") => {
            "it is of an old version of X.509, expected version 3".to_owned()
        }
        _ => error.to_string(),
    }
}

/// Returns what is wrong with a section, of which bytes are told as text.
fn cause(error: &Error) -> String {
    match error {
        Error::MissingSectionEnd { end_marker } => {
            format!("-----END {}----- is missing", String::from_utf8_lossy(end_marker))
        }
        Error::IllegalSectionStart { .. } => "a line -----BEGIN …----- is damaged".to_owned(),
        Error::Base64Decode(_) => "what is between its lines BEGIN and END is damaged".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUTHORITY: &str = include_str!("../../tests/data/tls/authority.pem");
    const CALLER: &str = include_str!("../../tests/data/tls/caller.pem");
    const CALLER_KEY: &str = include_str!("../../tests/data/tls/caller-key.pem");
    const STRANGER_KEY: &str = include_str!("../../tests/data/tls/stranger-key.pem");
    const TORN: &str = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

    fn identity(certificates: &str, key: &str) -> Identity {
        Identity { certificates: certificates.into(), key: key.into() }
    }

    /// It was left out, and who has a certificate of that authority was refused later.
    #[test]
    fn a_broken_certificate_among_good_ones_is_found() {
        for good in [AUTHORITY.to_owned(), format!("a comment\n{AUTHORITY}{CALLER}")] {
            check_trusted(good.as_bytes()).expect("all can be read");
        }
        let halved = &AUTHORITY[..AUTHORITY.len() / 2];
        for (bad, number) in [
            (format!("{AUTHORITY}{TORN}"), 2),
            (format!("{AUTHORITY}{TORN}{CALLER}"), 2),
            (format!("{AUTHORITY}{halved}"), 2),
            (format!("{halved}\n{CALLER}"), 1),
            (AUTHORITY.replace("MII", "M!I"), 1),
        ] {
            let error = check_trusted(bad.as_bytes()).expect_err("one is broken");
            let is_expected = |found: usize| found == number;
            assert!(
                matches!(error, InvalidPem::Certificate { number, .. } if is_expected(number)),
                "{error}"
            );
        }
        for none in ["", CALLER_KEY, "-----BEGIN TRUSTED CERTIFICATE-----\nMIIB\n"] {
            assert!(check_trusted(none.as_bytes()).is_err(), "{none}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_key_is_said() {
        let checked = |key: &str| check_identity(&identity(CALLER, key)).map(|chain| chain.len());
        assert_eq!(checked(CALLER_KEY), Ok(1), "they belong together");
        assert_eq!(checked(STRANGER_KEY), Err(InvalidPem::Mismatch));
        let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
        assert_eq!(checked(&format!("{begin}\nMIIB\n{end}\n")), Err(InvalidPem::Kind));
        let open = checked(begin).expect_err("it has no end");
        assert_eq!(open.to_string(), format!("the key cannot be read: {end} is missing"));
        let dated =
            "-----BEGIN EC PRIVATE KEY-----\r\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: AES,0\r\n";
        assert_eq!(checked(dated), Err(InvalidPem::Encrypted));
    }

    fn file(name: &str) -> String {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/tls");
        std::fs::read_to_string(format!("{folder}/{name}")).expect("it is there")
    }

    /// Those of other kinds are among the keys that openssl makes and rustls does not read with ring.
    #[test]
    fn a_key_of_another_kind_is_told_which_are_good_and_one_with_a_passphrase_what_helps() {
        for (name, fault) in [
            ("encrypted-key.pem", InvalidPem::Encrypted),
            ("encrypted-ec-key.pem", InvalidPem::Encrypted),
            ("p521-key.pem", InvalidPem::Kind),
            ("secp256k1-key.pem", InvalidPem::Kind),
            ("rsa1024-key.pem", InvalidPem::Kind),
        ] {
            let checked = check_identity(&identity(CALLER, &file(name)));
            assert_eq!(checked.expect_err("nobody reads it"), fault, "{name}");
        }
    }

    #[test]
    fn a_certificate_of_an_old_version_is_told_from_one_that_is_damaged() {
        let old = file("old.pem");
        let error = check_identity(&identity(&old, CALLER_KEY)).expect_err("it is of version 1");
        let error = error.to_string();
        assert!(error.ends_with("an old version of X.509, expected version 3"), "{error}");
        check_trusted(old.as_bytes()).expect("an authority may have one");
        let torn = check_identity(&identity(TORN, CALLER_KEY)).expect_err("it is torn");
        assert!(matches!(torn, InvalidPem::Certificate { number: 1, .. }), "{torn}");
    }
}
