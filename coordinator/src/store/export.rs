//! The store's content for other programs.

use std::io::Write;

use outflank_engine::Position;
use outflank_engine::notation::{self, Side};

use super::error::StoreError;
use super::record::Stored;

/// Why an export ended early.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The receiver did not take it.
    #[error("writing the export")]
    Output(#[from] std::io::Error),
}

/// Writes one JSON object and a line feed.
pub(super) fn write_line(
    out: &mut impl Write,
    position: Position,
    stored: &Stored,
) -> std::io::Result<()> {
    let (lower, upper) = (stored.bound.lower().discs(), stored.bound.upper().discs());
    let best_move = stored.best_move.map_or("null".to_owned(), |square| format!("\"{square}\""));
    writeln!(
        out,
        "{{\"position\":\"{}\",\"lower\":{lower},\"upper\":{upper},\"best_move\":{best_move},\
         \"nodes\":{},\"method\":\"{}\"}}",
        notation::board(position, Side::Black),
        stored.nodes,
        method(stored),
    )
}

/// Returns `search`, `inference`, or `both` if the two sides of the bound have different methods.
fn method(stored: &Stored) -> &'static str {
    let (lower, upper) = (stored.lower_from.method, stored.upper_from.method);
    if lower == upper { lower.name() } else { "both" }
}
