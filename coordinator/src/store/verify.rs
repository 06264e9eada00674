//! Reading a whole store to see whether it is sound.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use outflank_engine::Position;

use super::claim::Entry;
use super::compare::{Merged, Passes};
use super::error::StoreError;
use super::index::Index;
use super::layout::Layout;
use super::lock::Lock;
use super::manifest::{Found, Manifest};
use super::open::is_store;
use super::pace::{Doing, Telling, Told};
use super::parts::{self, Sample};
use super::read_only;
use super::scan::{self, Damage, Met, Place, Scan};
use super::sled_index::SledIndex;
use crate::text;

/// About the number of claims compared in one pass, which bounds the memory.
const CLAIMS_A_PASS: u64 = 8 << 20;
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
    /// Why the index was left alone, if it was: it cannot be opened without writing.
    pub index_unread: Option<Unread>,
}

/// Why an index was left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// The store can only be read.
    ReadOnly,
    /// The disk is full.
    NoRoom,
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

    pub(super) fn problem(&mut self, path: &Path, offset: Option<u64>, what: String) {
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
/// it changes nothing at all, and leaves the index alone, as where there is no room to open it.
///
/// # Errors
/// If there is no store at `store`, if it is in use, of another schema version, or if the system
/// refuses. Damage is no error but a part of the answer.
pub fn verify(store: &Path) -> Result<Verification, StoreError> {
    verify_and_tell(store, Told::default())
}

/// As [`verify`], and tells how far it is.
///
/// # Errors
/// As [`verify`].
pub fn verify_and_tell(store: &Path, told: Told<'_>) -> Result<Verification, StoreError> {
    if !is_store(store)? {
        return Err(StoreError::NoStore { path: store.to_owned() });
    }
    let layout = Layout::new(store);
    if read_only::check_writable(&layout).is_err() {
        return look(&layout, Unread::ReadOnly, told);
    }
    let lock = match Lock::take(store) {
        // Where there is none, there may be no room to make one.
        Err(error) if error.is_full_disk() => return look(&layout, Unread::NoRoom, told),
        lock => lock?,
    };
    let found = match check(&layout, told) {
        Err(error) if error.is_full_disk() => without_index(&layout, Unread::NoRoom, told),
        found => found,
    };
    lock.check()?; // Otherwise nobody knows what was read.
    found
}

/// As [`verify`], where the store exists and is to be read only; says `why`.
pub(super) fn look(
    layout: &Layout,
    why: Unread,
    told: Told<'_>,
) -> Result<Verification, StoreError> {
    let lock = Lock::share(&layout.store)?;
    let found = without_index(layout, why, told);
    lock.as_ref().map_or(Ok(()), Lock::check)?;
    found
}

/// As [`check`], without writing anything in the store.
fn without_index(layout: &Layout, why: Unread, told: Told<'_>) -> Result<Verification, StoreError> {
    let scratch = parts::scratch();
    let mut found = check_by(layout, Access::Read { scratch: &scratch }, CLAIMS_A_PASS, told)?;
    found.index_unread = found.index_unread.map(|_| why);
    Ok(found)
}

/// As [`verify`], where the store exists and nobody else can use it.
pub(super) fn check(layout: &Layout, told: Told<'_>) -> Result<Verification, StoreError> {
    check_by(layout, Access::Write, CLAIMS_A_PASS, told)
}

/// What a check may do with the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access<'a> {
    /// Open it, which writes beside it, and write what is to be compared with it.
    Write,
    /// See whether it is there. What is to be compared is in the folder `scratch` meanwhile.
    Read {
        /// A folder for what is temporary.
        scratch: &'a Path,
    },
}

/// As [`check`], in passes of about so many claims.
pub(super) fn check_by(
    layout: &Layout,
    access: Access<'_>,
    claims_a_pass: u64,
    told: Told<'_>,
) -> Result<Verification, StoreError> {
    if access == Access::Write {
        parts::clear_up(layout);
    }
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
    let mut sample = Sample::default();
    let end = read_log(layout, manifest.as_ref(), &mut sample, told, &mut verification)?;
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
    if index.is_some() || access != Access::Write && layout.log().is_dir() {
        let covered = manifest.map_or(0, |manifest| manifest.place.frame);
        let entries = manifest.map_or(0, |manifest| manifest.records);
        let bytes = sample.bytes();
        let ranges = sample.ranges(claims_a_pass);
        let passes = match access {
            Access::Write => Passes::over_parts(layout, ranges, covered, (told, entries))?,
            Access::Read { scratch } => {
                Passes::over_parts_elsewhere(layout, ranges, covered, (scratch, bytes), told)
            }
        };
        compare_index(layout, passes, index.as_ref(), &mut verification)?;
    }
    Ok(verification)
}

