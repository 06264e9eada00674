//! Why a worker gives up.

use outflank_engine::EngineError;
use outflank_proto::InvalidAddress;
use outflank_proto::message::MOST_THREADS;

/// Why a worker stops before it is told to, or does not start.
///
/// A lost connection is no reason: it is made again.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The worker has no thread, or too many.
    #[error("a worker cannot have {threads} threads, expected 1 to {MOST_THREADS}")]
    Threads {
        /// What was given.
        threads: u32,
    },
    /// The engine cannot be set up.
    #[error("setting up the engine")]
    Engine(#[from] EngineError),
    /// The coordinator is where this worker may not connect: its token would be sent there in clear.
    #[error(transparent)]
    Address(#[from] InvalidAddress),
    /// The coordinator does not want this worker: it speaks another version of the protocol, say.
    #[error("the coordinator at {coordinator} refuses this worker: {reason}")]
    Refused {
        /// Its address.
        coordinator: String,
        /// Its reason.
        reason: String,
    },
    /// What this worker has proved was found to be wrong: its machine may have a fault.
    #[error("the coordinator at {coordinator} does not trust this worker any more: {reason}")]
    Distrusted {
        /// Its address.
        coordinator: String,
        /// Its reason.
        reason: String,
    },
    /// The coordinator does not know this worker's token, wants one, or wants one for workers.
    #[error("the coordinator at {coordinator} does not admit this worker: {reason}")]
    Unauthenticated {
        /// Its address.
        coordinator: String,
        /// Its reason.
        reason: String,
    },
    /// The worker was told to stop, and the coordinator did not acknowledge its last reports.
    #[error(
        "the coordinator at {coordinator} has not acknowledged {reports} of this worker's reports; \
         what is proved there will be searched again"
    )]
    Unacknowledged {
        /// The coordinator's address.
        coordinator: String,
        /// The number of reports.
        reports: usize,
    },
}
