//! What must outlive the coordinator besides proofs: which claims are being solved again, who made them, and
//! which workers were found to be wrong.
//!
//! A file of JSON lines that only grows, until it is written anew without what is over. A claim
//! that is doubted is noted before its proof is written, so that no proof that was drawn for an audit
//! can outlive it; a verdict is noted before anything is taken back, and again when that is done, so
//! that the next coordinator takes back what this one could not. Outcomes of campaigns that were compared with what
//! is proved before the last verdict are in doubt by that alone. A last line without an end is a write that nobody was
//! told of; where it looks as if it had had one, a check of the store says so.

mod adopt;
mod damage;

use std::collections::BTreeMap;
use std::path::Path;

use outflank_engine::{Bound, Position, Score};
use serde::{Deserialize, Serialize};

use super::convert;
use super::journal::{self, Journal};
use crate::core::{AuditId, Doubted, Method, ProcessId, Proof};
use crate::store::{StoreError, TakenBack};
pub use adopt::{Adopted, adopt_docket};
pub use damage::{MendedDocket, docket_problems, mend_docket};

/// What a line of the file should be.
const EXPECTED: &str = "a line about an audit or a verdict";

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
    /// A claim is being solved again; lines of earlier releases do not say whose.
    Doubt {
        audit: u64,
        player: u64,
        opponent: u64,
        lower: i32,
        upper: i32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        author: Option<String>,
    },
    /// That is over.
    Cleared { audit: u64 },
    /// Workers were wrong.
    Verdict(Verdict),
    /// What they had claimed is taken back.
    TakenBack { era: u64 },
}

impl Line {
    fn doubt(audit: AuditId, claim: Doubt) -> Self {
        let Doubt { position, bound, author } = claim;
        Self::Doubt {
            audit: audit.0,
            player: position.player(),
            opponent: position.opponent(),
            lower: bound.lower().discs(),
            upper: bound.upper().discs(),
            author,
        }
    }
}

/// Returns whose claims were ever taken back, as the docket in the file `path` says. Where it is missing, or has lost
/// lines, nobody knows of all: whoever uses a store makes one, and notes there first what is taken back.
///
/// # Errors
/// If the file or its folder cannot be read, or it is damaged.
pub fn taken_back(path: &Path) -> Result<TakenBack, StoreError> {
    let Some(bytes) = journal::read(path)? else { return Ok(TakenBack::UNKNOWN) };
    let mut docket = Docket::default();
    docket.read(path, &bytes)?;
    let is_all = docket.has_all_eras() && !damage::has_lost_lines(path)?;
    let workers = docket.verdicts.into_iter().flat_map(|verdict| verdict.workers).collect();
    Ok(TakenBack { workers, is_all })
}

/// Returns how many verdicts the docket in the file `path`, which need not exist, has that are not carried out: what
/// they are about still stands in the store.
///
/// # Errors
/// If the file cannot be read, or is damaged.
pub fn pending_verdicts(path: &Path) -> Result<usize, StoreError> {
    let mut docket = Docket::default();
    docket.read(path, &journal::read(path)?.unwrap_or_default())?;
    Ok(docket.pending().len())
}

/// Has the verdicts that the file `path` notes carried out again when a coordinator next begins with it, if there is
/// such a file: a repair of the store may have lost what took claims back. Returns how many there are.
///
/// They get new eras, since proofs will be taken back once more for each of them: what was reviewed before is in doubt.
/// Without a verdict one is noted that is about nobody, and carried out: proofs may be lost all the same.
///
/// # Errors
/// If the file cannot be read or written, or is damaged.
pub fn reopen_verdicts(path: &Path) -> Result<usize, StoreError> {
    if !path.exists() {
        return Ok(0);
    }
    let mut docket = Docket::open(Some(path))?;
    let (next, knows_all) = (docket.era() + 1, docket.has_all_eras());
    docket.verdicts.retain(|verdict| !verdict.workers.is_empty());
    let count = docket.verdicts.len();
    for (verdict, era) in docket.verdicts.iter_mut().zip(next..) {
        verdict.era = era;
    }
    if count == 0 {
        let reason = "proofs may be lost since a repair of the store".to_owned();
        let nobody = Verdict { era: next, workers: vec![], reason, is_refused: true };
        docket.verdicts.extend(knows_all.then_some(nobody));
        docket.carried_out = next;
    }
    docket.write_anew()?;
    Ok(count)
}

