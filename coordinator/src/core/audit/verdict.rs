//! Verdicts: who upholds a claim, who does not, and what follows from it.

use outflank_engine::{Bound, Position};

use super::excuse::{Charge, ClaimKey, Excuse};
use super::{Audit, AuditId, Conflict, Core, Proof, Trial, Turn, Vote};
use crate::core::fleet::Target;
use crate::core::message::{Command, Judgement, Method, ProcessId, Report, WorkerId};

impl Core {
    /// Takes what a worker says about a claim; without a report the worker has been lost.
    pub(in crate::core) fn audit_ended(
        &mut self,
        turn: &mut Turn<'_>,
        id: AuditId,
        worker: WorkerId,
        report: Option<&Report>,
    ) {
        self.side_jobs.end(Target::Audit(id), worker);
        let process = self.fleet.process(worker);
        let Some(audit) = self.audits.open.get_mut(&id) else { return };
        let claimed = audit.judged();
        let told = report.filter(|report| report.finished && !report.failed);
        match told.map(|report| report.bound) {
            Some(bound) if bound.merge(claimed).is_err() => {
                audit.votes.insert(process, Vote { worker: Some(worker), upholds: false });
                audit.against = bound;
            }
            Some(bound) if bound.implies(claimed) => {
                audit.votes.insert(process, Vote { worker: Some(worker), upholds: true });
            }
            _ => {
                audit.failures += 1;
                audit.unable.insert(process);
                return;
            }
        }
        self.decide(turn, id);
    }

    /// Goes on with a claim about which enough is said.
    pub(super) fn decide(&mut self, turn: &mut Turn<'_>, id: AuditId) {
        let Some(audit) = self.audits.open.get(&id) else { return };
        let count = audit.count();
        if let (_, 2..) | (2.., _) = count {
            self.stop_side_jobs(turn, Target::Audit(id));
        }
        match count {
            (_, 2..) => self.refuted(turn, id),
            (2.., 0) => self.upheld(turn, id),
            (2.., _) => self.outvoted(turn, id),
            _ => {}
        }
    }

    /// The claim is false.
    fn refuted(&mut self, turn: &mut Turn<'_>, id: AuditId) {
        let Some(audit) = self.audits.open.get(&id) else { return };
        let (claim, truth) = (audit.claim, audit.against);
        match (claim.worker, audit.author) {
            (Some(worker), Some(author)) => {
                self.convict_unless_misled(turn, id, (worker, author), |vote| vote.upholds);
            }
            _ => self.trace(turn, id, claim.position, claim.bound, truth),
        }
    }

    /// The claim is false, since it says of a game that is over that it has not ended as the rules count: nobody has to
    /// be asked.
    pub(super) fn refuted_by_rules(&mut self, turn: &mut Turn<'_>, audit: Audit) {
        let against = Bound::exact(audit.claim.position.final_score());
        let id = self.open_audit(turn, Audit { against, ..audit });
        self.refuted(turn, id);
    }

    /// The claim is true; what contradicted it is not.
    fn upheld(&mut self, turn: &mut Turn<'_>, id: AuditId) {
        let Some(audit) = self.audits.open.get(&id) else { return };
        let (claim, upheld) = (audit.claim, audit.judged());
        if let Some(held) = audit.held {
            self.trace(turn, id, claim.position, held, upheld);
        } else {
            if audit.is_suspect {
                self.told.prove(claim.position, claim.bound);
            }
            if audit.cause.is_some() {
                self.audits.sound.insert(ClaimKey::of(claim.position, claim.bound));
            }
            self.close_audit(turn, id);
        }
    }

    /// Has the source of a false bound found.
    fn trace(
        &mut self,
        turn: &mut Turn<'_>,
        id: AuditId,
        position: Position,
        held: Bound,
        truth: Bound,
    ) {
        self.settle_audit(id);
        let claim = Proof::of(position, truth, Method::Search);
        self.audits.traced = Some(Conflict { claim, held });
        self.audits.trial = Some(Trial { audit: id, position, held, truth });
        turn.commands.push(Command::Judge(Judgement::Trace { position, held, truth }));
    }

    /// Goes on when it was found that `process` has searched a false bound: takes back what it claimed, unless it may
    /// have been misled by what can be solved again.
    pub(in crate::core) fn traced(
        &mut self,
        turn: &mut Turn<'_>,
        process: ProcessId,
        others_below: bool,
    ) {
        let Some(Trial { audit, position, held, truth }) = self.audits.trial.take() else { return };
        let charge = Charge::Stored { others_below };
        let is_refused = match self.excuse(turn, process, position, charge) {
            Excuse::Pending => {
                self.wait_for_suspects(audit);
                return;
            }
            Excuse::Unknown => {
                self.told.excuse(process);
                false
            }
            Excuse::None => {
                self.refuse(turn, process);
                true
            }
        };
        turn.commands.push(Command::Judge(Judgement::Condemn {
            position,
            held,
            truth,
            is_refused,
        }));
    }

