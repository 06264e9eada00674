//! Audits that are owed: nobody else is there who could be asked, or those who were could not tell.
//! So are the disputes that there are too few workers to decide.
//!
//! No answer waits for them, but each says how many there are. They stay on the docket, also over a
//! restart, and are taken up again when somebody comes who can be asked, or has rested, or after a time
//! that doubles, disputes also when somebody needs the verdict. Those who rest since their jobs fail are not waited for,
//! but in disputes.

use std::collections::BTreeMap;

use outflank_engine::Position;

use super::{Audit, AuditId, Audits, Core, Turn, draw};
use crate::core::fleet::after;
use crate::core::message::{Command, JobId, Millis};

/// The most doublings of the time after which somebody is asked again.
const MOST_DOUBLINGS: u32 = 7;

/// The audits that are owed.
#[derive(Debug, Default)]
pub(super) struct Debts {
    owed: BTreeMap<AuditId, Audit>,
    /// The claims that there was no room for.
    waived: u64,
    /// When one of them may be taken up again; `None` if only a worker can help that joins, or has rested.
    look_at: Option<Millis>,
}

impl Debts {
    /// Returns them.
    pub(super) fn all(&self) -> impl Iterator<Item = (&AuditId, &Audit)> {
        self.owed.iter()
    }

    /// Returns them.
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Audit> {
        self.owed.values_mut()
    }

    /// Returns those about `position` where somebody is wrong.
    pub(super) fn disputes(&self, position: Position) -> impl Iterator<Item = &Audit> {
        let is_it = move |audit: &&Audit| audit.claim.position == position && audit.is_disputed();
        self.owed.values().filter(is_it)
    }

    /// Forgets one.
    pub(super) fn drop(&mut self, id: AuditId) {
        self.owed.remove(&id);
    }
}

impl Audits {
    /// Returns the number of claims that were to be audited and could not be yet.
    pub(in crate::core) fn unaudited(&self) -> u64 {
        self.debts.owed.len() as u64 + self.debts.waived
    }

    /// Returns whether it is owed already who is wrong about `position`, so that another contradiction there adds nothing.
    /// If it `has_judges` it does, where the others have none.
    pub(super) fn owe_verdict(&self, position: Position, has_judges: bool) -> bool {
        self.debts.disputes(position).any(|audit| !(audit.is_beyond_judges && has_judges))
    }

    /// Has the debts looked through: somebody may have come who can be asked.
    pub(in crate::core) fn look_at_debts(&mut self, now: Millis) {
        self.debts.look_at = Some(now);
    }
}

impl Core {
    /// Owes an audit. Where there are too many of them, each that there ever was stays with the
    /// same chance.
    pub(super) fn put_off(&mut self, turn: &mut Turn<'_>, id: AuditId) {
        let Some(audit) = self.audits.open.remove(&id) else { return };
        let doublings = audit.failures.checked_sub(self.config.retry_limit + 1);
        let wait = doublings.map(|count| 2_u32.pow(count.min(MOST_DOUBLINGS)));
        let again = wait.map(|wait| after(turn.now, wait * self.config.lease));
        let debts = &mut self.audits.debts;
        debts.look_at = debts.look_at.into_iter().chain(again).min();
        let (not_before, tried) = (again.unwrap_or_default(), audit.failures);
        // What it was for is answered without it.
        debts.owed.insert(id, Audit { home: None, not_before, tried, ..audit });
        (self.audits.has_news, self.audits.has_news_of_suspects) = (true, true);
        self.waive(turn, id);
    }

    /// Gives up a debt, the one that came last among them, if there are too many. Not those for which somebody's case
    /// waits: without them it would not be known that nobody can tell, and they would be asked about again without end.
    fn waive(&mut self, turn: &mut Turn<'_>, last: AuditId) {
        let (most, debts) = (self.config.most_owed, &mut self.audits.debts);
        if debts.owed.len() <= most || debts.owed.get(&last).is_some_and(|audit| audit.is_suspect) {
            return;
        }
        debts.waived += 1;
        let place = draw(self.config.audit_seed, JobId(last.0)) % (most as u64 + debts.waived);
        let is_other = |&(&id, audit): &(&AuditId, &Audit)| id != last && !audit.is_suspect;
        let audit = debts.owed.iter().filter(is_other).map(|(&id, _)| id).nth(place as usize);
        let audit = audit.unwrap_or(last);
        debts.owed.remove(&audit);
        turn.commands.push(Command::Cleared { audit });
    }

    /// Has the verdict that is owed about `position` tried for once more before its time, since somebody needs it. Returns
    /// whether somebody can be asked.
    pub(super) fn try_again(&mut self, now: Millis, position: Position) -> bool {
        let is_it = |audit: &&mut Audit| audit.claim.position == position && audit.is_disputed();
        for audit in self.audits.debts.all_mut().filter(is_it) {
            audit.not_before = now;
        }
        self.audits.look_at_debts(now);
        self.is_being_decided(now, position)
    }

    /// Takes up the debts that somebody can be asked about now.
    pub(super) fn take_up_debts(&mut self, now: Millis) {
        if self.audits.debts.look_at.is_none_or(|time| now < time) {
            return;
        }
        let all = std::mem::take(&mut self.audits.debts.owed);
        let (paid, owed): (BTreeMap<_, _>, BTreeMap<_, _>) =
            all.into_iter().partition(|(_, audit)| self.is_due(now, audit));
        self.audits.open.extend(paid);
        let debts = &mut self.audits.debts;
        debts.owed = owed;
        let later = debts.owed.values().map(|audit| audit.not_before).filter(|&time| now < time);
        debts.look_at = later.min();
    }

    /// Returns whether an audit that is owed can be made now.
    pub(super) fn is_due(&self, now: Millis, audit: &Audit) -> bool {
        // One who disagrees with the author decides nothing, nor does the first of two.
        let needed = if audit.is_disputed() && !audit.has_witness() { 2 } else { 1 };
        let is_due = audit.not_before <= now && !audit.is_beyond_judges;
        is_due && self.fleet.others_are_available(needed, &audit.voters())
    }
}
