//! The log by ranges of index keys, so that what it says of each range fits into memory.
//!
//! A sample of the log says where ranges end. What the log says of each comes from a file of its own, so that the log is
//! not read again for every range: the time grows with the store, and not with its square. These files are in the store,
//! or of one that can only be read in a folder for what is temporary, and there they have no names.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::env;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use nix::sys::statvfs::statvfs;
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
/// The most bytes that a position takes each time that the log names it.
const BYTES_A_NAME: u64 = 48;

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

    /// Returns the most bytes that the log takes in parts.
    pub(super) fn bytes(&self) -> u64 {
        self.named.saturating_mul(BYTES_A_NAME)
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
        Ranges { starts, named: self.named }
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
    /// How often the log names positions in all of them.
    named: u64,
}

impl Ranges {
    /// Returns how often the log names positions.
    pub(super) fn named(&self) -> u64 {
        self.named
    }

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

/// Returns the folder for what is temporary: what `TMPDIR` says, otherwise one that is on a disk, since there may be as
/// much of it as there is of the log.
pub(super) fn scratch() -> PathBuf {
    let named = env::var_os("TMPDIR").filter(|named| !named.is_empty());
    let usual = ["/var/tmp", "/tmp"].map(PathBuf::from).into_iter().find(|usual| usual.is_dir());
    named.map(PathBuf::from).or(usual).unwrap_or_else(env::temp_dir)
}

/// What the log says of each range, in a file of its own: frames as in the log, without origins. They go when this is
/// dropped.
#[derive(Debug)]
pub(super) struct Parts {
    files: Files,
    /// The length of each file, in bytes; where there is nothing to say, there is none.
    lengths: Vec<u64>,
}

/// Where the parts of a log are.
#[derive(Debug)]
enum Files {
    /// In this folder of the store. There may be more of them than a process can have open.
    Named(PathBuf),
    /// In a folder for what is temporary, of which nobody removes what a kill would leave: they have lost their names.
    Nameless { folder: PathBuf, files: BTreeMap<usize, File> },
}

impl Parts {
    /// Parts the frames that `read` hands to what it is given, in the store of `layout`.
    pub(super) fn write(
        layout: &Layout,
        ranges: &Ranges,
        read: impl FnOnce(&mut Visitor<'_>) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        let folder = layout.parts();
        fs::create_dir(&folder).map_err(StoreError::io("creating", &folder))?;
        Self::write_to(Files::Named(folder), ranges, read)
    }

    /// As [`Self::write`], for a store that can only be read: in `folder`, where there is room for that many `bytes`.
    pub(super) fn write_elsewhere(
        folder: &Path,
        bytes: u64,
        ranges: &Ranges,
        read: impl FnOnce(&mut Visitor<'_>) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        // Others need that folder: what does not fit must not fill it first.
        let room =
            statvfs(folder).map_err(|error| StoreError::io("asking for", folder)(error.into()))?;
        if room.blocks_available().saturating_mul(room.fragment_size()) < bytes {
            return Err(StoreError::io("writing to", folder)(ErrorKind::StorageFull.into()));
        }
        let files = Files::Nameless { folder: folder.to_owned(), files: BTreeMap::new() };
        Self::write_to(files, ranges, read)
    }

    fn write_to(
        files: Files,
        ranges: &Ranges,
        read: impl FnOnce(&mut Visitor<'_>) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        let mut parts = Self { files, lengths: vec![0; ranges.count()] };
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

    fn append(&mut self, part: usize, bytes: &[u8]) -> Result<(), StoreError> {
        self.files.append(part, bytes)?;
        self.lengths[part] += bytes.len() as u64;
        Ok(())
    }

    /// Hands what the log says of range number `part` to `visit`, in the order of the log.
    pub(super) fn read(&self, part: usize, visit: &mut Visitor<'_>) -> Result<(), StoreError> {
        let mut rest = self.lengths[part];
        if rest == 0 {
            return Ok(());
        }
        let path = self.files.path(part);
        let file = self.files.open(part).map_err(StoreError::io("opening", &path))?;
        let mut file = BufReader::with_capacity(1 << 20, file);
        while rest > 0 {
            let (frame, bytes) =
                read_frame(&mut file, rest).map_err(StoreError::io("reading", &path))?;
            visit(&frame)?;
            rest -= bytes;
        }
        Ok(())
    }
}

impl Files {
    /// Writes to the end of the file of range number `part`, which is made if it is missing.
    fn append(&mut self, part: usize, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.path(part);
        let write =
            |mut file: &File| file.write_all(bytes).map_err(StoreError::io("writing", &path));
        match self {
            Self::Named(_) => {
                let file = File::options().create(true).append(true).open(&path);
                write(&file.map_err(StoreError::io("creating", &path))?)
            }
            Self::Nameless { folder, files } => {
                let file = match files.entry(part) {
                    Entry::Occupied(made) => made.into_mut(),
                    Entry::Vacant(missing) => {
                        let made = nameless(folder).map_err(StoreError::io("creating", &path))?;
                        missing.insert(made)
                    }
                };
                write(file)
            }
        }
    }

    /// Returns the file of range number `part` at its beginning.
    fn open(&self, part: usize) -> io::Result<File> {
        match self {
            Self::Named(_) => File::open(self.path(part)),
            Self::Nameless { files, .. } => {
                let mut file = files.get(&part).ok_or(ErrorKind::NotFound)?.try_clone()?;
                file.rewind()?;
                Ok(file)
            }
        }
    }

    /// Returns the path of the file of range number `part`, or that of its folder if it has none.
    fn path(&self, part: usize) -> PathBuf {
        match self {
            Self::Named(folder) => folder.join(format!("{part:06}")),
            Self::Nameless { folder, .. } => folder.clone(),
        }
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        if let Self::Named(folder) = self {
            remove(folder);
        }
    }
}

/// Returns a new file in `folder` that nobody else can open and that goes with its handle, whatever happens.
fn nameless(folder: &Path) -> io::Result<File> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("outflank-{}-{number}", process::id()));
    let mut options = File::options();
    let file = options.read(true).append(true).create_new(true).mode(0o600).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
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
