//! Campaigns, as clients and coordinator speak of them: the messages of
//! `outflank/v1/campaigns.proto` with every range checked.

use std::fmt;

use outflank_engine::{BoardSize, Window};

use crate::invalid::{InvalidField, amount, needed, required, within};
use crate::v1;
use crate::v1::import_part::Part;

/// A form of task lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `obf,count,score,alpha,beta`, as published.
    Tasks,
    /// `obf,depth,accuracy,score_lowerbound,score_upperbound,nodes`, as published.
    Knowledge,
    /// OBF: a board and scored moves a line.
    Obf,
    /// JSON lines.
    Json,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 4] = [Self::Tasks, Self::Knowledge, Self::Obf, Self::Json];

    /// Returns the form's name on the command line and on disk.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tasks => "tasks",
            Self::Knowledge => "knowledge",
            Self::Obf => "obf",
            Self::Json => "jsonl",
        }
    }

    /// Returns the form with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Which rows are exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// All.
    #[default]
    All,
    /// Those that are not decided.
    Open,
    /// Those whose hypothesis is proved.
    Proved,
    /// Those whose hypothesis is refuted.
    Refuted,
    /// Those without a hypothesis whose question is answered.
    Solved,
}

/// What opens an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportHead {
    /// The campaign's name: see [`valid_name`].
    pub name: String,
    /// What errors call the list.
    pub source: String,
    /// The list's form; `None`: its first line tells.
    pub form: Option<Form>,
    /// The campaign's priority; greater ones are served first.
    pub priority: u8,
    /// The number of empties down to which every position is split.
    pub split_to: Option<u32>,
    /// The window of rows that claim nothing.
    pub window: Window,
    /// The board of rows that show no walls.
    pub board: BoardSize,
    /// Whether the campaign waits to be resumed.
    pub paused: bool,
}

/// A part of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportPart {
    /// The first part.
    Head(ImportHead),
    /// Bytes of the list.
    Data(Vec<u8>),
    /// The last part: the number of bytes of the list.
    End(u64),
}

/// The state of a campaign.
#[derive(Clone, Debug, PartialEq)]
pub struct Campaign {
    /// Its name.
    pub name: String,
    /// The form of its list.
    pub form: Form,
    /// Its priority; greater ones are served first.
    pub priority: u8,
    /// Whether it waits to be resumed.
    pub paused: bool,
    /// The number of empties down to which every position is split.
    pub split_to: Option<u32>,
    /// Rows of the list.
    pub rows: u64,
    /// Rows that ask the same as an earlier one, up to symmetry. All other rows are tasks.
    pub duplicates: u64,
    /// Tasks whose hypothesis is proved.
    pub proved: u64,
    /// Tasks whose hypothesis is refuted.
    pub refuted: u64,
    /// Tasks without a hypothesis that are answered.
    pub solved: u64,
    /// All other tasks.
    pub open: u64,
    /// Open tasks that are being worked on.
    pub active: u64,
    /// Open tasks that were stopped by two proofs that contradict each other.
    pub disputed: u64,
    /// Positions searched.
    pub nodes: u64,
    /// Positions searched a second in the last minute.
    pub nodes_per_second: f64,
    /// Positions that are probably still to search.
    pub predicted_nodes_left: f64,
    /// The time that is probably left, in seconds; `None` where there is no telling.
    pub seconds_left: Option<u64>,
    /// Why the campaign cannot go on; empty if it can.
    pub fault: String,
    /// The workers that are connected to the coordinator.
    pub workers: u64,
    /// The claims, of all campaigns and requests, that no other worker could audit yet.
    pub unaudited: u64,
    /// Rows whose outcome is still to be compared with what is proved, because proofs were taken back; until then more
    /// tasks may be open than is said.
    pub unreviewed: u64,
}

impl Campaign {
    /// Returns the number of tasks: rows that are not duplicates.
    #[must_use]
    pub const fn tasks(&self) -> u64 {
        self.rows - self.duplicates
    }
}

/// A change of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The campaign.
    pub name: String,
    /// Whether it shall wait.
    pub paused: Option<bool>,
    /// Its new priority.
    pub priority: Option<u8>,
}

/// A wish for the rows of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRequest {
    /// The campaign.
    pub name: String,
    /// The form; `None`: that of the import.
    pub form: Option<Form>,
    /// Which rows.
    pub selection: Selection,
    /// The most rows.
    pub limit: Option<u64>,
}

