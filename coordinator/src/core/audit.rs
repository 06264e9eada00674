//! Claims that are solved again by others, since a worker can be wrong: a memory fault, a defect,
//! malice.
//!
//! A seeded share of the answered jobs is audited: a second worker is asked whether one claim of the
//! report holds, the position's own or another one. A claim that contradicts what is proved is
//! audited, too, instead of being believed. The author of a claim upholds it; two workers outvote
//! one. Who is outvoted is wrong, and nothing it has claimed is believed any more: the shell takes
//! that back, and the core starts again from what is left. A request is answered only when the audits
//! of its claims are over.
//!
//! Where one says this and one says that, and there is no third to ask or to wait for, neither is believed. A claim
//! that nobody else can be asked about is owed an audit.
//!
//! Who made a false claim may have inferred it from a false bound of another that it was told. So what it was told is
//! solved again before it is found guilty.

mod absent;
mod debts;
mod doubts;
mod excuse;
mod held;
mod unjudged;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};

use outflank_engine::{Bound, Position, Symmetry, Window};

use super::fleet::{Lease, Target};
use super::message::{AuditId, Command, Job, JobId, Millis, ProcessId, Proof, SolveId, WorkerId};
use super::mix::{mix, mixed_with};
use super::question::Key;
use super::{Conflict, Core, Turn};
use debts::Debts;
use excuse::{ClaimKey, window_of};
use held::HeldBack;
use unjudged::side_against;

/// A claim that others are asked about.
#[derive(Debug)]
struct Audit {
    claim: Proof,
    /// The bound that it contradicts, if that is why it is audited.
    held: Option<Bound>,
    /// The request that waits for it; all do if nobody knows which one it is for.
    home: Option<SolveId>,
    /// The process that made the claim.
    author: Option<ProcessId>,
    /// Who upholds it and who does not.
    votes: BTreeMap<ProcessId, Vote>,
    /// How often somebody could not tell, and who could not since everybody was asked last.
    failures: u32,
    unable: BTreeSet<ProcessId>,
    /// How often that was so when it was put off last, and when it is tried again.
    tried: u32,
    not_before: Millis,
    /// What the last one who did not uphold it said.
    against: Bound,
    /// The contradiction that it may be to blame for, if that is why it is audited.
    cause: Option<Conflict>,
    /// Whether there is a verdict, which is being carried out.
    is_settled: bool,
    /// Whether it is of a bound that may have misled whoever made a false claim.
    is_suspect: bool,
    /// Whether there would be a verdict, if whoever is wrong cannot have been misled: what it was told is solved again.
    waits_for_suspects: bool,
    /// Whether no judge would come to an end: nobody is asked, and no answer waits for it.
    is_beyond_judges: bool,
}

/// What a process says about a claim.
#[derive(Clone, Copy, Debug)]
struct Vote {
    /// The connection by which it said so; `None` if that was one to an earlier coordinator.
    worker: Option<WorkerId>,
    upholds: bool,
}

/// A false bound whose author is being looked for.
#[derive(Clone, Copy, Debug)]
struct Trial {
    audit: AuditId,
    position: Position,
    /// The false bound.
    held: Bound,
    /// The true one.
    truth: Bound,
}

impl Audit {
    /// Returns an audit of a claim whose author nobody knows.
    fn new(claim: Proof) -> Self {
        Self {
            claim: Proof { worker: None, ..claim },
            held: None,
            home: None,
            author: None,
            votes: BTreeMap::new(),
            failures: 0,
            unable: BTreeSet::new(),
            tried: 0,
            not_before: Millis(0),
            against: Bound::UNKNOWN,
            cause: None,
            is_settled: false,
            is_suspect: false,
            waits_for_suspects: false,
            is_beyond_judges: false,
        }
    }

    /// Returns an audit of a claim that was made to an earlier coordinator. Its author upholds it; should it be false,
    /// the store knows who that is.
    fn of_earlier(claim: Proof, author: Option<ProcessId>) -> Self {
        let vote = |author| (author, Vote { worker: None, upholds: true });
        Self { author, votes: author.into_iter().map(vote).collect(), ..Self::new(claim) }
    }

    /// Returns whether it needs a judge.
    fn waits(&self) -> bool {
        !self.is_settled && !self.waits_for_suspects
    }

    /// Returns whether somebody may be found wrong by it. It waits for judges that rest, too: nobody is judged on one voice
    /// because the others happen to rest.
    fn is_of_a_case(&self) -> bool {
        self.is_disputed() || self.is_suspect
    }

    /// Returns whether nobody has said anything to this coordinator.
    fn has_no_witness_here(&self) -> bool {
        self.votes.values().all(|vote| vote.worker.is_none())
    }

