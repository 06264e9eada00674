//! Contradictions about what nobody can judge, since it takes more than any worker may search: near the root of what is
//! asked, say.
//!
//! A bound that follows from what is proved one ply below contradicts nothing else that does. So of two that contradict each
//! other one at least has nothing below that it rests on, be it that damage has lost that, or that a worker has claimed
//! what nobody had asked it for. If the other rests on something, it stays, and what it rests on is doubted: those
//! bounds are of smaller positions, or rest on smaller ones in turn, which judges can search. If one of them is false,
//! who made it is found, and what rests on it falls, too.
//!
//! A claim that a worker makes is not believed where it contradicts what is held; that nobody can tell is owed, as each
//! answer says then.

use std::collections::BTreeSet;

use outflank_engine::{Bound, Position, Score};

use super::excuse::ClaimKey;
use super::{Audit, Conflict, Core, Proof, SolveId, Turn};
use crate::core::graph;
use crate::core::message::{Command, Judgement, Method};

/// The most bounds that are doubted for one contradiction: where more would have to be solved again, nobody does that, as
/// it would take as long as all has taken.
const MOST_GROUNDS: usize = 32;

/// A bound that another one rests on.
type Ground = (Position, Bound);

impl Core {
    /// Goes on with a contradiction that nobody can judge: what is held is taken back if what is proved below contradicts
    /// it, and otherwise what is claimed is not believed.
    pub(super) fn decide_without_judges(
        &mut self,
        turn: &mut Turn<'_>,
        home: Option<SolveId>,
        &Conflict { claim, held }: &Conflict,
    ) {
        let position = claim.position;
        let (stored, truth) =
            (self.known(turn, position).bound, self.inferred_from_below(turn, position));
        if truth.merge(stored).is_err() {
            self.retract(turn, position, stored, truth);
        } else if !self.audits.owe_verdict(position, false) {
            let id = self.open_audit(turn, self.audit_of(claim, Some(held), home));
            self.put_off(turn, id);
            turn.commands.push(Command::Quarantine { claim, held });
        }
    }

    /// Returns what is proved of `position` by what is proved of the positions after its moves.
    pub(super) fn inferred_from_below(&self, turn: &Turn<'_>, position: Position) -> Bound {
        let children = graph::edges(position).into_iter();
        let seen = children.map(|edge| (-self.known(turn, edge.child).bound, edge.square));
        graph::infer(seen).map_or(Bound::UNKNOWN, |(bound, _)| bound)
    }

    /// Takes back what is `held` of a position, since `truth` follows from what is proved below, and doubts what that is.
    fn retract(&mut self, turn: &mut Turn<'_>, position: Position, held: Bound, truth: Bound) {
        if self.audits.taking_back {
            return; // Then all is asked again, and what still stands contradicts itself again.
        }
        let claim = Proof::of(position, truth, Method::Inference);
        for ground in self.grounds(turn, (position, side_against(truth, held))) {
            self.doubt_ground(turn, ground, Conflict { claim, held });
        }
        self.audits.taking_back = true;
        turn.commands.push(Command::Judge(Judgement::Retract { position, held, truth }));
    }

    /// Has a bound solved again that another one rests on which has contradicted something: until then nothing is answered.
    /// Where nobody can do that, it is owed.
    fn doubt_ground(&mut self, turn: &mut Turn<'_>, (position, bound): Ground, cause: Conflict) {
        let key = ClaimKey::of(position, bound);
        let debts = self.audits.debts.all().map(|(_, audit)| audit);
        let all = self.audits.open.values().chain(debts).filter(|audit| audit.held.is_none());
        let keys: BTreeSet<_> = all.map(Audit::key).collect();
        if keys.contains(&key) || self.audits.sound.contains(&key) {
            return;
        }
        let claim = Proof { position, bound, ..cause.claim };
        let has_judges = !self.is_beyond_judges(position, bound);
        let cause = has_judges.then_some(cause);
        let id = self.open_audit(turn, Audit { cause, ..Audit::new(claim) });
        if !has_judges {
            self.put_off(turn, id);
        }
    }

    /// Returns bounds from which the one of `ground` follows that judges can solve again, as far as there are such; but not
    /// too many: some may be of larger positions.
    fn grounds(&self, turn: &Turn<'_>, ground: Ground) -> Vec<Ground> {
        let (mut open, mut grounds) =
            (self.grounds_below(turn, ground).unwrap_or_default(), vec![]);
        while let Some((position, bound)) = open.pop() {
            let is_large = self.is_beyond_judges(position, bound);
            let below = self.grounds_below(turn, (position, bound)).filter(|_| is_large);
            let count = open.len() + grounds.len();
            match below {
                Some(below) if count + below.len() <= MOST_GROUNDS => open.extend(below),
                _ => grounds.push((position, bound)),
            }
        }
        grounds
    }

    /// Returns the bounds one ply below from which a bound follows whose other side says nothing, but for games that are
    /// over; `None` if it follows from none.
    fn grounds_below(&self, turn: &Turn<'_>, (position, bound): Ground) -> Option<Vec<Ground>> {
        let children: Vec<Position> =
            graph::edges(position).into_iter().map(|edge| edge.child).collect();
        let supports = |child: &Position| self.known(turn, *child).bound.implies(-bound);
        let needed = if bound.lower() > Score::MIN {
            // One move that reaches it suffices, best one that needs no judge.
            let is_hard = |child: &Position| {
                (!child.is_over(), self.is_beyond_judges(*child, -bound), child.empties())
            };
            vec![children.into_iter().filter(supports).min_by_key(is_hard)?]
        } else if children.iter().all(supports) {
            children
        } else {
            return None;
        };
        let is_open = |child: &Position| !child.is_over();
        Some(needed.into_iter().filter(is_open).map(|child| (child, -bound)).collect())
    }
}

/// Returns the side of `claimed` that contradicts `held`.
pub(super) fn side_against(claimed: Bound, held: Bound) -> Bound {
    match () {
        () if claimed.lower() > held.upper() => Bound::at_least(claimed.lower()),
        () if claimed.upper() < held.lower() => Bound::at_most(claimed.upper()),
        () => claimed,
    }
}
