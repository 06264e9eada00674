//! What can go wrong with a campaign, in words for its keeper.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::form::RowFault;

/// Why a campaign could not be imported, changed or exported.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CampaignError {
    /// A line of the list is none of its form.
    #[error("{source_name}, line {line}, column {column}: {reason}")]
    Row {
        /// What the list is called.
        source_name: String,
        /// The line, counted from 1.
        line: u64,
        /// The column in characters, counted from 1.
        column: usize,
        /// What was found, and what was expected.
        reason: String,
    },
    /// The list has no row.
    #[error("{source_name}: found no row, expected at least one position")]
    Empty {
        /// What the list is called.
        source_name: String,
    },
    /// Another campaign has the name.
    #[error(
        "there is a campaign {name} already, with another list or other options: choose another \
         name, or remove it first"
    )]
    Exists {
        /// The name.
        name: String,
    },
    /// No campaign has the name.
    #[error("there is no campaign {name}; {known}")]
    Unknown {
        /// The name.
        name: String,
        /// Those that there are, in words.
        known: String,
    },
    /// The campaign would be removed before its end.
    #[error(
        "campaign {name} has {open} open {}; --unfinished removes it all the same",
        if *open == 1 { "task" } else { "tasks" }
    )]
    Unfinished {
        /// The name.
        name: String,
        /// Tasks that are not decided.
        open: u64,
    },
    /// The campaign would be removed though it cannot be read.
    #[error(
        "campaign {name} cannot be read, so that nobody knows whether tasks are open; --unfinished removes it all the same"
    )]
    Unreadable {
        /// The name.
        name: String,
    },
    /// Outcomes of the campaign may rest on proofs that were taken back.
    #[error("the outcomes of campaign {name} cannot be trusted: {fault}")]
    InDoubt {
        /// The name.
        name: String,
        /// Why they were not compared with what is proved.
        fault: String,
    },
    /// The operating system refused. Its reason is no `source`: who keeps campaigns gets errors as one text, which has
    /// to say why.
    #[error("{action} {path}: {cause}")]
    Io {
        /// What was tried, as in "writing".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        cause: Arc<io::Error>,
    },
    /// A file of the campaign is not as it was written.
    #[error(
        "damage in {path}: found {found}, expected {expected}; import the list again under another \
         name: what was proved is in the store"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },
}

impl CampaignError {
    /// Returns the error of `action` on `path`, for `map_err`.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { action, path: path.to_owned(), cause: Arc::new(cause) }
    }

    /// Returns the error of a line.
    pub(super) fn row(source_name: &str, line: u64, fault: RowFault) -> Self {
        let RowFault { column, reason } = fault;
        Self::Row { source_name: source_name.to_owned(), line, column, reason }
    }

    /// Returns the error of a file that is not as it was written.
    pub(super) fn damaged(path: &Path, found: String, expected: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), found, expected: expected.into() }
    }
}
