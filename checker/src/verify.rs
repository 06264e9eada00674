//! Verifies a proof in one pass.
//!
//! Rows are sorted: positions with more empty squares first, then by (player, opponent), "at most"
//! before "at least". Each row must say exactly what the roots and the rows before it need, and
//! each of these needs must be met; so nothing is missing, nothing is left over, and the roots
//! follow from the searched rows. No two rows contradict each other about one position, and so no
//! two roots do.

mod error;

use std::io::{BufRead, Read};

use crate::chain::{Chain, FULL, SHORT};
use crate::claim::{Claim, Reduced, Side};
use crate::demands::{Demand, Layers, Needed, Sorted};
use crate::line::{Line, Origin, Reason, Root, Row};
use crate::rules;
use crate::sample::{Leaf, Sample};

pub use error::{CheckError, Fault};

/// A line may be this long, in bytes: texts of origins are bounded.
const LONGEST_LINE: u64 = 1 << 16;

/// The number of needed claims that are collected in memory, 80 megabytes. As many again may be in
/// use of the layer whose rows come.
const CLAIMS_IN_MEMORY: usize = 1 << 21;

/// The lines of origins may have this many bytes together: their texts stay in memory.
const MOST_OF_ORIGINS: u64 = 1 << 26;

/// The roots that are kept for the report.
pub const ROOTS_KEPT: usize = 1000;

/// Who hears what a proof says while it is read.
pub trait Listener {
    /// Hears of a root.
    fn root(&mut self, root: &Root);

    /// Hears of a row that was found by a search.
    fn leaf(&mut self, leaf: Leaf);
}

/// A sample is drawn from the leaves.
impl Listener for Sample {
    fn root(&mut self, _: &Root) {}

    fn leaf(&mut self, leaf: Leaf) {
        self.offer(leaf);
    }
}

/// What a proof is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// The number of roots.
    pub roots: u64,
    /// The first [`ROOTS_KEPT`] of them.
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

/// Verifies the proof that `input` gives and tells `listener` of its roots and leaves.
///
/// # Errors
/// [`CheckError::Rejected`] names the first line that is not as it must be;
/// [`CheckError::Reading`] if the proof cannot be read, [`CheckError::Aside`] if a temporary file cannot be written or
/// read.
pub fn verify(input: impl BufRead, listener: &mut dyn Listener) -> Result<Verified, CheckError> {
    verify_within(CLAIMS_IN_MEMORY, input, listener)
}

/// Does the same with another number of claims in memory.
///
/// # Errors
/// As [`verify`].
pub fn verify_within(
    claims_in_memory: usize,
    mut input: impl BufRead,
    listener: &mut dyn Listener,
) -> Result<Verified, CheckError> {
    let mut verifier = Verifier::new(claims_in_memory, listener);
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
    listener: &'a mut dyn Listener,
    /// The number of the line that is looked at.
    line: u64,
    chain: Chain,
    layers: Layers,
    /// What the layer of the rows that come now needs.
    due: Option<(u32, Sorted)>,
    last_claim: Option<Claim>,
    /// For each origin whether a row has named it.
    named: Vec<bool>,
    /// The bytes of the lines of origins.
    bytes_of_origins: u64,
    verified: Verified,
    ended: bool,
}

impl<'a> Verifier<'a> {
    fn new(claims_in_memory: usize, listener: &'a mut dyn Listener) -> Self {
        Self {
            listener,
            line: 0,
            chain: Chain::default(),
            layers: Layers::new(claims_in_memory),
            due: None,
            last_claim: None,
            named: Vec::new(),
            bytes_of_origins: 0,
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
            Line::Origin(number, origin) => {
                self.bytes_of_origins += text.len() as u64;
                self.origin(number, origin)
            }
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
        self.listener.root(&root);
        if self.verified.first_roots.len() < ROOTS_KEPT {
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
        if self.bytes_of_origins > MOST_OF_ORIGINS {
            return Err(self.reject(None, Fault::ManyOrigins { limit: MOST_OF_ORIGINS }));
        }
        self.verified.origins.push(origin);
        self.named.push(false);
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
        let last = self.last_claim.replace(row.claim);
        self.meet_demand(row)?;
        // Both sides of a position stand next to each other.
        if let Some(claim) = last.filter(|last| last.contradicts(row.claim)) {
            return Err(self.reject(Some(row.number), Fault::Contradiction { claim }));
        }
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
        self.named[origin as usize - 1] = true;
        self.verified.leaves += 1;
        self.listener.leaf(Leaf { line: self.line, row: row.number, claim: row.claim, origin });
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
                self.layers.add(Demand { claim, needed }).map_err(CheckError::aside)
            }
        }
    }

    /// Takes what the row is needed for off the list. It must say what is needed, no more and no less, and nothing that
    /// is needed may have been left out before it.
    fn meet_demand(&mut self, row: &Row) -> Result<(), CheckError> {
        self.open_layer(row.claim.position.empties())?;
        let next = self.due.as_ref().and_then(|(_, due)| due.peek());
        match next {
            Some(next) if place(&next.claim) < place(&row.claim) => {
                Err(self.reject(Some(row.number), Fault::Missing(next)))
            }
            Some(next) if next.claim == row.claim => {
                if let Some((_, due)) = &mut self.due {
                    due.take().map_err(CheckError::aside)?;
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
            // What is left of the layer before is nothing: its memory is given back first.
            self.due = None;
            self.due = Some((next, self.layers.take(next).map_err(CheckError::aside)?));
        }
    }

    fn end(&mut self, roots: u64, rows: u64, leaves: u64) -> Result<(), CheckError> {
        // The rules decide what is claimed of a full board: with that layer all others are complete.
        self.open_layer(0)?;
        let counted = (self.verified.roots, self.verified.rows(), self.verified.leaves);
        if self.verified.roots == 0 {
            return Err(self.reject(None, Fault::Order { expected: "a root" }));
        }
        if (roots, rows, leaves) != counted {
            return Err(self.reject(None, Fault::Counts { found: (roots, rows, leaves), counted }));
        }
        if let Some(index) = self.named.iter().position(|is_named| !is_named) {
            return Err(self.reject(None, Fault::UnusedOrigin { origin: index as u64 + 1 }));
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
