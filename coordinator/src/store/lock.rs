//! One process a store, or several that only read it: a lock of the operating system, which goes with its holder.
//!
//! It is a lock on a file, and goes along when that is moved with its store: another process may then make a store of the
//! same name, and does not know of the first. So the file also tells whether the store is where it was opened.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::error::StoreError;
use crate::durable;

/// The right to use a store; given back when dropped, or when the process dies.
#[derive(Debug)]
pub(super) struct Lock {
    store: PathBuf,
    file: File,
    /// Why the store is not used any more. That is for good, even if it comes back: what was written before somebody looked
    /// may be in the log, and not in the index.
    lost: OnceLock<StoreError>,
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
                // Those who only read it do not sign: the file names who used it before them.
                let is_read = file.try_lock_shared().is_ok();
                let process = if is_read { None } else { holder(&mut file) };
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
        let lock = Self::new(store, file);
        lock.check()?; // The store may have been moved before it was locked.
        Ok(lock)
    }

    /// Takes a lock of the store at `store` that others who only read it may have as well; it writes nothing. Returns
    /// `None` where the store has no lock, as a copy: nobody can be using it.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if somebody has it who may write.
    pub(super) fn share(store: &Path) -> Result<Option<Self>, StoreError> {
        let path = store.join("LOCK");
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("opening", &path)(error)),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(Self::new(store, file))),
            Err(TryLockError::WouldBlock) => {
                let process = holder(&mut file);
                Err(StoreError::InUse { path: store.to_owned(), process })
            }
            Err(TryLockError::Error(error)) => Err(StoreError::io("locking", &path)(error)),
        }
    }

    fn new(store: &Path, file: File) -> Self {
        Self { store: store.to_owned(), file, lost: OnceLock::new() }
    }

    /// Returns when the store is known to be where it was locked. Who is about to write there by a name asks this first,
    /// and after a sync, who is about to say that something is kept there.
    ///
    /// # Errors
    /// [`StoreError::Displaced`] if it is not, or nobody can tell; then this is the answer for ever.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if let Some(lost) = self.lost.get() {
            return Err(lost.clone());
        }
        let path = self.store.join("LOCK");
        let lost = match durable::is_in_place(&self.file, &path) {
            Ok(true) => return Ok(()),
            Ok(false) => StoreError::Displaced { path: self.store.clone() },
            Err(error) => StoreError::io("looking for", &path)(error),
        };
        Err(self.lost.get_or_init(|| lost).clone())
    }
}

/// Returns the process that has signed the lock. Who it is only decorates a message.
fn holder(file: &mut File) -> Option<u32> {
    let mut holder = String::new();
    file.read_to_string(&mut holder).ok()?;
    holder.trim().parse().ok()
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing would do, but for a child process that was just forked and shares the file.
        if let Err(error) = self.file.unlock() {
            tracing::warn!(%error, "the lock of the store goes only when this process ends");
        }
    }
}
