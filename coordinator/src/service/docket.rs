//! What must outlive the coordinator besides proofs: which claims are being solved again, and which
//! workers were found to be wrong.
//!
//! A file of JSON lines that only grows, until it is written anew without what is over. A claim
//! that is doubted is noted before its proof is written, so that no proof that was drawn for an audit
//! can outlive it; a verdict is noted before anything is taken back, and again when that is done, so
//! that the next coordinator takes back what this one could not. A last line without an end is a
//! write that nobody was told of.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outflank_engine::{Bound, Position, Score};
use serde::{Deserialize, Serialize};

use crate::core::{AuditId, Method, Proof};
use crate::store::{StoreError, sync_folder};

/// The fewest lines that are worth writing anew.
const MANY_LINES: usize = 10_000;

/// Workers that were found to be wrong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Verdict {
    /// How often proofs are taken back, this time included.
    pub(super) era: u64,
    /// The names of the workers.
    pub(super) workers: Vec<String>,
    /// Why, in words for them and for the user.
    pub(super) reason: String,
    /// Whether the workers may not come back; lines of earlier releases do not say otherwise.
    #[serde(default = "refused", skip_serializing_if = "is_refused")]
    pub(super) is_refused: bool,
}

fn refused() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_refused(refused: &bool) -> bool {
    *refused
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    /// A claim is being solved again.
    Doubt { audit: u64, player: u64, opponent: u64, lower: i32, upper: i32 },
    /// That is over.
    Cleared { audit: u64 },
    /// Workers were wrong.
    Verdict(Verdict),
    /// What they had claimed is taken back.
    TakenBack { era: u64 },
}

/// Has the verdicts that the file `path` notes carried out again when a coordinator next begins with it:
/// a repair of the store may have lost what took claims back. Returns how many there are.
///
/// # Errors
/// If the file cannot be read or written, or is damaged.
pub fn reopen_verdicts(path: &Path) -> Result<usize, StoreError> {
    if !path.exists() {
        return Ok(0);
    }
    let mut docket = Docket::open(Some(path))?;
    docket.carried_out = 0;
    docket.write_anew(path)?;
    Ok(docket.verdicts.len())
}

/// The open cases and the verdicts.
#[derive(Debug, Default)]
pub(super) struct Docket {
    /// `None` for a coordinator that keeps nothing on disk.
    file: Option<(PathBuf, File)>,
    doubted: BTreeMap<AuditId, (Position, Bound)>,
    verdicts: Vec<Verdict>,
    /// The era whose verdict was the last that was carried out.
    carried_out: u64,
    /// The lines in the file.
    lines: usize,
}

