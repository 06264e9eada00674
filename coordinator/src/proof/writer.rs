//! The lines of a proof, and the hash chain through them.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use outflank_engine::notation::{self, Side as Colour};
use outflank_engine::{Position, Score};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::claim::Claim;
use super::{ProofError, Reason, Summary};
use crate::store::Origin;

/// The digits of the chain's state that a line carries; the last line carries all 64.
const SHORT: usize = 16;

/// A checker refuses more bytes of lines of origins than this.
const MOST_OF_ORIGINS: usize = 1 << 26;

/// Writes a proof.
#[derive(Debug)]
pub(super) struct Writer<W> {
    out: W,
    chain: [u8; 32],
    origins: HashMap<Arc<Origin>, u64>,
    /// The bytes of their lines.
    bytes_of_origins: usize,
    written: Summary,
}

#[derive(Serialize)]
struct HeadText<'a> {
    format: &'static str,
    version: u32,
    producer: &'a str,
}

#[derive(Serialize)]
struct RootText {
    root: u64,
    position: String,
    lower: i32,
    upper: i32,
}

#[derive(Serialize)]
struct OriginText<'a> {
    origin: u64,
    build: &'a str,
    weights: &'a str,
    worker: &'a str,
    host: &'a str,
    run: &'a str,
}

#[derive(Serialize)]
struct RowText {
    row: u64,
    position: String,
    claim: &'static str,
    value: i32,
    by: &'static str,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    square: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
}

#[derive(Serialize)]
struct EndText {
    end: bool,
    roots: u64,
    rows: u64,
    leaves: u64,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(out: W) -> Self {
        let (origins, written) = (HashMap::new(), Summary::default());
        Self { out, chain: [0; 32], origins, bytes_of_origins: 0, written }
    }

    pub(super) fn head(&mut self, producer: &str) -> io::Result<()> {
        self.line(&HeadText { format: "outflank-proof", version: 1, producer }, SHORT).map(drop)
    }

    pub(super) fn root(
        &mut self,
        position: Position,
        lower: Score,
        upper: Score,
    ) -> io::Result<()> {
        self.written.roots += 1;
        let (root, position) = (self.written.roots, board(position));
        let (lower, upper) = (lower.discs(), upper.discs());
        self.line(&RootText { root, position, lower, upper }, SHORT).map(drop)
    }

    pub(super) fn row(&mut self, claim: Claim, reason: &Reason) -> Result<(), ProofError> {
        let (by, square, origin, nodes) = match reason {
            Reason::Move(square) => ("move", Some(square.to_string()), None, None),
            Reason::All => ("all", None, None, None),
            Reason::Search(found) => {
                self.written.leaves += 1;
                ("search", None, Some(self.origin(&found.origin)?), Some(found.nodes))
            }
        };
        self.written.rows += 1;
        let (row, position) = (self.written.rows, board(claim.position));
        let (claim, value) = (claim.side.text(), claim.value.discs());
        self.line(&RowText { row, position, claim, value, by, square, origin, nodes }, SHORT)?;
        Ok(())
    }

    /// Returns the number of `origin`; the first time that costs a line.
    fn origin(&mut self, origin: &Arc<Origin>) -> Result<u64, ProofError> {
        if let Some(&number) = self.origins.get(origin) {
            return Ok(number);
        }
        let number = self.origins.len() as u64 + 1;
        self.origins.insert(Arc::clone(origin), number);
        let Origin { build, weights, worker, host, run } = &**origin;
        let object = OriginText { origin: number, build, weights, worker, host, run };
        self.bytes_of_origins += self.line(&object, SHORT)?;
        if self.bytes_of_origins > MOST_OF_ORIGINS {
            return Err(ProofError::ManyOrigins { limit: MOST_OF_ORIGINS });
        }
        Ok(number)
    }

    /// Writes the last line and returns what was written.
    pub(super) fn end(mut self) -> io::Result<Summary> {
        let Summary { roots, rows, leaves, .. } = self.written;
        self.line(&EndText { end: true, roots, rows, leaves }, 64)?;
        self.out.flush()?;
        Ok(Summary { seal: self.digits(64), ..self.written })
    }

    /// Writes a line with the first `digits` digits of the chain's new state; returns its length in bytes.
    fn line(&mut self, object: &impl Serialize, digits: usize) -> io::Result<usize> {
        let mut text = serde_json::to_string(object)?;
        text.pop(); // the brace comes after the hash
        self.chain = Sha256::new().chain_update(self.chain).chain_update(&text).finalize().into();
        let line = format!("{text},\"hash\":\"{}\"}}\n", self.digits(digits));
        self.out.write_all(line.as_bytes())?;
        Ok(line.len())
    }

    fn digits(&self, count: usize) -> String {
        let all: String = self.chain.iter().map(|byte| format!("{byte:02x}")).collect();
        all[..count].to_owned()
    }
}

/// Returns 64 characters from a1 to h8 and ` X`: the player to move is X.
pub(super) fn board(position: Position) -> String {
    notation::board(position, Colour::Black)
}
