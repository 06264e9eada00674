//! A campaign's folder.
//!
//! ```text
//! NAME/campaign.json   what was imported, and how; never changed
//! NAME/list            the list, byte for byte; never changed
//! NAME/rows            a record for each row
//! NAME/state.json      priority, pause and the last review; replaced as a whole
//! ```

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use outflank_engine::notation::excerpt;
use outflank_engine::{BoardSize, Score, Window};
use outflank_proto::campaign::{Form, ImportHead};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::CampaignError;
use super::form::{self, Defaults, Row};
use super::import;
use super::list_check::ListCheck;
use super::record::{Record, Records};
use super::tally::Tally;
use crate::durable;

/// The version of the folder that this program reads and writes.
const SCHEMA: u32 = 1;
/// The bytes of a list that are compared together: milliseconds, in which nobody else gets an answer.
const COMPARED_AT_ONCE: u64 = 1 << 20;

pub(super) const HEAD: &str = "campaign.json";
pub(super) const LIST: &str = "list";
pub(super) const ROWS: &str = "rows";
pub(super) const STATE: &str = "state.json";

/// What was imported, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) schema: u32,
    pub(super) name: String,
    /// What the list was called where it came from.
    pub(super) source: String,
    pub(super) form: String,
    pub(super) split_to: Option<u32>,
    pub(super) window: [i32; 2],
    /// The board of rows that show no walls, such as 6x6; the usual one if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) board: Option<String>,
    pub(super) rows: u64,
    pub(super) duplicates: u64,
    pub(super) bytes: u64,
    /// The list's SHA-256, in hexadecimal digits.
    pub(super) sha256: String,
}

impl Head {
    /// Returns a head without content.
    pub(super) fn new(wanted: &ImportHead) -> Self {
        let (window, board) = (wanted.window, wanted.board);
        Self {
            schema: SCHEMA,
            name: wanted.name.clone(),
            source: wanted.source.clone(),
            form: String::new(),
            split_to: wanted.split_to,
            window: [window.lower().discs(), window.upper().discs()],
            board: (board != BoardSize::STANDARD).then(|| board.to_string()),
            rows: 0,
            duplicates: 0,
            bytes: 0,
            sha256: String::new(),
        }
    }

    /// Returns whether a list that is imported as `wanted` may be this one with the same options.
    pub(super) fn may_be(&self, wanted: &ImportHead) -> bool {
        let Self { split_to, window, board, .. } = Self::new(wanted);
        let is_form = wanted.form.is_none_or(|form| form.name() == self.form);
        is_form && (split_to, window, board) == (self.split_to, self.window, self.board.clone())
    }

    /// Returns whether both say the same of the same list, whatever it was called.
    pub(super) fn same_content(&self, other: &Self) -> bool {
        *self == Self { source: self.source.clone(), ..other.clone() }
    }
}

/// What changes of a campaign, but for its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Settings {
    pub(super) priority: u8,
    pub(super) paused: bool,
    /// How often proofs had been taken back when the outcomes were last compared with what is proved; folders of earlier
    /// releases do not say.
    #[serde(default, skip_serializing_if = "is_never")]
    pub(super) reviewed: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_never(reviewed: &u64) -> bool {
    *reviewed == 0
}

/// Why a list is compared with what was imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// An outcome would be said that damage may have made.
    Outcome,
    /// A row is not what was predicted for it.
    Prediction,
}

/// A campaign on disk.
#[derive(Debug)]
pub(super) struct Ledger {
    folder: PathBuf,
    pub(super) head: Head,
    pub(super) form: Form,
    pub(super) defaults: Defaults,
    pub(super) settings: Settings,
    pub(super) records: Records,
    pub(super) tally: Tally,
    /// Open while rows are read, or all of it: of many campaigns most rest, and nobody may have any number of files open.
    list: Option<File>,
    /// The comparison of the list with what was imported that is under way.
    check: Option<(Cause, ListCheck)>,
    pub(super) compared_at_once: u64,
    /// Whether records were put since the last sync.
    dirty: bool,
    /// Whether the list is as it was imported, but other numbers of nodes were predicted for it.
    predicts_otherwise: bool,
}

