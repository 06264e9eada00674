//! From the bytes of a list to a folder.
//!
//! The bytes come in parts of any size. Each line is checked as soon as it is complete, and the first
//! bad one ends the import. Until all is well and on disk, everything lies in a folder with a name
//! that no campaign can have; a process that dies leaves it behind, and the next one clears it away.

use std::fs::{self, File};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use outflank_engine::Score;
use outflank_proto::campaign::{Form, ImportHead};
use sha2::{Digest, Sha256};

use super::duplicates::Duplicates;
use super::error::CampaignError;
use super::form::{self, Defaults, Row, RowFault};
use super::ledger::{self, HEAD, Head, LIST, Ledger, ROWS, STATE, Settings};
use super::question::Question;
use super::record::{Progress, Record, Records};
use crate::advisor::predicted_nodes;
use crate::durable::sync_folder;

/// How the names of unfinished imports begin.
pub(super) const UNFINISHED: &str = ".incoming-";
const SCRATCH: &str = "scratch";
/// The longest line, in bytes.
const LONGEST_LINE: usize = 1 << 16;

/// A list on its way to disk.
#[derive(Debug)]
pub struct Import {
    folder: Folder,
    head: Head,
    settings: Settings,
    defaults: Defaults,
    form: Option<Form>,
    list: BufWriter<File>,
    rows: BufWriter<File>,
    duplicates: Duplicates,
    hash: Sha256,
    /// The beginning of a line whose end has not come.
    partial: Vec<u8>,
    lines: u64,
    /// Where the next line begins in the list.
    offset: u64,
    rival: Option<Rival>,
}

/// A campaign that has the name already and may be of the same list: the import is the same as that one, or nothing.
#[derive(Debug)]
pub(crate) struct Rival {
    path: PathBuf,
    list: File,
}

impl Rival {
    /// Returns the campaign as what a list with its name must be.
    pub(super) fn new(ledger: &Ledger) -> Result<Self, CampaignError> {
        let path = ledger.folder().join(LIST);
        let list = File::open(&path).map_err(CampaignError::io("opening", &path))?;
        Ok(Self { path, list })
    }

    /// Returns whether its list has `bytes` at `offset`.
    fn has(&self, bytes: &[u8], offset: u64) -> Result<bool, CampaignError> {
        let mut own = vec![0; bytes.len()];
        match self.list.read_exact_at(&mut own, offset) {
            Ok(()) => Ok(own == bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(CampaignError::io("reading", &self.path)(error)),
        }
    }
}

/// A folder that goes when it is dropped, unless it has been moved.
#[derive(Debug)]
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        if self.0.exists()
            && let Err(error) = fs::remove_dir_all(&self.0)
        {
            tracing::warn!(path = %self.0.display(), %error, "an unfinished import was left behind");
        }
    }
}

/// A list that is complete and on disk, but is no campaign yet.
#[derive(Debug)]
pub(crate) struct Imported {
    folder: Folder,
    pub(super) head: Head,
    settings: Settings,
}

impl Imported {
    /// Moves the list to the folder `path`, which does not exist, as a campaign that is reviewed for the time `era`: none
    /// of its rows is decided.
    ///
    /// Where that fails nothing is left: all that may find the disk full is done before the list has its name.
    pub(super) fn move_to(self, path: &Path, era: u64) -> Result<(), CampaignError> {
        let folder = &self.folder.0;
        let settings = Settings { reviewed: era, ..self.settings };
        if settings != self.settings {
            ledger::write_json(folder, STATE, &settings)?;
        }
        fs::rename(folder, path).map_err(CampaignError::io("moving", folder))
    }
}

