//! Reading a whole store to see whether it is sound.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use outflank_engine::{Contradiction, Position};

use super::claim::{self, Claim, Entry};
use super::error::StoreError;
use super::index::Index;
use super::layout::Layout;
use super::lock::Lock;
use super::manifest::{Found, Manifest};
use super::open::is_store;
use super::read_only;
use super::scan::{self, Damage, Met, Place, Scan};
use super::sled_index::SledIndex;
use crate::text;

/// The number of positions compared in one pass over the log, which bounds the memory.
const POSITIONS_A_PASS: u64 = 8 << 20;
/// The number of problems that are described one by one.
pub(super) const PROBLEMS: usize = 1000;

/// What a full check of a store found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// Segments of the log.
    pub segments: u64,
    /// Good frames.
    pub frames: u64,
    /// Claims in them.
    pub claims: u64,
    /// Different positions among the claims.
    pub positions: u64,
    /// Pairs of claims in quarantine.
    pub quarantined: u64,
    /// The number of problems.
    pub problems: u64,
    /// Those of them that say that the index is lost, or a part of it. An index that is whole and says something else
    /// than the log is not among them: it may know what the log has lost.
    pub index_problems: u64,
    /// The first thousand problems, each with its place.
    pub described: Vec<Problem>,
    /// Whether the end of the log is a write that was not completed; opening the store cuts it.
    pub torn: bool,
    /// Whether the index lacks the end of the log; opening the store catches up.
    pub behind: bool,
    /// Whether the index was left alone because the store can only be read: it cannot be opened without writing.
    pub index_unread: bool,
}

impl Verification {
    /// Returns whether everything is as it should be. A torn end and an index that is behind are
    /// what a killed process leaves, and no problems.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.problems == 0
    }

    /// Counts a problem of what lies beside the log and the index.
    pub fn note(&mut self, problem: Problem) {
        self.problems += 1;
        if self.described.len() < PROBLEMS {
            self.described.push(problem);
        }
    }

    /// Returns whether the log is as it should be, as far as can be told from what is left of the rest. Behind a manifest
    /// what is torn is a write that was not completed; where that `is_lost` nobody can tell that from damage.
    pub(super) fn has_whole_log(&self, is_lost: bool) -> bool {
        self.problems == self.index_problems && !(self.torn && is_lost)
    }

    /// Notes that something is wrong with the index, which lies at `path`.
    fn index_problem(&mut self, path: &Path, what: String) {
        self.index_problems += 1;
        self.problem(path, None, what);
    }

    fn problem(&mut self, path: &Path, offset: Option<u64>, what: String) {
        self.note(Problem { path: path.to_owned(), offset, what });
    }

    /// Counts damage; at the end of the log, behind what the manifest covers, it is a torn write.
    fn damage(&mut self, damage: Damage, covered: Option<Place>) {
        let place = (damage.segment, damage.offset);
        let covered = covered.is_some_and(|covered| place < (covered.segment, covered.offset));
        if damage.at_end && !covered {
            self.torn = true;
            return;
        }
        self.note(damage.into());
    }
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {what}", path.display(), at(*offset))]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// The place in the file, in bytes.
    pub offset: Option<u64>,
    /// What is wrong.
    pub what: String,
}

impl From<Damage> for Problem {
    fn from(damage: Damage) -> Self {
        let Damage { path, offset, fault, .. } = damage;
        let what = format!("found {}, expected {}", fault.found, fault.expected);
        Self { path, offset: Some(offset), what }
    }
}

fn at(offset: Option<u64>) -> String {
    offset.map_or_else(String::new, |offset| format!(" at offset {offset}"))
}

/// Reads the log in full and compares the index with it; changes nothing in the log. Where the store can only be read
/// it changes nothing at all, and leaves the index alone.
///
/// # Errors
/// If there is no store at `store`, if it is in use, of another schema version, or if the system
/// refuses. Damage is no error but a part of the answer.
pub fn verify(store: &Path) -> Result<Verification, StoreError> {
    if !is_store(store)? {
        return Err(StoreError::NoStore { path: store.to_owned() });
    }
    let layout = Layout::new(store);
    if read_only::check_writable(&layout).is_err() {
        return look(&layout);
    }
    let lock = Lock::take(store)?;
    let found = check(&layout);
    lock.check()?; // Otherwise nobody knows what was read.
    found
}

