//! Why a proof is rejected.

use std::io;
use std::path::PathBuf;

use crate::claim::Claim;
use crate::demands::Demand;
use crate::line::LineError;
use crate::rules;

/// Why a check ended early.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The proof is not one.
    #[error("line {line}{}: {fault}", named(*row))]
    Rejected {
        /// The line, from 1.
        line: u64,
        /// The row in this line, or the row that is to blame.
        row: Option<u64>,
        /// What is wrong with it.
        fault: Box<Fault>,
    },
    /// The proof could not be read.
    #[error("reading the proof")]
    Reading(#[from] io::Error),
    /// A temporary file could not be written or read.
    #[error("a temporary file in {}", folder.display())]
    Aside {
        /// Where it is, or should be.
        folder: PathBuf,
        /// The system's reason.
        #[source]
        cause: io::Error,
    },
}

impl CheckError {
    /// Returns the error of a temporary file.
    pub(super) fn aside(cause: io::Error) -> Self {
        Self::Aside { folder: std::env::temp_dir(), cause }
    }
}

fn named(row: Option<u64>) -> String {
    row.map_or_else(String::new, |row| format!(", row {row}"))
}

/// What is wrong with a line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is no line of a proof.
    #[error(transparent)]
    Line(#[from] LineError),
    /// It is not text.
    #[error("byte {column} is not UTF-8 text")]
    NotText {
        /// The byte, from 1.
        column: usize,
    },
    /// It is too long.
    #[error("the line is longer than {limit} bytes")]
    LongLine {
        /// The greatest length, in bytes.
        limit: u64,
    },
    /// The file ends in it.
    #[error("the file ends before its last line, {{\"end\":…}} and a line feed")]
    Unfinished,
    /// Something follows the last line.
    #[error("something follows the last line")]
    AfterTheEnd,
    /// The hash does not belong to this line after the lines before it.
    #[error("the hash is not that of this line and those before it: it was altered")]
    Chain,
    /// A line of this kind cannot stand here.
    #[error("the lines are out of order, expected {expected}")]
    Order {
        /// What would be in order.
        expected: &'static str,
    },
    /// Lines are missing, doubled or exchanged.
    #[error("found number {found}, expected {expected}")]
    Number {
        /// The number in the line.
        found: u64,
        /// The number that follows the one before.
        expected: u64,
    },
    /// The position is not canonical, or nobody can move, or a pass is forced.
    #[error("the position is not canonical, or the player has no move")]
    NotReduced,
    /// The row stands in the wrong place.
    #[error("the row is not behind the one before it in the order of rows")]
    Unsorted,
    /// Nobody needs the row.
    #[error("nothing needs this row")]
    NotNeeded,
    /// The row says more or less than is needed.
    #[error("{} needs the value {} here, neither more nor less", .0.needed, .0.claim.value)]
    OtherValue(Demand),
    /// No position has such a value.
    #[error("it contradicts the row before it: {claim}")]
    Contradiction {
        /// What that says.
        claim: Claim,
    },
    /// A claim is not proved by any row.
    #[error("no row before this line proves what {} needs: {}", .0.needed, .0.claim)]
    Missing(Demand),
    /// A claim is wrong at the end of the game.
    #[error("it needs {claim}, but the game ends there with another score")]
    Refuted {
        /// The claim.
        claim: Claim,
    },
    /// The move is not legal.
    #[error("{} is not a legal move", rules::square_name(*square))]
    Illegal {
        /// The square.
        square: u32,
    },
    /// The reason does not fit the side of the claim.
    #[error("one move proves >= and all moves prove <=, not the other way round")]
    WrongReason,
    /// The origin was not introduced.
    #[error("found origin {origin}, expected one from 1 to {known}")]
    NoOrigin {
        /// The number in the row.
        origin: u64,
        /// The number of origins so far.
        known: u64,
    },
    /// The origins need too much memory.
    #[error("the lines of origins have more than {limit} bytes together")]
    ManyOrigins {
        /// The greatest number of bytes.
        limit: u64,
    },
    /// An origin is that of nothing.
    #[error("no row names origin {origin}")]
    UnusedOrigin {
        /// Its number.
        origin: u64,
    },
    /// The last line counts otherwise.
    #[error("found {found:?} roots, rows and leaves, counted {counted:?}")]
    Counts {
        /// The counts in the last line.
        found: (u64, u64, u64),
        /// The counts of the file.
        counted: (u64, u64, u64),
    },
}
