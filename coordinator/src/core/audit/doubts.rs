//! Which claims are doubted: beginning, taking over from an earlier coordinator, and going on when
//! proofs were taken back.

use std::collections::BTreeSet;

use outflank_engine::{Bound, Position};

use super::excuse::ClaimKey;
use super::{Audit, AuditId, Conflict, Core, Proof, Turn};
use crate::core::fleet::{Target, after};
use crate::core::message::{Command, Doubted, Judgement, Memory, Millis};

impl Core {
    /// Has claims of unknown authors solved again, one of which must be false. Those are not asked about again that were
    /// found true: otherwise a false inference whose grounds are lost would be looked into without end.
    pub(in crate::core) fn suspected(&mut self, turn: &mut Turn<'_>, claims: &[Proof]) {
        self.audits.trial = None;
        let cause = self.audits.traced.take();
        let sound = &self.audits.sound;
        let is_open = |claim: &&Proof| !sound.contains(&ClaimKey::of(claim.position, claim.bound));
        let doubtful: Vec<Proof> = claims.iter().filter(is_open).copied().collect();
        if doubtful.is_empty()
            && let Some(Conflict { claim: Proof { position, bound: truth, .. }, held }) = cause
            && self.is_baseless(turn, position, truth)
        {
            turn.commands.push(Command::Judge(Judgement::Retract { position, held, truth }));
            return;
        }
        (self.audits.taking_back, self.audits.has_news) = (false, true);
        let is_inexplicable = doubtful.is_empty() && !claims.is_empty();
        // Whoever has reported the contradiction may do so again, but an inference is made only once.
        let position = cause.map(|cause| cause.claim.position);
        self.audits.unresolved.extend(position.filter(|_| !doubtful.is_empty()));
        for claim in doubtful {
            self.open_audit(turn, Audit { cause, ..Audit::new(claim) });
        }
        self.close_audits(turn, |audit| audit.is_settled);
        if let Some(cause) = cause.filter(|_| is_inexplicable) {
            // It follows from what is true, and yet two have upheld that it is false.
            self.stop_dependents(turn, cause.claim.position, &cause);
        }
    }

    /// Returns whether what is stored of `position` contradicts `truth`, and what is proved of the positions after its moves
    /// does not.
    fn is_baseless(&self, turn: &Turn<'_>, position: Position, truth: Bound) -> bool {
        let contradicts = |bound: Bound| bound.merge(truth).is_err();
        let stored = turn.proofs.get(position);
        stored.is_some_and(|(bound, _)| contradicts(bound))
            && !contradicts(self.inferred_from_below(turn, position))
    }

    /// Takes the audits up again that an earlier coordinator has left open, and what it knew of the workers. Who made
    /// a claim upholds it; where that is not known, two others have to.
    pub(in crate::core) fn resumed(
        &mut self,
        turn: &mut Turn<'_>,
        era: u64,
        doubted: Vec<Doubted>,
        memory: Memory,
    ) {
        self.audits.era = era;
        let until = after(turn.now, self.config.lease);
        self.audits.absent = memory.told.iter().map(|&(process, _)| (process, until)).collect();
        self.told.resume(memory, self.config.most_told);
        self.told.taken_back(turn.proofs);
        for Doubted { audit, claim, author } in doubted {
            self.audits.opened = self.audits.opened.max(audit.0);
            let is_beyond_judges = self.is_beyond_judges(claim.position, claim.bound);
            let doubt = Audit { is_beyond_judges, ..Audit::of_earlier(claim, author) };
            self.audits.open.insert(audit, doubt);
        }
        self.close_audits(turn, |_| false);
    }

    /// Starts again from the store, after false claims were taken back: drops what was concluded,
    /// stops every job, has the workers forget, and asks for all open requests again. The claims that
    /// were being solved again and still stand are doubted as before.
    pub(in crate::core) fn start_again(&mut self, turn: &mut Turn<'_>, era: u64) {
        for (worker, job) in self.fleet.disown_leases() {
            self.stop_job(turn, worker, job);
        }
        for worker in self.fleet.ids() {
            turn.commands.push(Command::Forget { worker });
        }
        self.forget_everything();
        self.told.taken_back(turn.proofs);
        self.go_on_doubting(turn, era);
        let mut solves: Vec<_> = std::mem::take(&mut self.solves).into_iter().collect();
        solves.sort_by_key(|(_, solve)| solve.arrival);
        // They have come once, and that they were many does not change.
        let crowd = std::mem::take(&mut self.crowd);
        let windows: Vec<_> = solves.iter().map(|(id, solve)| (*id, solve.window)).collect();
        for (id, solve) in solves {
            self.submitted(turn, id, solve.given, solve.window, solve.budget, solve.terms);
            if let Some(again) = self.solves.get_mut(&id) {
                // What still runs is counted when it is reported, believed or not.
                again.nodes = solve.nodes;
                again.running_nodes = again.running_nodes.saturating_add(solve.running_nodes);
                again.running += solve.running;
                again.jobs_done = solve.jobs_done;
            }
        }
        self.crowd = crowd;
        let oldest = self.solves.keys().next().copied();
        for (_, window) in windows.iter().filter(|(id, _)| !self.solves.contains_key(id)) {
            self.crowd.left(*window, oldest); // The store had the answer.
        }
    }