/// As [`verify`], where the store exists and is to be read only.
pub(super) fn look(layout: &Layout) -> Result<Verification, StoreError> {
    let lock = Lock::share(&layout.store)?;
    let found = check_with(layout, Access::Read);
    lock.as_ref().map_or(Ok(()), Lock::check)?;
    found
}

/// As [`verify`], where the store exists and nobody else can use it.
pub(super) fn check(layout: &Layout) -> Result<Verification, StoreError> {
    check_with(layout, Access::Write)
}

/// What a check may do with the index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Open it, which writes beside it.
    Write,
    /// See whether it is there.
    Read,
}

fn check_with(layout: &Layout, access: Access) -> Result<Verification, StoreError> {
    let mut verification = Verification::default();
    let manifest = match Manifest::read(&layout.store)? {
        Found::Manifest(manifest) => Some(manifest),
        Found::Nothing => None,
        Found::Nonsense => {
            let path = super::manifest::path(&layout.store);
            verification.problem(&path, None, "the manifest is damaged".to_owned());
            None
        }
    };
    let end = read_log(layout, manifest.as_ref(), &mut verification)?;
    read_quarantine(layout, &mut verification)?;
    verification.behind = manifest.is_none_or(|manifest| manifest.place != end);
    let index = if layout.doubt().exists() || layout.unfinished().exists() {
        let what = "it is in doubt; opening the store makes it again".to_owned();
        verification.index_problem(&layout.index(), what);
        None
    } else if layout.index().exists() || !verification.behind {
        find_index(layout, manifest.as_ref(), access, &mut verification)?
    } else {
        None
    };
    // Without an index the log may still contradict itself; who may open the store is told by that.
    if index.is_some() || access == Access::Read && layout.log().is_dir() {
        compare_index(layout, manifest.as_ref(), index.as_ref(), &mut verification)?;
    }
    Ok(verification)
}

/// Checks every frame of the log; returns where the log ends.
fn read_log(
    layout: &Layout,
    manifest: Option<&Manifest>,
    verification: &mut Verification,
) -> Result<Place, StoreError> {
    let log = layout.log();
    if !log.is_dir() {
        verification.problem(&log, None, "the log is missing".to_owned());
        return Ok(Place::START);
    }
    let covered = manifest.map(|manifest| manifest.place);
    verification.segments = scan::segments(&log)?.len() as u64;
    let mut scan = Scan::new(&log, Place::START)?;
    while let Some(met) = scan.next()? {
        match met {
            Met::Damage(damage) => verification.damage(damage, covered),
            Met::Frame(frame) => {
                verification.frames += 1;
                verification.claims += frame.claims.len() as u64;
            }
        }
    }
    if let Some(covered) = covered
        && scan.place() < covered
    {
        let what = format!("ends before frame {}, which the manifest covers", covered.frame);
        verification.problem(&scan::segment_path(&log, covered.segment), None, what);
    }
    Ok(scan.place())
}

fn read_quarantine(layout: &Layout, verification: &mut Verification) -> Result<(), StoreError> {
    if !layout.quarantine().is_dir() {
        return Ok(());
    }
    let mut scan = Scan::new(&layout.quarantine(), Place::START)?;
    while let Some(met) = scan.next()? {
        match met {
            Met::Damage(damage) if damage.at_end => {}
            Met::Damage(damage) => verification.damage(damage, None),
            Met::Frame(_) => verification.quarantined += 1,
        }
    }
    Ok(())
}

/// Returns the index, if it is there, may be opened, and holds what the manifest says.
fn find_index(
    layout: &Layout,
    manifest: Option<&Manifest>,
    access: Access,
    verification: &mut Verification,
) -> Result<Option<SledIndex>, StoreError> {
    let path = layout.index();
    if !path.exists() {
        verification.index_problem(&path, "the index is missing".to_owned());
        return Ok(None);
    }
    if access == Access::Read {
        verification.index_unread = true;
        return Ok(None);
    }
    let opened = SledIndex::open(&path).and_then(|index| {
        let is_whole = manifest.map_or(Ok(true), |manifest| index.covers(manifest))?;
        Ok((index, is_whole))
    });
    let what = match opened {
        Ok((index, true)) => return Ok(Some(index)),
        Ok((_, false)) => "the index does not hold what the manifest says".to_owned(),
        Err(StoreError::Index { reason, .. }) => reason,
        Err(error) => return Err(error),
    };
    verification.index_problem(&path, what);
    Ok(None)
}

