//! Bringing an index up to date with frames of the log.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use outflank_engine::Position;

use super::claim::{Claim, Entry};
use super::error::StoreError;
use super::frame::Frame;
use super::index::Index;
use super::origins::Origins;

/// Entries are gathered up to this number and put in key order, which an index likes best.
const GATHERED: usize = 1 << 20;

/// Two claims of the log that contradict each other, the one that stays first.
type Clash = (Claim, Claim);

/// The contradictions that stand, by the position that they are about.
pub(super) type Clashes = BTreeMap<Position, Vec<Clash>>;

/// Applies frames to an index; a frame that was applied before changes nothing.
#[derive(Debug)]
pub(super) struct Replay<'a> {
    index: &'a dyn Index,
    log: &'a Path,
    gathered: BTreeMap<(u32, Position), Entry>,
    /// All origins met or known.
    pub(super) origins: Origins,
    /// Positions that the index did not hold before.
    pub(super) added: u64,
    /// Positions that the index held and does not hold any more.
    pub(super) removed: u64,
    /// Withdrawals met, whether the index held anything of their positions or not.
    pub(super) withdrawn: u64,
    /// Frames applied.
    pub(super) frames: u64,
    /// Claims that could not be applied, and that were not taken back afterwards.
    pub(super) clashes: Clashes,
}

impl<'a> Replay<'a> {
    /// Starts with an index that holds `origins`.
    pub(super) fn new(index: &'a dyn Index, log: &'a Path, origins: Origins) -> Self {
        let (gathered, clashes) = (BTreeMap::new(), Clashes::new());
        Self {
            index,
            log,
            gathered,
            origins,
            added: 0,
            removed: 0,
            withdrawn: 0,
            frames: 0,
            clashes,
        }
    }

    /// Applies `frame`.
    pub(super) fn apply(&mut self, frame: Frame) -> Result<(), StoreError> {
        let number = frame.number;
        for (id, origin) in frame.origins {
            if self.origins.get(id).is_some_and(|known| **known == origin) {
                continue;
            }
            if id != self.origins.count() {
                let found = format!("origin {id} in frame {number}");
                return Err(self.damaged(found, format!("origin {}", self.origins.count())));
            }
            self.index.put_origin(id, &origin)?;
            self.origins.push(Arc::new(origin));
        }
        for position in frame.withdrawn {
            self.gathered.remove(&(position.empties(), position));
            self.removed += u64::from(self.index.remove(position)?);
            self.withdrawn += 1;
            self.clashes.remove(&position);
        }
        for claim in frame.claims {
            if claim.source.origin >= self.origins.count() {
                let found = format!("a proof of origin {} in frame {number}", claim.source.origin);
                return Err(self.damaged(found, format!("below {}", self.origins.count())));
            }
            self.gather(&claim);
        }
        self.frames += 1;
        if self.gathered.len() < GATHERED { Ok(()) } else { self.flush() }
    }

    /// Puts what was gathered into the index.
    pub(super) fn flush(&mut self) -> Result<(), StoreError> {
        for ((_, position), entry) in std::mem::take(&mut self.gathered) {
            let merged = match self.index.get(position)? {
                None => entry,
                Some(held) => match held.merge(&entry) {
                    Ok(merged) if merged == held => continue,
                    Ok(merged) => merged,
                    Err(_) => {
                        self.clash(position, &held, &entry);
                        continue;
                    }
                },
            };
            self.added += u64::from(self.index.put(position, &merged)?);
        }
        Ok(())
    }

    fn gather(&mut self, claim: &Claim) {
        let (position, entry) = (claim.position, Entry::first(claim));
        let held = self.gathered.entry((position.empties(), position)).or_insert(entry);
        match held.merge(&entry) {
            Ok(merged) => *held = merged,
            Err(_) => {
                let held = *held;
                self.clash(position, &held, &entry);
            }
        }
    }

    fn clash(&mut self, position: Position, held: &Entry, entry: &Entry) {
        let clash = (held.against(entry, position), entry.against(held, position));
        self.clashes.entry(position).or_default().push(clash);
    }

    fn damaged(&self, found: String, expected: String) -> StoreError {
        StoreError::Damaged { path: self.log.to_owned(), offset: 0, found, expected }
    }
}
