//! What may go wrong, and what has.

/// How many percent of messages and jobs go wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// Messages that get lost.
    pub(crate) lost: u64,
    /// Reports that arrive twice.
    pub(crate) repeated: u64,
    /// Reports that arrive a minute late.
    pub(crate) late: u64,
    /// Reports of a job that crashed.
    pub(crate) failed: u64,
    /// Reports with false claims.
    pub(crate) wrong: u64,
    /// Seconds in which a worker comes or goes, or the coordinator starts again.
    pub(crate) churn: u64,
    /// The longest time that a write takes, in milliseconds.
    pub(crate) slow_disk: u64,
    /// Seconds in which a client or a campaign asks for something, or gives it up, or a campaign gets another priority.
    pub(crate) fickle: u64,
    /// Seconds in which the clock leaps.
    pub(crate) leaps: u64,
}

/// How often what has happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Happened {
    pub(crate) lost: u64,
    pub(crate) repeated: u64,
    pub(crate) late: u64,
    pub(crate) failed: u64,
    pub(crate) wrong: u64,
    /// Searches that went wrong since the worker believed what it was told.
    pub(crate) misled: u64,
    pub(crate) left: u64,
    pub(crate) drained: u64,
    pub(crate) hung: u64,
    /// Workers that were disconnected although they were there, and came back.
    pub(crate) disconnected: u64,
    pub(crate) restarts: u64,
    pub(crate) sent_again: u64,
    /// Requests answered before all claims were audited.
    pub(crate) early: u64,
    /// Requests that were given up, and messages that nobody has asked for.
    pub(crate) given_up: u64,
    pub(crate) unasked: u64,
    /// Leaps of the clock.
    pub(crate) leaps: u64,
    /// Restarts on a store that has lost records.
    pub(crate) damaged: u64,
    /// Answers to others that share a search which were believed, and those that were not.
    pub(crate) answered: u64,
    pub(crate) unanswered: u64,
}

impl Happened {
    /// Adds what has happened in another run.
    pub(crate) fn add(&mut self, other: Self) {
        self.lost += other.lost;
        self.repeated += other.repeated;
        self.late += other.late;
        self.failed += other.failed;
        self.wrong += other.wrong;
        self.misled += other.misled;
        self.left += other.left;
        self.drained += other.drained;
        self.hung += other.hung;
        self.disconnected += other.disconnected;
        self.restarts += other.restarts;
        self.sent_again += other.sent_again;
        self.early += other.early;
        self.given_up += other.given_up;
        self.unasked += other.unasked;
        self.leaps += other.leaps;
        self.damaged += other.damaged;
        self.answered += other.answered;
        self.unanswered += other.unanswered;
    }

    /// Returns the number of faults.
    pub(crate) fn faults(self) -> u64 {
        let network = self.lost + self.repeated + self.late;
        network + self.failed + self.wrong + self.left + self.drained + self.hung + self.restarts
    }
}
