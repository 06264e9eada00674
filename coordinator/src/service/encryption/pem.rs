//! Certificates and keys from the text of their files, or what is wrong with that: words to put behind the name of the
//! file.

use rustls::pki_types::pem::{Error, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// What the text of a key has that cannot be used without a password.
const ENCRYPTED: [&str; 2] = ["-----BEGIN ENCRYPTED PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED"];

/// Returns the text of a file, without the mark at its beginning that some editors leave.
pub(super) fn text(bytes: &[u8]) -> Result<&[u8], String> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let form = match text {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, b'-', ..] | [b'-', 0, ..] => "UTF-16",
        // How a sequence of 128 bytes or more begins, and a shorter one of a version and other things, such as a key.
        [0x30, 0x81..=0x84, ..] | [0x30, _, 2, 1, ..] => "DER or PKCS #12",
        _ => return Ok(text),
    };
    Err(format!("is {form}, expected PEM: ASCII text that begins with -----BEGIN"))
}

/// Returns the certificates in `text`, of which there is at least one.
pub(super) fn certificates(text: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates = CertificateDer::pem_slice_iter(text).collect::<Result<Vec<_>, _>>();
    let certificates = certificates.map_err(|_| "is damaged, expected CERTIFICATEs in PEM")?;
    if certificates.is_empty() {
        return Err("has no CERTIFICATE, expected PEM".to_owned());
    }
    Ok(certificates)
}

/// Returns the key in `text`.
pub(super) fn key(text: &[u8]) -> Result<PrivateKeyDer<'static>, String> {
    PrivateKeyDer::from_pem_slice(text).map_err(|error| {
        let fault = match error {
            _ if is_encrypted(text) => "is encrypted with a password, expected a key without one",
            Error::NoItemsFound => "has no PRIVATE KEY, expected PEM",
            _ => "is damaged, expected a PRIVATE KEY in PEM",
        };
        fault.to_owned()
    })
}

fn is_encrypted(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    ENCRYPTED.iter().any(|mark| text.contains(mark))
}
