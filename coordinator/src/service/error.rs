//! Why a coordinator stops.

use std::io;
use std::sync::Arc;

use crate::campaign::CampaignError;
use crate::store::StoreError;

/// Why the service cannot work (any more).
///
/// It can be cloned because everything that depends on the service learns the same reason.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ServiceError {
    /// A proof could not be written. What was acknowledged before is safe.
    #[error("the proof store failed")]
    Store(#[from] StoreError),
    /// The folder of the campaigns cannot be read.
    #[error("opening the campaigns")]
    Campaigns(#[from] CampaignError),
    /// A part of the coordinator panicked, which is a defect.
    #[error("the {part} panicked: {message}")]
    Panicked {
        /// The part.
        part: &'static str,
        /// What it said.
        message: String,
    },
    /// The system gave no thread.
    #[error("starting the {part} thread")]
    Thread {
        /// What the thread was for.
        part: &'static str,
        /// The system's reason.
        source: Arc<io::Error>,
    },
    /// Connections can no longer be accepted.
    #[error("serving connections")]
    Serving(#[source] Arc<tonic::transport::Error>),
    /// A thread did not end.
    #[error(
        "the coordinator's threads did not end within 30 seconds; proofs may still be waiting for the disk"
    )]
    Stuck,
}