/// Checks every frame of the log and takes a sample of it; returns where the log ends.
fn read_log(
    layout: &Layout,
    manifest: Option<&Manifest>,
    sample: &mut Sample,
    told: Told<'_>,
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
    let mut telling = Telling::of_log(told, Doing::ReadingLog, &log)?;
    while let Some(met) = scan.next()? {
        match met {
            Met::Damage(damage) => verification.damage(damage, covered),
            Met::Frame(frame) => {
                telling.frame(&frame);
                verification.frames += 1;
                verification.claims += frame.claims.len() as u64;
                sample.add(&frame);
            }
        }
    }
    telling.end();
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
    access: Access<'_>,
    verification: &mut Verification,
) -> Result<Option<SledIndex>, StoreError> {
    let path = layout.index();
    if !path.exists() {
        verification.index_problem(&path, "the index is missing".to_owned());
        return Ok(None);
    }
    if access != Access::Write {
        verification.index_unread = Some(Unread::ReadOnly);
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
    mut passes: Passes<'_>,
    index: Option<&SledIndex>,
    verification: &mut Verification,
) -> Result<(), StoreError> {
    let log = layout.log();
    let Some(index) = index else {
        while let Some(merged) = passes.merge_next()? {
            merged.report(&log, verification);
        }
        passes.end();
        return Ok(());
    };
    let path = layout.index();
    let mut comparison =
        Comparison { passes, merged: Merged::default(), log, missing: 0, verification };
    let mut failure = None;
    let visited =
        index.visit(&mut |position, entry| match comparison.compare(&path, position, entry) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        });
    if let Some(error) = failure {
        return Err(error);
    }
    let reason = match visited {
        Ok(()) => None,
        Err(StoreError::Index { reason, .. }) => Some(reason),
        Err(error) => return Err(error),
    };
    while comparison.enter_next()? {}
    let missing = comparison.missing;
    comparison.passes.end();
    if let Some(reason) = reason {
        verification.index_problem(&path, reason);
    } else if missing > 0 {
        let what = format!("{missing} positions of the log are missing");
        verification.problem(&path, None, what);
    }
    Ok(())
}

/// A visit of the index, from range to range.
struct Comparison<'a> {
    passes: Passes<'a>,
    /// What the log says of the range that the visit has come to.
    merged: Merged,
    log: PathBuf,
    /// Positions of the ranges so far that the index must hold and that were not met.
    missing: u64,
    verification: &'a mut Verification,
}

impl Comparison<'_> {
    /// Goes on to the next range; returns whether there is one.
    fn enter_next(&mut self) -> Result<bool, StoreError> {
        self.merged = Merged::default(); // Two at once would take twice the memory.
        let Some(merged) = self.passes.merge_next()? else { return Ok(false) };
        merged.report(&self.log, self.verification);
        self.missing += merged.covered();
        self.merged = merged;
        Ok(true)
    }

    /// Compares an entry of the index at `path`, behind those before it in the order of keys.
    fn compare(&mut self, path: &Path, position: Position, entry: Entry) -> Result<(), StoreError> {
        self.passes.entry_is_compared();
        let range = self.passes.ranges.of(position);
        while self.passes.next() <= range {
            self.enter_next()?;
        }
        let taken_back = self.merged.taken_back.contains(&position);
        let Some(known) = self.merged.known.get(&position) else {
            if !taken_back {
                self.verification.problem(path, None, describe(position, "is not in the log"));
            }
            return Ok(());
        };
        self.missing = self.missing.saturating_sub(u64::from(!known.recent));
        let behind = known.recent && known.entry.bound.implies(entry.bound) || taken_back;
        if known.entry != entry && !behind {
            let what = format!("is {}, the log says {}", entry.bound, known.entry.bound);
            self.verification.problem(path, None, describe(position, &what));
        }
        Ok(())
    }
}

fn describe(position: Position, what: &str) -> String {
    format!("the bound of {} {what}", text::position(position))
}
