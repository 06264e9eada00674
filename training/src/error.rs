//! What can go wrong.

use std::io;
use std::path::PathBuf;

use outflank_engine::EngineError;
use outflank_engine::evaluation::WeightsError;

/// Training cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainingError {
    /// A file cannot be read or written.
    #[error("{action} {path}")]
    Io {
        /// What was tried: "reading", "writing".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the work folder is not what it should be.
    #[error("{path} is damaged: expected {expected}; delete it to have it made again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What should be there.
        expected: &'static str,
    },
    /// A file of a training that should be in the work folder is not there.
    #[error("{path} is not there, expected the work folder of a training that has come so far")]
    NotTrained {
        /// The file.
        path: PathBuf,
    },
    /// Another training works in the folder.
    #[error("{path} is in use by another training")]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The work folder belongs to a training with another plan.
    #[error("{path} was made by another plan: it says `{found}`, this one says `{expected}`")]
    OtherPlan {
        /// The file that names the plan.
        path: PathBuf,
        /// The first line that differs, as found.
        found: String,
        /// The same line of this plan.
        expected: String,
    },
    /// The plan cannot be carried out.
    #[error("{0}")]
    Plan(String),
    /// What was measured does not determine what is to be fitted to it.
    #[error("{result} {count}, expected more: so few {what} determine nothing")]
    TooFew {
        /// How many there were.
        count: usize,
        /// What they are: "games", "searches".
        what: &'static str,
        /// What they were to give.
        result: &'static str,
    },
    /// The engine that solves positions cannot be set up.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Weights cannot be used.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}
