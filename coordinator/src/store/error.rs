//! What can go wrong with a store, in words for its operator.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outflank_engine::Position;

use crate::text;

/// Why the store could not do what it was asked.
///
/// It can be cloned because callers whose records were written together share one outcome.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error("{action} {path}")]
    Io {
        /// What was tried, as in "writing".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },
    /// Another process, or another part of this one, has the store open.
    #[error("the store at {path} is in use by {}", holder(*process))]
    InUse {
        /// The store.
        path: PathBuf,
        /// The process, if it could be read.
        process: Option<u32>,
    },
    /// The store is not any more where this process has opened it.
    #[error(
        "the store at {path} was moved, replaced or removed while it was in use: its file LOCK is not the one that this \
         process has locked; put it back, or a backup of it, and start again"
    )]
    Displaced {
        /// Where it was.
        path: PathBuf,
    },
    /// This process may read the store, and not write it.
    #[error(
        "the store at {path} can only be read, expected a folder and files that this user may \
         write: opening {part}"
    )]
    ReadOnly {
        /// The store.
        path: PathBuf,
        /// The part of it that cannot be written.
        part: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },
    /// There is nothing at this path.
    #[error("there is no store at {path}")]
    NoStore {
        /// The path.
        path: PathBuf,
    },
    /// There is something at this path, but no store.
    #[error(
        "{path} is not a store: found {found}, expected an empty folder or one with a proof log"
    )]
    NotAStore {
        /// The path.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// The file was written by another version of the program.
    #[error("{path} has schema version {found}, this program reads version {expected}")]
    Schema {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The only version that this program reads.
        expected: u32,
    },
    /// The log is damaged in a place that cannot be the torn end of the last write.
    #[error(
        "damage at offset {offset} of {path}: found {found}, expected {expected}; \
         run `outflank store repair` to keep everything else"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The place in the file, in bytes.
        offset: u64,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// The index does not work; the log is not affected.
    #[error("the index {path} does not work ({reason}); it is rebuilt when the store is opened")]
    Index {
        /// The index.
        path: PathBuf,
        /// What it said.
        reason: String,
    },
    /// An earlier write failed in a way that leaves the end of the log unknown.
    #[error("the store at {path} takes no more proofs until it is opened again: {reason}")]
    Refusing {
        /// The store.
        path: PathBuf,
        /// The failure that made it refuse.
        reason: String,
    },
    /// A record's position is not the smallest of its eight symmetries.
    #[error(
        "position {} is not in canonical form, expected {}",
        text::position(*position), text::position(position.canonical())
    )]
    NotCanonical {
        /// The position.
        position: Position,
    },
    /// A text of a record's origin is too long to be stored.
    #[error("the {field} of a proof's origin has {length} bytes, expected at most {limit}")]
    OriginTooLong {
        /// Which text.
        field: &'static str,
        /// Its length in bytes.
        length: usize,
        /// The greatest length.
        limit: usize,
    },
}

fn holder(process: Option<u32>) -> String {
    process.map_or_else(|| "another process".to_owned(), |process| format!("process {process}"))
}

impl StoreError {
    /// Returns whether there was no room.
    pub(super) fn is_full_disk(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull)
    }

    /// Returns the error of `action` on `path`, for `map_err`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source: Arc::new(source) }
    }
}
