//! Proofs as files: what is needed of the store to be sure of some positions, and no more.
//!
//! A proof is a tree of claims, "the value of this position is at least (or at most) v". A claim
//! follows from claims about the positions after its moves, or was found by a worker: then it is a
//! leaf and names who found it. `docs/proof-format.md` describes the file, which `outflank-checker`
//! checks with code of its own.
//!
//! The export walks from the roots down, positions with more empty squares first. Every position
//! is visited when all claims about it are known, and gets only the strongest: so the file needs no
//! second pass, and the tree has no row that nothing needs.

mod claim;
mod evidence;
mod writer;

use std::collections::BTreeMap;
use std::io::{self, Write};

use outflank_engine::{Position, Score, Square};

use crate::store::Store;
use claim::{Claim, Place, Reduced, Side};
use evidence::Evidence;
use writer::Writer;

/// How a proof is made.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The program that makes it, for the first line.
    pub producer: String,
    /// Leaves with more empty squares than this are replaced by what follows them, as far as the
    /// store knows it; `None` keeps every leaf whole, which makes the smallest proof.
    pub max_leaf: Option<u32>,
}

/// What a proof consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Positions proved.
    pub roots: u64,
    /// Claims.
    pub rows: u64,
    /// Claims that were found by a search.
    pub leaves: u64,
    /// The hash of the whole file, 64 hexadecimal digits.
    pub seal: String,
}

/// Why there is no proof.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// Nothing is stored about a root.
    #[error("position {number}, {}: the store proves nothing of it", writer::board(*position))]
    NotProved {
        /// Its place among the roots, from 1.
        number: usize,
        /// The position.
        position: Position,
    },
    /// The store has a conclusion, but not all that it follows from.
    #[error("the store lacks what {claim} follows from: it has lost records")]
    Unfounded {
        /// The conclusion, in words.
        claim: String,
    },
    /// The store says of one position that its value is larger than it can be.
    #[error("what the store knows of {} contradicts itself", writer::board(*position))]
    Contradiction {
        /// The position.
        position: Position,
    },
    /// The proof names too many who have searched.
    #[error(
        "the rows were searched by so many workers and runs that their names take more than {limit} \
         bytes, which no checker accepts: export fewer positions at a time"
    )]
    ManyOrigins {
        /// The greatest number of bytes.
        limit: usize,
    },
    /// The receiver did not take it.
    #[error("writing the proof")]
    Output(#[from] io::Error),
}

/// Why a claim holds.
#[derive(Clone, Debug)]
enum Reason {
    /// This move is good enough.
    Move(Square),
    /// No move is better.
    All,
    /// A worker has found it.
    Search(Evidence),
}

/// Writes a proof of what `store` knows about `roots` to `out`.
///
/// It holds the claims of about one number of empty squares in memory: some 60 bytes each.
///
/// # Errors
/// If nothing is known of a root, if the store lacks parts of the proof, or if `out` fails.
pub fn export(
    store: &Store,
    roots: &[Position],
    options: &Options,
    out: impl Write,
) -> Result<Summary, ProofError> {
    let mut export = Export {
        store,
        max_leaf: options.max_leaf.unwrap_or(u32::MAX),
        needed: BTreeMap::new(),
        last: None,
        writer: Writer::new(out),
    };
    // A receiver gets nothing of a proof that cannot be.
    let bounds: Result<Vec<_>, _> =
        roots.iter().zip(1..).map(|(&root, number)| export.bounds(number, root)).collect();
    let bounds = bounds?;
    export.writer.head(&options.producer)?;
    for (&root, bounds) in roots.iter().zip(bounds) {
        export.root(root, bounds)?;
    }
    while let Some((place, value)) = export.needed.pop_first() {
        export.row(Claim::at(place, value))?;
    }
    Ok(export.writer.end()?)
}

struct Export<'a, W> {
    store: &'a Store,
    max_leaf: u32,
    /// The claims that must be proved, with the value that satisfies all who need them.
    needed: BTreeMap<Place, Score>,
    /// The claim that was written last.
    last: Option<Claim>,
    writer: Writer<W>,
}

