//! What must hold at every moment.

use outflank_coordinator::core::{Proof, Proofs, Report, Solution, SolveId};
use outflank_engine::{Bound, Position};

use super::{Asked, Faults, World};
use crate::oracle::replay;

impl World {
    pub(super) fn check_proof(&self, proof: &Proof) {
        assert_eq!(proof.position, proof.position.canonical());
        self.check_bound(proof.position, proof.bound);
        if let Some(square) = proof.best_move {
            assert!(proof.position.play(square).is_some(), "{proof:?} has an illegal move");
        }
    }

    pub(super) fn check_bound(&self, position: Position, bound: Bound) {
        if !self.anyone_lies() {
            let value = self.oracle.value(position);
            let holds = bound.merge(Bound::exact(value)).is_ok();
            assert!(holds, "{bound} of {position:?} is false: {value}");
        }
    }

    /// Notes what was acknowledged, which must be on disk, for ever.
    pub(super) fn check_acknowledged(&mut self, report: &Report) {
        if self.anyone_lies() {
            return;
        }
        self.promise(report.position, report.bound);
        for &(square, bound) in &report.children {
            self.promise(report.position.play(square).unwrap(), bound);
        }
    }

    fn promise(&mut self, position: Position, bound: Bound) {
        let promised = self.promised.entry(position.canonical()).or_insert(bound);
        *promised = promised.merge(bound).expect("both are true");
        let promised = *promised;
        self.check_promise(position.canonical(), promised);
    }

    /// Checks that nothing acknowledged is lost.
    pub(crate) fn check_promises(&self) {
        for (&position, &bound) in &self.promised {
            self.check_promise(position, bound);
        }
    }

    fn check_promise(&self, position: Position, bound: Bound) {
        let stored = self.store.kept.get(position).map_or(Bound::UNKNOWN, |(bound, _)| bound);
        assert!(stored.implies(bound) || position.is_over(), "{bound} acknowledged, not stored");
    }

    pub(super) fn solved(&mut self, solve: SolveId, solution: Solution) {
        let Some(Asked { position, window, terms }) = self.take_request(solve) else { return };
        assert!(solution.bound.answers(window));
        self.check_bound(position, solution.bound);
        if !self.anyone_lies() && terms.is_none() {
            self.check_line(position, &solution);
        }
        self.outcome.happened.early += u64::from(solution.unaudited > 0);
        self.outcome.solved.insert(solve, solution);
    }

    /// Returns the request `solve`, which has ended, unless it was given up.
    pub(super) fn take_request(&mut self, solve: SolveId) -> Option<Asked> {
        let asked = self.requests.remove(&solve);
        assert!(asked.is_some() || self.given_up.contains(&solve), "{solve:?} was not open");
        asked
    }

    fn check_line(&self, position: Position, solution: &Solution) {
        let Some(value) = solution.bound.value() else { return };
        let mut reached = (position, value);
        for &square in &solution.line {
            if reached.0.must_pass() {
                reached = (reached.0.pass(), -reached.1);
            }
            reached = (reached.0.play(square).expect("a legal line"), -reached.1);
            assert_eq!(self.oracle.value(reached.0), reached.1, "the line keeps the value");
        }
        let is_complete = replay(position, &solution.line) == Some(value);
        let Faults { churn, lost, failed, leaps, .. } = self.faults;
        // A clock that leaps may end the lease of whoever searches for it.
        let may_be_cut = churn + lost + failed + leaps > 0 || self.is_calm;
        let (line, happened) = (&solution.line, &self.outcome.happened);
        assert!(is_complete || may_be_cut, "the line {line:?} ends early: {happened:?}");
        // Where the player must pass the line begins with a move of the opponent.
        let first = solution.line.first().copied().filter(|_| !position.must_pass());
        assert_eq!(solution.best_move, first.or(solution.best_move));
    }

    pub(super) fn anyone_lies(&self) -> bool {
        self.faults.wrong > 0 || self.has_damage || !self.liars.is_empty()
    }
}
