//! Reading the log from some place to its end, past any damage.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::frame::{self, FRAME_OVERHEAD, Fault, Frame, HEAD_BYTES, Head, LONGEST_FRAME, SCHEMA};

/// A place between two frames of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The segment, counted from 1.
    pub(super) segment: u32,
    /// The offset in the segment, in bytes.
    pub(super) offset: u64,
    /// The number of the next frame.
    pub(super) frame: u64,
}

impl Place {
    /// Before the first frame.
    pub(super) const START: Self = Self { segment: 1, offset: HEAD_BYTES as u64, frame: 0 };
}

impl Default for Place {
    fn default() -> Self {
        Self::START
    }
}

/// The end of a log that was cut off at opening: a write that was not completed.
///
/// No proof in it was acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The file.
    pub path: PathBuf,
    /// Where it ends now, in bytes.
    pub offset: u64,
    /// The number of bytes that were cut off.
    pub bytes: u64,
    /// What was wrong with them.
    pub found: String,
}

/// Damage in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    pub(super) path: PathBuf,
    pub(super) segment: u32,
    pub(super) offset: u64,
    pub(super) fault: Fault,
    /// Whether nothing good follows: a write that was not completed looks like this.
    pub(super) at_end: bool,
}

impl From<Damage> for StoreError {
    fn from(damage: Damage) -> Self {
        let Damage { path, offset, fault: Fault { found, expected }, .. } = damage;
        Self::Damaged { path, offset, found, expected }
    }
}

/// What is met in the log.
#[derive(Debug)]
pub(super) enum Met {
    /// A good frame.
    Frame(Frame),
    /// Bytes that are no frame; reading goes on behind them.
    Damage(Damage),
}

/// Returns the path of segment number `segment` in the folder `log`.
pub(super) fn segment_path(log: &Path, segment: u32) -> PathBuf {
    log.join(format!("{segment:06}.log"))
}

/// Returns the numbers of the segments in the folder `log`, in ascending order.
pub(super) fn segments(log: &Path) -> Result<Vec<u32>, StoreError> {
    let failed = || StoreError::io("listing", log);
    let mut segments = Vec::new();
    for file in fs::read_dir(log).map_err(failed())? {
        let name = file.map_err(failed())?.file_name();
        let number: Option<u32> =
            name.to_str().and_then(|name| name.strip_suffix(".log")?.parse().ok());
        segments.extend(number);
    }
    segments.sort_unstable();
    Ok(segments)
}

/// Returns the size of the segments in the folder `log`, in bytes.
pub(super) fn bytes(log: &Path) -> Result<u64, StoreError> {
    segments(log)?.into_iter().try_fold(0, |bytes, segment| {
        let path = segment_path(log, segment);
        let about = fs::metadata(&path).map_err(StoreError::io("reading", &path))?;
        Ok(bytes + about.len())
    })
}

/// Hands the frames from `from` to the end to `visit`. Returns the place of the end, and what must
/// be cut off there.
///
/// # Errors
/// Damage before `synced`, or with good frames behind it, and the errors of `visit`.
pub(super) fn read_to_end(
    log: &Path,
    from: Place,
    synced: Option<Place>,
    visit: &mut dyn FnMut(Frame) -> Result<(), StoreError>,
) -> Result<(Place, Option<Cut>), StoreError> {
    let mut scan = Scan::new(log, from)?;
    if scan.open.is_none() && scan.waiting.is_empty() {
        return Ok((Place { offset: 0, ..Place::START }, None));
    }
    let mut cut = None;
    while let Some(met) = scan.next()? {
        match met {
            Met::Frame(frame) => visit(frame)?,
            Met::Damage(damage) => {
                let place = (damage.segment, damage.offset);
                let synced = synced.is_some_and(|synced| place < (synced.segment, synced.offset));
                if synced || !damage.at_end {
                    return Err(damage.into());
                }
                let bytes = fs::metadata(&damage.path).map_err(StoreError::io("reading", log))?;
                let Damage { path, offset, fault, .. } = damage;
                let bytes = bytes.len() - offset;
                cut = Some(Cut { path, offset, bytes, found: fault.found });
            }
        }
    }
    Ok((scan.place(), cut))
}

/// Walks the frames of a log; ends after the last, or after the first error.
#[derive(Debug)]
pub(super) struct Scan {
    log: PathBuf,
    waiting: VecDeque<u32>,
    open: Option<Segment>,
    place: Place,
}

