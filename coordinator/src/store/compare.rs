//! What the log says of each position, in passes that fit into memory.
//!
//! A pass is a range of index keys, so that the index is visited once, whatever its size, and the ranges are finished one
//! after the other on the way. A sample of the log says where they end. What the log says of each range comes from a file
//! of its own, so that the log is not read again for every pass: the time grows with the store, and not with its square.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use outflank_engine::{Contradiction, Position};

use super::claim::{self, Claim, Entry, KEY_BYTES};
use super::error::StoreError;
use super::frame::{self, FRAME_OVERHEAD, Frame};
use super::layout::Layout;
use super::scan::{Met, Place, Scan};
use super::verify::Verification;

/// The most keys in a sample: a hundred ranges or two that it is parted into differ by a tenth or so.
const SAMPLED: usize = 1 << 16;
/// The bytes that wait for being written, to all files together, as long as each may have [`LEAST_BUFFER`]. Tests want
/// files that are written in several goes.
const BUFFERS: usize = if cfg!(test) { 1 << 10 } else { 64 << 20 };
const LEAST_BUFFER: usize = if cfg!(test) { 200 } else { 4 << 10 };

type Key = [u8; KEY_BYTES];

/// A sample of the positions that the log names, the same for the same log.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// The positions that were named, each as often as it was.
    named: u64,
    /// What is kept, with what decides about that: as many trailing zeros as `level`.
    kept: Vec<(u32, Key)>,
    level: u32,
}

impl Sample {
    /// Adds the positions of `frame`.
    pub(super) fn add(&mut self, frame: &Frame) {
        for position in named(frame) {
            // Every so many would be those of one worker where several take turns.
            let lot = crc32fast::hash(&self.named.to_le_bytes());
            self.named += 1;
            if lot.trailing_zeros() >= self.level {
                self.kept.push((lot, claim::key(position)));
            }
        }
        while self.kept.len() > SAMPLED && self.level < u32::BITS {
            self.level += 1;
            self.kept.retain(|(lot, _)| lot.trailing_zeros() >= self.level);
        }
    }

    /// Returns ranges in which the log names about `most` positions each, unless it names one more often than that.
    pub(super) fn ranges(self, most: u64) -> Ranges {
        let passes = usize::try_from(self.named.div_ceil(most)).unwrap_or(usize::MAX);
        let mut keys: Vec<Key> = self.kept.into_iter().map(|(_, key)| key).collect();
        keys.sort_unstable();
        let passes = passes.min(keys.len());
        let mut starts: Vec<Key> = (1..passes)
            .map(|pass| keys[(pass as u128 * keys.len() as u128 / passes as u128) as usize])
            .collect();
        starts.dedup();
        Ranges { starts }
    }
}

fn named(frame: &Frame) -> impl Iterator<Item = Position> {
    let claimed = frame.claims.iter().map(|claim| claim.position);
    frame.withdrawn.iter().copied().chain(claimed)
}

/// Ranges of index keys that follow on each other.
#[derive(Debug)]
pub(super) struct Ranges {
    /// The first keys of all but the first.
    starts: Vec<Key>,
}

impl Ranges {
    fn count(&self) -> usize {
        self.starts.len() + 1
    }

    /// Returns the number of the range that `position` is in.
    pub(super) fn of(&self, position: Position) -> usize {
        let key = claim::key(position);
        self.starts.partition_point(|start| *start <= key)
    }
}

/// What the log says, one range after the other.
#[derive(Debug)]
pub(super) struct Passes {
    pub(super) ranges: Ranges,
    log: PathBuf,
    /// The number of the first frame that the manifest does not cover.
    covered: u64,
    /// What the log says, parted; otherwise each pass reads it.
    parts: Option<Parts>,
    next: usize,
}

impl Passes {
    /// Prepares for passes over `ranges`, each of which reads the whole log.
    pub(super) fn over_log(layout: &Layout, ranges: Ranges, covered: u64) -> Self {
        Self { ranges, log: layout.log(), covered, parts: None, next: 0 }
    }

