//! Answers that wait for audits: for those of what they may rest on, and not for ever.
//!
//! A claim may be hard to judge, and whoever makes such claims can make more of them while the first are judged. So an
//! answer does not wait for what is claimed after it was found, and not longer than half an hour for claims that nobody
//! has contradicted: it says how many were not audited. They are judged all the same.

use std::collections::BTreeMap;

use outflank_engine::{Bound, Position, Square};

use super::{Audit, Audits, Core, Turn};
use crate::core::fleet::{Target, after};
use crate::core::message::{AuditId, Millis, SolveId};
use crate::reach::{fillings, may_come};

/// So many leases an answer waits: half an hour.
const LONGEST_WAIT: u32 = 60;

/// The most judges, as a part of all threads, of what nobody has asked for while there is something else to do.
const UNASKED_PART: usize = 4;

/// An answer that waits.
#[derive(Debug)]
struct Held {
    bound: Bound,
    line: Vec<Square>,
    /// The last audit when it was found.
    last: AuditId,
    /// When it is given although not all is audited.
    until: Millis,
}

/// The requests that are answered but for audits.
#[derive(Debug, Default)]
pub(super) struct HeldBack(BTreeMap<SolveId, Held>);

impl HeldBack {
    /// Returns the number of them.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns all of them, and forgets them.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = SolveId> + use<> {
        std::mem::take(&mut self.0).into_keys()
    }

    /// Returns whether the time of one of them is over.
    pub(super) fn are_due(&self, now: Millis) -> bool {
        self.0.values().any(|held| held.until <= now)
    }
}

impl Audits {
    /// Forgets that a request is held back.
    pub(in crate::core) fn let_go(&mut self, solve: SolveId) {
        self.held_back.0.remove(&solve);
    }

    /// Returns whether every answer must wait.
    fn hold_all_back(&self) -> bool {
        self.taking_back || self.open.values().any(Audit::is_disputed)
    }

    /// Returns how many of the audits up to `last` are under way of claims on which the answer of `solve`, which is about
    /// `root`, may rest. That may be claims for another request; if nobody knows for which they are, it is for all.
    fn awaited(&self, solve: SolveId, root: Position, last: AuditId) -> u64 {
        let filled: Vec<u64> = fillings(root).collect();
        let is_awaited = |(_, audit): &(&AuditId, &Audit)| {
            audit.home.is_none_or(|home| home == solve) || may_come(audit.claim.position, &filled)
        };
        self.open.range(..=last).filter(is_awaited).count() as u64
    }
}

impl Core {
    /// Returns how many claims were not audited on which the answer of `solve` may rest, which is `bound`, with this line;
    /// `None` if it must wait, which is remembered then.
    pub(in crate::core) fn hold_back(
        &mut self,
        now: Millis,
        (solve, root): (SolveId, Position),
        bound: Bound,
        line: &[Square],
    ) -> Option<u64> {
        let audits = &self.audits;
        let before = audits.held_back.0.get(&solve).filter(|held| held.bound == bound);
        let begun = (AuditId(audits.opened), after(now, LONGEST_WAIT * self.config.lease));
        let (last, until) = before.map_or(begun, |held| (held.last, held.until));
        let awaited = audits.awaited(solve, root, last);
        if audits.hold_all_back() || awaited > 0 && now < until {
            let held = Held { bound, line: line.to_vec(), last, until };
            self.audits.held_back.0.insert(solve, held);
            return None;
        }
        Some(audits.unaudited() + awaited)
    }

    /// Answers the requests whose last audit is over, or that have waited for long enough.
    pub(super) fn answer_the_audited(&mut self, turn: &mut Turn<'_>) {
        if self.audits.hold_all_back() {
            return;
        }
        let ids: Vec<SolveId> = self.audits.held_back.0.keys().copied().collect();
        for id in ids {
            let bound = self.solves.get(&id).map(|solve| solve.bound);
            let held = self.audits.held_back.0.get(&id);
            match (bound, held) {
                (Some(bound), Some(held)) if held.bound == bound => {
                    let line = held.line.clone();
                    self.conclude(turn, id, line);
                }
                (Some(bound), _) => self.answered(turn, id, bound),
                (None, _) => self.audits.let_go(id),
            }
        }
    }

    /// Returns the audits that wait for a judge and may have one. Of what nobody was asked for a part of the threads
    /// suffices while they have other work: otherwise whoever claims more and more could keep all of them busy.
    pub(super) fn judged_next(&self) -> Vec<AuditId> {
        let is_unasked = |audit: &Audit| audit.home.is_none() && !audit.is_of_a_case();
        let judged = |(id, audit): &(&AuditId, &Audit)| {
            is_unasked(audit) && self.side_jobs.run(Target::Audit(**id))
        };
        let is_idle = self.solves.len() <= self.audits.held_back.len();
        let most = if is_idle { usize::MAX } else { (self.fleet.threads() / UNASKED_PART).max(1) };
        let mut left = most.saturating_sub(self.audits.open.iter().filter(judged).count());
        let waits = |&(&id, audit): &(&AuditId, &Audit)| self.waits_for_a_judge(id, audit);
        let has_place = |(_, audit): &(&AuditId, &Audit)| {
            let has_place = left > 0 || !is_unasked(audit);
            left -= usize::from(left > 0 && is_unasked(audit));
            has_place
        };
        self.audits.open.iter().filter(waits).filter(has_place).map(|(&id, _)| id).collect()
    }
}
