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
pub(super) const GATHERED: usize = 1 << 20;

/// Two claims of the log that contradict each other, the one that stays first.
type Clash = (Claim, Claim);

/// The contradictions that stand, by the position that they are about.
pub(super) type Clashes = BTreeMap<Position, Vec<Clash>>;

/// What frames say of positions, merged.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    entries: BTreeMap<(u32, Position), Entry>,
    /// Claims that could not be merged, and that were not taken back afterwards.
    pub(super) clashes: Clashes,
}

impl Gathered {
    /// Adds what `frame` says of positions.
    pub(super) fn add(&mut self, frame: &Frame) {
        for &position in &frame.withdrawn {
            self.entries.remove(&(position.empties(), position));
            self.clashes.remove(&position);
        }
        for claim in &frame.claims {
            self.claim(claim);
        }
    }

    /// Takes the entries, by number of empties and position.
    pub(super) fn take(&mut self) -> impl Iterator<Item = (Position, Entry)> + use<> {
        std::mem::take(&mut self.entries)
            .into_iter()
            .map(|((_, position), entry)| (position, entry))
    }

    fn claim(&mut self, claim: &Claim) {
        let (position, entry) = (claim.position, Entry::first(claim));
        let held = self.entries.entry((position.empties(), position)).or_insert(entry);
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
}

/// Keeps the origins that `frame`, of the log in the folder `log`, introduces, and checks that those of its claims are
/// known.
pub(super) fn learn(
    frame: &mut Frame,
    origins: &mut Origins,
    index: &dyn Index,
    log: &Path,
) -> Result<(), StoreError> {
    let number = frame.number;
    let damaged = |found, expected| {
        Err(StoreError::Damaged { path: log.to_owned(), offset: 0, found, expected })
    };
    for (id, origin) in frame.origins.drain(..) {
        if origins.get(id).is_some_and(|known| **known == origin) {
            continue;
        }
        if id != origins.count() {
            let found = format!("origin {id} in frame {number}");
            return damaged(found, format!("origin {}", origins.count()));
        }
        index.put_origin(id, &origin)?;
        origins.push(Arc::new(origin));
    }
    let count = origins.count();
    match frame.claims.iter().find(|claim| claim.source.origin >= count) {
        None => Ok(()),
        Some(claim) => {
            let found = format!("a proof of origin {} in frame {number}", claim.source.origin);
            damaged(found, format!("below {count}"))
        }
    }
}

/// Applies frames to an index; a frame that was applied before changes nothing.
#[derive(Debug)]
pub(super) struct Replay<'a> {
    index: &'a dyn Index,
    log: &'a Path,
    pub(super) gathered: Gathered,
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
}

impl<'a> Replay<'a> {
    /// Starts with an index that holds `origins`.
    pub(super) fn new(index: &'a dyn Index, log: &'a Path, origins: Origins) -> Self {
        let gathered = Gathered::default();
        Self { index, log, gathered, origins, added: 0, removed: 0, withdrawn: 0, frames: 0 }
    }

    /// Applies `frame`.
    pub(super) fn apply(&mut self, mut frame: Frame) -> Result<(), StoreError> {
        learn(&mut frame, &mut self.origins, self.index, self.log)?;
        self.removed += self.index.remove_all(&frame.withdrawn)?;
        self.withdrawn += frame.withdrawn.len() as u64;
        self.gathered.add(&frame);
        self.frames += 1;
        if self.gathered.entries.len() < GATHERED { Ok(()) } else { self.flush() }
    }

    /// Puts what was gathered into the index.
    pub(super) fn flush(&mut self) -> Result<(), StoreError> {
        let mut changed = Vec::new();
        for (position, entry) in self.gathered.take() {
            let merged = match self.index.get(position)? {
                None => entry,
                Some(held) => match held.merge(&entry) {
                    Ok(merged) if merged == held => continue,
                    Ok(merged) => merged,
                    Err(_) => {
                        self.gathered.clash(position, &held, &entry);
                        continue;
                    }
                },
            };
            changed.push((position, merged));
        }
        self.added += self.index.put_all(&changed)?;
        Ok(())
    }
}