    /// Returns those who have said something.
    fn voters(&self) -> Vec<ProcessId> {
        self.votes.keys().copied().collect()
    }

    /// Returns whether somebody has said something who is not the author.
    fn has_witness(&self) -> bool {
        self.votes.keys().any(|&process| Some(process) != self.author)
    }

    /// Returns what its claim is told from others by.
    fn key(&self) -> ClaimKey {
        ClaimKey::of(self.claim.position, self.claim.bound)
    }

    /// Returns whether there are two opinions.
    fn is_disputed(&self) -> bool {
        self.contradiction().is_some()
    }

    /// Returns the contradiction that remains when nobody can decide, if there is one.
    fn contradiction(&self) -> Option<Conflict> {
        let Self { claim, against, .. } = *self;
        match self.held {
            Some(held) => Some(Conflict { claim, held }),
            None if self.count().1 > 0 => {
                Some(Conflict { claim: Proof { bound: against, ..claim }, held: claim.bound })
            }
            None => self.cause,
        }
    }

    /// Returns how many uphold the claim and how many do not.
    fn count(&self) -> (usize, usize) {
        let upheld = self.votes.values().filter(|vote| vote.upholds).count();
        (upheld, self.votes.len() - upheld)
    }

    /// Returns what judges are asked about: the claim, or as much of it as contradicts what is held. The rest may take many
    /// times as long, and would decide nothing.
    fn judged(&self) -> Bound {
        self.held.map_or(self.claim.bound, |held| side_against(self.claim.bound, held))
    }

    /// Returns the window whose answer says whether that holds.
    fn window(&self) -> Window {
        window_of(self.judged())
    }
}

/// All audits.
#[derive(Debug, Default)]
pub(super) struct Audits {
    open: BTreeMap<AuditId, Audit>,
    opened: u64,
    debts: Debts,
    /// Positions of which an inference contradicts what is proved while another audit concerns them: its verdict may
    /// leave the contradiction as it is.
    unresolved: BTreeSet<Position>,
    /// The contradiction whose source was looked for last.
    traced: Option<Conflict>,
    /// The case for which it was looked for.
    trial: Option<Trial>,
    /// The bounds that were suspected for such a reason since proofs were taken back last, and are true.
    sound: BTreeSet<ClaimKey>,
    /// Whether claims are being taken back: nothing is handed out or answered meanwhile.
    pub(super) taking_back: bool,
    /// The requests that are answered but for audits.
    held_back: HeldBack,
    /// Whether an audit has ended since they were looked at: until then they have to wait, and to
    /// look at them takes a walk along each of their lines.
    has_news: bool,
    /// Whether that was one of a bound that may have misled somebody.
    has_news_of_suspects: bool,
    /// The cases that are to be looked at for that reason.
    accused: BTreeSet<AuditId>,
    /// Those whose word counts for nothing.
    guilty: BTreeSet<ProcessId>,
    /// How often proofs were taken back.
    pub(super) era: u64,
    /// The processes that have been here and may come back, and until when that is likely.
    pub(super) absent: BTreeMap<ProcessId, Millis>,
}

impl Audits {
    /// Returns the number of audits so far.
    pub(super) fn opened(&self) -> u64 {
        self.opened
    }

    /// Returns the number of audits that are under way.
    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    /// Returns the number of requests that are answered but for audits.
    pub(super) fn held_back(&self) -> usize {
        self.held_back.len()
    }

    /// Returns the number of positions with a contradiction that waits for an audit.
    pub(super) fn unresolved(&self) -> usize {
        self.unresolved.len()
    }

    /// Returns the audits of claims about `position` that are under way.
    fn about(&self, position: Position) -> impl Iterator<Item = &Audit> {
        self.open.values().filter(move |audit| audit.claim.position == position)
    }
}

impl Core {
    /// Returns whether the process of `worker` was found to be wrong.
    pub(super) fn is_guilty(&self, worker: WorkerId) -> bool {
        let guilty = &self.audits.guilty;
        !guilty.is_empty() && guilty.contains(&self.fleet.process(worker))
    }

    /// Returns an audit of a claim that its author upholds.
    fn audit_of(&self, claim: Proof, held: Option<Bound>, home: Option<SolveId>) -> Audit {
        let upholds = true;
        let vote = |worker| (self.fleet.process(worker), Vote { worker: Some(worker), upholds });
        let votes: BTreeMap<ProcessId, Vote> = claim.worker.map(vote).into_iter().collect();
        let author = votes.keys().next().copied();
        Audit { claim, held, home, author, votes, ..Audit::new(claim) }
    }