/// The segment being read.
#[derive(Debug)]
struct Segment {
    path: PathBuf,
    file: BufReader<File>,
    length: u64,
}

impl Scan {
    /// Starts at `place` of the log in the folder `log`.
    pub(super) fn new(log: &Path, place: Place) -> Result<Self, StoreError> {
        let mut waiting: VecDeque<u32> = segments(log)?.into();
        waiting.retain(|&segment| segment >= place.segment);
        let mut scan = Self { log: log.to_owned(), waiting, open: None, place };
        if place != Place::START && scan.waiting.front() == Some(&place.segment) {
            scan.waiting.pop_front();
            let mut segment = scan.open_segment(place.segment)?;
            segment.seek(place.offset)?;
            scan.open = Some(segment);
        }
        Ok(scan)
    }

    /// Returns the place behind what was met last.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// Returns the next thing, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Met>, StoreError> {
        loop {
            let Some(segment) = &mut self.open else {
                let Some(next) = self.waiting.pop_front() else { return Ok(None) };
                if let Some(damage) = self.enter(next)? {
                    return Ok(Some(Met::Damage(damage)));
                }
                continue;
            };
            if self.place.offset == segment.length {
                self.open = None;
                continue;
            }
            let (frame, bytes) = match segment.read_frame(self.place)? {
                Ok(read) => read,
                Err(fault) => return self.skip(fault).map(|damage| Some(Met::Damage(damage))),
            };
            self.place.offset += bytes;
            self.place.frame = frame.number + 1;
            #[cfg(test)]
            tests::READ.set(tests::READ.get() + 1);
            return Ok(Some(Met::Frame(frame)));
        }
    }

    fn open_segment(&self, segment: u32) -> Result<Segment, StoreError> {
        let path = segment_path(&self.log, segment);
        let file = File::open(&path).map_err(StoreError::io("opening", &path))?;
        let length = file.metadata().map_err(StoreError::io("reading", &path))?.len();
        Ok(Segment { path, file: BufReader::with_capacity(1 << 20, file), length })
    }

    /// Goes on with segment `next`; reports what is wrong with its head or its number.
    fn enter(&mut self, next: u32) -> Result<Option<Damage>, StoreError> {
        let mut segment = self.open_segment(next)?;
        let head = segment.read_head()?;
        // Segment 1 is entered from `START`, every other one from the end of the one before.
        let first = self.place == Place::START;
        let expected = if first { 1 } else { self.place.segment + 1 };
        let path = segment_path(&self.log, expected);
        self.place = Place { segment: next, offset: HEAD_BYTES as u64, ..self.place };
        let (length, is_gap) = (segment.length, next != expected);
        if head.is_err() {
            self.place.offset = 0;
            segment.seek(0)?;
        }
        self.open = Some(segment);
        let head = match head {
            Ok(head) => head,
            // What is missing comes first, and is no write that was not completed.
            Err(_) if is_gap => return Ok(Some(missing(path, next))),
            Err(fault) => return self.skip(fault).map(Some),
        };
        let expected = self.place.frame;
        self.place.frame = expected.max(head.first_frame);
        if is_gap {
            return Ok(Some(missing(path, next)));
        }
        if head.segment == next && head.first_frame == expected {
            return Ok(None);
        }
        let fault = Fault::new(
            format!("segment {} with frame {}", head.segment, head.first_frame),
            format!("segment {next} with frame {expected}"),
        );
        let at_end = self.waiting.is_empty() && length == HEAD_BYTES as u64;
        Ok(Some(Damage { path, segment: next, offset: 0, fault, at_end }))
    }

    /// Moves behind the damage at the present place.
    fn skip(&mut self, fault: Fault) -> Result<Damage, StoreError> {
        let segment = self.open.as_mut().expect("damage is met in an open segment");
        let (path, offset) = (segment.path.clone(), self.place.offset);
        let good = segment.find_frame(offset, self.place.frame, LONGEST_FRAME)?;
        let at_end = good.is_none() && self.waiting.is_empty();
        match good {
            Some((offset, frame)) => {
                self.place.offset = offset;
                self.place.frame = frame;
                segment.seek(self.place.offset)?;
            }
            None => self.open = None,
        }
        Ok(Damage { path, segment: self.place.segment, offset, fault, at_end })
    }
}

