//! What is kept of each row: 32 bytes in a file of its own, found by the row's number.
//!
//! ```text
//! record = kind u8 | lower i8 | upper i8 | searched u8 | predicted nodes f32
//!        | nodes u64, or the row that asks the same | place in the list u64
//!        | length of the line u32 | crc32 of all before u32
//! ```
//! All numbers are little-endian. A record is overwritten in place when its row is decided; that is
//! not a proof, so nothing waits for it to reach the disk. The store's frames do not fit: they only
//! grow at the end, and a list of 10^9 rows needs its rows found without reading it all.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread;

use outflank_engine::{Bound, Score};

use super::error::CampaignError;
use super::question::Outcome;

/// The size of a record in bytes.
pub(super) const BYTES: usize = 32;
/// The number of records that are read together.
const BLOCK: u64 = 256;
/// So often records are read before one is said to be damaged: whoever writes one may be kept from its second half.
const TRIES: u32 = 100;

/// How far a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Not decided.
    Open,
    /// Decided by what is proved, after this many nodes.
    Decided { outcome: Outcome, bound: Bound, nodes: u64, searched: bool },
    /// It asks the same as the row with this index, up to symmetry.
    Duplicate { of: u64 },
}

/// What is kept of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Record {
    pub(super) progress: Progress,
    /// The nodes that it will probably take.
    pub(super) predicted: f32,
    /// Where its line begins in the list, in bytes.
    pub(super) offset: u64,
    /// The length of its line, in bytes, without the line's end.
    pub(super) length: u32,
}

impl Record {
    pub(super) fn encode(&self) -> [u8; BYTES] {
        let (kind, bound, searched, number) = match self.progress {
            Progress::Open => (0, Bound::UNKNOWN, false, 0),
            Progress::Duplicate { of } => (1, Bound::UNKNOWN, false, of),
            Progress::Decided { outcome, bound, nodes, searched } => {
                let kind = match outcome {
                    Outcome::Proved => 2,
                    Outcome::Refuted => 3,
                    Outcome::Solved => 4,
                };
                (kind, bound, searched, nodes)
            }
        };
        let byte = |score: Score| (score.discs() as i8).to_le_bytes()[0];
        let mut bytes = [0; BYTES];
        bytes[..4].copy_from_slice(&[
            kind,
            byte(bound.lower()),
            byte(bound.upper()),
            searched.into(),
        ]);
        bytes[4..8].copy_from_slice(&self.predicted.to_le_bytes());
        bytes[8..16].copy_from_slice(&number.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.offset.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.length.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..28]);
        bytes[28..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Returns the record, or `None` if the bytes are damaged.
    pub(super) fn decode(bytes: &[u8; BYTES]) -> Option<Self> {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        let half = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        if half(28) != crc32fast::hash(&bytes[..28]) {
            return None;
        }
        let score = |byte: u8| Score::new(i8::from_le_bytes([byte]).into());
        let decided = |outcome| {
            let bound = Bound::new(score(bytes[1])?, score(bytes[2])?)?;
            Some(Progress::Decided { outcome, bound, nodes: word(8), searched: bytes[3] != 0 })
        };
        let progress = match bytes[0] {
            0 => Progress::Open,
            1 => Progress::Duplicate { of: word(8) },
            2 => decided(Outcome::Proved)?,
            3 => decided(Outcome::Refuted)?,
            4 => decided(Outcome::Solved)?,
            _ => return None,
        };
        let predicted = f32::from_bits(half(4));
        Some(Self { progress, predicted, offset: word(16), length: half(24) })
    }
}

/// The records of a campaign.
#[derive(Debug)]
pub(super) struct Records {
    path: PathBuf,
    file: File,
    rows: u64,
}

impl Records {
    /// Opens the file `path`, which has `rows` records.
    pub(super) fn open(path: &Path, rows: u64, writable: bool) -> Result<Self, CampaignError> {
        let file = OpenOptions::new().read(true).write(writable).open(path);
        let file = file.map_err(CampaignError::io("opening", path))?;
        let length = file.metadata().map_err(CampaignError::io("reading", path))?.len();
        if Some(length) != rows.checked_mul(BYTES as u64) {
            let expected = format!("{BYTES} bytes for each of {rows} rows");
            return Err(CampaignError::damaged(path, format!("{length} bytes"), expected));
        }
        Ok(Self { path: path.to_owned(), file, rows })
    }

