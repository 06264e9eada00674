//! The work folder: what is finished, so that an interrupted training goes on where it was.
//!
//! Every file is written under another name and renamed when it is complete, and carries a checksum.

use std::fs::{self, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use outflank_engine::Position;
use outflank_engine::evaluation::PARAMETERS;

use crate::stage::Fitted;
use crate::{Samples, TrainingError};

/// What the folder has of any training: what it is for, and who works there.
const PLAN: &str = "plan.txt";
const LOCK: &str = "LOCK";

/// How the names of finished parts end, and that of a file that is not finished.
const PARTS: [&str; 4] = ["samples", "positions", "fitted", "numbers"];
const UNFINISHED: &str = "part";

const SAMPLES: [u8; 8] = *b"OUTFLNKS";
const POSITIONS: [u8; 8] = *b"OUTFLNKP";
const FITTED: [u8; 8] = *b"OUTFLNKF";
const NUMBERS: [u8; 8] = *b"OUTFLNKN";

/// Returns whether the file `path`, which need not be there, is one of those that a training with the work folder
/// `folder` keeps there.
#[must_use]
pub fn is_work_file(folder: &Path, path: &Path) -> bool {
    let Some((parent, name)) = place(path) else { return false };
    let is_inside = folder.canonicalize().is_ok_and(|folder| folder == parent);
    let whole = match name.extension() {
        Some(extension) if extension == UNFINISHED => name.with_extension(""),
        _ => name,
    };
    let is_part =
        PARTS.into_iter().any(|part| whole.extension().is_some_and(|other| other == part));
    is_inside && (is_part || [PLAN, LOCK].into_iter().any(|other| whole == Path::new(other)))
}

/// Returns the folder of a file, and its name there, without links.
fn place(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let path = path.canonicalize().ok().or_else(|| {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(parent.join(path.file_name()?))
    })?;
    Some((path.parent()?.to_owned(), PathBuf::from(path.file_name()?)))
}

/// The folder of one training.
#[derive(Debug)]
pub(crate) struct Work {
    folder: PathBuf,
    /// Locked as long as a training makes something in the folder; a lock goes with its holder.
    _lock: Option<fs::File>,
}

impl Work {
    /// Opens the folder for the training that `plan` describes, or makes it.
    pub(crate) fn open(folder: &Path, plan: &str) -> Result<Self, TrainingError> {
        fs::create_dir_all(folder).map_err(|source| failed("making", folder, source))?;
        let lock = lock(folder)?;
        let work = Self { folder: folder.to_owned(), _lock: Some(lock) };
        let path = work.path(PLAN);
        match fs::read_to_string(&path) {
            Ok(found) if found == plan => Ok(work),
            Ok(found) => Err(other_plan(path, &found, plan)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                write(&path, plan.as_bytes())?;
                Ok(work)
            }
            Err(source) => Err(failed("reading", &path, source)),
        }
    }

    /// Returns the folder of a training, whatever its plan.
    pub(crate) fn existing(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), _lock: None }
    }

    /// Returns the samples of that name.
    pub(crate) fn finished_samples(&self, name: &str) -> Result<Samples, TrainingError> {
        let path = self.path(&format!("{name}.samples"));
        self.samples(name, || Err(TrainingError::NotTrained { path }))
    }

    /// Returns the weights of a stage.
    pub(crate) fn finished_fitted(&self, stage: u32) -> Result<Fitted, TrainingError> {
        let path = self.path(&format!("stage-{stage:02}.fitted"));
        self.fitted(&format!("stage-{stage:02}"), || Err(TrainingError::NotTrained { path }))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the samples of that name, which `make` makes if they are not there yet.
    pub(crate) fn samples(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<Samples, TrainingError>,
    ) -> Result<Samples, TrainingError> {
        let path = self.path(&format!("{name}.samples"));
        if let Some(body) = read(&path, SAMPLES)? {
            let damaged = || damaged(&path, "18 bytes for each sample");
            return decode_samples(&body).ok_or_else(damaged);
        }
        let samples = make()?;
        write_checked(&path, SAMPLES, &encode_samples(&samples))?;
        Ok(samples)
    }

    /// Returns the positions of that name, which `make` finds if they are not there yet.
    pub(crate) fn positions(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<Vec<Position>, TrainingError>,
    ) -> Result<Vec<Position>, TrainingError> {
        let path = self.path(&format!("{name}.positions"));
        if let Some(body) = read(&path, POSITIONS)? {
            let damaged = || damaged(&path, "16 bytes for each position");
            return decode_positions(&body).ok_or_else(damaged);
        }
        let positions = make()?;
        let body: Vec<u8> = positions.iter().flat_map(encode_position).collect();
        write_checked(&path, POSITIONS, &body)?;
        Ok(positions)
    }

    /// Returns the `count` numbers of that name, which `make` finds if they are not there yet.
    pub(crate) fn numbers(
        &self,
        name: &str,
        count: usize,
        make: impl FnOnce() -> Result<Vec<f64>, TrainingError>,
    ) -> Result<Vec<f64>, TrainingError> {
        let path = self.path(&format!("{name}.numbers"));
        if let Some(body) = read(&path, NUMBERS)? {
            let (numbers, rest) = body.as_chunks::<8>();
            if numbers.len() != count || !rest.is_empty() {
                return Err(damaged(&path, "8 bytes for each number, and so many of them"));
            }
            return Ok(numbers.iter().map(|&number| f64::from_le_bytes(number)).collect());
        }
        let numbers = make()?;
        let body: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        write_checked(&path, NUMBERS, &body)?;
        Ok(numbers)
    }

    /// Returns the weights of that name, which `make` fits if they are not there yet.
    pub(crate) fn fitted(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<Fitted, TrainingError>,
    ) -> Result<Fitted, TrainingError> {
        let path = self.path(&format!("{name}.fitted"));
        if let Some(body) = read(&path, FITTED)? {
            let damaged = || damaged(&path, "the weights of a stage");
            return decode_fitted(&body).ok_or_else(damaged);
        }
        let fitted = make()?;
        write_checked(&path, FITTED, &encode_fitted(&fitted))?;
        Ok(fitted)
    }
}