    /// Parts the log into files in the store, which go when this is dropped, unless one pass does.
    pub(super) fn over_parts(
        layout: &Layout,
        ranges: Ranges,
        covered: u64,
    ) -> Result<Self, StoreError> {
        let mut passes = Self::over_log(layout, ranges, covered);
        if passes.ranges.count() > 1 {
            passes.parts = Some(Parts::write(layout, &passes.ranges)?);
        }
        Ok(passes)
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
            merged.apply(frame, frame.number >= self.covered, &|it| self.ranges.of(it) == pass);
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
fn read_frames(
    log: &Path,
    visit: &mut dyn FnMut(&Frame) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
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
    fn apply(&mut self, frame: &Frame, recent: bool, in_pass: &dyn Fn(Position) -> bool) {
        for &position in frame.withdrawn.iter().filter(|&&position| in_pass(position)) {
            self.withdraw(position, recent);
        }
        for claim in frame.claims.iter().filter(|claim| in_pass(claim.position)) {
            self.add(claim, frame.number, recent);
        }
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

/// What the log says of each range, in a file of its own: frames as in the log, without origins. They go when this is
/// dropped.
#[derive(Debug)]
struct Parts {
    folder: PathBuf,
    /// The length of each file, in bytes; where there is nothing to say, there is none.
    lengths: Vec<u64>,
}

impl Parts {
    fn write(layout: &Layout, ranges: &Ranges) -> Result<Self, StoreError> {
        let folder = layout.comparison();
        fs::create_dir(&folder).map_err(StoreError::io("creating", &folder))?;
        let mut parts = Self { folder, lengths: vec![0; ranges.count()] };
        let full = (BUFFERS / ranges.count()).max(LEAST_BUFFER);
        let mut buffers = vec![Vec::new(); ranges.count()];
        read_frames(&layout.log(), &mut |frame| {
            for (part, frame) in parted(frame, ranges) {
                frame::seal(frame.number, &frame.body(), &mut buffers[part]);
                if buffers[part].len() >= full {
                    parts.append(part, &buffers[part])?;
                    buffers[part].clear();
                }
            }
            Ok(())
        })?;
        for (part, buffer) in buffers.iter().enumerate().filter(|(_, buffer)| !buffer.is_empty()) {
            parts.append(part, buffer)?;
        }
        Ok(parts)
    }

    /// Writes to one file and closes it: there may be more of them than a process can have open.
    fn append(&mut self, part: usize, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.path(part);
        let file = File::options().create(true).append(true).open(&path);
        let mut file = file.map_err(StoreError::io("creating", &path))?;
        file.write_all(bytes).map_err(StoreError::io("writing", &path))?;
        self.lengths[part] += bytes.len() as u64;
        Ok(())
    }

    fn read(
        &self,
        part: usize,
        visit: &mut dyn FnMut(&Frame) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (path, mut rest) = (self.path(part), self.lengths[part]);
        if rest == 0 {
            return Ok(());
        }
        let file = File::open(&path).map_err(StoreError::io("opening", &path))?;
        let mut file = BufReader::with_capacity(1 << 20, file);
        while rest > 0 {
            let (frame, bytes) =
                read_frame(&mut file, rest).map_err(StoreError::io("reading", &path))?;
            visit(&frame)?;
            rest -= bytes;
        }
        Ok(())
    }

    fn path(&self, part: usize) -> PathBuf {
        self.folder.join(format!("{part:06}"))
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Returns what `frame` says of each range of which it says something.
fn parted(frame: &Frame, ranges: &Ranges) -> BTreeMap<usize, Frame> {
    let mut parted = BTreeMap::new();
    let new = || Frame { number: frame.number, ..Frame::default() };
    for &position in &frame.withdrawn {
        let part = parted.entry(ranges.of(position)).or_insert_with(new);
        part.withdrawn.push(position);
    }
    for claim in &frame.claims {
        let part = parted.entry(ranges.of(claim.position)).or_insert_with(new);
        part.claims.push(*claim);
    }
    parted
}

/// Returns the next frame of a part, and its size in bytes.
fn read_frame(file: &mut impl Read, room: u64) -> io::Result<(Frame, u64)> {
    let other = |fault: frame::Fault| {
        let what = format!("found {}, expected {}", fault.found, fault.expected);
        io::Error::new(ErrorKind::InvalidData, what)
    };
    let mut overhead = [0; FRAME_OVERHEAD];
    file.read_exact(&mut overhead)?;
    let (length, checksum) = frame::payload_length(overhead, room).map_err(other)?;
    let mut payload = vec![0; length];
    file.read_exact(&mut payload)?;
    let frame = frame::open_payload(&payload, checksum).map_err(other)?;
    Ok((frame, (FRAME_OVERHEAD + length) as u64))
}

/// Removes what a check that was killed has left.
pub(super) fn clear_up(layout: &Layout) {
    let folder = layout.comparison();
    if folder.exists() {
        tracing::info!(path = %folder.display(), "what an earlier check has left is removed");
        remove(&folder);
    }
}

/// Removes the folder of the parts. Where that fails it takes room and harms nobody.
fn remove(folder: &Path) {
    if let Err(error) = super::layout::remove_folder(folder) {
        tracing::warn!(%error, "what a check has written stays");
    }
}