/// Returns whether `name` can name a campaign: 1 to 64 letters, digits, `.`, `-` and `_`, not
/// beginning with `.` or `-`.
#[must_use]
pub fn valid_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(plain) && !name.starts_with(['.', '-'])
}

fn name(name: String) -> Result<String, InvalidField> {
    const EXPECTED: &str = "1 to 64 letters, digits, '.', '-' and '_', first a letter or a digit";
    let shown: String = name.chars().take(80).collect();
    if valid_name(&name) { Ok(name) } else { Err(InvalidField::new("name", &shown, EXPECTED)) }
}

fn priority(number: u32) -> Result<u8, InvalidField> {
    u8::try_from(number).map_err(|_| InvalidField::new("priority", &number, "0 to 255"))
}

fn split_to(empties: Option<u32>) -> Result<Option<u32>, InvalidField> {
    match empties {
        Some(number) if !(1..=60).contains(&number) => {
            Err(InvalidField::new("split_to", &number, "1 to 60 empties"))
        }
        _ => Ok(empties),
    }
}

fn form(number: i32) -> Result<Option<Form>, InvalidField> {
    match v1::Form::try_from(number) {
        Ok(v1::Form::Unspecified) => Ok(None),
        Ok(v1::Form::Tasks) => Ok(Some(Form::Tasks)),
        Ok(v1::Form::Knowledge) => Ok(Some(Form::Knowledge)),
        Ok(v1::Form::Obf) => Ok(Some(Form::Obf)),
        Ok(v1::Form::Json) => Ok(Some(Form::Json)),
        Err(_) => Err(InvalidField::new("form", &number, "0 to 4")),
    }
}

fn form_number(form: Option<Form>) -> i32 {
    let form = form.map_or(v1::Form::Unspecified, |form| match form {
        Form::Tasks => v1::Form::Tasks,
        Form::Knowledge => v1::Form::Knowledge,
        Form::Obf => v1::Form::Obf,
        Form::Json => v1::Form::Json,
    });
    form.into()
}

fn board(text: &str) -> Result<BoardSize, InvalidField> {
    let size = if text.is_empty() { Ok(BoardSize::STANDARD) } else { text.parse() };
    size.map_err(|_| InvalidField::new("board", &text, "a size such as 6x6"))
}

impl From<ImportHead> for v1::ImportHead {
    fn from(head: ImportHead) -> Self {
        Self {
            name: head.name,
            source: head.source,
            form: form_number(head.form),
            priority: head.priority.into(),
            split_to: head.split_to,
            window: Some(head.window.into()),
            paused: head.paused,
            board: match head.board {
                BoardSize::STANDARD => String::new(),
                board => board.to_string(),
            },
        }
    }
}

impl TryFrom<v1::ImportHead> for ImportHead {
    type Error = InvalidField;

    fn try_from(wire: v1::ImportHead) -> Result<Self, InvalidField> {
        Ok(Self {
            name: name(wire.name)?,
            source: wire.source.chars().take(256).collect(),
            form: form(wire.form)?,
            priority: priority(wire.priority)?,
            split_to: split_to(wire.split_to)?,
            window: match wire.window {
                Some(window) => within("window", window)?,
                None => Window::FULL,
            },
            board: board(&wire.board)?,
            paused: wire.paused,
        })
    }
}

impl From<ImportPart> for v1::ImportPart {
    fn from(part: ImportPart) -> Self {
        let part = match part {
            ImportPart::Head(head) => Part::Head(head.into()),
            ImportPart::Data(data) => Part::Data(data),
            ImportPart::End(bytes) => Part::End(bytes),
        };
        Self { part: Some(part) }
    }
}

impl TryFrom<v1::ImportPart> for ImportPart {
    type Error = InvalidField;

    fn try_from(wire: v1::ImportPart) -> Result<Self, InvalidField> {
        match required("part", wire.part, "head, data or end")? {
            Part::Head(head) => within("head", head).map(Self::Head),
            Part::Data(data) => Ok(Self::Data(data)),
            Part::End(bytes) => Ok(Self::End(bytes)),
        }
    }
}