    /// Begins an era: what the guilty said about claims that still stand counts no more.
    fn go_on_doubting(&mut self, turn: &mut Turn<'_>, era: u64) {
        let audits = &mut self.audits;
        (audits.era, audits.taking_back) = (era, false);
        (audits.traced, audits.trial) = (None, None);
        audits.sound.clear();
        drop(audits.held_back.take_all());
        audits.has_news_of_suspects = true;
        let guilty = &audits.guilty;
        for audit in audits.open.values_mut().chain(audits.debts.all_mut()) {
            audit.votes.retain(|process, _| !guilty.contains(process));
            if audit.author.is_some_and(|author| guilty.contains(&author)) {
                // If it still stands, somebody else has claimed it, too.
                (audit.author, audit.claim.worker) = (None, None);
            }
        }
        audits.look_at_debts(turn.now);
        self.close_audits(turn, |audit| audit.is_settled || audit.held.is_some());
    }

    /// Returns whether there will be a verdict about `position`: somebody is asked, or will be at once.
    pub(super) fn is_being_decided(&self, now: Millis, position: Position) -> bool {
        let mut owed = self.audits.debts.disputes(position);
        let is_its_cause =
            |audit: &Audit| audit.cause.is_some_and(|cause| cause.claim.position == position);
        let is_asked = self.audits.about(position).next().is_some()
            || self.audits.open.values().any(is_its_cause);
        is_asked || owed.any(|audit| self.is_due(now, audit))
    }

    /// Infers again where an audit is over that a contradiction has waited for: nothing else would, and who asks about
    /// the position would wait for ever.
    pub(super) fn infer_again(&mut self, turn: &mut Turn<'_>) {
        let all = std::mem::take(&mut self.audits.unresolved);
        let (waiting, free): (BTreeSet<_>, BTreeSet<_>) =
            all.into_iter().partition(|&position| self.is_being_decided(turn.now, position));
        self.audits.unresolved = waiting;
        if !free.is_empty() {
            free.into_iter().for_each(|position| self.infer(turn, position));
            self.settle(turn);
        }
    }

    pub(super) fn open_audit(&mut self, turn: &mut Turn<'_>, audit: Audit) -> AuditId {
        self.audits.opened += 1;
        let id = AuditId(self.audits.opened);
        // What may be false is what is on disk: the claim, or what it contradicts.
        let claim = match audit.held {
            Some(bound) => Proof { bound, worker: None, ..audit.claim },
            None => audit.claim,
        };
        turn.commands.push(Command::Doubt { audit: id, claim });
        let is_beyond_judges = self.is_beyond_judges(audit.claim.position, audit.judged());
        self.audits.open.insert(id, Audit { is_beyond_judges, ..audit });
        id
    }

    pub(super) fn close_audit(&mut self, turn: &mut Turn<'_>, id: AuditId) {
        turn.commands.push(Command::Cleared { audit: id });
        (self.audits.has_news, self.audits.has_news_of_suspects) = (true, true);
        self.audits.debts.drop(id);
        self.audits.open.remove(&id);
        self.stop_side_jobs(turn, Target::Audit(id));
    }

    /// Closes the audits that `is_over` names, and those of bounds that nobody holds any more.
    fn close_audits(&mut self, turn: &mut Turn<'_>, is_over: impl Fn(&Audit) -> bool) {
        let proofs = turn.proofs;
        let is_held = |claim: &Proof| proofs.holds(claim.position, claim.bound);
        let over = |audit: &Audit| is_over(audit) || audit.held.is_none() && !is_held(&audit.claim);
        let all = self.audits.open.iter().chain(self.audits.debts.all());
        let ids: Vec<AuditId> = all.filter(|(_, audit)| over(audit)).map(|(&id, _)| id).collect();
        for id in ids {
            self.close_audit(turn, id);
        }
    }
}
