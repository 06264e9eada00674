//! The log by ranges of index keys, so that what it says of each range fits into memory.
//!
//! A sample of the log says where ranges end. What the log says of each comes from a file of its own, so that the log is
//! not read again for every range: the time grows with the store, and not with its square.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use outflank_engine::Position;

use super::claim::{self, Key};
use super::error::StoreError;
use super::frame::{self, FRAME_OVERHEAD, Frame};
use super::layout::Layout;

/// The most keys in a sample: a hundred ranges or two that it is parted into differ by a tenth or so.
const SAMPLED: usize = 1 << 16;
/// The bytes that wait for being written, to all files together, as long as each may have [`LEAST_BUFFER`]. Tests want
/// files that are written in several goes.
const BUFFERS: usize = if cfg!(test) { 1 << 10 } else { 64 << 20 };
const LEAST_BUFFER: usize = if cfg!(test) { 200 } else { 4 << 10 };

/// Is handed frames.
pub(super) type Visitor<'a> = dyn FnMut(&Frame) -> Result<(), StoreError> + 'a;

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
    /// Returns the number of ranges.
    pub(super) fn count(&self) -> usize {
        self.starts.len() + 1
    }

    /// Returns the number of the range that `position` is in.
    pub(super) fn of(&self, position: Position) -> usize {
        let key = claim::key(position);
        self.starts.partition_point(|start| *start <= key)
    }
}

/// What the log says of each range, in a file of its own: frames as in the log, without origins. They go when this is
/// dropped.
#[derive(Debug)]
pub(super) struct Parts {
    folder: PathBuf,
    /// The length of each file, in bytes; where there is nothing to say, there is none.
    lengths: Vec<u64>,
}

impl Parts {
    /// Parts the frames that `read` hands to what it is given.
    pub(super) fn write(
        layout: &Layout,
        ranges: &Ranges,
        read: impl FnOnce(&mut Visitor<'_>) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        let folder = layout.parts();
        fs::create_dir(&folder).map_err(StoreError::io("creating", &folder))?;
        let mut parts = Self { folder, lengths: vec![0; ranges.count()] };
        let full = (BUFFERS / ranges.count()).max(LEAST_BUFFER);
        let mut buffers = vec![Vec::new(); ranges.count()];
        read(&mut |frame| {
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

    /// Hands what the log says of range number `part` to `visit`, in the order of the log.
    pub(super) fn read(&self, part: usize, visit: &mut Visitor<'_>) -> Result<(), StoreError> {
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

/// Removes what was left by a kill.
pub(super) fn clear_up(layout: &Layout) {
    let folder = layout.parts();
    if folder.exists() {
        tracing::info!(path = %folder.display(), "the parts of a log that a kill has left are removed");
        remove(&folder);
    }
}

/// Removes the folder of the parts. Where that fails it takes room and harms nobody.
fn remove(folder: &Path) {
    if let Err(error) = super::layout::remove_folder(folder) {
        tracing::warn!(%error, "the parts of a log stay");
    }
}
