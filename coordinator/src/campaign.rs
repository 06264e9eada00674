//! Campaigns: lists of positions that are solved together, kept on disk beside the proof store.
//!
//! A campaign is a folder: the list as it was imported, byte for byte, and one small record for each
//! row. Nothing in it is a proof. What is proved is in the proof store, so that a lost outcome is
//! only asked again, and answered at once.
//!
//! ```text
//! list ──import──> folder ──ledger──> roster ──requests──> core
//!                    ^                   │  answers: the next question of the row, or its outcome
//!                    └──── outcomes ─────┘
//! ```
//!
//! Memory does not grow with the list: rows are read when their turn comes, a window of them is
//! handed to the core, duplicates are found by sorting on disk, and exports are streamed.
//!
//! | module | job |
//! | --- | --- |
//! | `question` | hypotheses, what to ask next, when a row is decided |
//! | `form` | rows as text: the published tables, OBF, JSON lines |
//! | `import`, `duplicates` | from bytes to a folder |
//! | `record`, `ledger`, `tally` | the folder, and what is counted in it |
//! | `list_check` | whether the list is the one that was imported |
//! | `roster` | all campaigns: whose rows are handed out, and what becomes of them |
//! | `export` | from a folder to bytes |

mod duplicates;
mod error;
mod export;
mod form;
mod import;
mod ledger;
mod list_check;
mod question;
mod record;
mod roster;
mod tally;

pub use error::CampaignError;
pub use export::Export;
pub(crate) use export::ExportError;
pub use form::{Answer, Defaults, Id, Row, RowFault, RowState, format_row, read_row};
pub use import::Import;
pub(crate) use import::{Imported, Rival};
pub use question::{Hypothesis, Outcome, Question};
pub use roster::{Ask, Roster};
