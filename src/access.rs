//! Tokens and certificates, from their files.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow};
use outflank_coordinator::service::Tokens;
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
        let authority = pem(path, "CERTIFICATE")?;
        let identity = identity(arguments.tls_cert.as_deref(), arguments.tls_key.as_deref())?;
        let encrypted =
            access.with_tls(&authority, arguments.tls_name.as_deref(), identity.as_ref());
        access = encrypted.with_context(|| reading(path)).or_exit(Exit::BadInput)?;
    }
    Ok(access)
}

/// Returns the token in the file at `path`.
fn token(path: &Path) -> Result<Token, Failure> {
    Token::new(&text(path)?).with_context(|| reading(path)).or_exit(Exit::BadInput)
}

/// Returns the tokens in the coordinator's file at `path`.
pub(crate) fn tokens(path: &Path) -> Result<Tokens, Failure> {
    text(path)?.parse::<Tokens>().with_context(|| reading(path)).or_exit(Exit::BadInput)
}

/// Returns the certificate and the key in these files, if there are both.
fn identity(certificates: Option<&Path>, key: Option<&Path>) -> Result<Option<Identity>, Failure> {
    let (Some(certificates), Some(key)) = (certificates, key) else { return Ok(None) };
    let (certificates, key) = (pem(certificates, "CERTIFICATE")?, pem(key, "PRIVATE KEY")?);
    Ok(Some(Identity { certificates, key }))
}

/// Returns the file at `path`, which has a section with a name that ends with `label`.
fn pem(path: &Path, label: &str) -> Result<Vec<u8>, Failure> {
    let text = text(path)?;
    let ending = format!("{label}-----");
    if !text.lines().any(|line| line.starts_with("-----BEGIN ") && line.ends_with(&ending)) {
        let error = anyhow!("{} has no {label}, expected PEM", path.display());
        return Err(Failure::new(Exit::BadInput, error));
    }
    Ok(text.into_bytes())
}

fn text(path: &Path) -> Result<String, Failure> {
    let text = fs::read_to_string(path).with_context(|| reading(path)).or_exit(Exit::BadInput)?;
    // Some editors begin a file with a mark that nobody sees, and that is part of no token.
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}

fn reading(path: &Path) -> String {
    format!("reading {}", path.display())
}