/// A claim that is being solved again, and the name of the worker that made it, if that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Doubt {
    pub(super) position: Position,
    pub(super) bound: Bound,
    pub(super) author: Option<String>,
}

/// The open cases and the verdicts.
#[derive(Debug, Default)]
pub(super) struct Docket {
    /// `None` for a coordinator that keeps nothing on disk.
    file: Option<Journal>,
    doubted: BTreeMap<AuditId, Doubt>,
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
        if let Some(bytes) = journal::read(path)? {
            docket.read(path, &bytes)?;
        }
        let lines = docket.live_lines();
        docket.lines = lines.len();
        docket.file = Some(Journal::begin(path, &lines)?);
        Ok(docket)
    }

    fn read(&mut self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        match damage::unfinished_line(bytes) {
            Some((_, line)) if damage::may_have_ended(line) => tracing::warn!(
                path = %path.display(),
                line = %String::from_utf8_lossy(line),
                "a last line without an end is cut off that may have had one"
            ),
            Some(_) => tracing::info!(path = %path.display(), "an unfinished line is cut off"),
            None => {}
        }
        for (offset, line) in whole_lines(bytes) {
            self.take(line).map_err(|found| StoreError::Damaged {
                path: path.to_owned(),
                offset,
                found,
                expected: EXPECTED.to_owned(),
            })?;
        }
        Ok(())
    }

    /// Takes note of a line of the file, or returns what is there instead.
    fn take(&mut self, line: &[u8]) -> Result<(), String> {
        let read = serde_json::from_slice(line).ok();
        read.and_then(|read| self.enter(read)).ok_or_else(|| damage::shown(line))
    }

    /// Takes note of a line; `None` if its position or bound cannot be.
    fn enter(&mut self, line: Line) -> Option<()> {
        match line {
            Line::Doubt { audit, player, opponent, lower, upper, author } => {
                let bound = Bound::new(Score::new(lower)?, Score::new(upper)?)?;
                let position = Position::new(player, opponent)?;
                self.doubted.insert(AuditId(audit), Doubt { position, bound, author });
            }
            Line::Cleared { audit } => {
                self.doubted.remove(&AuditId(audit));
            }
            Line::Verdict(verdict) => self.verdicts.push(verdict),
            Line::TakenBack { era } => self.carried_out = self.carried_out.max(era),
        }
        Some(())
    }

    /// Returns how often proofs were taken back. A verdict may be lost by damage after it was carried out: no later one
    /// gets its era.
    pub(super) fn era(&self) -> u64 {
        let eras = self.verdicts.iter().map(|verdict| verdict.era);
        eras.fold(self.carried_out, u64::max)
    }

    /// Returns whether no era lacks its verdict, from the first that has one; damage may have taken it.
    fn has_all_eras(&self) -> bool {
        let eras = self.verdicts.iter().map(|verdict| verdict.era);
        let first = eras.clone().min().unwrap_or(1);
        (first..=self.era()).all(|era| eras.clone().any(|noted| noted == era))
    }

    /// Returns the verdicts whose workers may not come back, those first that came first. One that is about nobody, as a
    /// repair of the store leaves it, refuses nobody.
    pub(super) fn refused(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| verdict.is_refused && !verdict.workers.is_empty())
    }

    /// Returns the verdicts that were not carried out, in the order in which they are to be.
    pub(super) fn pending(&self) -> Vec<Verdict> {
        let is_pending = |verdict: &&Verdict| verdict.era > self.carried_out;
        self.verdicts.iter().filter(is_pending).cloned().collect()
    }

    /// Returns the workers that were excused for a false claim.
    pub(super) fn excused(&self) -> Vec<ProcessId> {
        let excused = self.verdicts.iter().filter(|verdict| !verdict.is_refused);
        excused.flat_map(|verdict| &verdict.workers).map(|name| convert::process(name)).collect()
    }

    /// Returns the claims that are being solved again.
    pub(super) fn doubted(&self) -> Vec<Doubted> {
        let doubted = |(&audit, doubt): (&AuditId, &Doubt)| {
            let Doubt { position, bound, author } = doubt;
            let claim = Proof::of(*position, *bound, Method::Search);
            Doubted { audit, claim, author: author.as_deref().map(convert::process) }
        };
        self.doubted.iter().map(doubted).collect()
    }

    /// Notes that claims are being solved again; returns when that is on disk.
    pub(super) fn doubt(&mut self, claims: Vec<(AuditId, Doubt)>) -> Result<(), StoreError> {
        if claims.is_empty() {
            return Ok(());
        }
        self.add(claims.into_iter().map(|(audit, claim)| Line::doubt(audit, claim)))?;
        self.sync()
    }

    /// Notes that audits are over. Should that be lost, they are made once more.
    pub(super) fn clear(&mut self, audits: &[AuditId]) -> Result<(), StoreError> {
        self.add(audits.iter().map(|audit| Line::Cleared { audit: audit.0 }))?;
        let live = self.doubted.len() + 2 * self.verdicts.len();
        if self.lines > MANY_LINES + 2 * live { self.write_anew() } else { Ok(()) }
    }

    /// Notes a verdict; returns when that is on disk.
    pub(super) fn convict(&mut self, verdict: Verdict) -> Result<(), StoreError> {
        self.add([Line::Verdict(verdict)])?;
        self.sync()
    }

    /// Notes that the verdict of this era is carried out, as those before it are; returns when that is on disk: who was
    /// excused may be believed again, and is not to lose that, too.
    pub(super) fn carried_out(&mut self, era: u64) -> Result<(), StoreError> {
        self.add([Line::TakenBack { era }])?;
        self.sync()
    }

    fn add(&mut self, lines: impl IntoIterator<Item = Line>) -> Result<(), StoreError> {
        let mut text = String::new();
        for line in lines {
            text += &journal::line(&line);
            self.lines += 1;
            self.enter(line).expect("what is noted was a position and a bound");
        }
        self.file.as_mut().map_or(Ok(()), |file| file.append(&text))
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.file.as_ref().map_or(Ok(()), Journal::sync)
    }

    /// Writes the file without what is over. It takes the place of the old one as a whole.
    fn write_anew(&mut self) -> Result<(), StoreError> {
        let lines = self.live_lines();
        self.lines = lines.len();
        self.file.as_mut().map_or(Ok(()), |file| file.replace(&lines))
    }

    /// Returns the lines of a file without what is over.
    fn live_lines(&self) -> Vec<String> {
        let doubts = self.doubted.iter().map(|(&audit, claim)| Line::doubt(audit, claim.clone()));
        let verdicts = self.verdicts.iter().cloned().map(Line::Verdict);
        let carried_out =
            (self.carried_out > 0).then_some(Line::TakenBack { era: self.carried_out });
        let lines = doubts.chain(verdicts).chain(carried_out);
        lines.map(|line| journal::line(&line)).collect()
    }
}

/// Returns the lines of a file that have an end, each with the place where it begins.
fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let mut next = 0;
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').map(move |line| {
        let offset = next;
        next += line.len() as u64;
        (offset, line)
    });
    lines.filter(|(_, line)| line.ends_with(b"\n"))
}

#[cfg(test)]
mod tests;
