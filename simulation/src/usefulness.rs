//! Which of the jobs that were done a proof of the answers needs.

use std::collections::{BTreeMap, BTreeSet};

use outflank_coordinator::core::Proofs;
use outflank_engine::{Bound, Position, Score, Square};

use crate::measures::Piece;

/// One side of a bound: whether the value of a position is at least a score.
type Claim = (Position, Score, bool);

/// The jobs that ended with an answer, by position.
#[derive(Debug, Default)]
pub(crate) struct Usefulness {
    answers: BTreeMap<Position, Vec<(Bound, u64)>>,
    seen: BTreeSet<Claim>,
    used: BTreeSet<(Position, usize)>,
}

impl Usefulness {
    /// Notes a job.
    pub(crate) fn add(&mut self, piece: &Piece) {
        if piece.finished {
            self.answers.entry(piece.job.position).or_default().push((piece.bound, piece.nodes));
        }
    }

    /// Adds what a proof of `bound` of the canonical `position` needs.
    pub(crate) fn prove(&mut self, proofs: &dyn Proofs, position: Position, bound: Bound) {
        if bound.lower() > Score::MIN {
            self.claim(proofs, (position, bound.lower(), true));
        }
        if bound.upper() < Score::MAX {
            self.claim(proofs, (position, bound.upper().up(), false));
        }
    }

    /// Returns the nodes of the jobs that are needed.
    pub(crate) fn nodes(&self) -> u64 {
        self.used.iter().map(|&(position, number)| self.answers[&position][number].1).sum()
    }

    fn claim(&mut self, proofs: &dyn Proofs, claim: Claim) {
        let (position, threshold, holds) = claim;
        if position.is_over() || !self.seen.insert(claim) {
            return;
        }
        let proves = |bound: Bound| match holds {
            true => bound.lower() >= threshold,
            false => bound.upper() < threshold,
        };
        let answers = self.answers.get(&position);
        if let Some(number) =
            answers.and_then(|all| all.iter().position(|(bound, _)| proves(*bound)))
        {
            self.used.insert((position, number));
            return;
        }
        let children: BTreeSet<Position> = match position.must_pass() {
            true => BTreeSet::from([position.pass().canonical()]),
            false => {
                let moves = Square::all(position.moves());
                moves.filter_map(|square| Some(position.play(square)?.canonical())).collect()
            }
        };
        let reply = -threshold.down();
        let refutes = |child: &&Position| {
            let known = proofs.get(**child).map_or(Bound::UNKNOWN, |(bound, _)| bound);
            let known = if child.is_over() { Bound::exact(child.final_score()) } else { known };
            known.upper() < reply
        };
        if holds {
            if let Some(&child) = children.iter().find(refutes) {
                self.claim(proofs, (child, reply, false));
            }
        } else {
            children.into_iter().for_each(|child| self.claim(proofs, (child, reply, true)));
        }
    }
}
