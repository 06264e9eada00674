//! The command line of `outflank campaign`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use outflank_engine::{BoardSize, Window};
use outflank_proto::campaign::{Form, Selection, valid_name};

use crate::arguments::{Access, Search, output_file, window};

/// Solve lists of positions together, for as long as it takes.
///
/// A campaign is kept beside the proof store and survives whatever happens to the processes. A
/// coordinator works on all campaigns that are not paused.
#[derive(Debug, Args)]
pub(crate) struct Campaign {
    #[command(subcommand)]
    pub(super) action: Action,
}

#[derive(Debug, Subcommand)]
pub(super) enum Action {
    Import(Import),
    /// Say how far every campaign is.
    List(List),
    /// Say how far a campaign is: refuted hypotheses are listed, and end the command with code 7.
    Status(Status),
    /// Wait until a campaign is done, and say how it ended, as status does.
    Wait(Status),
    Run(Run),
    /// Let a campaign rest; what it has asked is given up.
    Pause(Named),
    /// Go on with a campaign that rests.
    Resume(Named),
    Priority(Priority),
    Export(Export),
    Remove(Remove),
}

/// What a command says of where its campaigns are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source<'a> {
    /// With a coordinator, or in a store.
    Named(&'a Where),
    /// In a store that this process works on.
    Worked(&'a Run),
}

impl Action {
    /// Returns where the campaigns are.
    pub(super) fn source(&self) -> Source<'_> {
        Source::Named(match self {
            Self::Run(run) => return Source::Worked(run),
            Self::Import(import) => &import.named.place,
            Self::List(list) => &list.place,
            Self::Status(status) | Self::Wait(status) => &status.named.place,
            Self::Pause(named) | Self::Resume(named) => &named.place,
            Self::Priority(priority) => &priority.named.place,
            Self::Export(export) => &export.named.place,
            Self::Remove(remove) => &remove.named.place,
        })
    }
}

/// Where the campaigns are.
#[derive(Clone, Debug, Args)]
pub(super) struct Where {
    /// Ask the coordinator at ADDR: HOST:PORT, several of these, or @FILE, as for solve.
    #[arg(long, value_name = "ADDR", conflicts_with = "store")]
    pub(super) connect: Option<String>,
    #[command(flatten)]
    pub(super) access: Access,
    /// The folder of the proof store, which no coordinator may be using [default: that of solve].
    #[arg(long, value_name = "DIR")]
    pub(super) store: Option<PathBuf>,
}

/// A campaign.
#[derive(Clone, Debug, Args)]
pub(super) struct Named {
    /// The campaign's name.
    #[arg(value_name = "NAME", value_parser = name)]
    pub(super) name: String,
    #[command(flatten)]
    pub(super) place: Where,
}

/// Make a campaign of a list; when this has ended, the list is on disk.
///
/// The forms are those of the published data of "Othello is Solved": tasks
/// (obf,count,score,alpha,beta) and knowledge
/// (obf,depth,accuracy,score_lowerbound,score_upperbound,nodes); obf (a board and scored moves a
/// line) and jsonl (an object with "position" a line). A score or a bound in the list is a
/// hypothesis, which is proved or refuted; rows without one are solved. The first bad line ends the
/// import, and nothing of it is kept. The same list under the same name is imported once.
#[derive(Debug, Args)]
pub(super) struct Import {
    #[command(flatten)]
    pub(super) named: Named,
    /// The file of the list, or - for standard input.
    #[arg(value_name = "FILE|-")]
    pub(super) file: PathBuf,
    /// The list's form [default: the first line tells].
    #[arg(long, value_name = "FORM", value_parser = form)]
    pub(super) form: Option<Form>,
    /// Split every position down to N empties; what has N empties is searched as one job.
    /// [default: what is too much for a job is split]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60))]
    pub(super) split_to: Option<u32>,
    /// Campaigns of a greater priority are served first, equal ones in turns: 0 to 255.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(super) priority: u8,
    /// The question of rows without a hypothesis, as for solve [default: -64..64].
    #[arg(long, value_name = "LOWER..UPPER", value_parser = window, allow_hyphen_values = true)]
    pub(super) window: Option<Window>,
    /// The board of rows that show no walls, such as 6x6, as for solve.
    #[arg(long, value_name = "COLUMNSxROWS", default_value_t = BoardSize::STANDARD)]
    pub(super) board: BoardSize,
    /// Let the campaign rest until it is resumed.
    #[arg(long)]
    pub(super) paused: bool,
}

