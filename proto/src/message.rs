//! What the messages mean: the same messages as in [`v1`](crate::v1), with every range checked.

use outflank_engine::{
    Answer, Belief, Bound, FoundBound, Position, SharedHint, Square, Symmetry, Window,
};
use sha2::{Digest, Sha256};

pub use crate::member::{FromMember, ToMember};
pub use crate::worker_messages::{MOST_FOUND, MOST_HINTS, MOST_THREADS};

/// What a worker says first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The oldest protocol version that the worker speaks.
    pub oldest_protocol: u32,
    /// The newest protocol version that the worker speaks.
    pub newest_protocol: u32,
    /// The worker's build, as `--version` says it.
    pub build: String,
    /// The instruction set that its engine uses.
    pub isa: String,
    /// The name of its machine.
    pub host: String,
    /// The number of its search threads, 1 to [`MOST_THREADS`].
    pub threads: u32,
    /// The size of its hash table in bytes.
    pub table_bytes: u64,
    /// The same for all connections of a process, different for every process; 0 if unknown. A secret between the
    /// process and its coordinators: who knows it can speak in its name.
    pub instance: u64,
    /// Whether it understands [`ToWorker::Hints`] and [`ToWorker::Known`].
    pub listens: bool,
    /// Whether it can share the search of a job with others ([`Job::is_shared`]).
    pub shares: bool,
}

impl Hello {
    /// Returns what the coordinator and those who watch call the process, over all its connections, if it says which it
    /// is.
    ///
    /// The name is shown to everybody: nobody may be able to say this hello who has only seen the name.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        let Self { host, instance, .. } = self;
        let digest: [u8; 32] =
            Sha256::new().chain_update(host).chain_update(instance.to_le_bytes()).finalize().into();
        let first = digest.iter().take(8).fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        (*instance != 0).then(|| format!("{host}/{first:016x}"))
    }
}

/// The name of a job: a hash of its content (canonical position, window, and whether it judges a claim), the same on every
/// machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

/// A message from a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromWorker {
    /// The first message.
    Hello(Hello),
    /// The worker is alive and works on these jobs; beside each the nodes searched in it so far.
    Heartbeat(Vec<(JobId, u64)>),
    /// A job goes on, and this is believed of it.
    Interim(Interim),
    /// The search of a job, whose name this is, has come to believe this.
    Hints(JobId, Vec<SharedHint>),
    /// These bounds were found inside a job.
    Found(Found),
    /// To the others that share the search of a job, whose name this is.
    Member(JobId, FromMember),
    /// A job is over.
    Report(Report),
    /// The worker wants no more jobs and leaves when its last report is acknowledged.
    Draining,
}

/// What a worker believes of a job that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interim {
    /// The job's name.
    pub job: JobId,
    /// What the search believes of the job's position.
    pub belief: Belief,
}

/// What a worker has found inside a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The job's name.
    pub job: JobId,
    /// The era of the job.
    pub era: u64,
    /// The bounds.
    pub bounds: Vec<FoundBound>,
}

/// What a worker found out about a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The job's name.
    pub job: JobId,
    /// The job's position, in canonical form. A report is useful even when the job is forgotten.
    pub position: Position,
    /// What is proved of the position's value; `Bound::UNKNOWN` when nothing is.
    pub bound: Bound,
    /// The move that proves the lower bound, or seems best.
    pub best_move: Option<Square>,
    /// The best line found, forced passes left out. With an exact bound the worker claims that each
    /// move of it keeps the value: that is proof for every position on the line.
    pub line: Vec<Square>,
    /// What is proved of the positions after each move, seen by the opponent.
    pub children: Vec<(Square, Bound)>,
    /// Legal moves, the most promising first.
    pub order: Vec<Square>,
    /// Positions searched.
    pub nodes: u64,
    /// Search time in milliseconds.
    pub millis: u64,
    /// Whether the job's window was answered; otherwise the job was cancelled or ran into its limit.
    pub finished: bool,
    /// Whether the job could not be done at all (the worker crashed in the search, say).
    pub failed: bool,
    /// The era of the job. What was searched in an earlier one may rest on bounds that were taken
    /// back since, and is not believed.
    pub era: u64,
}

impl Report {
    /// Returns the report of a job of which nothing is proved yet.
    #[must_use]
    pub fn unproved(job: &Job) -> Self {
        Self {
            job: job.id,
            position: job.position,
            bound: Bound::UNKNOWN,
            best_move: None,
            line: Vec::new(),
            children: Vec::new(),
            order: Vec::new(),
            nodes: 0,
            millis: 0,
            finished: false,
            failed: false,
            era: job.era,
        }
    }

    /// Returns the report with the answer of a search of its position.
    #[must_use]
    pub fn with(self, answer: Answer) -> Self {
        let Answer { bound, best_move, line, children, order, nodes, finished } = answer;
        Self { bound, best_move, line, children, order, nodes, finished, ..self }
    }
}

/// A message to a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToWorker {
    /// The answer to the hello.
    Welcome(Welcome),
    /// A job to do.
    Job(Job),
    /// The named job has become pointless: stop it and report what is proved.
    Cancel(JobId),
    /// The bounds of the named job's report are on disk.
    Acknowledge(JobId),
    /// This has been proved below the position of the named job; as in [`Job::known`].
    Known(JobId, Vec<(Position, Bound)>),
    /// Other workers have come to believe this.
    Hints(Vec<SharedHint>),
    /// From the others that share the search of a job, whose name this is.
    Member(JobId, ToMember),
    /// The coordinator stops: report what you have, half-close, reconnect later.
    Drain,
    /// Some of the bounds that came with jobs were false: stop all jobs, and forget what was
    /// remembered of earlier ones.
    Forget,
    /// The coordinator closes this connection, for this reason.
    Goodbye(String),
}