impl Import {
    /// Begins an import into the folder `campaigns`.
    ///
    /// # Errors
    /// [`CampaignError::Io`].
    pub fn begin(campaigns: &Path, wanted: &ImportHead) -> Result<Self, CampaignError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = campaigns.join(format!("{UNFINISHED}{}-{number}", std::process::id()));
        fs::create_dir(&path).map_err(CampaignError::io("creating", &path))?;
        let folder = Folder(path);
        let create = |name| {
            let path = folder.0.join(name);
            let file = File::create_new(&path).map_err(CampaignError::io("creating", &path));
            file.map(BufWriter::new)
        };
        let (list, rows) = (create(LIST)?, create(ROWS)?);
        Ok(Self {
            head: Head::new(wanted),
            settings: Settings { priority: wanted.priority, paused: wanted.paused, reviewed: 0 },
            defaults: Defaults { window: wanted.window, board: wanted.board },
            form: wanted.form,
            list,
            rows,
            duplicates: Duplicates::new(&folder.0.join(SCRATCH)),
            folder,
            hash: Sha256::new(),
            partial: Vec::new(),
            lines: 0,
            offset: 0,
            rival: None,
        })
    }

    /// Returns the import, which ends where its list is found to be another one than that of `rival`: whoever has chosen
    /// a name that is taken need not send thousands of millions of rows to learn of it.
    #[must_use]
    pub(crate) fn against(self, rival: Option<Rival>) -> Self {
        Self { rival, ..self }
    }

    /// Takes the next bytes of the list.
    ///
    /// # Errors
    /// [`CampaignError`] names the first bad line, or what the system refused; [`CampaignError::Exists`] if there is a
    /// campaign of the same name with another list.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), CampaignError> {
        let begin = self.head.bytes;
        self.list.write_all(bytes).map_err(CampaignError::io("writing", &self.folder.0))?;
        self.hash.update(bytes);
        self.head.bytes += bytes.len() as u64;
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|&byte| byte == b'\n') {
            let (line, after) = rest.split_at(at);
            rest = &after[1..];
            if self.partial.is_empty() {
                self.line(line)?;
            } else {
                let mut whole = std::mem::take(&mut self.partial);
                whole.extend_from_slice(line);
                self.line(&whole)?;
            }
            self.offset = self.head.bytes - rest.len() as u64;
        }
        self.partial.extend_from_slice(rest);
        if self.partial.len() > LONGEST_LINE {
            return Err(self.too_long());
        }
        match &self.rival {
            Some(rival) if !rival.has(bytes, begin)? => {
                Err(CampaignError::Exists { name: self.head.name.clone() })
            }
            _ => Ok(()),
        }
    }

    fn too_long(&self) -> CampaignError {
        let reason = format!("the line goes on, expected at most {LONGEST_LINE} bytes");
        CampaignError::row(&self.head.source, self.lines + 1, RowFault { column: 1, reason })
    }

    /// Takes a line, without its end.
    fn line(&mut self, bytes: &[u8]) -> Result<(), CampaignError> {
        if bytes.len() > LONGEST_LINE {
            return Err(self.too_long());
        }
        self.lines += 1;
        let (line, mark) = self.text(bytes)?;
        if self.form.is_none() && !line.trim().is_empty() {
            self.form = Some(form::recognized(line));
        }
        let Some(form) = self.form else { return Ok(()) };
        let read = form::read_row(form, line, self.defaults);
        match read.map_err(|fault| CampaignError::row(&self.head.source, self.lines, fault))? {
            Some(row) => self.row(&row, self.offset + mark, line.len()),
            None => Ok(()),
        }
    }

    /// Returns the text of a line, and how many bytes stand before it: the mark that some programs put at the beginning of
    /// a file. It may be in the middle of a list that was put together from several files.
    fn text<'a>(&self, bytes: &'a [u8]) -> Result<(&'a str, u64), CampaignError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let column = before.chars().count() + 1;
            let reason = "found bytes that are not UTF-8 text, expected a row".to_owned();
            CampaignError::row(&self.head.source, self.lines, RowFault { column, reason })
        })?;
        let line = text.strip_suffix('\r').unwrap_or(text);
        match line.strip_prefix('\u{feff}') {
            Some(line) => Ok((line, '\u{feff}'.len_utf8() as u64)),
            None => Ok((line, 0)),
        }
    }

    fn row(&mut self, row: &Row, offset: u64, length: usize) -> Result<(), CampaignError> {
        let length = u32::try_from(length).expect("lines are at most LONGEST_LINE long");
        let predicted = predicted(row);
        let record = Record { progress: Progress::Open, predicted, offset, length };
        let written = self.rows.write_all(&record.encode());
        written.map_err(CampaignError::io("writing", &self.folder.0))?;
        self.duplicates.push(self.head.rows, row)?;
        self.head.rows += 1;
        Ok(())
    }

    /// Ends the list; returns when everything is on disk.
    ///
    /// # Errors
    /// As [`Import::feed`], and [`CampaignError::Empty`].
    pub(crate) fn finish(mut self) -> Result<Imported, CampaignError> {
        let last = std::mem::take(&mut self.partial);
        if !last.is_empty() {
            self.line(&last)?;
        }
        let Self { folder, mut head, settings, form, list, rows, duplicates, hash, .. } = self;
        let Some(form) = form.filter(|_| head.rows > 0) else {
            return Err(CampaignError::Empty { source_name: head.source });
        };
        flush(list, &folder.0)?;
        flush(rows, &folder.0)?;
        let records = Records::open(&folder.0.join(ROWS), head.rows, true)?;
        head.duplicates = duplicates.finish(|row, of| {
            let record = records.get(row)?;
            records.put(row, &Record { progress: Progress::Duplicate { of }, ..record })
        })?;
        records.sync()?;
        head.form = form.name().to_owned();
        head.sha256 = ledger::digits(hash);
        ledger::write_json(&folder.0, STATE, &settings)?;
        ledger::write_json(&folder.0, HEAD, &head)?;
        Ok(Imported { folder, head, settings })
    }
}

fn flush(file: BufWriter<File>, folder: &Path) -> Result<(), CampaignError> {
    let file = file.into_inner().map_err(IntoInnerError::into_error);
    let synced = file.and_then(|file| file.sync_all()).and_then(|()| sync_folder(folder));
    synced.map_err(CampaignError::io("writing", folder))
}

/// Returns about how many nodes a row will take. Without a predicted score the claim is taken to be
/// barely true, which is the dearest case: a search for an opinion would cost more than the import.
pub(super) fn predicted(row: &Row) -> f32 {
    if row.position.is_over() {
        return 0.0;
    }
    let claimed = match row.question {
        Question::Claim(claim) if claim.lower() > Score::MIN => claim.lower(),
        Question::Claim(claim) => claim.upper(),
        Question::Value(window) => window.lower(),
    };
    let estimate = row.prediction.unwrap_or(claimed.discs());
    let nodes = |window| predicted_nodes(row.position, window, estimate);
    row.question.windows().map(nodes).sum::<f64>() as f32
}
