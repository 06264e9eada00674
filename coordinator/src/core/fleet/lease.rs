//! What a worker has: a job, for something, for a time.

use outflank_engine::{Position, Window};

use crate::core::message::{AuditId, Millis, SolveId};
use crate::core::question::Key;

/// What a leased job is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::core) enum Target {
    /// To answer a question.
    Question(Key),
    /// To find the rest of a request's best line.
    Line(SolveId),
    /// To try moves for those who search something.
    Help,
    /// To learn whether somebody's claim holds.
    Audit(AuditId),
    /// For nothing any more, and its report is not believed: it was given when false bounds were.
    Disowned,
    /// For nothing any more: it was cancelled, and its report is awaited.
    Nothing,
}

/// A worker's time-limited right to a job.
#[derive(Clone, Copy, Debug)]
pub(in crate::core) struct Lease {
    /// What the job is for.
    pub(in crate::core) target: Target,
    /// The request that its nodes are counted for.
    pub(in crate::core) home: SolveId,
    /// The job's position.
    pub(in crate::core) position: Position,
    /// The job's window.
    pub(in crate::core) window: Window,
    /// The threads it occupies.
    pub(in crate::core) threads: u32,
    /// The nodes that it will probably take.
    pub(in crate::core) predicted: f64,
    /// Whether several workers can share the search.
    pub(in crate::core) is_shared: bool,
    /// Whether others have had a part in it.
    pub(in crate::core) was_helped: bool,
    /// The nodes after which its worker gives it up.
    pub(in crate::core) limit: u64,
    /// The nodes it has searched by its last sign of life.
    pub(in crate::core) nodes: u64,
    /// How many of these are on the account of a request that is gone, or were told of over an earlier connection.
    pub(in crate::core) charged: u64,
    /// Whether its process had the job when its last connection ended, and has not told yet whether it went on with it.
    pub(in crate::core) is_resumed: bool,
    /// The number of the last bound from inside the request's jobs of which its worker was told.
    pub(in crate::core) told: u64,
    /// When it began.
    pub(in crate::core) begun: Millis,
    /// When its worker was told to stop; `None` as long as it may go on.
    pub(in crate::core) stopped: Option<Millis>,
    /// When its worker was last known to search, or one that helps it.
    pub(in crate::core) searched: Millis,
    /// When it runs out.
    pub(super) deadline: Millis,
}

impl Lease {
    /// Returns a lease that has not begun yet.
    pub(in crate::core) fn new(
        target: Target,
        home: SolveId,
        key: Key,
        threads: u32,
        predicted: f64,
    ) -> Self {
        let Key { position, window } = key;
        Self {
            target,
            home,
            position,
            window,
            threads,
            predicted,
            is_shared: false,
            was_helped: false,
            limit: 0,
            nodes: 0,
            charged: 0,
            is_resumed: false,
            told: 0,
            begun: Millis(0),
            stopped: None,
            searched: Millis(0),
            deadline: Millis(0),
        }
    }
}
