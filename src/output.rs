//! What the command prints: the only file that writes to standard output.

mod answer;
mod moves;
mod totals;

use std::io::{self, BufWriter, Write};

use anyhow::Context;

pub(crate) use answer::{Answered, Format, asked, titles, worded};
pub(crate) use moves::Move;
pub(crate) use totals::Totals;

/// Prints `line` and a line end at once.
pub(crate) fn line(line: &str) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}").and_then(|()| output.flush()).context("writing standard output")
}

/// Returns a writer for many lines.
pub(crate) fn bulk() -> impl Write {
    BufWriter::new(io::stdout().lock())
}

/// Prints a remark on standard error, where it does not mix with results.
pub(crate) fn note(text: &str) {
    // Nobody can be told that standard error is closed.
    drop(writeln!(io::stderr(), "{text}"));
}
