//! What goes into the core and what comes out of it.
//!
//! What workers and clients say and are told has the types of the protocol's [checked messages](outflank_proto::message),
//! which know nothing of the wire: the shell hands them on as they are.

mod command;

use outflank_engine::{Bound, FoundBound, Position, SharedHint, Square, Window};
pub use outflank_proto::message::{Interim, Job, JobId, Progress, Report, Solution, Source};

pub use command::{Command, Judgement};

/// A point in time: milliseconds since the coordinator started, by a clock that only goes forward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

/// One connection of a worker; a worker that reconnects gets another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u64);

/// A worker process: the same over all its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(pub u64);

/// One request of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SolveId(pub u64);

/// The name of an audit, never used twice over the life of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuditId(pub u64);

/// What a worker has proved of a move that another one, which shares a search with it, has asked it to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrandDone {
    /// Who has found it.
    pub worker: WorkerId,
    /// The job.
    pub job: JobId,
    /// The era of the job.
    pub era: u64,
    /// Who has asked.
    pub asker: WorkerId,
    /// Which of its threads waits for the answer.
    pub hand: u32,
    /// The asker's number for the question.
    pub number: u64,
    /// What the move is worth.
    pub value: i32,
    /// What follows for the position after the move, as searches meet it; `None` if that can be no bound.
    pub found: Option<FoundBound>,
}

/// How a campaign's request is served: after the requests of clients, and without a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Requests of a greater priority are served first; equal ones in the order of arrival.
    pub priority: u8,
    /// Positions with more empties than this never go out as one job, those with as many or fewer
    /// do unless that has failed. Absent: the predicted cost decides.
    pub split_to: Option<u32>,
}

/// A claim that was being solved again when a coordinator ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubted {
    /// The audit.
    pub audit: AuditId,
    /// The bound that the store holds, or was about to. Connections of that time mean nothing any more.
    pub claim: Proof,
    /// The process that made the claim, if that is known: it upholds it.
    pub author: Option<ProcessId>,
}

/// What earlier coordinators have come to know of workers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The bounds that processes were told (`Told`), of canonical positions; first the process that was told something
    /// longest ago.
    pub told: Vec<(ProcessId, Vec<(Position, Bound)>)>,
    /// The processes that were told more than was noted.
    pub told_more: Vec<ProcessId>,
    /// Those that were excused, so that they are not once more.
    pub excused: Vec<ProcessId>,
    /// Whether any process may have been told bounds of which nothing was noted.
    pub has_gaps: bool,
}

/// What happened outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The coordinator begins where an earlier one has stopped; the first event, if it comes at all.
    Resumed {
        /// How often proofs were taken back so far.
        era: u64,
        /// The claims that were being solved again (`Doubt` without `Cleared`).
        doubted: Vec<Doubted>,
        /// What is known of the workers.
        memory: Memory,
    },
    /// A client asks for the value of `position` in `window`.
    Submitted {
        /// The request's name, fresh.
        solve: SolveId,
        /// The position, as the client gave it.
        position: Position,
        /// The window.
        window: Window,
        /// The nodes after which the client gives the request up, if it does.
        budget: Option<u64>,
    },
    /// A campaign asks for the value of `position` in `window`, in its turn.
    Enlisted {
        /// The request's name, fresh.
        solve: SolveId,
        /// The position.
        position: Position,
        /// The window.
        window: Window,
        /// How the request is served.
        terms: Terms,
    },
    /// The client is no longer interested.
    Abandoned {
        /// The request.
        solve: SolveId,
    },
    /// A worker has connected and takes jobs.
    Joined {
        /// Its name, fresh.
        worker: WorkerId,
        /// Its process, which may have been connected before: nobody audits its own claims.
        process: ProcessId,
        /// The number of its search threads, at least 1.
        threads: u32,
        /// Whether it can share the search of a job with others.
        shares: bool,
    },
    /// A worker wants no more jobs; it will still report the ones it has.
    Draining {
        /// The worker.
        worker: WorkerId,
    },
    /// A worker's connection is gone: its jobs go back.
    Left {
        /// The worker.
        worker: WorkerId,
    },
    /// A worker is alive and works on these jobs.
    Heartbeat {
        /// The worker.
        worker: WorkerId,
        /// Its jobs and the nodes searched so far in each.
        jobs: Vec<(JobId, u64)>,
    },
    /// A worker tells how far a job has come that goes on.
    Interim {
        /// The worker.
        worker: WorkerId,
        /// What it believes.
        interim: Interim,
    },
    /// A worker has found dear bounds inside a job.
    Found {
        /// The worker.
        worker: WorkerId,
        /// The job.
        job: JobId,
        /// The era of the job.
        era: u64,
        /// The bounds.
        bounds: Vec<FoundBound>,
    },
    /// A worker has proved what another one that shares a search with it wants to know.
    ErrandDone(ErrandDone),
    /// A worker tells what the search of a job has come to believe, for others to hear.
    Hinted {
        /// The worker.
        worker: WorkerId,
        /// The job.
        job: JobId,
        /// What it believes.
        hints: Vec<SharedHint>,
    },
    /// A worker reports a job.
    Reported {
        /// The worker.
        worker: WorkerId,
        /// What it found out.
        report: Report,
    },
    /// A `Trace` has led to the process that searched the bound.
    Traced {
        /// The process.
        process: ProcessId,
        /// Whether the store has anything from others of positions that may come from this one, which the process can
        /// have been told.
        others_below: bool,
    },
    /// The store has taken back what those claimed whom a `Convict` or a `Condemn` was about.
    TakenBack {
        /// How often that has happened now.
        era: u64,
    },
    /// A `Trace` has led to inferences from these bounds, one of which must be false.
    Suspected {
        /// The bounds.
        claims: Vec<Proof>,
    },
    /// Time has passed.
    Tick,
}

/// Where a proved bound comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// A worker searched the position.
    Search,
    /// The bound follows from the bounds of the positions after it.
    Inference,
}

/// A proved bound on its way into the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The position, in canonical form.
    pub position: Position,
    /// What is proved.
    pub bound: Bound,
    /// The move that proves the lower bound or seems best, as a square of the canonical form.
    pub best_move: Option<Square>,
    /// Positions searched for it; 0 for an inference.
    pub nodes: u64,
    /// Where it comes from.
    pub method: Method,
    /// The worker that searched it.
    pub worker: Option<WorkerId>,
}

impl Proof {
    /// Returns the proof of a bound of which no more is known than that: no move, no nodes, no worker.
    #[must_use]
    pub const fn of(position: Position, bound: Bound, method: Method) -> Self {
        Self { position, bound, best_move: None, nodes: 0, method, worker: None }
    }
}

/// The proved bounds that the core can look up: the store's index, or a map in tests.
pub trait Proofs {
    /// Returns what is stored for `position`, which is canonical: the bound and the best move (a
    /// square of the canonical form).
    fn get(&self, position: Position) -> Option<(Bound, Option<Square>)>;

    /// Returns whether what is stored for `position`, which is canonical, implies `bound`.
    fn holds(&self, position: Position, bound: Bound) -> bool {
        self.get(position).is_some_and(|(held, _)| held.implies(bound))
    }

    /// Returns the bound of `position`, which is canonical, that is on disk for sure; `Bound::UNKNOWN` if there is
    /// none.
    fn kept(&self, position: Position) -> Bound {
        self.get(position).map_or(Bound::UNKNOWN, |(bound, _)| bound)
    }
}
