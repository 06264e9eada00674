//! From a folder to bytes.

use std::fs::File;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use outflank_engine::{Bound, Position, Score, Square};
use outflank_proto::campaign::{Form, Selection};

use super::error::CampaignError;
use super::form::{self, Answer, Defaults, Row, RowState};
use super::ledger::{self, LIST, Ledger, ROWS};
use super::list_check::ListCheck;
use super::question::Outcome;
use super::record::{Progress, Record, Records};

/// Returns a move of a position that is proved to reach its value, if one is known.
type BestMove<'a> = &'a dyn Fn(Position, Score) -> Option<Square>;

/// A campaign's rows on their way out; it reads the folder, not what others hold of it.
#[derive(Debug)]
pub struct Export {
    folder: PathBuf,
    list: File,
    records: Records,
    imported: Form,
    form: Form,
    defaults: Defaults,
    selection: Selection,
    limit: u64,
    /// The list's SHA-256 when it was imported, in hexadecimal digits.
    sha256: String,
}

/// Why an export ended early.
#[derive(Debug)]
pub(crate) enum ExportError {
    /// The campaign cannot be read.
    Campaign(CampaignError),
    /// Whoever wanted it does not take it.
    Output(io::Error),
}

impl From<CampaignError> for ExportError {
    fn from(error: CampaignError) -> Self {
        Self::Campaign(error)
    }
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl Export {
    pub(super) fn new(
        ledger: &Ledger,
        form: Option<Form>,
        selection: Selection,
        limit: Option<u64>,
    ) -> Result<Self, CampaignError> {
        let folder = ledger.folder().to_owned();
        Ok(Self {
            list: ledger::open_list(&folder)?,
            records: Records::open(&folder.join(ROWS), ledger.head.rows, false)?,
            folder,
            imported: ledger.form,
            form: form.unwrap_or(ledger.form),
            defaults: ledger.defaults,
            selection,
            limit: limit.unwrap_or(u64::MAX),
            sha256: ledger.head.sha256.clone(),
        })
    }

    /// Writes the rows that were chosen. `best_move` returns a move that is proved best, if one is
    /// known. Returns the number of rows.
    ///
    /// It fails in the end if the list is not as it was imported: answers may then stand beside other questions. Some
    /// rows, up to a limit, are not worth a look at the whole list.
    ///
    /// All rows in the form of the import are the list itself, down to the last byte, but for the
    /// lines that this form lets an answer change.
    pub(crate) fn run(
        &self,
        best_move: BestMove<'_>,
        out: &mut impl Write,
    ) -> Result<u64, ExportError> {
        let is_whole = self.selection == Selection::All && self.limit == u64::MAX;
        let written = if is_whole && self.form == self.imported {
            self.list(best_move, out)?
        } else {
            self.chosen(best_move, out)?
        };
        out.flush()?;
        if self.limit == u64::MAX {
            ListCheck::default().go_on(
                &self.list,
                &self.folder.join(LIST),
                &self.sha256,
                u64::MAX,
            )?;
        }
        Ok(written)
    }

    /// Writes the list with what is known now, and what stands between its rows.
    fn list(&self, best_move: BestMove<'_>, out: &mut impl Write) -> Result<u64, ExportError> {
        let (mut written, mut copied) = (0, 0);
        self.visit(|number, record, known| {
            let (line, row, answer) = self.read(number, record, known, best_move)?;
            self.copy(copied, record.offset, out)?;
            copied = record.offset + u64::from(record.length);
            out.write_all(form::renewed(self.form, &line, &row, &answer).as_bytes())?;
            written += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        self.copy(copied, self.length()?, out)?;
        Ok(written)
    }

    /// Writes a list of the rows that were chosen.
    fn chosen(&self, best_move: BestMove<'_>, out: &mut impl Write) -> Result<u64, ExportError> {
        if let Some(header) = form::header(self.form) {
            writeln!(out, "{header}")?;
        }
        let mut written = 0;
        self.visit(|number, record, known| {
            if written == self.limit {
                return Ok(ControlFlow::Break(()));
            }
            if !self.is_chosen(known.progress) {
                return Ok(ControlFlow::Continue(()));
            }
            let (line, row, answer) = self.read(number, record, known, best_move)?;
            if let Some(text) = self.text(&line, &row, &answer) {
                writeln!(out, "{text}")?;
                written += 1;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(written)
    }

    /// Shows every row's number, its record, and the record that answers it.
    fn visit(
        &self,
        mut show: impl FnMut(u64, &Record, &Record) -> Result<ControlFlow<()>, ExportError>,
    ) -> Result<(), ExportError> {
        let mut number = 0;
        loop {
            let block = self.records.from(number)?;
            if block.is_empty() {
                return Ok(());
            }
            for record in block {
                number += 1;
                if show(number, &record, &self.resolved(&record)?)?.is_break() {
                    return Ok(());
                }
            }
        }
    }

    fn read(
        &self,
        number: u64,
        record: &Record,
        known: &Record,
        best_move: BestMove<'_>,
    ) -> Result<(String, Row, Answer), CampaignError> {
        let line = ledger::line(&self.list, &self.folder, record)?;
        let row = ledger::parsed(self.imported, &line, self.defaults, &self.folder)?;
        let answer = answer(number, record, known, &row, best_move);
        Ok((line, row, answer))
    }

    /// Returns a row as a line of a new list, if the form has words for it.
    fn text(&self, line: &str, row: &Row, answer: &Answer) -> Option<String> {
        if self.form == self.imported {
            return Some(form::relisted(self.form, line, row, answer));
        }
        form::format_row(self.form, row, answer)
    }

    /// Returns the record itself, or the one of the row that asks the same.
    fn resolved(&self, record: &Record) -> Result<Record, CampaignError> {
        match record.progress {
            Progress::Duplicate { of } => self.records.get(of),
            _ => Ok(*record),
        }
    }

    fn is_chosen(&self, progress: Progress) -> bool {
        let outcome = match progress {
            Progress::Decided { outcome, .. } => Some(outcome),
            Progress::Open | Progress::Duplicate { .. } => None,
        };
        match self.selection {
            Selection::All => true,
            Selection::Open => outcome.is_none(),
            Selection::Proved => outcome == Some(Outcome::Proved),
            Selection::Refuted => outcome == Some(Outcome::Refuted),
            Selection::Solved => outcome == Some(Outcome::Solved),
        }
    }

    /// Returns the length of the list in bytes.
    fn length(&self) -> Result<u64, CampaignError> {
        let list = self.list.metadata().map_err(CampaignError::io("reading", &self.folder))?;
        Ok(list.len())
    }

    /// Copies bytes of the list.
    fn copy(&self, from: u64, to: u64, out: &mut impl Write) -> Result<(), ExportError> {
        let mut buffer = vec![0; to.saturating_sub(from).min(1 << 16) as usize];
        let mut at = from;
        while at < to {
            let count = (to - at).min(buffer.len() as u64) as usize;
            let read = self.list.read_exact_at(&mut buffer[..count], at);
            read.map_err(CampaignError::io("reading", &self.folder))?;
            out.write_all(&buffer[..count])?;
            at += count as u64;
        }
        Ok(())
    }
}

/// Returns what is known of row number `number`, whose question `known` answers.
fn answer(
    number: u64,
    record: &Record,
    known: &Record,
    row: &Row,
    best_move: BestMove<'_>,
) -> Answer {
    let (state, bound, nodes) = match known.progress {
        Progress::Decided { outcome, bound, nodes, .. } => {
            (RowState::Decided(outcome), bound, nodes)
        }
        Progress::Open | Progress::Duplicate { .. } => (RowState::Open, Bound::UNKNOWN, 0),
    };
    let duplicate_of = match record.progress {
        Progress::Duplicate { of } => Some(of + 1),
        _ => None,
    };
    let best_move = bound.value().and_then(|value| best_move(row.position, value));
    Answer { number, state, bound, nodes, duplicate_of, best_move }
}