/// Returns the damage that a missing segment is, the file `path`, where there is segment `next`.
fn missing(path: PathBuf, next: u32) -> Damage {
    let fault = Fault::new("no such file", format!("a segment, since segment {next} exists"));
    Damage { path, segment: next, offset: 0, fault, at_end: false }
}

impl Segment {
    fn failed(&self) -> impl FnOnce(io::Error) -> StoreError {
        StoreError::io("reading", &self.path)
    }

    fn seek(&mut self, offset: u64) -> Result<(), StoreError> {
        self.file.seek(SeekFrom::Start(offset)).map(drop).map_err(self.failed())
    }

    /// Returns the offset and the number of the first good frame at or behind `from` that is at most `longest` bytes long
    /// and whose number is at least `least`.
    fn find_frame(
        &mut self,
        mut from: u64,
        least: u64,
        longest: usize,
    ) -> Result<Option<(u64, u64)>, StoreError> {
        let mut bytes = Vec::new();
        loop {
            // What begins in the first half ends in the second one at the latest.
            let window = 2 * longest;
            bytes.clear();
            self.seek(from)?;
            let mut part = (&mut self.file).take(window as u64);
            part.read_to_end(&mut bytes).map_err(self.failed())?;
            let is_rest = bytes.len() < window;
            let end = if is_rest { bytes.len() } else { longest };
            if let Some((at, frame)) = frame::find_frame(&bytes, end, least) {
                return Ok(Some((from + at as u64, frame)));
            }
            if is_rest {
                return Ok(None);
            }
            from += end as u64;
        }
    }

    fn read_head(&mut self) -> Result<Result<Head, Fault>, StoreError> {
        let mut bytes = Vec::new();
        let mut start = (&mut self.file).take(HEAD_BYTES as u64);
        start.read_to_end(&mut bytes).map_err(self.failed())?;
        match Head::decode(&bytes) {
            Ok(Head { schema, .. }) if schema != SCHEMA => {
                Err(StoreError::Schema { path: self.path.clone(), found: schema, expected: SCHEMA })
            }
            head => Ok(head),
        }
    }

    /// Reads the frame at `place` and returns it with its size in bytes.
    fn read_frame(&mut self, place: Place) -> Result<Result<(Frame, u64), Fault>, StoreError> {
        let room = self.length - place.offset;
        if room < FRAME_OVERHEAD as u64 {
            let fault = Fault::new(format!("{room} bytes"), "a frame or the end of the file");
            return Ok(Err(fault));
        }
        let mut overhead = [0; FRAME_OVERHEAD];
        self.file.read_exact(&mut overhead).map_err(self.failed())?;
        let (length, checksum) = match frame::payload_length(overhead, room) {
            Ok(read) => read,
            Err(fault) => return Ok(Err(fault)),
        };
        let mut payload = vec![0; length];
        self.file.read_exact(&mut payload).map_err(self.failed())?;
        Ok(frame::open_payload(&payload, checksum).and_then(|frame| {
            if frame.number == place.frame {
                return Ok((frame, (FRAME_OVERHEAD + length) as u64));
            }
            let found = format!("frame number {}", frame.number);
            Err(Fault::new(found, place.frame.to_string()))
        }))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// The frames that this thread has read from logs.
        pub(in crate::store) static READ: Cell<u64> = const { Cell::new(0) };
    }

    #[test]
    fn a_frame_is_found_wherever_it_begins_in_what_is_read_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("000001.log");
        let mut frame = Vec::new();
        frame::seal(3, &[], &mut frame);
        let longest = frame.len();
        for before in 0..5 * longest {
            for behind in (0..3 * longest).step_by(5) {
                let bytes = [&vec![7; before][..], &frame, &vec![7; behind]].concat();
                fs::write(&path, &bytes).unwrap();
                let length = bytes.len() as u64;
                let file = BufReader::new(File::open(&path).unwrap());
                let mut segment = Segment { path: path.clone(), file, length };
                let mut find = |from, least| segment.find_frame(from, least, longest).unwrap();
                assert_eq!(find(0, 3), Some((before as u64, 3)), "{before}, {behind}");
                assert_eq!(find(before as u64, 3), Some((before as u64, 3)), "{before}, {behind}");
                assert_eq!(find(before as u64 + 1, 3), None, "{before}, {behind}");
                assert_eq!(find(0, 4), None, "{before}, {behind}");
            }
        }
    }
}
