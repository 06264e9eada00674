//! Whether who made a false claim was misled: the bounds that it was told are solved again first.

use std::collections::BTreeSet;

use outflank_engine::{Bound, Position, Score, Window};

use super::{Audit, AuditId, Core, Proof, Turn};
use crate::core::message::{Method, ProcessId};

/// The most bounds that are solved again at the same time for one who may have been misled by them.
const MOST_AT_ONCE: usize = 32;

/// What speaks for somebody who made a false claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excuse {
    /// Nothing: what it was told is true.
    None,
    /// It was told bounds that are being solved again.
    Pending,
    /// It may have been told bounds that nobody can look into.
    Unknown,
}

/// What a claim is told from others by, in ordered sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClaimKey {
    position: Position,
    lower: Score,
    upper: Score,
}

impl ClaimKey {
    /// Returns the key of the claim that `bound` holds for `position`.
    pub(super) fn of(position: Position, bound: Bound) -> Self {
        Self { position, lower: bound.lower(), upper: bound.upper() }
    }
}

/// How a false claim is held against a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charge {
    /// It has reported it, and may have been told the bound itself.
    Reported,
    /// The store has it from this process, so that nobody can have told it the bound itself. Others have searched
    /// positions below, or none that is stored, so that it cannot have been told of them either.
    Stored { others_below: bool },
}

impl Core {
    /// Returns what speaks for `process`, which has made a false claim about `position`, and has what it was told
    /// solved again.
    pub(super) fn excuse(
        &mut self,
        turn: &mut Turn<'_>,
        process: ProcessId,
        position: Position,
        charge: Charge,
    ) -> Excuse {
        let suspects = self.told.suspects(process, position, charge == Charge::Reported);
        // What does not stand any more was taken back with what may rest on it.
        let proofs = turn.proofs;
        let stands = |&(position, bound): &(Position, Bound)| proofs.holds(position, bound);
        let (small, large): (Vec<_>, Vec<_>) =
            suspects.into_iter().filter(stands).partition(|suspect| self.fits_an_audit(suspect));
        let unknown = match self.told.was_excused(process) {
            true => Excuse::None,
            false => Excuse::Unknown,
        };
        if small.is_empty() {
            let was_told_nothing = charge == Charge::Stored { others_below: false };
            let remembers = was_told_nothing || self.told.remembers_all_of(process);
            let knows_all = large.is_empty() && remembers;
            return if knows_all { Excuse::None } else { unknown };
        }
        let is_suspect = |audit: &&Audit| audit.is_suspect;
        let debts = self.audits.debts.all().map(|(_, audit)| audit).filter(is_suspect);
        let owed: BTreeSet<_> = debts.map(Audit::key).collect();
        if small.iter().any(|&(position, bound)| owed.contains(&ClaimKey::of(position, bound))) {
            return unknown;
        }
        let open = self.audits.open.values().filter(is_suspect);
        let open: BTreeSet<_> = open.map(Audit::key).collect();
        let is_open =
            |&(position, bound): &(Position, Bound)| open.contains(&ClaimKey::of(position, bound));
        let (under_way, others): (Vec<_>, Vec<_>) = small.into_iter().partition(is_open);
        let room = MOST_AT_ONCE.saturating_sub(under_way.len());
        for (position, bound) in others.into_iter().take(room) {
            let claim = Proof::of(position, bound, Method::Search);
            self.open_audit(turn, Audit { is_suspect: true, ..Audit::new(claim) });
        }
        Excuse::Pending
    }

    /// Returns whether a bound can be solved again by one worker.
    fn fits_an_audit(&self, &(position, bound): &(Position, Bound)) -> bool {
        self.takes_at_most(self.config.longest_job, position, bound)
    }

    /// Returns whether a bound cannot be solved again by one worker, be it in hours: more is asked than of any job. Only
    /// who reports what it was not asked for claims such bounds, and inferences far above the jobs may contradict each
    /// other there.
    pub(super) fn is_beyond_judges(&self, position: Position, bound: Bound) -> bool {
        !self.takes_at_most(self.config.longest_job * self.config.budget_factor, position, bound)
    }

    /// Returns whether it is likely to take at most so many nodes to solve a bound again.
    fn takes_at_most(&self, nodes: f64, position: Position, bound: Bound) -> bool {
        let window = window_of(bound);
        let fits = |estimate| self.advisor.predicted_nodes(position, window, estimate) <= nodes;
        // What is likely to be worth the threshold takes most. All that somebody was told is asked about, again and again:
        // of nearly all of it that is known to fit without a look.
        fits(window.upper().discs() - 1) || fits(self.advisor.estimate(position))
    }

    /// Lets the case of somebody rest until what it was told has been solved again.
    pub(super) fn wait_for_suspects(&mut self, id: AuditId) {
        if let Some(audit) = self.audits.open.get_mut(&id) {
            (audit.waits_for_suspects, audit.is_settled) = (true, false);
        }
        self.audits.taking_back = false;
    }

    /// Goes on with the cases that wait for what somebody was told, after news about that.
    pub(super) fn go_on_with_the_accused(&mut self, turn: &mut Turn<'_>) {
        if std::mem::take(&mut self.audits.has_news_of_suspects) {
            let waits = |(_, audit): &(&AuditId, &Audit)| audit.waits_for_suspects;
            let open = self.audits.open.iter();
            self.audits.accused = open.filter(waits).map(|(&id, _)| id).collect();
        }
        // Each once: while one leads to a verdict the others keep their turn.
        while !self.audits.taking_back
            && let Some(id) = self.audits.accused.pop_first()
        {
            if let Some(audit) = self.audits.open.get_mut(&id) {
                audit.waits_for_suspects = false;
                self.decide(turn, id);
            }
        }
    }
}

/// Returns the window whose answer says whether `bound` holds.
pub(super) fn window_of(bound: Bound) -> Window {
    let (lower, upper) = (bound.lower(), bound.upper());
    let low = if lower > Score::MIN { lower.down() } else { upper };
    let high = if upper < Score::MAX { upper.up() } else { lower };
    Window::new(low, high).unwrap_or(Window::FULL)
}
