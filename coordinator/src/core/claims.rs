//! What workers report: claims are checked, kept, and the job's question goes on.

use std::collections::BTreeMap;

use outflank_engine::{Bound, Position, Score, Square};

use super::fleet::{Lease, Target, after};
use super::graph;
use super::message::{Command, JobId, Method, Proof, Report, SolveId, WorkerId};
use super::question::{Key, Wanted};
use super::{Conflict, Core, Turn};

impl Core {
    /// Takes a report: of a running job, or a late, repeated or unknown one, whose bounds count
    /// just as much.
    pub(super) fn reported(&mut self, turn: &mut Turn<'_>, worker: WorkerId, report: &Report) {
        self.fleet.renew(worker, after(turn.now, self.config.lease));
        let lease = self.fleet.lease(worker, report.job).copied();
        let has_ended = lease.is_some_and(|lease| !self.is_of_before(worker, &lease, report));
        if let Some(lease) = lease.filter(|_| has_ended) {
            self.fleet.end(worker, report.job);
            self.account(&lease, report.nodes);
            if let Some(solve) = self.solves.get_mut(&lease.home) {
                solve.jobs_done += u64::from(!report.failed);
            }
            if !report.failed {
                self.fleet.has_worked(worker);
            } else if let Some(rest) = self.fleet.has_failed(worker, turn.now) {
                turn.commands.push(Command::Resting { worker, rest });
            }
        }
        let fits = lease.as_ref().is_none_or(|lease| lease.position == report.position);
        let is_of_today = report.era == self.audits.era;
        let is_believed = match lease.as_ref().map(|lease| lease.target) {
            Some(Target::Audit(id)) if has_ended => {
                let fits = fits && is_of_today;
                self.audit_ended(turn, id, worker, Some(report).filter(|_| fits));
                let home = lease.as_ref().map(|lease| lease.home);
                let counts = fits && !self.is_guilty(worker);
                counts && self.take_opinion(turn, worker, report, home)
            }
            Some(Target::Disowned) => false,
            _ if !is_of_today => false,
            _ if fits && report.position.canonical() == report.position => {
                self.take_claims(turn, worker, report, lease.as_ref())
            }
            _ => {
                self.illegal_claims += 1;
                false
            }
        };
        if let Some(lease) = lease.filter(|_| has_ended) {
            if is_believed {
                self.learn_cost(&lease, report);
            }
            if let Target::Line(id) = lease.target {
                self.take_line(turn, id, worker, Some(report).filter(|_| fits));
            }
            self.go_on(turn, worker, &lease, is_believed && !report.failed);
            self.note_freed(worker, lease.home);
        }
        turn.commands.push(Command::Acknowledge { worker, job: report.job });
    }

    /// Returns whether a report cannot be that of the job which the worker was given last under this name, but is one that
    /// it has kept over a reconnection: of an earlier era, or the job was given up before its time and nobody has asked for
    /// that. Then the worker still has the job. If it has not, its heartbeats do not name it, and the lease runs out.
    fn is_of_before(&self, worker: WorkerId, lease: &Lease, report: &Report) -> bool {
        if lease.target == Target::Disowned {
            return false;
        }
        let may_stop = match lease.target {
            Target::Question(key) => self.stopping.contains(&key),
            Target::Line(_) => false,
            Target::Help => lease.stopped.is_some(),
            Target::Audit(_) | Target::Disowned | Target::Nothing => true,
        };
        let is_given_up = !report.finished && !report.failed;
        let is_early = is_given_up && report.nodes < lease.limit && !may_stop;
        report.era != self.audits.era || is_early && !self.fleet.is_draining(worker)
    }

    /// Keeps what a report claims if nothing proved contradicts it; else nothing of it. Returns
    /// whether it was kept.
    fn take_claims(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        report: &Report,
        lease: Option<&Lease>,
    ) -> bool {
        let claims = self.claims(worker, report);
        let conflicts = self.conflicts(turn, report.position, &claims);
        if !conflicts.is_empty() {
            self.contradicting(turn, report.position, lease, conflicts);
            return false;
        }
        self.take_hints(report);
        let share = self.config.audit_share;
        self.sample(turn, report.job, share, lease.map(|lease| lease.home), &claims);
        self.believe(turn, &claims);
        true
    }

