//! What a docket says of proofs that were taken back.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;

/// How often workers were found to be wrong, and how often what they claimed was taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TakenBack {
    /// The number of the last verdict.
    pub(super) verdicts: u64,
    /// The number of the last that was carried out.
    pub(super) carried_out: u64,
}

impl TakenBack {
    /// Returns what the docket in the file `path` says, which need not exist and may have a last line without an end.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read => read.context("reading the docket")?,
        };
        let mut found = Self::default();
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let era = |kind| if line.ends_with(b"\n") { era(line, kind) } else { None };
            found.verdicts = era("verdict").unwrap_or(found.verdicts);
            found.carried_out = era("taken_back").unwrap_or(found.carried_out);
        }
        Ok(found)
    }

    /// Returns whether nothing is to be taken back.
    pub(super) fn is_settled(self) -> bool {
        self.verdicts == self.carried_out
    }
}

/// Returns the number in a line of this kind. Most lines are about audits, and are not looked at.
fn era(line: &[u8], kind: &str) -> Option<u64> {
    line.get(2..)?.starts_with(kind.as_bytes()).then_some(())?;
    let line: Value = serde_json::from_slice(line).ok()?;
    line[kind]["era"].as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_counted_and_whether_they_were_carried_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("docket.jsonl");
        let read = || TakenBack::read(&path).expect("it can be read");
        assert!(read() == TakenBack::default() && read().is_settled());
        let lines = [
            "{\"doubt\":{\"audit\":1,\"era\":9}}\n",
            "{\"verdict\":{\"era\":1,\"workers\":[\"taken_back\"],\"reason\":\"verdict\"}}\n",
            "{\"taken_back\":{\"era\":1}}\n",
            "{\"verdict\":{\"era\":2,\"workers\":[],\"reason\":\"\"}}\n",
            "{\"taken_back\":{\"era\":2}}",
        ];
        for (count, expected) in [(1, (0, 0)), (2, (1, 0)), (3, (1, 1)), (4, (2, 1)), (5, (2, 1))] {
            fs::write(&path, lines[..count].concat()).expect("written");
            let found = read();
            assert_eq!((found.verdicts, found.carried_out), expected);
            assert_eq!(found.is_settled(), expected.0 == expected.1);
        }
    }
}
