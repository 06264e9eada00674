//! Verifies a proof in one pass.
//!
//! Rows are sorted: positions with more empty squares first, then by (player, opponent), "at most"
//! before "at least". Each row must say exactly what the roots and the rows before it need, and
//! each of these needs must be met; so nothing is missing, nothing is left over, and the roots
//! follow from the searched rows.

mod error;

use std::io::{BufRead, Read};

use crate::chain::{Chain, FULL, SHORT};
use crate::claim::{Claim, Reduced, Side};
use crate::demands::{Demand, Layer, Needed, Sorted};
use crate::line::{Line, Origin, Reason, Root, Row};
use crate::rules;
use crate::sample::{Leaf, Sample};

pub use error::{CheckError, Fault};

/// A line may be this long, in bytes: texts of origins are bounded.
const LONGEST_LINE: u64 = 1 << 16;

/// The number of claims of one layer that are kept in memory, 80 megabytes; two layers are in use at
/// a time.
const CLAIMS_IN_MEMORY: usize = 1 << 21;

/// The roots that are kept for the report.
pub const ROOTS_SHOWN: usize = 10;

/// What a proof is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// The number of roots.
    pub roots: u64,
    /// The first [`ROOTS_SHOWN`] of them.
    pub first_roots: Vec<Root>,
    /// Rows that hold because of one move.
    pub by_move: u64,
    /// Rows that hold because of all moves.
    pub by_all: u64,
    /// Rows that were found by a search.
    pub leaves: u64,
    /// Who found them.
    pub origins: Vec<Origin>,
    /// The last state of the hash chain.
    pub seal: String,
}

impl Verified {
    /// Returns the number of rows.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.by_move + self.by_all + self.leaves
    }
}

/// Verifies the proof that `input` gives and offers its leaves to `sample`.
///
/// # Errors
/// [`CheckError::Rejected`] names the first line that is not as it must be;
/// [`CheckError::Reading`] if the proof or a temporary file cannot be read or written.
pub fn verify(input: impl BufRead, sample: &mut Sample) -> Result<Verified, CheckError> {
    verify_within(CLAIMS_IN_MEMORY, input, sample)
}

/// Does the same with another number of claims in memory.
///
/// # Errors
/// As [`verify`].
pub fn verify_within(
    claims_in_memory: usize,
    mut input: impl BufRead,
    sample: &mut Sample,
) -> Result<Verified, CheckError> {
    let mut verifier = Verifier::new(claims_in_memory, sample);
    let mut bytes = Vec::new();
    while !verifier.ended {
        verifier.line += 1;
        bytes.clear();
        (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
        let text = verifier.text(&bytes)?;
        verifier.take_line(text)?;
    }
    match input.fill_buf()? {
        [] => Ok(verifier.verified),
        _ => {
            verifier.line += 1;
            Err(verifier.reject(None, Fault::AfterTheEnd))
        }
    }
}

struct Verifier<'a> {
    claims_in_memory: usize,
    sample: &'a mut Sample,
    /// The number of the line that is looked at.
    line: u64,
    chain: Chain,
    layers: Vec<Layer>,
    /// What the layer of the rows that come now needs.
    due: Option<(u32, Sorted)>,
    last_claim: Option<Claim>,
    verified: Verified,
    ended: bool,
}

impl<'a> Verifier<'a> {
    fn new(claims_in_memory: usize, sample: &'a mut Sample) -> Self {
        Self {
            claims_in_memory,
            sample,
            line: 0,
            chain: Chain::default(),
            layers: std::iter::repeat_with(Layer::default).take(65).collect(),
            due: None,
            last_claim: None,
            verified: Verified::default(),
            ended: false,
        }
    }

    fn reject(&self, row: Option<u64>, fault: Fault) -> CheckError {
        CheckError::Rejected { line: self.line, row, fault: Box::new(fault) }
    }

    /// Returns the number of the row that comes next, where rows may come.
    fn next_row(&self) -> Option<u64> {
        (self.verified.roots > 0).then(|| self.verified.rows() + 1)
    }