/// The coordinator's answer to a worker's hello.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Welcome {
    /// The protocol version to speak from now on.
    pub protocol: u32,
    /// The longest time between two heartbeats, in milliseconds, at least 1.
    pub heartbeat_millis: u32,
    /// The coordinator's build.
    pub build: String,
    /// The shortest time between two interim reports of a job, in milliseconds; with 0 the
    /// coordinator wants none.
    pub interim_millis: u32,
}

/// A piece of work for one worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The job's name.
    pub id: JobId,
    /// The position to solve, in canonical form.
    pub position: Position,
    /// The window its value is asked in.
    pub window: Window,
    /// The number of nodes after which the worker gives up and reports what it has proved.
    pub node_limit: u64,
    /// The number of the worker's threads that search together, 1 to [`MOST_THREADS`].
    pub threads: u32,
    /// Proved bounds that the search will probably meet, of positions as it meets them: turned.
    pub known: Vec<(Position, Bound)>,
    /// How the worker turns the position before it searches: jobs of one request look at the board
    /// from one side, so that what one left in a hash table serves the next. Reports are about the
    /// position as it stands above.
    pub symmetry: Symmetry,
    /// How often proofs had been taken back when the job was given; its report says the same number. What was
    /// searched in another era may rest on bounds that nobody believes any more.
    pub era: u64,
    /// Whether the worker tells what its search comes to believe, for others to hear.
    pub hints: bool,
    /// From so many nodes on, the worker tells of bounds that it finds inside the job; `None`: of none.
    pub inside: Option<u64>,
    /// Whether the worker searches without what earlier jobs have left in its tables, and leaves nothing there:
    /// who judges another's claim must not have it from him.
    pub is_apart: bool,
    /// Whether several workers share the search.
    pub is_shared: bool,
    /// Whether the worker is one of those that do errands in a shared search (try moves for the others), and searches
    /// nothing else.
    pub helps: bool,
}

/// A client's question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolveRequest {
    /// The position.
    pub position: Position,
    /// The window its value is asked in; left out on the wire it is the whole range.
    pub window: Window,
    /// The nodes after which the client gives the request up, if it does.
    pub node_budget: Option<u64>,
}

/// A message to a client that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolveUpdate {
    /// How far the request has come.
    Progress(Progress),
    /// The answer; the last message.
    Solution(Solution),
    /// Something that whoever waits should know, such as that a worker was wrong.
    Notice(String),
}

/// How far a request has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is proved of the root so far.
    pub bound: Bound,
    /// The window being worked on.
    pub window: Window,
    /// Jobs that wait or run.
    pub jobs_open: u64,
    /// Jobs finished for this request.
    pub jobs_done: u64,
    /// Bounds taken from the store instead of being searched.
    pub reused: u64,
    /// Nodes searched for it, running jobs included.
    pub nodes: u64,
    /// Nodes predicted for the whole request, those searched included.
    pub predicted_nodes: u64,
    /// Workers connected.
    pub workers: u64,
}

/// Where an answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// It was in the store already.
    Store,
    /// It was searched, nothing was reused.
    Search,
    /// It was searched, and bounds from the store were reused.
    Both,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// What is proved of the root's value; it answers the window.
    pub bound: Bound,
    /// The best move; while the value is not known the move that reaches what is proved at least, and `None` if nothing
    /// is. As a square of the position that the client gave.
    pub best_move: Option<Square>,
    /// The best line, as squares of the position that the client gave, forced passes left out.
    pub line: Vec<Square>,
    /// Nodes searched for this request by all workers, work that proved useless included.
    pub nodes: u64,
    /// Jobs that were done for it.
    pub jobs: u64,
    /// Bounds taken from the store.
    pub reused: u64,
    /// Where the answer comes from.
    pub source: Source,
    /// Claims of workers, of this request or of others before it, that were drawn to be solved again
    /// by another worker and could not be yet.
    pub unaudited: u64,
}

/// What is proved of a position that a client asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// What is proved of its value; [`Bound::UNKNOWN`] if nothing is.
    pub bound: Bound,
    /// The move that reaches what is proved at least, if one is known. As a square of the position that the client gave.
    pub best_move: Option<Square>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(host: &str, instance: u64) -> Hello {
        Hello {
            oldest_protocol: 1,
            newest_protocol: 1,
            build: String::new(),
            isa: String::new(),
            host: host.to_owned(),
            threads: 1,
            table_bytes: 0,
            instance,
            listens: true,
            shares: true,
        }
    }

    #[test]
    fn a_name_has_the_host_and_nothing_that_tells_the_secret() {
        // `printf 'vm\xef\xcd\xab\x89\x67\x45\x23\x01' | sha256sum`: stores keep names, so they must stay.
        let known = hello("vm", 0x0123_4567_89ab_cdef).name();
        assert_eq!(known.as_deref(), Some("vm/221fbd62ebafc16b"));
        assert_eq!(hello("vm", 0).name(), None);
        assert_ne!(hello("vn", 0x0123_4567_89ab_cdef).name(), known);
        assert_ne!(hello("vm", 0x0123_4567_89ab_cdee).name(), known);
    }
}