    /// Keeps what was found inside a job if nothing proved contradicts it; else nothing of it. The number `drawn` decides
    /// whether it is audited. Returns whether it was kept.
    pub(super) fn take_inside(
        &mut self,
        turn: &mut Turn<'_>,
        lease: &Lease,
        drawn: JobId,
        claims: &[Proof],
    ) -> bool {
        let conflicts = self.conflicts(turn, lease.position, claims);
        if !conflicts.is_empty() {
            self.contradicting(turn, lease.position, Some(lease), conflicts);
            return false;
        }
        // There are many more of them than reports: of all one in a thousand where it is one in a hundred of those.
        let share = self.config.audit_share * self.config.audit_share.sqrt();
        self.sample(turn, drawn, share, Some(lease.home), claims);
        self.believe(turn, claims);
        true
    }

    /// Keeps what a worker that was asked about another's claim says, unless that is what the
    /// dispute is about. Returns whether it was kept.
    ///
    /// Where it says more than the other it is a claim like any, and may be audited, too. That ends:
    /// each time more must be said.
    fn take_opinion(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        report: &Report,
        home: Option<SolveId>,
    ) -> bool {
        let claims = self.claims(worker, report);
        if !self.conflicts(turn, report.position, &claims).is_empty() {
            return false;
        }
        let is_new = |claim: &&Proof| !self.known(turn, claim.position).bound.implies(claim.bound);
        let news: Vec<Proof> = claims.iter().filter(is_new).copied().collect();
        let home = home.filter(|home| self.solves.contains_key(home));
        self.sample(turn, report.job, self.config.audit_share, home, &news);
        self.believe(turn, &claims);
        true
    }

    fn believe(&mut self, turn: &mut Turn<'_>, claims: &[Proof]) {
        for claim in claims {
            self.persist(turn, *claim);
            self.learn(turn, claim.position, claim.bound, claim.best_move);
        }
        self.settle(turn);
    }

    /// Has claims that contradict what is proved audited; if there is nobody to decide, stops the
    /// requests that depend on it.
    fn contradicting(
        &mut self,
        turn: &mut Turn<'_>,
        position: Position,
        lease: Option<&Lease>,
        conflicts: Vec<Conflict>,
    ) {
        if self.dispute(turn, lease.map(|lease| lease.home), &conflicts) {
            return;
        }
        for id in self.dependents(position) {
            let Conflict { claim, held } = &conflicts[0];
            self.contradicted(turn, id, claim, *held);
        }
        turn.conflicts.extend(conflicts);
        self.stop_contradicted(turn);
    }

    /// Returns the claims of a report: of its position, of the positions after legal moves, and of
    /// those along its line.
    fn claims(&mut self, worker: WorkerId, report: &Report) -> Vec<Proof> {
        let position = report.position;
        let best_move = report.best_move.filter(|&square| position.play(square).is_some());
        let best_move = best_move.filter(|&square| is_shown(report, square));
        let of_root = Proof {
            position,
            bound: report.bound,
            best_move,
            nodes: report.nodes,
            method: Method::Search,
            worker: Some(worker),
        };
        let mut claims = vec![of_root];
        for &(square, bound) in &report.children {
            let Some(child) = position.play(square) else {
                self.illegal_claims += 1;
                continue;
            };
            let position = child.canonical();
            claims.push(Proof { position, bound, best_move: None, nodes: 0, ..of_root });
        }
        if let Some(value) = report.bound.value() {
            let along = values_along(position, &report.line, value);
            claims.extend(along.map(|(position, value)| Proof {
                position,
                bound: Bound::exact(value),
                best_move: None,
                nodes: 0,
                ..of_root
            }));
        }
        claims.retain(|claim| claim.bound != Bound::UNKNOWN);
        claims
    }