    /// Has one claim of a report on `job` solved again, if the job is in the sample, which is such a `share` of all.
    pub(super) fn sample(
        &mut self,
        turn: &mut Turn<'_>,
        job: JobId,
        share: f64,
        home: Option<SolveId>,
        claims: &[Proof],
    ) {
        // By what is said, too: under the name of one job anything may be reported.
        let said = claims.iter().fold(job.0, |said, claim| {
            mixed_with(said, claim.position, claim.bound.lower(), claim.bound.upper())
        });
        let said = JobId(said);
        let drawn = draw(self.config.audit_seed, said);
        let is_sampled = (drawn as f64) < share * u64::MAX as f64;
        if !is_sampled {
            return;
        }
        // What is held already, and nobody could judge, would be owed for good: whoever searches for a line says so.
        let is_of_use = |claim: &&Proof| {
            !self.is_beyond_judges(claim.position, claim.bound)
                || !self.known(turn, claim.position).bound.implies(claim.bound)
        };
        let claims: Vec<Proof> = claims.iter().filter(is_of_use).copied().collect();
        if claims.is_empty() {
            return;
        }
        // Half of the audits are of the job's own position, the others of what came with it.
        let which = draw(drawn, said);
        let others = claims.len() as u64 - 1;
        let own = which.is_multiple_of(2) || others == 0;
        let index = if own { 0 } else { 1 + which / 2 % others };
        self.open_audit(turn, self.audit_of(claims[index as usize], None, home));
    }

    /// Has claims that contradict what is proved solved again, or finds who made them to be wrong at once where the rules
    /// alone say so, or goes by what is proved below where nobody can judge. Returns whether that is decided, or there are
    /// enough workers to decide; if not, that is owed.
    pub(super) fn dispute(
        &mut self,
        turn: &mut Turn<'_>,
        home: Option<SolveId>,
        conflicts: &[Conflict],
    ) -> bool {
        let by_rules = |conflict: &&Conflict| conflict.claim.position.is_over();
        if let Some(&Conflict { claim, held }) = conflicts.iter().find(by_rules) {
            let audit = self.audit_of(claim, Some(held), home);
            self.refuted_by_rules(turn, audit);
            return true;
        }
        let mut can_decide = true;
        for &Conflict { claim, held } in conflicts {
            let author = claim.worker.map(|worker| self.fleet.process(worker));
            let has_judges = self.fleet.others_accept(2, author.as_slice());
            let is_beyond = self.is_beyond_judges(claim.position, side_against(claim.bound, held));
            can_decide &= has_judges || is_beyond;
            if self.is_being_decided(turn.now, claim.position) {
                self.audits.unresolved.insert(claim.position);
                continue;
            }
            if is_beyond {
                self.decide_without_judges(turn, home, &Conflict { claim, held });
                continue;
            }
            if self.audits.owe_verdict(claim.position, has_judges) {
                if has_judges && self.try_again(turn.now, claim.position) {
                    self.audits.unresolved.insert(claim.position);
                } else {
                    can_decide = false; // Those who could decide come later, if ever.
                }
                continue;
            }
            let id = self.open_audit(turn, self.audit_of(claim, Some(held), home));
            if !has_judges {
                self.put_off(turn, id);
            }
        }
        can_decide
    }

    /// Has inferences that contradict what is proved audited, or stops the requests that depend on
    /// them.
    pub(super) fn resolve_conflicts(&mut self, turn: &mut Turn<'_>) {
        let conflicts = std::mem::take(&mut turn.conflicts);
        if !conflicts.is_empty() && !self.dispute(turn, None, &conflicts) {
            turn.conflicts = conflicts;
            self.stop_contradicted(turn);
        }
    }

    /// Asks about claims, before anything else is handed out; puts off what nobody can answer.
    pub(super) fn assign_audits(&mut self, turn: &mut Turn<'_>) {
        self.take_up_debts(turn.now);
        self.infer_again(turn);
        self.go_on_with_the_accused(turn);
        if self.audits.open.is_empty() && self.audits.held_back.len() == 0 {
            return;
        }
        for id in self.judged_next() {
            if self.audits.taking_back {
                return; // One of them has led to a verdict.
            }
            self.assign_audit(turn, id);
        }
        let are_due = self.audits.held_back.are_due(turn.now);
        if !self.audits.taking_back && (std::mem::take(&mut self.audits.has_news) || are_due) {
            self.answer_the_audited(turn);
        }
    }

    /// Returns whether an audit needs a judge and none is at it.
    fn waits_for_a_judge(&self, id: AuditId, audit: &Audit) -> bool {
        !self.side_jobs.run(Target::Audit(id)) && audit.waits()
    }

