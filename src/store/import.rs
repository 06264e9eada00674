//! `outflank store import`: take over what another store has proved.

use std::path::Path;

use anyhow::anyhow;
use outflank_coordinator::service::{self, Adopted};
use outflank_coordinator::store::{ImportError, Imported, Step, Store, Told};
use serde_json::json;

use super::{WAIT, far, not_seen, open, tell_verdicts};
use crate::exit::{Exit, Failure, OrExit};
use crate::numbers::{counted, grouped};
use crate::progress::{Form, bar};
use crate::{machine, output};

/// Lets the store in the folder `dir` take over what the one in `from` has proved.
pub(super) fn run(dir: &Path, from: &Path, json: bool, quiet: bool) -> Result<Exit, Failure> {
    if is_same(dir, from) {
        let error = anyhow!("{} and {} are the same store", dir.display(), from.display());
        return Err(Failure::new(Exit::BadInput, error));
    }
    let other = open_other(from, quiet)?;
    let store = open(dir, WAIT, Told::by(&far::shown(quiet)))?;
    let mut adopted = Adopted::default();
    // What is known of liars is known before anything of theirs is here.
    let first = || {
        let (path, path_of_other) = (machine::docket(dir), machine::docket(from));
        let (own, others) = (store.workers(), other.workers());
        adopted = service::adopt_docket(&path, &own, &path_of_other, &others)?;
        Ok(())
    };
    let mut progress = Progress::start(other.records(), quiet);
    let imported = store.import_after(&other, first, |step| progress.show(step));
    drop(progress);
    let imported = imported.map_err(|error| match error {
        ImportError::Store(error) => Failure::new(Exit::Store, error),
        error @ ImportError::Contradiction { .. } => {
            let advice = "nothing was taken over; a worker of one of them was wrong";
            Failure::new(Exit::Contradiction, anyhow!("{error}; {advice}"))
        }
    })?;
    store.checkpoint().or_exit(Exit::Store)?;
    tell(imported, adopted, json)?;
    Ok(Exit::Done)
}

/// Opens the store whose proofs are taken over, and warns or refuses where these contradict each other: the new store has
/// nothing that would tell.
fn open_other(from: &Path, quiet: bool) -> Result<Store, Failure> {
    let shown = far::shown(quiet);
    let (other, opened) = Store::open_to_look(from, Told::by(&shown)).map_err(not_seen)?;
    super::tell(from, &opened);
    if opened.contradictions > 0 {
        let error = anyhow!(
            "the log of {} has proofs that contradict each other: nothing was taken over; a worker was wrong",
            from.display()
        );
        return Err(Failure::new(Exit::Contradiction, error));
    }
    if other.quarantine_bytes().or_exit(Exit::Store)? > 0 {
        tracing::warn!(
            store = %from.display(),
            "claims that contradict others were put aside in this store: what is taken over may rest on one of two that \
             exclude each other; `outflank store verify` counts them"
        );
    }
    Ok(other)
}

/// Returns whether both are the same folder, by whatever way.
fn is_same(dir: &Path, from: &Path) -> bool {
    dir.canonicalize().is_ok_and(|dir| from.canonicalize().is_ok_and(|from| dir == from))
}

fn tell(imported: Imported, adopted: Adopted, json: bool) -> anyhow::Result<()> {
    let Imported { positions, written, known } = imported;
    let Adopted { verdicts, doubts } = adopted;
    if json {
        let object = json!({
            "positions": positions, "written": written, "known": known, "doubts": doubts,
            "verdicts": verdicts,
        });
        return output::line(&object.to_string());
    }
    output::line(&format!(
        "{} read: {} added, {} known before",
        counted(positions, "position"),
        counted(written, "bound"),
        grouped(known),
    ))?;
    if doubts > 0 {
        output::line(&format!(
            "{} not trusted yet: a coordinator on this store has them solved again",
            counted(doubts as u64, "bound")
        ))?;
    }
    tell_verdicts(verdicts)
}

/// How far the import is, on standard error.
struct Progress {
    form: Form,
    positions: u64,
}

impl Progress {
    fn start(positions: u64, quiet: bool) -> Self {
        let template = "{msg:9} {bar:24} {human_pos} of {human_len} positions, {eta} left";
        Self { form: Form::new(quiet, || bar(positions, template)), positions }
    }

    fn show(&mut self, step: Step) {
        let (what, done) = match step {
            Step::Compared(done) => ("comparing", done),
            Step::TakenOver(done) => ("importing", done),
        };
        // Not each one: millions of positions a second are no text.
        if !done.is_multiple_of(1024) && done != 1 {
            return;
        }
        if let Form::Bar(bar) = &self.form {
            if done == 1 {
                bar.reset_eta();
            }
            bar.set_message(what);
            bar.set_position(done);
        }
        if self.form.is_line_due() {
            let (done, all) = (grouped(done), grouped(self.positions));
            output::note(&format!("{what}: {done} of {all} positions"));
        }
    }
}
