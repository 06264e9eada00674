//! Finding rows that ask the same, in lists of any length: sort the questions, look at neighbours.
//!
//! What does not fit the memory is sorted in runs, which lie one behind the other in a scratch file
//! and are merged at the end. With the sizes below, 1.5 thousand million rows take 40 GB of disk for
//! the time of the import and 60 MB of memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::error::CampaignError;
use super::form::Row;

/// The bytes that say what a row asks, up to symmetry.
const KEY_BYTES: usize = 19;
/// The bytes of a key and the row's index, both in an order that sorts.
const ENTRY_BYTES: usize = KEY_BYTES + 8;
/// Entries that are sorted in memory: 27 MB.
const RUN: usize = 1 << 20;
/// Entries of each run that are in memory while the runs are merged.
const AHEAD: u64 = 512;

type Entry = [u8; ENTRY_BYTES];

/// The questions of a list.
#[derive(Debug)]
pub(super) struct Duplicates {
    path: PathBuf,
    file: Option<File>,
    run: Vec<Entry>,
    longest_run: usize,
    runs: u64,
}

impl Duplicates {
    /// Returns an empty collection that may make the scratch file `path`.
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), file: None, run: Vec::new(), longest_run: RUN, runs: 0 }
    }

    /// Adds the row with this index; indices must grow.
    pub(super) fn push(&mut self, index: u64, row: &Row) -> Result<(), CampaignError> {
        let position = row.position.canonical();
        let mut entry = [0; ENTRY_BYTES];
        entry[..8].copy_from_slice(&position.player().to_be_bytes());
        entry[8..16].copy_from_slice(&position.opponent().to_be_bytes());
        entry[16..KEY_BYTES].copy_from_slice(&row.question.key());
        entry[KEY_BYTES..].copy_from_slice(&index.to_be_bytes());
        self.run.push(entry);
        if self.run.len() == self.longest_run { self.spill() } else { Ok(()) }
    }

    /// Moves the run in memory to the scratch file.
    fn spill(&mut self) -> Result<(), CampaignError> {
        let failed = || CampaignError::io("writing", &self.path);
        if self.file.is_none() {
            let mut options = OpenOptions::new();
            let options = options.read(true).write(true).create_new(true);
            self.file = Some(options.open(&self.path).map_err(failed())?);
        }
        let file = self.file.as_mut().expect("it was just made");
        self.run.sort_unstable();
        file.write_all(self.run.as_flattened()).map_err(failed())?;
        self.run.clear();
        self.runs += 1;
        Ok(())
    }

    /// Tells of each row that asks the same as an earlier one, with the first such row. Returns how
    /// many there are.
    pub(super) fn finish(
        mut self,
        mut tell: impl FnMut(u64, u64) -> Result<(), CampaignError>,
    ) -> Result<u64, CampaignError> {
        let mut runs: Vec<Run<'_>> = Vec::new();
        self.run.sort_unstable();
        runs.push(Run { file: None, next: 0, end: 0, ahead: std::mem::take(&mut self.run), at: 0 });
        let length = self.longest_run as u64;
        for number in 0..self.runs {
            let (next, end) = (number * length, (number + 1) * length);
            let file = self.file.as_ref().map(|file| (file, self.path.as_path()));
            runs.push(Run { file, next, end, ahead: Vec::new(), at: 0 });
        }
        let found = merge(&mut runs, &mut tell);
        drop(runs);
        if self.file.take().is_some() {
            fs::remove_file(&self.path).map_err(CampaignError::io("removing", &self.path))?;
        }
        found
    }
}

fn merge(
    runs: &mut [Run<'_>],
    tell: &mut impl FnMut(u64, u64) -> Result<(), CampaignError>,
) -> Result<u64, CampaignError> {
    let mut heads = BinaryHeap::new();
    for (number, run) in runs.iter_mut().enumerate() {
        heads.extend(run.next()?.map(|entry| Reverse((entry, number))));
    }
    let (mut first, mut found): (Option<Entry>, u64) = (None, 0);
    while let Some(Reverse((entry, number))) = heads.pop() {
        heads.extend(runs[number].next()?.map(|entry| Reverse((entry, number))));
        match first {
            Some(first) if first[..KEY_BYTES] == entry[..KEY_BYTES] => {
                tell(index(&entry), index(&first))?;
                found += 1;
            }
            _ => first = Some(entry),
        }
    }
    Ok(found)
}

fn index(entry: &Entry) -> u64 {
    u64::from_be_bytes(entry[KEY_BYTES..].try_into().expect("eight bytes follow the key"))
}

/// A sorted row of entries, read little by little.
#[derive(Debug)]
struct Run<'a> {
    /// The scratch file; `None` for the run in memory.
    file: Option<(&'a File, &'a Path)>,
    /// The entries that are not in memory yet, by their number in the file.
    next: u64,
    end: u64,
    ahead: Vec<Entry>,
    at: usize,
}

impl Run<'_> {
    fn next(&mut self) -> Result<Option<Entry>, CampaignError> {
        if self.at == self.ahead.len()
            && let Some((file, path)) = self.file
        {
            let count = AHEAD.min(self.end - self.next);
            self.ahead = vec![[0; ENTRY_BYTES]; count as usize];
            let bytes = self.ahead.as_flattened_mut();
            let read = file.read_exact_at(bytes, self.next * ENTRY_BYTES as u64);
            read.map_err(CampaignError::io("reading", path))?;
            (self.next, self.at) = (self.next + count, 0);
        }
        let entry = self.ahead.get(self.at).copied();
        self.at += 1;
        Ok(entry)
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::notation::Side;
    use outflank_engine::{Position, Window};
    use proptest::prelude::*;

    use super::super::question::Question;
    use super::*;

    fn row(number: u64) -> Row {
        let position = Position::new(number, !number & 0xFF).unwrap();
        let question = Question::Value(Window::FULL);
        Row { position, side: Side::Black, question, prediction: None, count: None, id: None }
    }

    proptest! {
        /// Whatever fits the memory and whatever does not.
        #[test]
        fn every_repetition_is_told_with_the_first_row(
            numbers in prop::collection::vec(0..40_u64, 0..200),
            longest_run in 1..50_usize,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("scratch");
            let mut duplicates = Duplicates { longest_run, ..Duplicates::new(&path) };
            let rows: Vec<Row> = numbers.iter().map(|&number| row(number)).collect();
            for (index, row) in (0..).zip(&rows) {
                duplicates.push(index, row).unwrap();
            }
            let mut told = Vec::new();
            let found = duplicates.finish(|row, first| {
                told.push((row, first));
                Ok(())
            });
            told.sort_unstable();
            let canonical: Vec<_> = rows.iter().map(|row| row.position.canonical()).collect();
            let expected: Vec<(u64, u64)> = canonical
                .iter()
                .enumerate()
                .map(|(at, asked)| (at, canonical.iter().position(|one| one == asked).unwrap()))
                .filter(|(at, first)| at != first)
                .map(|(at, first)| (at as u64, first as u64))
                .collect();
            prop_assert_eq!(found.unwrap(), expected.len() as u64);
            prop_assert_eq!(told, expected);
            prop_assert!(!path.exists());
        }
    }
}