    /// Returns the claims that contradict what is proved, or each other.
    fn conflicts(&self, turn: &Turn<'_>, position: Position, claims: &[Proof]) -> Vec<Conflict> {
        let mut merged: BTreeMap<Position, Bound> = BTreeMap::new();
        let mut conflicts = Vec::new();
        for &claim in claims {
            let known = self.known(turn, claim.position).bound;
            let held = *merged.entry(claim.position).or_insert(known);
            match held.merge(claim.bound) {
                Ok(bound) => {
                    merged.insert(claim.position, bound);
                }
                Err(_) => conflicts.push(Conflict { claim, held }),
            }
        }
        let children = graph::edges(position).into_iter().map(|edge| {
            let bound = merged.get(&edge.child).copied();
            (-bound.unwrap_or_else(|| self.known(turn, edge.child).bound), edge.square)
        });
        if let Some((held, _)) = graph::infer(children)
            && let Some(&claim) = claims.iter().find(|claim| claim.position == position)
            && held.merge(claim.bound).is_err()
        {
            conflicts.push(Conflict { claim, held });
        }
        conflicts
    }

    /// Keeps the order of the moves and the line of a report; neither proves anything.
    fn take_hints(&mut self, report: &Report) {
        let position = report.position;
        let Some(node) = self.graph.get_mut(position) else { return };
        let legal = |square: &&Square| position.play(**square).is_some();
        let order: Vec<Square> = report.order.iter().filter(legal).copied().collect();
        if !order.is_empty() {
            node.order = order;
        }
        for &window in &node.windows {
            let Some(question) = self.questions.get(&Key { position, window }) else { continue };
            for &wanted in question.wanted_by.keys() {
                if let Wanted::Solve(id) = wanted
                    && let Some(solve) = self.solves.get_mut(&id)
                {
                    solve.lines.insert(position, report.line.clone());
                }
            }
        }
    }

    /// Compares what a job took with what was predicted.
    fn learn_cost(&mut self, lease: &Lease, report: &Report) {
        // Of a search that was shared the others have done a part.
        if let Target::Question(_) = lease.target
            && report.finished
            && !lease.was_helped
        {
            self.predictor.learn(lease.window, lease.predicted, report.nodes);
        }
    }

    /// Goes on with what the reported job was for; `was_done` unless it failed or was not believed.
    fn go_on(&mut self, turn: &mut Turn<'_>, worker: WorkerId, lease: &Lease, was_done: bool) {
        match lease.target {
            Target::Question(key) if !was_done => self.job_lost(turn, key, worker),
            Target::Question(key) if self.fleet.is_draining(worker) => self.job_ended(key, worker),
            Target::Question(key) => self.job_overran(turn, key, worker),
            Target::Line(_)
            | Target::Help
            | Target::Audit(_)
            | Target::Disowned
            | Target::Nothing => {}
        }
    }

    /// Goes on with the line that a job was for.
    fn take_line(
        &mut self,
        turn: &mut Turn<'_>,
        id: SolveId,
        worker: WorkerId,
        report: Option<&Report>,
    ) {
        if let Some(solve) = self.solves.get_mut(&id)
            && let Some(report) = report
        {
            solve.lines.insert(report.position, report.line.clone());
        }
        if report.is_some_and(|report| !report.failed) {
            self.side_jobs.end(Target::Line(id), worker);
            self.stop_side_jobs(turn, Target::Line(id));
            self.line_ended(turn, id, None);
        } else {
            self.line_lost(turn, id, worker);
        }
    }
}

/// Returns whether a report of an exact value shows that this move reaches it, by its line or by the bound of the position
/// after the move: what a search names that was stopped may only have seemed best. Of other bounds it need not.
fn is_shown(report: &Report, square: Square) -> bool {
    let reaches = |bound: Bound| -bound.upper() >= report.bound.lower();
    let is_proof = |&(other, bound): &(Square, Bound)| other == square && reaches(bound);
    report.bound.value().is_none()
        || report.line.first() == Some(&square)
        || report.children.iter().any(is_proof)
}

/// Returns the positions after each move of a line, canonical, with their values, if the position
/// it begins at has `value` and each move of it keeps that. Stops at what is not a legal move.
fn values_along(
    position: Position,
    line: &[Square],
    value: Score,
) -> impl Iterator<Item = (Position, Score)> {
    let mut here = (position, value);
    line.iter().map_while(move |&square| {
        let (position, value) = here;
        let (position, value) =
            if position.must_pass() { (position.pass(), -value) } else { (position, value) };
        here = (position.play(square)?, -value);
        Some((here.0.canonical(), here.1))
    })
}
