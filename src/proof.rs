//! `outflank proof`: proofs as files, and their check.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, anyhow};
use outflank_checker::command::{self, Check};
use outflank_coordinator::proof::{self, Options, ProofError, Summary};
use outflank_engine::Position;

use crate::arguments::{ProofAction, ProofExport};
use crate::exit::{Exit, Failure, OrExit};
use crate::files::WholeFile;
use crate::numbers::{counted, grouped};
use crate::{doubts, files, input, machine, output, store};

/// Does what is asked with a proof.
pub(crate) fn run(action: &ProofAction, quiet: bool) -> Result<Exit, Failure> {
    match action {
        ProofAction::Export(arguments) => export(arguments, quiet),
        ProofAction::Check(arguments) => check(arguments, quiet),
    }
}

fn export(arguments: &ProofExport, quiet: bool) -> Result<Exit, Failure> {
    if let Some(path) = &arguments.out {
        files::check_output("--out", path)?;
    }
    let problems = input::read(&arguments.position, arguments.board)?;
    let roots: Vec<Position> = problems.iter().map(|problem| problem.position).collect();
    let path = arguments.store.clone().map_or_else(machine::default_store, Ok)?;
    let store = store::open_to_look(&path, quiet)?;
    doubts::warn(&store, &path, "the proof")?;
    let options = Options { producer: machine::build(), max_leaf: arguments.max_leaf };
    let to = |out: &mut dyn Write| proof::export(&store, &roots, &options, out);
    let summary = match &arguments.out {
        None => to(&mut output::bulk()).map_err(failure)?,
        Some(path) => export_to(path, to)?,
    };
    let Summary { roots, rows, leaves, seal } = summary;
    let (roots, rows, leaves) = (counted(roots, "root"), counted(rows, "row"), grouped(leaves));
    output::note(&format!("{roots}, {rows}, {leaves} of them searched; seal {seal}"));
    Ok(Exit::Done)
}

/// Writes the file `path`.
fn export_to(
    path: &Path,
    export: impl Fn(&mut dyn Write) -> Result<Summary, ProofError>,
) -> Result<Summary, Failure> {
    let mut file = WholeFile::create(path).or_exit(Exit::BadInput)?;
    let summary = export(&mut file).map_err(failure)?;
    file.finish().with_context(|| format!("writing {}", path.display()))?;
    Ok(summary)
}

fn failure(error: ProofError) -> Failure {
    let exit = match error {
        ProofError::NotProved { .. } | ProofError::ManyOrigins { .. } => Exit::BadInput,
        ProofError::Unfounded { .. } => Exit::Store,
        ProofError::Contradiction { .. } => Exit::Contradiction,
        ProofError::Output(_) => Exit::Failed,
    };
    Failure::new(exit, error)
}

fn check(arguments: &Check, quiet: bool) -> Result<Exit, Failure> {
    let checked = command::run(arguments, &mut output::bulk(), quiet);
    let Err(failure) = checked else { return Ok(Exit::Done) };
    let exit = [Exit::Failed, Exit::BadInput, Exit::Rejected]
        .into_iter()
        .find(|&exit| exit as u8 == failure.exit_code());
    Err(anyhow!(failure)).or_exit(exit.expect("a check has these codes"))
}
