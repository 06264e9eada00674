//! What a coordinator encrypts with, from its files.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow};
use outflank_coordinator::service::{Encryption, EncryptionPart};
use outflank_proto::Identity;

use crate::arguments::Coordinator;
use crate::exit::{Exit, Failure, OrExit};

/// Returns what a coordinator encrypts with, and who must show a certificate, if it does.
pub(crate) fn of_coordinator(arguments: &Coordinator) -> Result<Option<Encryption>, Failure> {
    let (Some(certificates), Some(key)) = (&arguments.tls_cert, &arguments.tls_key) else {
        return Ok(None);
    };
    let identity = Identity { certificates: bytes(certificates)?, key: bytes(key)? };
    let authorities = arguments.tls_client_ca.as_deref();
    let callers = authorities.map(bytes).transpose()?;
    Encryption::new(&identity, callers.as_deref()).map(Some).map_err(|error| {
        let path = match error.part {
            EncryptionPart::Certificate => Some(certificates.as_path()),
            EncryptionPart::Key => Some(key.as_path()),
            EncryptionPart::Callers => authorities,
        };
        let named = path.map(|path| anyhow!("{} {}", path.display(), error.fault));
        Failure::new(Exit::BadInput, named.unwrap_or_else(|| error.into()))
    })
}

fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).with_context(|| format!("reading {}", path.display())).or_exit(Exit::BadInput)
}
