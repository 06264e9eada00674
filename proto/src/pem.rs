//! Certificates and keys as files have them (PEM): what is wrong with them is found before anybody is called, and said
//! in more than the words of whoever encrypts, who leaves out what it cannot read.

use rustls::RootCertStore;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::pem::{Error, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

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
        added.map_err(|error| InvalidPem::Certificate { number, cause: error.to_string() })?;
    }
    Ok(())
}

/// Checks a key.
///
/// # Errors
/// [`InvalidPem::Encrypted`], [`InvalidPem::Key`] and [`InvalidPem::Kind`].
pub fn check_key(pem: &[u8]) -> Result<(), InvalidPem> {
    let text = String::from_utf8_lossy(pem);
    if text.lines().any(|line| ENCRYPTED.contains(&line.trim_end())) {
        return Err(InvalidPem::Encrypted);
    }
    any_supported_type(&key(pem)?).map(drop).map_err(|_unknown| InvalidPem::Kind)
}

/// Checks a certificate, those behind it, and its key.
///
/// # Errors
/// [`InvalidPem`] says what is wrong.
pub fn check_identity(identity: &Identity) -> Result<(), InvalidPem> {
    let certificates = certificates(&identity.certificates)?;
    check_key(&identity.key)?;
    let key = any_supported_type(&key(&identity.key)?).map_err(|_unknown| InvalidPem::Kind)?;
    match CertifiedKey::new(certificates, key).keys_match() {
        Ok(()) => Ok(()),
        Err(rustls::Error::InconsistentKeys(_)) => Err(InvalidPem::Mismatch),
        Err(error) => Err(InvalidPem::Certificate { number: 1, cause: error.to_string() }),
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

fn key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, InvalidPem> {
    PrivateKeyDer::from_pem_slice(pem).map_err(|error| InvalidPem::Key { cause: cause(&error) })
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
        check_identity(&identity(CALLER, CALLER_KEY)).expect("they belong together");
        assert_eq!(check_identity(&identity(CALLER, STRANGER_KEY)), Err(InvalidPem::Mismatch));
        let torn = check_identity(&identity(TORN, CALLER_KEY)).expect_err("it is torn");
        assert!(matches!(torn, InvalidPem::Certificate { number: 1, .. }), "{torn}");
        for encrypted in [
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n",
            "-----BEGIN EC PRIVATE KEY-----\r\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: AES-256-CBC,0\r\n",
        ] {
            assert_eq!(check_key(encrypted.as_bytes()), Err(InvalidPem::Encrypted));
        }
        let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
        let other = format!("{begin}\nMIIB\n{end}\n");
        assert_eq!(check_key(other.as_bytes()), Err(InvalidPem::Kind));
        let open = check_key(begin.as_bytes()).expect_err("it has no end");
        assert_eq!(open.to_string(), format!("the key cannot be read: {end} is missing"));
    }

    /// P-521 and secp256k1 are among those that openssl makes and rustls does not read with ring.
    #[test]
    fn a_key_of_another_curve_is_told_which_are_good() {
        let said = check_key(SECP256K1.as_bytes()).expect_err("nobody reads it").to_string();
        assert!(said.ends_with("P-256 or P-384, Ed25519, or RSA of 2048 to 4096 bits"), "{said}");
    }

    /// Made for this test, and used nowhere.
    const SECP256K1: &str = "\
-----BEGIN PRIVATE KEY-----
MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgcBbBVel31Crxk134Wxzz
Y9madNh42X9EPcM+WBAiHXOhRANCAAR/Ag3dZxVgZ4UwijzPbQqKumtZqtya3Cm+
SUWRSfR0InFVhh5i+0689WsdCuZ9iGKTuk22A7IA+2QbmgAS6LWo
-----END PRIVATE KEY-----";
}
