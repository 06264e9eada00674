//! How large the core's state is.

use super::Core;

/// The size of the core's state, for operators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Workers connected.
    pub workers: u64,
    /// Those of them that rest, because their jobs fail one after the other.
    pub resting: u64,
    /// Threads of the workers that take jobs.
    pub threads: u64,
    /// Jobs handed out, cancelled ones that were not reported yet included.
    pub jobs_running: u64,
    /// Requests open.
    pub solves: u64,
    /// Questions open.
    pub questions: u64,
    /// Positions held.
    pub positions: u64,
    /// Claims in reports that could not be understood: moves that are not legal, positions that
    /// are not the job's. More than 0 means that a worker is wrong.
    pub illegal_claims: u64,
    /// Claims that were solved again, are being so, or are to be.
    pub audits: u64,
    /// Claims that are being solved again.
    pub audits_open: u64,
    /// Claims that were drawn for that and are believed as long as nobody can do it.
    pub unaudited: u64,
    /// Jobs that were lost or failed so often that their positions were split instead.
    pub given_up: u64,
}

impl Core {
    /// Returns the size of the state.
    #[must_use]
    pub fn status(&self) -> Status {
        Status {
            workers: self.fleet.workers() as u64,
            resting: self.fleet.resting() as u64,
            threads: self.fleet.threads() as u64,
            jobs_running: self.fleet.leases() as u64,
            solves: self.solves.len() as u64,
            questions: self.questions.len() as u64,
            positions: self.graph.len() as u64,
            illegal_claims: self.illegal_claims,
            audits: self.audits.opened(),
            audits_open: self.audits.open() as u64,
            unaudited: self.unaudited(),
            given_up: self.given_up,
        }
    }

    /// Returns how much the core keeps beside what [`Status`] counts, by what it is: all of that belongs to open requests,
    /// to jobs and to audits, so that nothing is left when they are over.
    #[must_use]
    pub fn kept(&self) -> [(&'static str, usize); 14] {
        [
            ("waiting", self.queue.len()),
            ("ready", self.ready.len()),
            ("brothers", self.brothers.len()),
            ("single copies", self.single_copies.len()),
            ("side jobs", self.side_jobs.len()),
            ("unsettled", self.unsettled.len()),
            ("doomed", self.doomed.len()),
            ("stopping", self.stopping.len()),
            ("freed", self.freed.len()),
            ("insides", self.insides.len()),
            ("shared", self.sharing.len()),
            ("crowd", self.crowd.most() + usize::from(!self.crowd.are_goals())),
            ("held back", self.audits.held_back()),
            ("unresolved", self.audits.unresolved()),
        ]
    }

    /// Returns the number of claims that were drawn for an audit and are believed as long as nobody
    /// can make it.
    #[must_use]
    pub fn unaudited(&self) -> u64 {
        self.audits.unaudited() + self.resumed_audits()
    }
}