impl Docket {
    /// Opens the file `path`, which need not exist; without one, nothing outlives the coordinator.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, StoreError> {
        let mut docket = Self::default();
        let Some(path) = path else { return Ok(docket) };
        match fs::read_to_string(path) {
            Ok(text) => docket.read(path, &text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed("reading", path)(error)),
        }
        docket.write_anew(path)?;
        Ok(docket)
    }

    fn read(&mut self, path: &Path, text: &str) -> Result<(), StoreError> {
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            if !line.ends_with('\n') {
                tracing::info!(path = %path.display(), "an unfinished line was cut off");
                break;
            }
            let damaged = |found: String| StoreError::Damaged {
                path: path.to_owned(),
                offset,
                found,
                expected: "a line about an audit or a verdict".to_owned(),
            };
            let read = serde_json::from_str(line).map_err(|error| damaged(error.to_string()))?;
            self.enter(read).ok_or_else(|| damaged(line.trim_end().to_owned()))?;
            offset += line.len() as u64;
        }
        Ok(())
    }

    /// Takes note of a line; `None` if its position or bound cannot be.
    fn enter(&mut self, line: Line) -> Option<()> {
        match line {
            Line::Doubt { audit, player, opponent, lower, upper } => {
                let bound = Bound::new(Score::new(lower)?, Score::new(upper)?)?;
                let position = Position::new(player, opponent)?;
                self.doubted.insert(AuditId(audit), (position, bound));
            }
            Line::Cleared { audit } => {
                self.doubted.remove(&AuditId(audit));
            }
            Line::Verdict(verdict) => self.verdicts.push(verdict),
            Line::TakenBack { era } => self.carried_out = self.carried_out.max(era),
        }
        Some(())
    }

    /// Returns how often proofs were taken back.
    pub(super) fn era(&self) -> u64 {
        self.verdicts.iter().map(|verdict| verdict.era).max().unwrap_or(0)
    }

    /// Returns the verdicts, those first that came first.
    pub(super) fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// Returns the verdicts that were not carried out.
    pub(super) fn pending(&self) -> Vec<Verdict> {
        let is_pending = |verdict: &&Verdict| verdict.era > self.carried_out;
        self.verdicts.iter().filter(is_pending).cloned().collect()
    }

    /// Returns the claims that are being solved again.
    pub(super) fn doubted(&self) -> Vec<(AuditId, Proof)> {
        let method = Method::Search;
        let proof = |(position, bound)| Proof {
            position,
            bound,
            best_move: None,
            nodes: 0,
            method,
            worker: None,
        };
        self.doubted.iter().map(|(&audit, &claim)| (audit, proof(claim))).collect()
    }

    /// Notes that claims are being solved again; returns when that is on disk.
    pub(super) fn doubt(&mut self, claims: &[(AuditId, Proof)]) -> Result<(), StoreError> {
        self.add(claims.iter().map(|(audit, claim)| doubt(*audit, claim.position, claim.bound)))?;
        if claims.is_empty() { Ok(()) } else { self.sync() }
    }

    /// Notes that audits are over. Should that be lost, they are made once more.
    pub(super) fn clear(&mut self, audits: &[AuditId]) -> Result<(), StoreError> {
        self.add(audits.iter().map(|audit| Line::Cleared { audit: audit.0 }))?;
        let live = self.doubted.len() + 2 * self.verdicts.len();
        match self.file.take() {
            Some((path, _)) if self.lines > MANY_LINES + 2 * live => self.write_anew(&path),
            file => {
                self.file = file;
                Ok(())
            }
        }
    }

    /// Notes a verdict; returns when that is on disk.
    pub(super) fn convict(&mut self, verdict: Verdict) -> Result<(), StoreError> {
        self.add([Line::Verdict(verdict)])?;
        self.sync()
    }

    /// Notes that all verdicts so far are carried out. Should that be lost, the last is once more.
    pub(super) fn carried_out(&mut self) -> Result<(), StoreError> {
        let era = self.era();
        self.add([Line::TakenBack { era }])
    }

    fn add(&mut self, lines: impl IntoIterator<Item = Line>) -> Result<(), StoreError> {
        let mut text = String::new();
        for line in lines {
            text += &written(&line);
            self.lines += 1;
            self.enter(line).expect("what is noted was a position and a bound");
        }
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        file.write_all(text.as_bytes()).map_err(failed("writing", path))
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        file.sync_data().map_err(failed("writing", path))
    }

    /// Writes the file without what is over. It takes the place of the old one as a whole.
    fn write_anew(&mut self, path: &Path) -> Result<(), StoreError> {
        let doubts = self.doubted.iter().map(|(&audit, &(at, bound))| doubt(audit, at, bound));
        let verdicts = self.verdicts.iter().cloned().map(Line::Verdict);
        let carried_out =
            (self.carried_out > 0).then_some(Line::TakenBack { era: self.carried_out });
        let lines: Vec<String> =
            doubts.chain(verdicts).chain(carried_out).map(|line| written(&line)).collect();
        let new = path.with_extension("new");
        let mut file = File::create(&new).map_err(failed("creating", &new))?;
        file.write_all(lines.concat().as_bytes()).map_err(failed("writing", &new))?;
        file.sync_all().map_err(failed("writing", &new))?;
        fs::rename(&new, path).map_err(failed("moving", &new))?;
        sync_folder(path.parent().unwrap_or(path)).map_err(failed("syncing", path))?;
        let file = OpenOptions::new().append(true).open(path).map_err(failed("opening", path))?;
        (self.file, self.lines) = (Some((path.to_owned(), file)), lines.len());
        Ok(())
    }
}

