//! The hash chain of a proof, for lines that a fuzzer has made.

use outflank_checker::chain::{Chain, FULL, SHORT};

/// A proof that grows line by line, each with the hash that it must have.
#[derive(Debug, Default)]
pub struct Sealed {
    text: String,
    chain: Chain,
}

impl Sealed {
    /// Adds a line, given without its hash and the brace that closes it.
    pub fn push(&mut self, line: &str, is_last: bool) {
        let digits = if is_last { FULL } else { SHORT };
        let with_hash = |hash: &str| format!("{line},\"hash\":\"{hash}\"}}");
        // The chain goes on whether the hash is right or not; then it tells the right one.
        self.chain.accepts(&with_hash(&"0".repeat(digits)), digits);
        self.text += &with_hash(&self.chain.seal()[..digits]);
        self.text += "\n";
    }

    /// Returns the proof so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}