/// Compares the entry of every position with the claims of the log, and the other way round; without an index, only the
/// claims with each other.
fn compare_index(
    layout: &Layout,
    manifest: Option<&Manifest>,
    index: Option<&SledIndex>,
    verification: &mut Verification,
) -> Result<(), StoreError> {
    let covered = manifest.map_or(0, |manifest| manifest.place.frame);
    let passes = verification.claims.div_ceil(POSITIONS_A_PASS).max(1);
    for pass in 0..passes {
        let in_pass = |position: Position| spread(position) % passes == pass;
        let merged = merge_log(layout, covered, &in_pass)?;
        merged.report(&layout.log(), verification);
        if let Some(index) = index {
            compare_pass(index, &layout.index(), &merged, &in_pass, verification)?;
        }
    }
    Ok(())
}

/// What the log says of a position.
struct Known {
    entry: Entry,
    /// Whether the index may lack a part of it, because that was written after the manifest.
    recent: bool,
}

/// What the log says of the positions in a pass.
#[derive(Default)]
struct Merged {
    known: HashMap<Position, Known>,
    /// Positions of which the index may hold what was taken back, because that was written after the manifest.
    taken_back: HashSet<Position>,
    /// Claims that stand and contradict others, with the numbers of their frames.
    contradictions: BTreeMap<Position, Vec<(u64, Contradiction)>>,
}

impl Merged {
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
    fn report(&self, log: &Path, verification: &mut Verification) {
        verification.positions += self.known.len() as u64;
        let mut contradictions: Vec<_> = self.contradictions.values().flatten().collect();
        contradictions.sort_by_key(|(frame, _)| frame);
        for (frame, contradiction) in contradictions {
            verification.problem(log, None, format!("frame {frame}: {contradiction}"));
        }
    }
}

/// Merges the claims of the positions in this pass.
fn merge_log(
    layout: &Layout,
    covered: u64,
    in_pass: &dyn Fn(Position) -> bool,
) -> Result<Merged, StoreError> {
    let mut merged = Merged::default();
    let mut scan = Scan::new(&layout.log(), Place::START)?;
    while let Some(met) = scan.next()? {
        let Met::Frame(frame) = met else { continue };
        let recent = frame.number >= covered;
        for &position in frame.withdrawn.iter().filter(|&&position| in_pass(position)) {
            merged.withdraw(position, recent);
        }
        for claim in frame.claims.iter().filter(|claim| in_pass(claim.position)) {
            merged.add(claim, frame.number, recent);
        }
    }
    Ok(merged)
}

fn compare_pass(
    index: &SledIndex,
    path: &Path,
    merged: &Merged,
    in_pass: &dyn Fn(Position) -> bool,
    verification: &mut Verification,
) -> Result<(), StoreError> {
    let mut seen = 0_u64;
    let visited = index.visit(&mut |position, entry| {
        if !in_pass(position) {
            return ControlFlow::Continue(());
        }
        let taken_back = merged.taken_back.contains(&position);
        match merged.known.get(&position) {
            None if taken_back => {}
            None => verification.problem(path, None, describe(position, "is not in the log")),
            Some(known) => {
                seen += u64::from(!known.recent);
                let behind = known.recent && known.entry.bound.implies(entry.bound) || taken_back;
                if known.entry != entry && !behind {
                    let what = format!("is {}, the log says {}", entry.bound, known.entry.bound);
                    verification.problem(path, None, describe(position, &what));
                }
            }
        }
        ControlFlow::Continue(())
    });
    match visited {
        Ok(()) => {}
        Err(StoreError::Index { reason, .. }) => {
            verification.index_problem(path, reason);
            return Ok(());
        }
        Err(error) => return Err(error),
    }
    let covered = merged.known.values().filter(|known| !known.recent).count() as u64;
    if seen < covered {
        let what = format!("{} positions of the log are missing", covered - seen);
        verification.problem(path, None, what);
    }
    Ok(())
}

fn describe(position: Position, what: &str) -> String {
    format!("the bound of {} {what}", text::position(position))
}

/// Returns a number that spreads positions evenly over passes.
fn spread(position: Position) -> u64 {
    u64::from(crc32fast::hash(&claim::key(position)))
}
