//! Tokens and certificates, from their files.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow};
use outflank_coordinator::service::{Encryption, InvalidEncryption, Tokens};
use outflank_proto::pem::{self, InvalidPem};
use outflank_proto::{Access, Identity, Token};

use crate::arguments;
use crate::exit::{Exit, Failure, OrExit};

/// Returns what is shown to a coordinator and expected of it.
pub(crate) fn shown(arguments: &arguments::Access) -> Result<Access, Failure> {
    let mut access = Access::default();
    if let Some(path) = &arguments.token_file {
        access = access.with_token(&token(path)?);
    }
    if arguments.no_tls {
        access = access.without_tls();
    }
    if let Some(path) = &arguments.tls_ca {
        let authority = trusted(path)?;
        let identity = identity(arguments.tls_cert.as_deref(), arguments.tls_key.as_deref())?;
        let encrypted =
            access.with_tls(&authority, arguments.tls_name.as_deref(), identity.as_ref());
        access = encrypted.or_exit(Exit::BadInput)?;
    }
    Ok(access)
}

/// Returns the token in the file at `path`.
fn token(path: &Path) -> Result<Token, Failure> {
    Token::new(&text(path, "a token")?).with_context(|| reading(path)).or_exit(Exit::BadInput)
}

/// Returns the tokens in the coordinator's file at `path`.
pub(crate) fn tokens(path: &Path) -> Result<Tokens, Failure> {
    text(path, "tokens")?.parse::<Tokens>().with_context(|| reading(path)).or_exit(Exit::BadInput)
}

/// Returns what a coordinator encrypts with, and who must show a certificate, if it does.
pub(crate) fn encryption(
    arguments: &arguments::Coordinator,
) -> Result<Option<Encryption>, Failure> {
    let (Some(certificates), key) = (arguments.tls_cert.as_deref(), arguments.tls_key.as_deref())
    else {
        return Ok(None);
    };
    let Some(identity) = identity(Some(certificates), key)? else { return Ok(None) };
    let callers = arguments.tls_client_ca.as_deref().map(trusted).transpose()?;
    let encryption = Encryption::new(&identity, callers.as_deref()).map_err(|error| match error {
        InvalidEncryption::Certificate { fault } => anyhow!("{} {fault}", certificates.display()),
        error => error.into(),
    });
    encryption.map(Some).or_exit(Exit::BadInput)
}

/// Returns the certificate and the key in these files, if there are both.
fn identity(certificates: Option<&Path>, key: Option<&Path>) -> Result<Option<Identity>, Failure> {
    let (Some(certificates), Some(key)) = (certificates, key) else { return Ok(None) };
    let identity = Identity {
        certificates: section(certificates, "CERTIFICATE")?,
        key: section(key, "PRIVATE KEY")?,
    };
    let checked = pem::check_identity(&identity).map_err(|error| {
        let place = match error {
            InvalidPem::NoCertificate | InvalidPem::Certificate { .. } => reading(certificates),
            InvalidPem::Encrypted | InvalidPem::Key { .. } | InvalidPem::Kind => reading(key),
            InvalidPem::Mismatch => format!("{} and {}", certificates.display(), key.display()),
        };
        anyhow!(error).context(place)
    });
    checked.or_exit(Exit::BadInput)?;
    Ok(Some(identity))
}

/// Returns the file at `path` with certificates to trust.
fn trusted(path: &Path) -> Result<Vec<u8>, Failure> {
    let certificates = section(path, "CERTIFICATE")?;
    let checked = pem::check_trusted(&certificates).with_context(|| reading(path));
    checked.or_exit(Exit::BadInput)?;
    Ok(certificates)
}

/// Returns the file at `path`, which has a section with a name that ends with `label`.
fn section(path: &Path, label: &str) -> Result<Vec<u8>, Failure> {
    let text = text(path, "PEM")?;
    let ending = format!("{label}-----");
    let mut lines = text.lines().map(str::trim_end);
    if !lines.any(|line| line.starts_with("-----BEGIN ") && line.ends_with(&ending)) {
        let error = anyhow!("{} has no {label}, expected PEM", path.display());
        return Err(Failure::new(Exit::BadInput, error));
    }
    Ok(text.into_bytes())
}

/// Returns the file at `path`, which should be `expected`.
fn text(path: &Path, expected: &str) -> Result<String, Failure> {
    let bytes = fs::read(path).with_context(|| reading(path)).or_exit(Exit::BadInput)?;
    let found = match &bytes[..] {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16",
        // How what is binary and not text (DER, PKCS #12) begins there.
        [0x30, 0x80..=0xff, ..] => "DER",
        _ => "other bytes",
    };
    let Ok(text) = String::from_utf8(bytes) else {
        let error = anyhow!("{} is {found}, expected {expected} in UTF-8", path.display());
        return Err(Failure::new(Exit::BadInput, error));
    };
    // Some editors begin a file with a mark that nobody sees, and that is part of no token.
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}

fn reading(path: &Path) -> String {
    format!("reading {}", path.display())
}
