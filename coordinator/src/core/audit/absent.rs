//! Workers that have been here and may come back, for whom it is worth to wait where one contradicts one.

use super::{Audit, Core, Turn};
use crate::core::fleet::after;
use crate::core::message::{Millis, ProcessId};

impl Core {
    /// Notes that a process has left that is likely to come back.
    pub(in crate::core) fn expect_back(&mut self, now: Millis, process: ProcessId) {
        self.audits.absent.retain(|_, &mut until| now < until);
        self.audits.absent.insert(process, after(now, self.config.lease));
    }

    /// Returns whether one contradicts one, and somebody may come back who can decide: when workers were lost, or the
    /// coordinator has begun again, the first to be there may be an honest one and one that lies.
    pub(super) fn may_be_decided(&self, turn: &Turn<'_>, audit: &Audit) -> bool {
        let comes = |(process, &until): (&ProcessId, &Millis)| {
            turn.now < until && !audit.votes.contains_key(process)
        };
        audit.count() == (1, 1) && self.audits.absent.iter().any(comes)
    }
}