#[derive(Debug, Args)]
pub(super) struct List {
    #[command(flatten)]
    pub(super) place: Where,
    /// Print one JSON object a line for each campaign.
    #[arg(long)]
    pub(super) json: bool,
}

/// A campaign, and how its state is printed.
#[derive(Debug, Args)]
pub(super) struct Status {
    #[command(flatten)]
    pub(super) named: Named,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

/// Solve campaigns in this process, without a cluster, and wait until they are done.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// The campaigns to wait for [default: all].
    #[arg(value_name = "NAME", value_parser = name)]
    pub(super) names: Vec<String>,
    /// The folder of the proof store [default: that of solve].
    #[arg(long, value_name = "DIR")]
    pub(super) store: Option<PathBuf>,
    #[command(flatten)]
    pub(super) search: Search,
    /// Split the work into jobs of at most about N nodes [default: 10000000000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..))]
    pub(super) job_nodes: Option<u64>,
    /// Print one JSON object a line for each campaign at the end.
    #[arg(long)]
    pub(super) json: bool,
}

/// Change a campaign's priority; what it has asked is asked again with the new one.
#[derive(Debug, Args)]
pub(super) struct Priority {
    #[command(flatten)]
    pub(super) named: Named,
    /// Campaigns of a greater priority are served first: 0 to 255.
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(super) priority: u8,
}

/// Write a campaign's rows with what is proved of them.
///
/// Without options that is the list as it was imported, with answers where its form has a place for
/// them: the form tasks has none, so that this list comes out byte for byte. Rows that another form
/// cannot say are left out.
#[derive(Debug, Args)]
pub(super) struct Export {
    #[command(flatten)]
    pub(super) named: Named,
    /// The form: tasks, knowledge, obf or jsonl [default: that of the import].
    #[arg(long, value_name = "FORM", value_parser = form)]
    pub(super) form: Option<Form>,
    /// Only these rows.
    #[arg(long, value_name = "STATE")]
    pub(super) only: Option<Only>,
    /// At most N rows.
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<u64>,
    /// The file to write [default: standard output].
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    pub(super) out: Option<PathBuf>,
}

/// Rows by their state.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Only {
    /// Not decided.
    Open,
    /// The hypothesis is proved.
    Proved,
    /// The hypothesis is refuted.
    Refuted,
    /// There was no hypothesis, and the question is answered.
    Solved,
}

impl From<Only> for Selection {
    fn from(only: Only) -> Self {
        match only {
            Only::Open => Self::Open,
            Only::Proved => Self::Proved,
            Only::Refuted => Self::Refuted,
            Only::Solved => Self::Solved,
        }
    }
}

/// Forget a campaign; what was proved stays in the store.
#[derive(Debug, Args)]
pub(super) struct Remove {
    #[command(flatten)]
    pub(super) named: Named,
    /// Also if tasks are open.
    #[arg(long)]
    pub(super) unfinished: bool,
}

fn name(text: &str) -> Result<String, String> {
    let expected = "expected 1 to 64 letters, digits, '.', '-' and '_', first a letter or a digit";
    if valid_name(text) { Ok(text.to_owned()) } else { Err(expected.to_owned()) }
}

fn form(text: &str) -> Result<Form, String> {
    Form::named(text).ok_or_else(|| "expected tasks, knowledge, obf or jsonl".to_owned())
}
