//! Exit codes, and errors that know theirs.

use std::io;
use std::process::ExitCode;

use anyhow::anyhow;
use outflank_coordinator::client::ClientError;
use outflank_coordinator::service::ServiceError;
use outflank_worker::WorkerError;

use crate::output;

/// How the command ended. `docs/exit-codes.md` and the help list the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Everything that was asked is done.
    Done = 0,
    /// Something failed that has no code of its own.
    Failed = 1,
    /// The arguments or the positions are wrong.
    BadInput = 2,
    /// The proof store cannot be opened, read or written, or is damaged.
    Store = 3,
    /// The coordinator cannot be reached, the address is taken, or the version is refused.
    Connection = 4,
    /// Two proofs exclude each other, a store has quarantined claims, or a value disagrees with the
    /// expected one.
    Contradiction = 5,
    /// A proof was checked and is not accepted.
    Rejected = 6,
    /// A hypothesis of a campaign is refuted.
    Refuted = 7,
    /// The budget of a position was spent before its question was answered.
    Spent = 8,
    /// The coordinator does not know the token, wants one, or one of another role.
    NotAdmitted = 9,
    /// What this worker has proved was found to be wrong.
    Distrusted = 10,
    /// Ctrl-C, SIGTERM or SIGHUP stopped the command.
    Interrupted = 130,
    /// Nobody reads standard output any more.
    PipeClosed = 141,
}

/// The section of the help that explains the exit codes.
pub(crate) const HELP: &str = "\
Exit codes:
    0  solved, or done
    1  internal or unexpected failure
    2  bad usage or bad input
    3  the proof store cannot be opened, read or written, or is damaged
    4  the coordinator cannot be reached, the address is in use, or the version is refused
    5  two proofs contradict each other, the store has quarantined claims, or a value disagrees
       with the expected one
    6  a proof was rejected: the message names the line and the row
    7  a hypothesis of a campaign is refuted
    8  the budget of a position was spent before its question was answered
    9  the coordinator does not know the token, wants one, or one of another role
   10  the coordinator has found this worker to be wrong: its machine may have a fault
  130  interrupted
  141  whoever read the output has stopped, as in | head";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error and the exit code it leads to.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    error: anyhow::Error,
}

impl Failure {
    /// Returns the failure with the exit code `exit` and the reason `error`.
    pub(crate) fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self { exit, error: error.into() }
    }

    /// Prints the error on one line of standard error and returns the exit code.
    ///
    /// Where the reader of standard output has gone, nothing is printed: it has what it wanted.
    pub(crate) fn report(&self) -> ExitCode {
        if self.exit == Exit::Failed && self.is_closed_pipe() {
            return Exit::PipeClosed.into();
        }
        let text = format!("{:#}", self.error).replace(['\n', '\r'], " ");
        output::note(&format!("error: {text}"));
        self.exit.into()
    }

    fn is_closed_pipe(&self) -> bool {
        let kinds = self.error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
        kinds.map(io::Error::kind).any(|kind| kind == io::ErrorKind::BrokenPipe)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::new(Exit::Failed, error)
    }
}

/// Gives errors their exit code.
pub(crate) trait OrExit<T> {
    /// Turns an error into a [`Failure`] with the exit code `exit`.
    fn or_exit(self, exit: Exit) -> Result<T, Failure>;
}

impl<T, E: Into<anyhow::Error>> OrExit<T> for Result<T, E> {
    fn or_exit(self, exit: Exit) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(exit, error))
    }
}

/// Returns the failure of a coordinator with its exit code.
pub(crate) fn service_failure(error: ServiceError) -> Failure {
    let exit = match error {
        ServiceError::Store(_) | ServiceError::Campaigns(_) => Exit::Store,
        ServiceError::Serving(_) => Exit::Connection,
        ServiceError::Panicked { .. } | ServiceError::Thread { .. } | ServiceError::Stuck => {
            Exit::Failed
        }
    };
    Failure::new(exit, error)
}

/// Returns the failure of a worker with its exit code.
pub(crate) fn worker_failure(error: WorkerError) -> Failure {
    let exit = match error {
        // More memory was asked for than there is, say.
        WorkerError::Threads { .. } | WorkerError::Engine(_) | WorkerError::Address(_) => {
            Exit::BadInput
        }
        WorkerError::Unauthenticated { .. } => Exit::NotAdmitted,
        WorkerError::Distrusted { .. } => Exit::Distrusted,
        WorkerError::Refused { .. } | WorkerError::Unacknowledged { .. } => Exit::Connection,
    };
    Failure::new(exit, error)
}

/// Returns the failure of a request with its exit code.
pub(crate) fn client_failure(error: ClientError) -> Failure {
    let exit = match error {
        ClientError::Address(_) | ClientError::Rejected { .. } => Exit::BadInput,
        ClientError::Unreachable { .. }
        | ClientError::Broken { .. }
        | ClientError::NotListening { .. }
        | ClientError::Refused { .. }
        | ClientError::Lost { .. } => Exit::Connection,
        ClientError::Unauthenticated { .. } | ClientError::NotPermitted { .. } => Exit::NotAdmitted,
        ClientError::Contradicted { .. } => Exit::Contradiction,
        ClientError::Store { .. } => Exit::Store,
        ClientError::Failed { .. } => Exit::Failed,
    };
    match error {
        // Elsewhere it is tried again.
        ClientError::Broken { .. } => {
            Failure::new(exit, anyhow!("{error}; run the same command again"))
        }
        _ => Failure::new(exit, error),
    }
}