    /// Nobody can be asked: of an author and one who contradicts it neither is believed. Where it is
    /// not known who made the claim, requests end, and those who come later decide.
    pub(super) fn cannot_tell(&mut self, turn: &mut Turn<'_>, id: AuditId) {
        let Some(audit) = self.audits.open.get(&id) else { return };
        let makers = (audit.claim.worker, audit.author);
        if let ((Some(worker), Some(author)), (1, 1)) = (makers, audit.count()) {
            self.convict_unless_misled(turn, id, (worker, author), |_| true);
        } else if let Some(conflict) = audit.contradiction() {
            let position = audit.claim.position;
            self.put_off(turn, id);
            self.stop_dependents(turn, position, &conflict);
        }
    }

    /// Ends the requests that rest on what is proved of `position`, for this contradiction that nobody can resolve.
    pub(super) fn stop_dependents(
        &mut self,
        turn: &mut Turn<'_>,
        position: Position,
        conflict: &Conflict,
    ) {
        let Conflict { claim, held } = *conflict;
        // Requests that are answered but for audits rest on it, too, as far as anybody knows.
        let mut solves = self.dependents(position);
        solves.extend(self.audits.held_back.take_all());
        for solve in solves {
            self.contradicted(turn, solve, &claim, held);
        }
        turn.conflicts.push(Conflict { claim, held });
        self.stop_contradicted(turn);
    }

    /// Those whose votes `is_wrong` names are to be believed no more, unless the claim's author may have been misled.
    fn convict_unless_misled(
        &mut self,
        turn: &mut Turn<'_>,
        id: AuditId,
        (worker, author): (WorkerId, ProcessId),
        is_wrong: impl Fn(&Vote) -> bool,
    ) {
        let Some(audit) = self.audits.open.get(&id) else { return };
        let claim = audit.claim;
        match self.excuse(turn, author, claim.position, Charge::Reported) {
            Excuse::Pending => self.wait_for_suspects(id),
            Excuse::Unknown => self.pardon(turn, id, worker),
            Excuse::None => {
                self.quarantine(turn, id);
                self.convict(turn, id, is_wrong, &claim);
            }
        }
    }

    /// The claim is true, and whoever denied it is wrong: judges search apart, so that nobody can have misled them.
    fn outvoted(&mut self, turn: &mut Turn<'_>, id: AuditId) {
        let Some(audit) = self.audits.open.get(&id) else { return };
        let claim = audit.claim;
        self.convict(turn, id, |vote| !vote.upholds, &claim);
    }

    /// Takes back what the author of a false claim has claimed, and does not refuse it: it may have been misled by
    /// what nobody remembers, or can solve again.
    fn pardon(&mut self, turn: &mut Turn<'_>, id: AuditId, worker: WorkerId) {
        let Some(audit) = self.audits.open.get(&id) else { return };
        let Proof { position, bound: claimed, .. } = audit.claim;
        self.quarantine(turn, id);
        self.told.excuse(self.fleet.process(worker));
        self.settle_audit(id);
        let (workers, is_refused) = (vec![worker], false);
        turn.commands.push(Command::Judge(Judgement::Convict {
            workers,
            position,
            claimed,
            is_refused,
        }));
    }

    /// Keeps a claim that does not hold for those who look into the case.
    fn quarantine(&mut self, turn: &mut Turn<'_>, id: AuditId) {
        let Some(Audit { claim, held, against, .. }) = self.audits.open.get(&id) else { return };
        let (claim, held) = (*claim, held.unwrap_or(*against));
        turn.commands.push(Command::Quarantine { claim, held });
    }

    /// Closes an audit when its verdict has been carried out; nothing else goes on until then.
    fn settle_audit(&mut self, id: AuditId) {
        if let Some(audit) = self.audits.open.get_mut(&id) {
            audit.is_settled = true;
        }
        self.audits.taking_back = true;
    }

    /// Those whose votes `is_wrong` names are to be believed no more.
    fn convict(
        &mut self,
        turn: &mut Turn<'_>,
        id: AuditId,
        is_wrong: impl Fn(&Vote) -> bool,
        claim: &Proof,
    ) {
        let (position, claimed) = (claim.position, claim.bound);
        let Some(audit) = self.audits.open.get(&id) else { return };
        let wrong = audit.votes.iter().filter(|(_, vote)| is_wrong(vote));
        let (processes, workers): (Vec<ProcessId>, Vec<Option<WorkerId>>) =
            wrong.map(|(&process, vote)| (process, vote.worker)).unzip();
        let workers = workers.into_iter().flatten().collect();
        for process in processes {
            self.refuse(turn, process);
        }
        self.settle_audit(id);
        let is_refused = true;
        turn.commands.push(Command::Judge(Judgement::Convict {
            workers,
            position,
            claimed,
            is_refused,
        }));
    }

    /// Believes a process no more.
    fn refuse(&mut self, turn: &mut Turn<'_>, process: ProcessId) {
        self.audits.guilty.insert(process);
        for worker in self.fleet.connections(process) {
            self.left(turn, worker);
        }
    }
}