    /// Returns for each audit that waits for a judge the workers who cannot be that.
    pub(super) fn unfit_to_judge(&self) -> Vec<Vec<WorkerId>> {
        let unfit = |audit: &Audit| {
            let others = self.not_asked(audit);
            let is_other = |&worker: &WorkerId| others.contains(&self.fleet.process(worker));
            self.fleet.ids().into_iter().filter(is_other).collect()
        };
        let waiting = self.judged_next();
        waiting.iter().filter_map(|id| self.audits.open.get(id)).map(unfit).collect()
    }

    /// Returns those who are not asked about a claim: who has said something, and who could not tell as long as there are
    /// others.
    fn not_asked(&self, audit: &Audit) -> Vec<ProcessId> {
        let tried: Vec<ProcessId> = audit.votes.keys().chain(&audit.unable).copied().collect();
        if self.can_be_judged(audit, &tried) { tried } else { audit.voters() }
    }

    /// Returns whether there is somebody to ask about a claim who is of none of the processes `others`: now, or, if somebody
    /// may be found wrong by it, after a rest.
    fn can_be_judged(&self, audit: &Audit, others: &[ProcessId]) -> bool {
        if audit.is_of_a_case() {
            self.fleet.others_accept(1, others)
        } else {
            self.fleet.others_are_available(1, others)
        }
    }

    /// Returns the number of claims that an earlier coordinator had solved again, and nobody has taken up here.
    pub(super) fn resumed_audits(&self) -> u64 {
        let is_left = |&(&id, audit): &(&AuditId, &Audit)| {
            !audit.is_disputed()
                && audit.has_no_witness_here()
                && !self.side_jobs.run(Target::Audit(id))
        };
        self.audits.open.iter().filter(is_left).count() as u64
    }

    fn assign_audit(&mut self, turn: &mut Turn<'_>, id: AuditId) {
        let Some(audit) = self.audits.open.get(&id) else { return };
        let voters = audit.voters();
        if audit.has_no_witness_here() && self.fleet.accepting() == 0 {
            return; // Nobody has come yet.
        }
        let has_failed = audit.failures > self.config.retry_limit.max(audit.tried);
        if has_failed || audit.is_beyond_judges || !self.can_be_judged(audit, &voters) {
            if !audit.is_disputed() {
                self.put_off(turn, id);
            } else if has_failed || audit.is_beyond_judges || !self.may_be_decided(turn, audit) {
                self.cannot_tell(turn, id);
            }
            return;
        }
        let others = self.not_asked(audit);
        let is_round_over = others == voters && !audit.unable.is_empty();
        if self.ask_judge(turn, id, &others)
            && is_round_over
            && let Some(audit) = self.audits.open.get_mut(&id)
        {
            audit.unable.clear();
        }
    }

    /// Asks another judge about a claim that `first` judges already, if one is free who has not been asked. Returns whether
    /// one is.
    pub(super) fn ask_second_judge(
        &mut self,
        turn: &mut Turn<'_>,
        id: AuditId,
        first: WorkerId,
    ) -> bool {
        let Some(audit) = self.audits.open.get(&id) else { return false };
        let mut others = audit.voters();
        others.extend(&audit.unable);
        others.push(self.fleet.process(first));
        self.ask_judge(turn, id, &others)
    }

    /// Asks a worker of none of the processes `others` about a claim. Returns whether one is free.
    fn ask_judge(&mut self, turn: &mut Turn<'_>, id: AuditId, others: &[ProcessId]) -> bool {
        let Some(audit) = self.audits.open.get(&id) else { return false };
        let key = Key { position: audit.claim.position, window: audit.window() };
        let job = key.audit_job_id();
        let Some(worker) = self.fleet.choose_of_others(job, others) else { return false };
        let (home, failures) = (audit.home, audit.failures);
        let estimate = self.advisor.estimate(key.position);
        let predicted = self.advisor.predicted_nodes(key.position, key.window, estimate);
        let growth = self.config.budget_factor.powi(failures as i32 + 2);
        let node_limit = (predicted * growth).max(self.config.shortest_job) as u64;
        let lease = Lease::new(Target::Audit(id), home.unwrap_or(SolveId(0)), key, 1, predicted);
        self.enter_lease(turn, worker, job, lease);
        // Nothing is told that might be what is false.
        let Key { position, window } = key;
        let (known, threads) = (Vec::new(), 1);
        let (id, symmetry, era) = (job, Symmetry::IDENTITY, self.audits.era);
        let (hints, helps) = (false, false);
        let job = Job {
            id,
            position,
            symmetry,
            window,
            node_limit,
            threads,
            known,
            era,
            hints,
            helps,
            inside: None,
            is_apart: true,
            is_shared: false,
        };
        turn.commands.push(Command::Assign { worker, job });
        true
    }
}

/// Returns 64 bits that follow from both.
fn draw(seed: u64, job: JobId) -> u64 {
    mix(seed ^ mix(job.0))
}