    pub(super) fn get(&self, row: u64) -> Result<Record, CampaignError> {
        Ok(self.block(row, 1)?[0])
    }

    pub(super) fn put(&self, row: u64, record: &Record) -> Result<(), CampaignError> {
        let at = row * BYTES as u64;
        let written = self.file.write_all_at(&record.encode(), at);
        written.map_err(CampaignError::io("writing", &self.path))
    }

    /// Returns when everything put is on disk.
    pub(super) fn sync(&self) -> Result<(), CampaignError> {
        self.file.sync_data().map_err(CampaignError::io("syncing", &self.path))
    }

    /// Returns some records from number `from` on; none behind the last one.
    pub(super) fn from(&self, from: u64) -> Result<Vec<Record>, CampaignError> {
        self.block(from, BLOCK.min(self.rows.saturating_sub(from)))
    }

    fn block(&self, from: u64, count: u64) -> Result<Vec<Record>, CampaignError> {
        let mut bytes = vec![0; count as usize * BYTES];
        let settled = settled(|| {
            self.file.read_exact_at(&mut bytes, from * BYTES as u64)?;
            Ok(bytes.as_chunks().0.iter().map(Record::decode).collect())
        });
        let records = settled.map_err(CampaignError::io("reading", &self.path))?.into_iter();
        let checked = records.zip(from..).map(|(record, row)| {
            record.ok_or_else(|| {
                let found = format!("a bad record of row {}", row + 1);
                CampaignError::damaged(&self.path, found, "records with good checksums")
            })
        });
        checked.collect()
    }
}

/// Returns the records that `read` returns, with `None` for the bad ones among them.
///
/// What others write is read a part at a time on many file systems: a record that is overwritten meanwhile may come half
/// old and half new. So it is read again where one is bad.
fn settled(
    mut read: impl FnMut() -> io::Result<Vec<Option<Record>>>,
) -> io::Result<Vec<Option<Record>>> {
    let mut records = read()?;
    for _ in 1..TRIES {
        if records.iter().all(Option::is_some) {
            break;
        }
        thread::yield_now();
        records = read()?;
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn progress() -> impl Strategy<Value = Progress> {
        let bound = (-32..=32_i32, -32..=32_i32).prop_map(|(a, b)| {
            let score = |half: i32| Score::new(2 * half).unwrap();
            Bound::new(score(a.min(b)), score(a.max(b))).unwrap()
        });
        let outcome =
            prop::sample::select(vec![Outcome::Proved, Outcome::Refuted, Outcome::Solved]);
        let decided = (outcome, bound, any::<u64>(), any::<bool>()).prop_map(
            |(outcome, bound, nodes, searched)| Progress::Decided {
                outcome,
                bound,
                nodes,
                searched,
            },
        );
        prop_oneof![
            Just(Progress::Open),
            any::<u64>().prop_map(|of| Progress::Duplicate { of }),
            decided
        ]
    }

    proptest! {
        #[test]
        fn a_record_is_read_as_it_was_written_and_never_when_a_bit_was_turned(
            progress in progress(),
            predicted in 0.0_f32..1e30,
            offset in any::<u64>(),
            length in any::<u32>(),
            bit in 0..8 * BYTES,
        ) {
            let record = Record { progress, predicted, offset, length };
            let mut bytes = record.encode();
            prop_assert_eq!(Record::decode(&bytes), Some(record));
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(Record::decode(&bytes), None);
        }
    }
    #[test]
    fn a_record_that_is_being_overwritten_is_read_again() {
        let record =
            |length| Record { progress: Progress::Open, predicted: 0.0, offset: 0, length };
        let (old, new) = (record(1).encode(), record(2).encode());
        let torn = [&new[..26], &old[26..]].concat();
        let read = |torn_reads: u32| {
            let mut reads = 0;
            settled(|| {
                reads += 1;
                let bytes = if reads > torn_reads { &new[..] } else { &torn };
                Ok(bytes.as_chunks().0.iter().map(Record::decode).collect())
            })
        };
        for torn_reads in [0, 1, TRIES - 1] {
            assert_eq!(read(torn_reads).unwrap(), [Some(record(2))], "{torn_reads}");
        }
        assert_eq!(read(TRIES).unwrap(), [None]);
    }
}