/// Locks the folder: two trainings would replace each other's unfinished files.
fn lock(folder: &Path) -> Result<fs::File, TrainingError> {
    let path = folder.join(LOCK);
    let file = fs::File::create(&path).map_err(|source| failed("writing", &path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(TrainingError::InUse { path: folder.to_owned() }),
        Err(TryLockError::Error(source)) => Err(failed("locking", &path, source)),
    }
}

fn failed(action: &'static str, path: &Path, source: io::Error) -> TrainingError {
    TrainingError::Io { action, path: path.to_owned(), source }
}

fn damaged(path: &Path, expected: &'static str) -> TrainingError {
    TrainingError::Damaged { path: path.to_owned(), expected }
}

fn other_plan(path: PathBuf, found: &str, expected: &str) -> TrainingError {
    let pairs = found.lines().chain([""]).zip(expected.lines().chain([""]));
    let (found, expected) = pairs.into_iter().find(|(l, r)| l != r).unwrap_or(("", ""));
    TrainingError::OtherPlan { path, found: found.to_owned(), expected: expected.to_owned() }
}

/// Writes a file that is there as a whole or not at all: it gets its name when it is complete, and then both are on
/// disk.
fn write(path: &Path, content: &[u8]) -> Result<(), TrainingError> {
    let mut part = path.as_os_str().to_owned();
    part.push(".");
    part.push(UNFINISHED);
    let written = fs::File::create(&part)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, path))
        .and_then(|()| sync_folder_of(path));
    written.map_err(|source| {
        // On a full disk it would take the place that is missing. The first error is what counts.
        let _gone = fs::remove_file(&part);
        failed("writing", path, source)
    })
}

/// Makes the name of a file durable.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn write_checked(path: &Path, magic: [u8; 8], body: &[u8]) -> Result<(), TrainingError> {
    let checksum = crc32fast::hash(body).to_le_bytes();
    write(path, &[&magic[..], &checksum[..], body].concat())
}

/// Returns the checked body of a file, or `None` if there is no such file.
fn read(path: &Path, magic: [u8; 8]) -> Result<Option<Vec<u8>>, TrainingError> {
    let content = match fs::read(path) {
        Ok(content) => content,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(failed("reading", path, source)),
    };
    let body = content.strip_prefix(&magic).and_then(|rest| rest.split_first_chunk::<4>());
    let (checksum, body) = body.ok_or_else(|| damaged(path, "the first bytes of such a file"))?;
    if u32::from_le_bytes(*checksum) != crc32fast::hash(body) {
        return Err(damaged(path, "content that has its checksum"));
    }
    Ok(Some(body.to_vec()))
}

fn encode_position(position: &Position) -> [u8; 16] {
    let mut row = [0; 16];
    row[..8].copy_from_slice(&position.player().to_le_bytes());
    row[8..].copy_from_slice(&position.opponent().to_le_bytes());
    row
}

fn decode_position(row: [u8; 16]) -> Option<Position> {
    let (words, []) = row.as_chunks() else { return None };
    Position::new(u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1]))
}

fn decode_positions(body: &[u8]) -> Option<Vec<Position>> {
    let (rows, []) = body.as_chunks() else { return None };
    rows.iter().map(|&row| decode_position(row)).collect()
}

fn encode_samples(samples: &Samples) -> Vec<u8> {
    let mut body = Vec::with_capacity(18 * samples.labels.len());
    for (position, label) in samples.positions.iter().zip(&samples.labels) {
        body.extend(encode_position(position));
        body.extend(label.to_le_bytes());
    }
    body
}