impl Ledger {
    /// Opens the campaign in `folder` and counts its records.
    pub(super) fn open(folder: &Path) -> Result<Self, CampaignError> {
        let path = folder.join(HEAD);
        let head: Head = read_json(&path)?;
        let nonsense = |what: &str| CampaignError::damaged(&path, what.to_owned(), "a campaign");
        // Two of one name could not be told from each other.
        if folder.file_name().is_none_or(|name| name != head.name.as_str()) {
            return Err(nonsense(&format!("a copy of the campaign {}", head.name)));
        }
        if head.schema != SCHEMA {
            let found = format!("schema version {}", head.schema);
            return Err(CampaignError::damaged(&path, found, format!("version {SCHEMA}")));
        }
        let form = Form::named(&head.form).ok_or_else(|| nonsense("an unknown form"))?;
        let [lower, upper] = head.window.map(Score::new);
        let window = lower.zip(upper).and_then(|(lower, upper)| Window::new(lower, upper));
        let window = window.ok_or_else(|| nonsense("a window that is none"))?;
        let board = head.board.as_deref().map_or(Ok(BoardSize::STANDARD), str::parse);
        let board = board.map_err(|_| nonsense("a board that is none"))?;
        let defaults = Defaults { window, board };
        let path = folder.join(LIST);
        let length = fs::metadata(&path).map_err(CampaignError::io("reading", &path))?.len();
        if length != head.bytes {
            let expected = format!("{} bytes", head.bytes);
            return Err(CampaignError::damaged(&path, format!("{length} bytes"), expected));
        }
        let records = Records::open(&folder.join(ROWS), head.rows, true)?;
        let settings = read_json(&folder.join(STATE))?;
        let (folder, tally) = (folder.to_owned(), count(&records)?);
        let (dirty, predicts_otherwise) = (false, false);
        Ok(Self {
            folder,
            head,
            form,
            defaults,
            settings,
            records,
            tally,
            list: None,
            check: None,
            compared_at_once: COMPARED_AT_ONCE,
            dirty,
            predicts_otherwise,
        })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the row of a record, if its line is as it was imported as far as the prediction tells. `None` says that the
    /// list is to be compared first, which begins with that.
    pub(super) fn row(&mut self, record: &Record) -> Result<Option<Row>, CampaignError> {
        let list = self.list.take().map_or_else(|| open_list(&self.folder), Ok)?;
        let line = line(self.list.insert(list), &self.folder, record)?;
        let row = parsed(self.form, &line, self.defaults, &self.folder)?;
        // Most questions that damage makes take other numbers of nodes. But so do all for a release that predicts in
        // another way: the checksum decides.
        let is_predicted = import::predicted(&row).to_bits() == record.predicted.to_bits();
        if is_predicted || self.predicts_otherwise {
            return Ok(Some(row));
        }
        self.begin_check(Cause::Prediction)?;
        Ok(None)
    }

    /// Begins to compare the list with what was imported, if that is not under way. Until it is done no row is read, so
    /// that it stands for all rows that have been read.
    pub(super) fn begin_check(&mut self, cause: Cause) -> Result<(), CampaignError> {
        if self.check.is_some() {
            return Ok(());
        }
        self.list = Some(open_list(&self.folder)?);
        self.check = Some((cause, ListCheck::default()));
        let bytes = self.head.bytes;
        if bytes > self.compared_at_once {
            let campaign = &self.head.name;
            tracing::info!(campaign, bytes, "the list is compared with what was imported");
        }
        Ok(())
    }

    /// Gives up comparing the list.
    pub(super) fn drop_check(&mut self) {
        self.check = None;
    }

    /// Returns how many bytes of the list are still to be compared with what was imported, while that is under way.
    pub(super) fn unchecked(&self) -> Option<u64> {
        let (_, check) = self.check.as_ref()?;
        Some(self.head.bytes.saturating_sub(check.done()))
    }

    /// Compares some more of the list with what was imported; returns whether that was the rest.
    pub(super) fn check_list(&mut self) -> Result<bool, CampaignError> {
        let Some((cause, mut check)) = self.check.take() else { return Ok(false) };
        let list = self.list.take().expect("it is open while it is compared");
        let path = self.folder.join(LIST);
        if !check.go_on(&list, &path, &self.head.sha256, self.compared_at_once)? {
            (self.list, self.check) = (Some(list), Some((cause, check)));
            return Ok(false);
        }
        self.predicts_otherwise |= cause == Cause::Prediction;
        Ok(true)
    }

    /// Closes the list until a row is read again, unless it is being compared.
    pub(super) fn close_list(&mut self) {
        if self.check.is_none() {
            self.list = None;
        }
    }

    /// Replaces a record; it reaches the disk with the next [`Ledger::sync`].
    pub(super) fn put(&mut self, row: u64, record: &Record) -> Result<(), CampaignError> {
        self.dirty = true;
        self.records.put(row, record)
    }

    /// Returns when all records are on disk.
    pub(super) fn sync(&mut self) -> Result<(), CampaignError> {
        if std::mem::take(&mut self.dirty) { self.records.sync() } else { Ok(()) }
    }

    /// Changes the settings; returns when that is on disk.
    pub(super) fn change(&mut self, settings: Settings) -> Result<(), CampaignError> {
        write_json(&self.folder, STATE, &settings)?;
        self.settings = settings;
        Ok(())
    }
}

/// Returns a hash in hexadecimal digits.
pub(super) fn digits(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Opens the list of the campaign in `folder`.
pub(super) fn open_list(folder: &Path) -> Result<File, CampaignError> {
    let path = folder.join(LIST);
    File::open(&path).map_err(CampaignError::io("opening", &path))
}

/// Returns the line of a record in the list of the campaign in `folder`.
pub(super) fn line(list: &File, folder: &Path, record: &Record) -> Result<String, CampaignError> {
    let path = folder.join(LIST);
    let mut bytes = vec![0; record.length as usize];
    list.read_exact_at(&mut bytes, record.offset).map_err(CampaignError::io("reading", &path))?;
    String::from_utf8(bytes).map_err(|_| {
        let found = format!("bytes that are no text at offset {}", record.offset);
        CampaignError::damaged(&path, found, "the list as it was imported")
    })
}

/// Returns the row in a line that was accepted when it was imported.
pub(super) fn parsed(
    form: Form,
    line: &str,
    defaults: Defaults,
    folder: &Path,
) -> Result<Row, CampaignError> {
    let row = form::read_row(form, line, defaults);
    row.ok().flatten().ok_or_else(|| {
        let found = format!("the line {:?}", excerpt(line));
        CampaignError::damaged(&folder.join(LIST), found, "a row as it was imported")
    })
}

fn count(records: &Records) -> Result<Tally, CampaignError> {
    let mut tally = Tally::default();
    loop {
        let block = records.from(tally.rows)?;
        if block.is_empty() {
            return Ok(tally);
        }
        block.iter().for_each(|record| tally.add(record));
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, CampaignError> {
    let bytes = fs::read(path).map_err(CampaignError::io("reading", path))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| CampaignError::damaged(path, error.to_string(), "what was written"))
}

/// Replaces the file `name` in `folder`; returns when that is on disk.
pub(super) fn write_json(
    folder: &Path,
    name: &str,
    content: &impl Serialize,
) -> Result<(), CampaignError> {
    let path = folder.join(name);
    let text = serde_json::to_string_pretty(content).map_err(io::Error::from);
    let written = text.and_then(|text| {
        durable::replace(&path, (text + "\n").as_bytes()).map_err(|refused| refused.source)
    });
    written.map_err(CampaignError::io("writing", &path))
}
