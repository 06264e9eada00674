//! The comparison of a list with what was imported, a part at a time: all of a long one takes minutes.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::CampaignError;
use super::ledger;

/// The bytes that are read together.
const BUFFER: u64 = 1 << 16;

/// How far a list is compared.
#[derive(Debug, Default)]
pub(super) struct ListCheck {
    /// What has been read so far.
    hash: Sha256,
    at: u64,
}

impl ListCheck {
    /// Compares at most `count` more bytes of `list`, the file `path`, which is always the same; returns whether that was
    /// its end.
    ///
    /// # Errors
    /// [`CampaignError::Damaged`] if the SHA-256 of all of it is not `sha256`, [`CampaignError::Io`].
    pub(super) fn go_on(
        &mut self,
        list: &File,
        path: &Path,
        sha256: &str,
        count: u64,
    ) -> Result<bool, CampaignError> {
        let failed = || CampaignError::io("reading", path);
        let length = list.metadata().map_err(failed())?.len();
        let end = length.min(self.at.saturating_add(count));
        let mut buffer = vec![0; BUFFER.min(end.saturating_sub(self.at)) as usize];
        while self.at < end {
            let count = BUFFER.min(end - self.at) as usize;
            list.read_exact_at(&mut buffer[..count], self.at).map_err(failed())?;
            self.hash.update(&buffer[..count]);
            self.at += count as u64;
        }
        if self.at < length {
            return Ok(false);
        }
        let found = ledger::digits(self.hash.clone());
        if found == sha256 {
            return Ok(true);
        }
        Err(CampaignError::damaged(path, format!("SHA-256 {found}"), format!("SHA-256 {sha256}")))
    }

    /// Returns how many bytes have been compared.
    pub(super) fn done(&self) -> u64 {
        self.at
    }
}