fn doubt(audit: AuditId, position: Position, bound: Bound) -> Line {
    Line::Doubt {
        audit: audit.0,
        player: position.player(),
        opponent: position.opponent(),
        lower: bound.lower().discs(),
        upper: bound.upper().discs(),
    }
}

fn written(line: &Line) -> String {
    serde_json::to_string(line).expect("numbers and texts can be written as JSON") + "\n"
}

/// Returns the error of `action` on `path`, for `map_err`.
fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    move |source| StoreError::Io { action, path: path.to_owned(), source: Arc::new(source) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(audit: u64) -> (AuditId, Proof) {
        let (position, bound) = (Position::START.canonical(), Bound::at_least(Score::DRAW));
        let method = Method::Search;
        let proof = Proof { position, bound, best_move: None, nodes: 0, method, worker: None };
        (AuditId(audit), proof)
    }

    fn verdict(era: u64) -> Verdict {
        Verdict {
            era,
            workers: vec![format!("host/{era}")],
            reason: "it was wrong".to_owned(),
            is_refused: era == 1,
        }
    }

    #[test]
    fn what_is_open_survives_whatever_the_last_write_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docket.jsonl");
        let mut docket = Docket::open(Some(&path)).unwrap();
        docket.doubt(&[claim(1), claim(2), claim(3)]).unwrap();
        docket.clear(&[AuditId(2)]).unwrap();
        docket.convict(verdict(1)).unwrap();
        docket.carried_out().unwrap();
        docket.convict(verdict(2)).unwrap();
        drop(docket);
        let whole = fs::read_to_string(&path).unwrap();
        let ends: Vec<usize> = whole.match_indices('\n').map(|(at, _)| at + 1).collect();
        for cut in 0..=whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let lines = ends.iter().filter(|&&end| end <= cut).count();
            let docket = Docket::open(Some(&path)).unwrap();
            let open: Vec<AuditId> = docket.doubted().iter().map(|&(audit, _)| audit).collect();
            let expected: &[u64] =
                [&[][..], &[1], &[1, 2], &[1, 2, 3], &[1, 3], &[1, 3], &[1, 3], &[1, 3]][lines];
            assert_eq!(open, expected.iter().map(|&audit| AuditId(audit)).collect::<Vec<_>>());
            assert_eq!(docket.era(), [0, 0, 0, 0, 0, 1, 1, 2][lines]);
            assert_eq!(docket.pending().len(), [0, 0, 0, 0, 0, 1, 0, 1][lines]);
            assert!(docket.doubted().iter().all(|&(_, doubted)| doubted == claim(0).1));
        }
    }

    #[test]
    fn a_damaged_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docket.jsonl");
        for bad in [
            "{\"cleared\":{\"audit\":-1}}",
            "{\"doubt\":{\"audit\":1,\"player\":1,\
                     \"opponent\":1,\"lower\":0,\"upper\":2}}",
            "nonsense",
        ] {
            fs::write(&path, format!("{{\"cleared\":{{\"audit\":7}}}}\n{bad}\n")).unwrap();
            let error = Docket::open(Some(&path)).unwrap_err().to_string();
            assert!(error.contains("offset 24") && error.contains("docket.jsonl"), "{error}");
        }
    }

    #[test]
    fn the_file_does_not_grow_with_what_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docket.jsonl");
        let mut docket = Docket::open(Some(&path)).unwrap();
        docket.doubt(&[claim(0)]).unwrap();
        for audit in 1..MANY_LINES as u64 {
            docket.add([doubt(AuditId(audit), claim(0).1.position, claim(0).1.bound)]).unwrap();
            docket.clear(&[AuditId(audit)]).unwrap();
        }
        assert!(fs::read_to_string(&path).unwrap().lines().count() <= MANY_LINES + 3);
        drop(docket);
        assert_eq!(Docket::open(Some(&path)).unwrap().doubted(), [claim(0)]);
    }
}