impl From<Campaign> for v1::Campaign {
    fn from(campaign: Campaign) -> Self {
        Self {
            name: campaign.name,
            form: form_number(Some(campaign.form)),
            priority: campaign.priority.into(),
            paused: campaign.paused,
            split_to: campaign.split_to,
            rows: campaign.rows,
            duplicates: campaign.duplicates,
            proved: campaign.proved,
            refuted: campaign.refuted,
            solved: campaign.solved,
            open: campaign.open,
            active: campaign.active,
            disputed: campaign.disputed,
            nodes: campaign.nodes,
            nodes_per_second: campaign.nodes_per_second,
            predicted_nodes_left: campaign.predicted_nodes_left,
            seconds_left: campaign.seconds_left,
            fault: campaign.fault,
            workers: campaign.workers,
            unaudited: campaign.unaudited,
            unreviewed: campaign.unreviewed,
        }
    }
}

impl TryFrom<v1::Campaign> for Campaign {
    type Error = InvalidField;

    fn try_from(wire: v1::Campaign) -> Result<Self, InvalidField> {
        let decided = [wire.proved, wire.refuted, wire.solved];
        let tasks = decided.into_iter().try_fold(wire.open, u64::checked_add);
        if tasks.and_then(|tasks| tasks.checked_add(wire.duplicates)) != Some(wire.rows) {
            let expected = "duplicates + proved + refuted + solved + open";
            return Err(InvalidField::new("rows", &wire.rows, expected));
        }
        Ok(Self {
            name: name(wire.name)?,
            form: required("form", form(wire.form)?, "1 to 4")?,
            priority: priority(wire.priority)?,
            paused: wire.paused,
            split_to: split_to(wire.split_to)?,
            rows: wire.rows,
            duplicates: wire.duplicates,
            proved: wire.proved,
            refuted: wire.refuted,
            solved: wire.solved,
            open: wire.open,
            active: wire.active,
            disputed: wire.disputed,
            nodes: wire.nodes,
            nodes_per_second: amount("nodes_per_second", wire.nodes_per_second)?,
            predicted_nodes_left: amount("predicted_nodes_left", wire.predicted_nodes_left)?,
            seconds_left: wire.seconds_left,
            fault: wire.fault,
            workers: wire.workers,
            unaudited: wire.unaudited,
            unreviewed: wire.unreviewed,
        })
    }
}

/// Returns the campaign in the answer to an import, and whether it was there already.
///
/// # Errors
/// [`InvalidField`] if the answer makes no sense.
pub fn imported(wire: v1::ImportResponse) -> Result<(Campaign, bool), InvalidField> {
    Ok((needed("campaign", wire.campaign, "a campaign")?, wire.repeated))
}

impl From<Change> for v1::ChangeRequest {
    fn from(change: Change) -> Self {
        let Change { name, paused, priority } = change;
        Self { name, paused, priority: priority.map(u32::from) }
    }
}

impl TryFrom<v1::ChangeRequest> for Change {
    type Error = InvalidField;

    fn try_from(wire: v1::ChangeRequest) -> Result<Self, InvalidField> {
        let priority = wire.priority.map(priority).transpose()?;
        Ok(Self { name: name(wire.name)?, paused: wire.paused, priority })
    }
}

impl From<ExportRequest> for v1::ExportRequest {
    fn from(request: ExportRequest) -> Self {
        let selection = match request.selection {
            Selection::All => v1::Selection::All,
            Selection::Open => v1::Selection::Open,
            Selection::Proved => v1::Selection::Proved,
            Selection::Refuted => v1::Selection::Refuted,
            Selection::Solved => v1::Selection::Solved,
        };
        Self {
            name: request.name,
            form: form_number(request.form),
            selection: selection.into(),
            limit: request.limit,
        }
    }
}

impl TryFrom<v1::ExportRequest> for ExportRequest {
    type Error = InvalidField;

    fn try_from(wire: v1::ExportRequest) -> Result<Self, InvalidField> {
        let selection = match v1::Selection::try_from(wire.selection) {
            Ok(v1::Selection::All) => Selection::All,
            Ok(v1::Selection::Open) => Selection::Open,
            Ok(v1::Selection::Proved) => Selection::Proved,
            Ok(v1::Selection::Refuted) => Selection::Refuted,
            Ok(v1::Selection::Solved) => Selection::Solved,
            Err(_) => return Err(InvalidField::new("selection", &wire.selection, "0 to 4")),
        };
        Ok(Self { name: name(wire.name)?, form: form(wire.form)?, selection, limit: wire.limit })
    }
}
