//! What goes into the store and what comes out of it.

use std::sync::Arc;

use outflank_engine::{Bound, Position, Square};

/// How a bound was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// A worker searched the position.
    Search,
    /// The bound follows from the bounds of the positions after it.
    Inference,
}

impl Method {
    /// Returns the word used in exports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Inference => "inference",
        }
    }
}

/// Who proved a bound: one for each session of a worker, written to the log once.
///
/// Each text has at most [`Origin::LONGEST`] bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The engine's build.
    pub build: String,
    /// The evaluation weights of the engine.
    pub weights: String,
    /// The worker's name.
    pub worker: String,
    /// The machine it ran on.
    pub host: String,
    /// The run of the coordinator that accepted the bound.
    pub run: String,
}

impl Origin {
    /// The greatest length of each text, in bytes.
    pub const LONGEST: usize = 1024;

    /// Returns the texts with their names, in the order in which they are stored.
    pub(super) fn fields(&self) -> [(&'static str, &str); 5] {
        [
            ("build", &self.build),
            ("weights", &self.weights),
            ("worker", &self.worker),
            ("host", &self.host),
            ("run", &self.run),
        ]
    }
}

/// Where a bound comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Provenance {
    /// How it was proved.
    pub method: Method,
    /// Who proved it.
    pub origin: Arc<Origin>,
}

/// A proved bound to be kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// The position, in canonical form.
    pub position: Position,
    /// What is proved of its value.
    pub bound: Bound,
    /// The move that proves the lower bound or seems best, as a square of the canonical form.
    pub best_move: Option<Square>,
    /// Positions searched for it; 0 for an inference.
    pub nodes: u64,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// What the store knows about a position: all its records merged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stored {
    /// What is proved of the position's value.
    pub bound: Bound,
    /// The best move of the record with the best lower bound; of several, the first that names one.
    pub best_move: Option<Square>,
    /// Positions searched by the largest of the searches that were merged.
    pub nodes: u64,
    /// Where the lower bound comes from.
    pub lower_from: Provenance,
    /// Where the upper bound comes from.
    pub upper_from: Provenance,
}

/// A record that contradicts what was stored before: one of the two is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradicted {
    /// What is stored, unchanged.
    pub held: Stored,
    /// The record that was put aside.
    pub claim: Record,
}

/// What became of the records of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Appended {
    /// Records that were written to the log.
    pub written: u64,
    /// Records that added nothing to what was stored.
    pub known: u64,
    /// Records that were put into quarantine.
    pub contradicted: Vec<Contradicted>,
}
