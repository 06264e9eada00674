//! One process a store: a lock of the operating system, which goes with its holder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use super::error::StoreError;

/// The right to use a store; given back when dropped, or when the process dies.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of the store at `store`.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if somebody has it.
    pub(super) fn take(store: &Path) -> Result<Self, StoreError> {
        let path = store.join("LOCK");
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(StoreError::io("opening", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Who it is only decorates the message.
                let process = file.read_to_string(&mut holder).ok();
                let process = process.and_then(|_| holder.trim().parse().ok());
                return Err(StoreError::InUse { path: store.to_owned(), process });
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::io("locking", &path)(error)),
        }
        let sign = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "{}", std::process::id())
        };
        if let Err(error) = sign(&mut file) {
            tracing::warn!(path = %path.display(), %error, "the lock does not name its holder");
        }
        Ok(Self { file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing would do, but for a child process that was just forked and shares the file.
        if let Err(error) = self.file.unlock() {
            tracing::warn!(%error, "the lock of the store goes only when this process ends");
        }
    }
}