    /// Returns the text of a line without its line feed.
    fn text<'b>(&self, bytes: &'b [u8]) -> Result<&'b str, CheckError> {
        let fault = match bytes {
            [line @ .., b'\n'] => match str::from_utf8(line) {
                Ok(text) => return Ok(text),
                Err(error) => Fault::NotText { column: error.valid_up_to() + 1 },
            },
            _ if bytes.len() as u64 == LONGEST_LINE => Fault::LongLine { limit: LONGEST_LINE },
            _ => Fault::Unfinished,
        };
        Err(self.reject(self.next_row(), fault))
    }

    fn take_line(&mut self, text: &str) -> Result<(), CheckError> {
        let line = Line::parse(text);
        let line = line.map_err(|error| self.reject(self.next_row(), Fault::Line(error)))?;
        let (digits, row) = match &line {
            Line::End(_) => (FULL, None),
            Line::Row(_) => (SHORT, self.next_row()),
            _ => (SHORT, None),
        };
        if !self.chain.accepts(text, digits) {
            return Err(self.reject(row, Fault::Chain));
        }
        match line {
            Line::Head if self.line == 1 => Ok(()),
            _ if self.line == 1 => Err(self.reject(None, Fault::Order { expected: "the head" })),
            Line::Root(root) => self.root(root),
            Line::Origin(number, origin) => self.origin(number, origin),
            Line::Row(row) => self.row(&row),
            Line::End(end) => self.end(end.roots, end.rows, end.leaves),
            Line::Head => Err(self.reject(None, Fault::Order { expected: "no second head" })),
        }
    }

    fn root(&mut self, root: Root) -> Result<(), CheckError> {
        let expected = self.verified.roots + 1;
        if root.number != expected {
            return Err(self.reject(None, Fault::Number { found: root.number, expected }));
        }
        if self.last_claim.is_some() || !self.verified.origins.is_empty() {
            return Err(self.reject(None, Fault::Order { expected: "all roots before the rows" }));
        }
        self.verified.roots += 1;
        if self.verified.first_roots.len() < ROOTS_SHOWN {
            self.verified.first_roots.push(root);
        }
        let position = root.position;
        for (side, value) in [(Side::AtLeast, root.lower), (Side::AtMost, root.upper)] {
            self.need(Claim { position, side, value }, Needed::ByRoot(root.number))?;
        }
        Ok(())
    }

    fn origin(&mut self, number: u64, origin: Origin) -> Result<(), CheckError> {
        let expected = self.verified.origins.len() as u64 + 1;
        if number != expected {
            return Err(self.reject(None, Fault::Number { found: number, expected }));
        }
        self.verified.origins.push(origin);
        Ok(())
    }

    fn row(&mut self, row: &Row) -> Result<(), CheckError> {
        let expected = self.verified.rows() + 1;
        if row.number != expected {
            return Err(self.reject(Some(expected), Fault::Number { found: row.number, expected }));
        }
        let Claim { position, side, .. } = row.claim;
        if row.claim.reduced() != Reduced::Open(row.claim) {
            return Err(self.reject(Some(row.number), Fault::NotReduced));
        }
        if self.last_claim.is_some_and(|last| place(&last) >= place(&row.claim)) {
            return Err(self.reject(Some(row.number), Fault::Unsorted));
        }
        self.last_claim = Some(row.claim);
        self.is_needed(row)?;
        match (row.reason, side) {
            (Reason::Move(square), Side::AtLeast) => {
                let Some(next) = position.play(square) else {
                    return Err(self.reject(Some(row.number), Fault::Illegal { square }));
                };
                self.verified.by_move += 1;
                self.need(row.claim.seen_from(next), Needed::ByRow(row.number))
            }
            (Reason::All, Side::AtMost) => {
                self.verified.by_all += 1;
                rules::squares(position.moves())
                    .filter_map(|square| position.play(square))
                    .try_for_each(|next| {
                        self.need(row.claim.seen_from(next), Needed::ByRow(row.number))
                    })
            }
            (Reason::Search { origin, nodes: _ }, _) => self.leaf(row, origin),
            _ => Err(self.reject(Some(row.number), Fault::WrongReason)),
        }
    }

    fn leaf(&mut self, row: &Row, origin: u64) -> Result<(), CheckError> {
        let known = self.verified.origins.len() as u64;
        if !(1..=known).contains(&origin) {
            return Err(self.reject(Some(row.number), Fault::NoOrigin { origin, known }));
        }
        self.verified.leaves += 1;
        self.sample.offer(Leaf { line: self.line, row: row.number, claim: row.claim, origin });
        Ok(())
    }

    /// Takes note that a claim must be proved by a row to come, unless the rules decide it.
    fn need(&mut self, claim: Claim, needed: Needed) -> Result<(), CheckError> {
        let number = match needed {
            Needed::ByRoot(_) => None,
            Needed::ByRow(number) => Some(number),
        };
        match claim.reduced() {
            Reduced::Decided(true) => Ok(()),
            Reduced::Decided(false) => Err(self.reject(number, Fault::Refuted { claim })),
            Reduced::Open(claim) if claim.is_trivial() => Ok(()),
            Reduced::Open(claim) => {
                let layer = &mut self.layers[claim.position.empties() as usize];
                Ok(layer.add(Demand { claim, needed }, self.claims_in_memory)?)
            }
        }
    }

    /// Checks that the row says what is needed, no more and no less, and that nothing needed was
    /// left out before it.
    fn is_needed(&mut self, row: &Row) -> Result<(), CheckError> {
        self.open_layer(row.claim.position.empties())?;
        let next = self.due.as_ref().and_then(|(_, due)| due.peek());
        match next {
            Some(next) if place(&next.claim) < place(&row.claim) => {
                Err(self.reject(Some(row.number), Fault::Missing(next)))
            }
            Some(next) if next.claim == row.claim => {
                if let Some((_, due)) = &mut self.due {
                    due.take()?;
                }
                Ok(())
            }
            Some(next) if place(&next.claim) == place(&row.claim) => {
                Err(self.reject(Some(row.number), Fault::OtherValue(next)))
            }
            _ => Err(self.reject(Some(row.number), Fault::NotNeeded)),
        }
    }

    /// Goes on to the layer of `empties` empty squares; those before it must be complete.
    fn open_layer(&mut self, empties: u32) -> Result<(), CheckError> {
        loop {
            let next = match &self.due {
                Some((at, _)) if *at == empties => return Ok(()),
                Some((_, due)) if due.peek().is_some() => {
                    let missing = due.peek().map_or(Fault::NotNeeded, Fault::Missing);
                    return Err(self.reject(self.next_row(), missing));
                }
                Some((at, _)) => at - 1,
                None => 64,
            };
            let layer = std::mem::take(&mut self.layers[next as usize]);
            self.due = Some((next, layer.sorted()?));
        }
    }

    fn end(&mut self, roots: u64, rows: u64, leaves: u64) -> Result<(), CheckError> {
        self.open_layer(0)?;
        if let Some(next) = self.due.as_ref().and_then(|(_, due)| due.peek()) {
            return Err(self.reject(None, Fault::Missing(next)));
        }
        let counted = (self.verified.roots, self.verified.rows(), self.verified.leaves);
        if self.verified.roots == 0 {
            return Err(self.reject(None, Fault::Order { expected: "a root" }));
        }
        if (roots, rows, leaves) != counted {
            return Err(self.reject(None, Fault::Counts { found: (roots, rows, leaves), counted }));
        }
        self.verified.seal = self.chain.seal();
        self.ended = true;
        Ok(())
    }
}

/// Returns the place of a claim in the order of the rows.
fn place(claim: &Claim) -> impl Ord + use<> {
    let position = claim.position;
    (std::cmp::Reverse(position.empties()), position, claim.side)
}
