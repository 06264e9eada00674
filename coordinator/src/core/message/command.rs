//! What comes out of the core.

use std::time::Duration;

use outflank_engine::{Bound, Position, SharedHint};
use outflank_proto::message::{Progress, Solution};

use super::{AuditId, Job, JobId, Proof, SolveId, WorkerId};

/// What the shell must do, in this order.
///
/// The shell writes the proofs of `Persist` to the store; `Acknowledge`, `Progressed` and `Solved`
/// that come after it are held back until those proofs are on disk. Other commands go out at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Give `worker` a job.
    Assign {
        /// The worker.
        worker: WorkerId,
        /// The job.
        job: Job,
    },
    /// Tell `worker` to stop a job; it will report what it has proved.
    Cancel {
        /// The worker.
        worker: WorkerId,
        /// The job.
        job: JobId,
    },
    /// Tell `worker` what others have proved that the search of a running job will probably meet, if
    /// it has time to listen.
    Tell {
        /// The worker.
        worker: WorkerId,
        /// The job.
        job: JobId,
        /// The bounds, of positions as the search meets them: turned.
        known: Vec<(Position, Bound)>,
    },
    /// Tell `worker` what another one has found out for it, after it was noted (`Told`) and is on its way to the store
    /// (`Persist`).
    Answer {
        /// The worker.
        worker: WorkerId,
        /// The job.
        job: JobId,
        /// Which of its threads waits for the answer.
        hand: u32,
        /// Its number for the question.
        number: u64,
        /// What the move is worth; `None` if what was said is not believed.
        value: Option<i32>,
    },
    /// Tell `workers` what another one believes, as far as they have time to listen.
    Hint {
        /// The workers.
        workers: Vec<WorkerId>,
        /// What is believed.
        hints: Vec<SharedHint>,
    },
    /// Write proofs to the store.
    Persist {
        /// The proofs.
        proofs: Vec<Proof>,
    },
    /// Tell `worker` that its report is safe.
    Acknowledge {
        /// The worker.
        worker: WorkerId,
        /// The job of the report.
        job: JobId,
    },
    /// Tell a client how far its request has come.
    Progressed {
        /// The request.
        solve: SolveId,
        /// How far.
        progress: Progress,
    },
    /// Tell a client the answer.
    Solved {
        /// The request.
        solve: SolveId,
        /// The answer.
        solution: Solution,
    },
    /// Tell a client that its request cannot be answered: two proved bounds contradict each other.
    Contradicted {
        /// The request.
        solve: SolveId,
        /// The position of the two bounds, canonical.
        position: Position,
        /// The bound that was held.
        held: Bound,
        /// The bound that contradicts it.
        claimed: Bound,
    },
    /// Note, before anything else of the same event goes out, that a worker is told bounds: whoever resumes must know
    /// what may have misled it.
    Told {
        /// The worker.
        worker: WorkerId,
        /// The bounds that it had not been told, of canonical positions.
        bounds: Vec<(Position, Bound)>,
        /// Whether it is told others, for which there is no room; said once.
        and_more: bool,
    },
    /// Note, before the proofs of the same event are written, that a bound is being solved again:
    /// whoever resumes must know.
    Doubt {
        /// The audit.
        audit: AuditId,
        /// The bound that the store holds, or is about to, with the worker that claimed it if that is known.
        claim: Proof,
    },
    /// Note, after everything else, that an audit is over.
    Cleared {
        /// The audit.
        audit: AuditId,
    },
    /// Put a claim that contradicts a proved bound aside, with its provenance.
    Quarantine {
        /// The claim.
        claim: Proof,
        /// The bound that was held.
        held: Bound,
    },
    /// When everything else is done, find out who was wrong, or take back what they have claimed.
    Judge(Judgement),
    /// Tell `worker` to forget what it remembers of earlier jobs: false bounds were among what it
    /// was told.
    Forget {
        /// The worker.
        worker: WorkerId,
    },
    /// Split the position of a job that was lost or failed again and again.
    GaveUp {
        /// The job.
        job: JobId,
        /// Its position.
        position: Position,
        /// The number of losses.
        losses: u32,
    },
    /// Say that `worker` gets no jobs for a while, since its jobs fail one after the other.
    Resting {
        /// The worker.
        worker: WorkerId,
        /// How long.
        rest: Duration,
    },
    /// Close the connection of a worker whose lease has run out, or which does not stop a job that it was told to stop.
    Disconnect {
        /// The worker.
        worker: WorkerId,
        /// Why, in words for its log.
        reason: String,
    },
}

/// What the shell must do about a bound that does not hold; the event that it leads to comes before all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Take back everything that these workers have claimed, let them not come back if they are refused, and say so;
    /// then `TakenBack` is the next event. They were outvoted about a bound, or contradicted each other
    /// and there was nobody else to ask.
    Convict {
        /// The workers.
        workers: Vec<WorkerId>,
        /// The position of the bound, canonical.
        position: Position,
        /// The bound that was claimed.
        claimed: Bound,
        /// Whether nobody can have misled them.
        is_refused: bool,
    },
    /// Find out who is to blame for a false bound that is held. The next event is `Traced` if somebody searched it,
    /// or `Suspected` if the bound is an inference.
    Trace {
        /// The position, canonical.
        position: Position,
        /// The bound that does not hold; if it is not stored, it was inferred from what is.
        held: Bound,
        /// What does.
        truth: Bound,
    },
    /// Take back a bound that is held, with all that may rest on it; then `TakenBack` is the next event. Nobody is to blame: it
    /// is false and was inferred, and nothing is left that it follows from and could be false; or what is proved of the
    /// positions below contradicts it, and nobody can judge which of the two is false.
    Retract {
        /// The position, canonical.
        position: Position,
        /// The bound that does not hold.
        held: Bound,
        /// What does.
        truth: Bound,
    },
    /// Do to the process of the last `Traced` what `Convict` says; then `TakenBack` is the next event.
    Condemn {
        /// The position, canonical.
        position: Position,
        /// The bound that does not hold.
        held: Bound,
        /// What does.
        truth: Bound,
        /// Whether nobody can have misled the process.
        is_refused: bool,
    },
}
