//! The hash chain: every line of a proof commits to all lines before it.
//!
//! The state begins as 32 zero bytes. A line's *text* is everything before `,"hash":"`; the state
//! after it is the SHA-256 of the state before it and the text. A line carries the first 16 digits
//! of the state, in hexadecimal, and the last line all 64: the **seal**.

use sha2::{Digest, Sha256};

/// The digits of the state that a line carries.
pub const SHORT: usize = 16;

/// The digits of the state that the last line carries.
pub const FULL: usize = 64;

/// What stands between a line's text and its hash, and after it.
const BEFORE: &str = ",\"hash\":\"";
const AFTER: &str = "\"}";

/// The state of the chain.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    state: [u8; 32],
}

impl Chain {
    /// Takes a line, without its line feed, whose hash has `digits` digits. Returns whether the
    /// hash is right.
    pub fn accepts(&mut self, line: &str, digits: usize) -> bool {
        let Some(rest) = line.strip_suffix(AFTER) else { return false };
        let Some((text, hash)) =
            rest.len().checked_sub(digits).and_then(|at| rest.split_at_checked(at))
        else {
            return false;
        };
        let Some(text) = text.strip_suffix(BEFORE) else { return false };
        self.state = Sha256::new().chain_update(self.state).chain_update(text).finalize().into();
        hex(&self.state, digits) == hash
    }

    /// Returns the state in hexadecimal: the seal, after the last line.
    #[must_use]
    pub fn seal(&self) -> String {
        hex(&self.state, FULL)
    }
}

/// Returns the first `digits` hexadecimal digits of `bytes`.
fn hex(bytes: &[u8], digits: usize) -> String {
    let digit = |index: usize| {
        let nibble = bytes[index / 2] >> (4 * (1 - index % 2)) & 15;
        char::from(b"0123456789abcdef"[usize::from(nibble)])
    };
    (0..digits).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_commits_to_the_lines_before_it() {
        // Computed with other software: python3, hashlib.
        let first = r#"{"a":1,"hash":"607ca6addc015e6b"}"#;
        let mut chain = Chain::default();
        assert!(chain.accepts(first, SHORT), "{}", chain.seal());
        assert!(!chain.accepts(first, SHORT), "the same line later has another hash");
        assert!(!Chain::default().accepts(&first.replace(":1", ":2"), SHORT));
        // The last one has the hash of `{"a":1,`: a text ends where its hash begins.
        let bad = [
            "",
            "\"}",
            "{}",
            r#"{"a":1,"hash":"607ca6addc015e6"}"#,
            r#"{"a":1,"hash":"607ca6addc015e6b.."#,
            r#"{"a":1,"hash":"xbcde029b1646e083"}"#,
        ];
        for bad in bad {
            assert!(!Chain::default().accepts(bad, SHORT), "{bad}");
        }
    }
}
