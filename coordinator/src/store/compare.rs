//! What the log says of each position, in passes that fit into memory.
//!
//! A pass is a range of index keys, so that the index is visited once, whatever its size, and the ranges are finished one
//! after the other on the way.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::error::Error;
use std::path::{Path, PathBuf};

use outflank_engine::{Contradiction, Position};

use super::claim::{Claim, Entry};
use super::error::StoreError;
use super::frame::Frame;
use super::layout::Layout;
use super::pace::{Doing, Telling, Told};
use super::parts::{Parts, Ranges, Visitor};
use super::scan::{Met, Place, Scan};
use super::verify::Verification;

/// What the log says, one range after the other.
#[derive(Debug)]
pub(super) struct Passes<'a> {
    pub(super) ranges: Ranges,
    log: PathBuf,
    /// The number of the first frame that the manifest does not cover.
    covered: u64,
    /// What the log says, parted; otherwise each pass reads it.
    parts: Option<Parts>,
    next: usize,
    told: Told<'a>,
    telling: Telling<'a>,
}

impl<'a> Passes<'a> {
    /// Prepares for passes over `ranges`, each of which reads the whole log; tells how much of the claims and of `entries`
    /// of an index is compared.
    pub(super) fn over_log(
        layout: &Layout,
        ranges: Ranges,
        covered: u64,
        (told, entries): (Told<'a>, u64),
    ) -> Self {
        let telling = Telling::new(told, Doing::Comparing, ranges.named().saturating_add(entries));
        Self { ranges, log: layout.log(), covered, parts: None, next: 0, told, telling }
    }

    /// Parts the log into files in the store, which go when this is dropped, unless one pass does.
    pub(super) fn over_parts(
        layout: &Layout,
        ranges: Ranges,
        covered: u64,
        (told, entries): (Told<'a>, u64),
    ) -> Result<Self, StoreError> {
        let mut passes = Self::over_log(layout, ranges, covered, (told, entries));
        if passes.ranges.count() > 1 {
            passes.parts =
                Some(Parts::write(layout, &passes.ranges, |visit| passes.read_to_part(visit))?);
        }
        Ok(passes)
    }

    /// As [`Self::over_parts`], for a store that can only be read: the files are in the folder `scratch`. Where there is
    /// no room for that many `bytes`, each pass reads the whole log.
    pub(super) fn over_parts_elsewhere(
        layout: &Layout,
        ranges: Ranges,
        covered: u64,
        (scratch, bytes): (&Path, u64),
        told: Told<'a>,
    ) -> Self {
        let mut passes = Self::over_log(layout, ranges, covered, (told, 0));
        let times = passes.ranges.count();
        if times == 1 {
            return passes;
        }
        let read = |visit: &mut Visitor<'_>| passes.read_to_part(visit);
        match Parts::write_elsewhere(scratch, bytes, &passes.ranges, read) {
            Ok(parts) => passes.parts = Some(parts),
            Err(error) => {
                let log = layout.log();
                tracing::warn!(
                    log = %log.display(),
                    times,
                    bytes,
                    %error,
                    cause = error.source(),
                    "the log is read many times, which takes long: TMPDIR can name a folder with room for parts of it"
                );
            }
        }
        passes
    }

    /// Hands the good frames of the log to `visit`, which parts them.
    fn read_to_part(&self, visit: &mut Visitor<'_>) -> Result<(), StoreError> {
        let mut telling = Telling::of_log(self.told, Doing::PartingLog, &self.log)?;
        read_frames(&self.log, &mut |frame| {
            telling.frame(frame);
            visit(frame)
        })?;
        telling.end();
        Ok(())
    }

    /// Tells that an entry of the index is compared.
    pub(super) fn entry_is_compared(&mut self) {
        self.telling.add(1);
    }

    /// Tells that nothing is left to be compared.
    pub(super) fn end(self) {
        self.telling.end();
    }

    /// Returns the number of the range that [`Self::merge_next`] deals with.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Merges what the log says of the next range, if there is one.
    pub(super) fn merge_next(&mut self) -> Result<Option<Merged>, StoreError> {
        let pass = self.next;
        if pass == self.ranges.count() {
            return Ok(None);
        }
        self.next += 1;
        let mut merged = Merged::default();
        let mut apply = |frame: &Frame| {
            let is_recent = frame.number >= self.covered;
            let told = merged.apply(frame, is_recent, &|it| self.ranges.of(it) == pass);
            self.telling.add(told);
            Ok(())
        };
        match &self.parts {
            Some(parts) => parts.read(pass, &mut apply)?,
            None => read_frames(&self.log, &mut apply)?,
        }
        Ok(Some(merged))
    }
}

/// Hands the good frames of the log in the folder `log` to `visit`.
fn read_frames(log: &Path, visit: &mut Visitor<'_>) -> Result<(), StoreError> {
    let mut scan = Scan::new(log, Place::START)?;
    while let Some(met) = scan.next()? {
        if let Met::Frame(frame) = met {
            visit(&frame)?;
        }
    }
    Ok(())
}

/// What the log says of a position.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) entry: Entry,
    /// Whether the index may lack a part of it, because that was written after the manifest.
    pub(super) recent: bool,
}

/// What the log says of the positions in a pass.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub(super) known: HashMap<Position, Known>,
    /// Positions of which the index may hold what was taken back, because that was written after the manifest.
    pub(super) taken_back: HashSet<Position>,
    /// Claims that stand and contradict others, with the numbers of their frames.
    contradictions: BTreeMap<Position, Vec<(u64, Contradiction)>>,
}

impl Merged {
    /// Adds what `frame` says of the positions in the pass; returns how many it names.
    fn apply(&mut self, frame: &Frame, recent: bool, in_pass: &dyn Fn(Position) -> bool) -> u64 {
        let mut named = 0;
        for &position in frame.withdrawn.iter().filter(|&&position| in_pass(position)) {
            self.withdraw(position, recent);
            named += 1;
        }
        for claim in frame.claims.iter().filter(|claim| in_pass(claim.position)) {
            self.add(claim, frame.number, recent);
            named += 1;
        }
        named
    }

    fn withdraw(&mut self, position: Position, recent: bool) {
        self.known.remove(&position);
        self.contradictions.remove(&position);
        if recent {
            self.taken_back.insert(position);
        }
    }

    fn add(&mut self, claim: &Claim, frame: u64, recent: bool) {
        let (position, entry) = (claim.position, Entry::first(claim));
        let held = self.known.entry(position).or_insert(Known { entry, recent });
        held.recent |= recent;
        match held.entry.merge(&entry) {
            Ok(merged) => held.entry = merged,
            Err(contradiction) => {
                self.contradictions.entry(position).or_default().push((frame, contradiction));
            }
        }
    }

    /// Counts the positions, and the contradictions as problems of `log`, in their order there.
    pub(super) fn report(&self, log: &Path, verification: &mut Verification) {
        verification.positions += self.known.len() as u64;
        let mut contradictions: Vec<_> = self.contradictions.values().flatten().collect();
        contradictions.sort_by_key(|(frame, _)| frame);
        for (frame, contradiction) in contradictions {
            verification.problem(log, None, format!("frame {frame}: {contradiction}"));
        }
    }

    /// Returns the number of positions that the index must hold.
    pub(super) fn covered(&self) -> u64 {
        self.known.values().filter(|known| !known.recent).count() as u64
    }
}