fn decode_samples(body: &[u8]) -> Option<Samples> {
    let (rows, []) = body.as_chunks::<18>() else { return None };
    let mut samples = Samples::default();
    for row in rows {
        let (position, label) = row.split_first_chunk()?;
        samples.positions.push(decode_position(*position)?);
        samples.labels.push(i16::from_le_bytes(label.try_into().ok()?));
    }
    Some(samples)
}

fn encode_fitted(fitted: &Fitted) -> Vec<u8> {
    let numbers = fitted.weights.iter().chain([&fitted.shift]);
    let mut body: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
    body.extend(fitted.facts.as_bytes());
    body
}

fn decode_fitted(body: &[u8]) -> Option<Fitted> {
    let (numbers, facts) = body.split_at_checked(8 * (PARAMETERS + 1))?;
    let (numbers, []) = numbers.as_chunks::<8>() else { return None };
    let mut weights: Vec<f64> = numbers.iter().map(|&number| f64::from_le_bytes(number)).collect();
    let shift = weights.pop()?;
    Some(Fitted { weights, shift, facts: std::str::from_utf8(facts).ok()?.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Samples {
        let positions = vec![Position::START, Position::START.pass()];
        Samples { positions, labels: vec![-64 * 32, 7] }
    }

    #[test]
    fn what_is_finished_is_not_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let work = Work::open(folder.path(), "seed 1\n").unwrap();
        let made = work.samples("test", || Ok(samples())).unwrap();
        let again = work.samples("test", || unreachable!("they are there")).unwrap();
        assert_eq!(made, again);
        let positions = work.positions("test", || Ok(samples().positions)).unwrap();
        assert_eq!(work.positions("test", || unreachable!("they are there")).unwrap(), positions);
        assert_eq!(positions, samples().positions);
        let numbers = work.numbers("test", 2, || Ok(vec![0.5, -1.0])).unwrap();
        assert_eq!(work.numbers("test", 2, || unreachable!("they are there")).unwrap(), numbers);
        let error = work.numbers("test", 3, || unreachable!("they are there")).unwrap_err();
        assert!(matches!(error, TrainingError::Damaged { .. }), "{error}");
        let fitted =
            Fitted { weights: vec![0.25; PARAMETERS], shift: -0.5, facts: "é".to_owned() };
        work.fitted("stage-05", || Ok(fitted.clone())).unwrap();
        assert_eq!(work.fitted("stage-05", || unreachable!("it is there")).unwrap(), fitted);
    }

    #[test]
    fn whatever_is_kept_in_the_folder_is_known_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let work = Work::open(folder.path(), "seed 1\n").unwrap();
        work.samples("test", || Ok(samples())).unwrap();
        work.positions("test", || Ok(samples().positions)).unwrap();
        work.numbers("test", 1, || Ok(vec![0.5])).unwrap();
        let fitted = Fitted { weights: vec![0.25; PARAMETERS], shift: -0.5, facts: String::new() };
        work.fitted("stage-05", || Ok(fitted)).unwrap();
        let kept: Vec<PathBuf> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(kept.len(), 6, "{kept:?}");
        for path in kept {
            assert!(is_work_file(folder.path(), &path), "{}", path.display());
            assert!(is_work_file(&folder.path().join("."), &path), "{}", path.display());
        }
        let is_its = |path: PathBuf| is_work_file(folder.path(), &path);
        assert!(is_its(folder.path().join("later.samples")), "it is not there yet");
        assert!(is_its(folder.path().join("later.samples.part")));
        assert!(!is_its(folder.path().join("weights.bin")), "that is in nobody's way");
        let other = tempfile::tempdir().unwrap();
        assert!(!is_its(other.path().join("plan.txt")), "it is another folder's");
    }

    #[test]
    fn a_folder_of_another_plan_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        Work::open(folder.path(), "seed 1\nscale 1\n").unwrap();
        Work::open(folder.path(), "seed 1\nscale 1\n").unwrap();
        let error = Work::open(folder.path(), "seed 1\nscale 2\n").unwrap_err().to_string();
        assert!(error.ends_with("it says `scale 1`, this one says `scale 2`"), "{error}");
    }

    #[test]
    fn a_folder_in_which_another_training_works_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let first = Work::open(folder.path(), "seed 1\n").unwrap();
        let error = Work::open(folder.path(), "seed 1\n").unwrap_err();
        assert!(matches!(error, TrainingError::InUse { .. }), "{error}");
        drop(first);
        Work::open(folder.path(), "seed 1\n").unwrap();
    }

    #[test]
    fn a_damaged_file_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let work = Work::open(folder.path(), "").unwrap();
        work.samples("test", || Ok(samples())).unwrap();
        let path = folder.path().join("test.samples");
        let mut content = fs::read(&path).unwrap();
        content[20] ^= 1;
        fs::write(&path, content).unwrap();
        let error = work.samples("test", || unreachable!("it is there")).unwrap_err();
        assert!(matches!(error, TrainingError::Damaged { .. }), "{error}");
    }
}