impl<W: Write> Export<'_, W> {
    /// Returns the lower and the upper end of what is proved of root number `number`.
    fn bounds(&self, number: usize, position: Position) -> Result<(Score, Score), ProofError> {
        let squares = position.board_size().squares() as i32;
        let end = |side: Side| {
            let value = self.best(Claim { position, side, value: side.weakest() });
            // What is true on a board of this size anyway says nothing.
            if value.discs().abs() > squares { side.weakest() } else { value }
        };
        match (end(Side::AtLeast), end(Side::AtMost)) {
            (Score::MIN, Score::MAX) => Err(ProofError::NotProved { number, position }),
            (lower, upper) if lower > upper => Err(ProofError::Contradiction { position }),
            ends => Ok(ends),
        }
    }

    fn root(&mut self, position: Position, (lower, upper): (Score, Score)) -> io::Result<()> {
        self.writer.root(position, lower, upper)?;
        self.need(Claim { position, side: Side::AtLeast, value: lower });
        self.need(Claim { position, side: Side::AtMost, value: upper });
        Ok(())
    }

    /// Returns the best value of a claim's side that the rules or the store prove.
    fn best(&self, claim: Claim) -> Score {
        match claim.reduced() {
            Reduced::Over(score) => score,
            Reduced::Open(open) => {
                let evidence = evidence::find(self.store, open);
                let value = evidence.map_or(open.side.weakest(), |evidence| evidence.value);
                if open.side == claim.side { value } else { -value }
            }
        }
    }

    /// Takes note of a claim that a root or a row needs.
    fn need(&mut self, claim: Claim) {
        let Reduced::Open(claim) = claim.reduced() else { return };
        if claim.value == claim.side.weakest() {
            return;
        }
        let value = self.needed.entry(claim.place()).or_insert(claim.value);
        *value = claim.side.stronger(*value, claim.value);
    }

    fn row(&mut self, claim: Claim) -> Result<(), ProofError> {
        let reason = self.reason(claim)?;
        // What is known of a position may come from the one before a pass, which is stored on its own.
        let last = self.last.replace(claim);
        if last.is_some_and(|last| last.position == claim.position && claim.value > last.value) {
            return Err(ProofError::Contradiction { position: claim.position });
        }
        self.writer.row(claim, &reason)?;
        match reason {
            Reason::Move(square) => {
                claim.after(square).into_iter().for_each(|next| self.need(next));
            }
            Reason::All => claim.after_all().for_each(|next| self.need(next)),
            Reason::Search(_) => {}
        }
        Ok(())
    }

    /// Returns why `claim` holds: a search if there was one, unless the leaf would be too large and
    /// what follows it is known.
    fn reason(&self, claim: Claim) -> Result<Reason, ProofError> {
        let evidence = evidence::find(self.store, claim)
            .filter(|evidence| claim.side.implies(evidence.value, claim.value))
            .ok_or_else(|| ProofError::Unfounded { claim: claim.to_string() })?;
        if evidence.is_search && claim.position.empties() <= self.max_leaf {
            return Ok(Reason::Search(evidence));
        }
        match self.inference(claim, evidence.best_move) {
            Some(reason) => Ok(reason),
            None if evidence.is_search => Ok(Reason::Search(evidence)),
            None => Err(ProofError::Unfounded { claim: claim.to_string() }),
        }
    }

    /// Returns how `claim` follows from what is known of the positions after its moves.
    fn inference(&self, claim: Claim, best_move: Option<Square>) -> Option<Reason> {
        match claim.side {
            Side::AtMost => {
                claim.after_all().all(|next| self.is_proved(next)).then_some(Reason::All)
            }
            Side::AtLeast => Square::all(claim.position.moves())
                .filter(|&square| claim.after(square).is_some_and(|next| self.is_proved(next)))
                .min_by_key(|&square| (self.cost(claim, square), Some(square) != best_move))
                .map(Reason::Move),
        }
    }

    fn is_proved(&self, claim: Claim) -> bool {
        claim.side.implies(self.best(claim), claim.value)
    }

    /// Returns what a move would add to the proof: nothing at the end of the game, nothing new
    /// where the claim is needed anyway, or a new row.
    fn cost(&self, claim: Claim, square: Square) -> u32 {
        match claim.after(square).map(Claim::reduced) {
            Some(Reduced::Open(next)) => {
                let needed = self.needed.get(&next.place());
                let is_there = needed.is_some_and(|&value| next.side.implies(value, next.value));
                if is_there { 1 } else { 2 }
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests;
