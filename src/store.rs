//! `outflank store`: count, check, repair, export and import proofs.

mod far;
mod import;

use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::anyhow;
use outflank_coordinator::service::{self, MendedDocket};
use outflank_coordinator::store::{
    self, ExportError, Extent, Opened, Repair, Stats, Store, StoreError, Told, Unread, Verification,
};
use serde_json::json;

use crate::arguments::StoreAction;
use crate::exit::{Exit, Failure, OrExit};
use crate::numbers::{counted, grouped};
use crate::{doubts, machine, output, runtime};

/// Does what is asked with a store that exists.
pub(crate) fn run(action: &StoreAction, quiet: bool) -> Result<Exit, Failure> {
    match action {
        StoreAction::Stats { dir, json } => stats(dir, *json, quiet),
        StoreAction::Verify { dir, json } => verify(dir, *json, quiet),
        StoreAction::Repair { dir } => repair(dir, quiet),
        StoreAction::Export { dir } => export(dir, quiet),
        StoreAction::Import { dir, from, json } => import::run(dir, from, *json, quiet),
    }
}

/// What to do where somebody else uses the store that is to be opened.
pub(crate) type Advice = &'static str;

/// The advice for those who can do nothing else.
pub(crate) const WAIT: Advice = "wait until that has ended, or give another store";

/// Opens the store in the folder `path`, made if it is missing, and tells what had to be mended.
fn open(path: &Path, advice: Advice, told: Told<'_>) -> Result<Store, Failure> {
    let (store, opened) =
        Store::open_and_tell(path, told).map_err(|error| not_opened(error, advice))?;
    tell(path, &opened);
    Ok(store)
}

/// As [`open`], without holding up the runtime: an index may take an hour to be made again. Dropping the future gives
/// that up, as killing the process would.
pub(crate) async fn opened(path: &Path, advice: Advice) -> Result<Store, Failure> {
    let path = path.to_owned();
    runtime::aside(move || open(&path, advice, Told::default())).await
}

/// Opens a store that must exist, as [`opened`], and tells what had to be mended.
pub(crate) async fn opened_existing(path: &Path, advice: Advice) -> Result<Store, Failure> {
    let path = path.to_owned();
    let open_existing = move || {
        let opened = Store::open_existing(&path);
        let (store, opened) = opened.map_err(|error| not_opened(error, advice))?;
        tell(&path, &opened);
        Ok(store)
    };
    runtime::aside(open_existing).await
}

/// Opens a store that must exist to look at it, whether it can be written or only be read, and tells what was found.
/// It shows how far that is, unless `quiet`.
pub(crate) fn open_to_look(path: &Path, quiet: bool) -> Result<Store, Failure> {
    let shown = far::shown(quiet);
    let (store, opened) = Store::open_to_look(path, Told::by(&shown)).map_err(not_seen)?;
    tell(path, &opened);
    Ok(store)
}

/// Returns the failure to look at a store, with what to do where somebody uses it.
fn not_seen(error: StoreError) -> Failure {
    not_opened(
        error,
        "look at it when that has ended, or at a copy, which may be taken meanwhile \
         (docs/operations.md, Backup)",
    )
}

/// Returns the failure to open a store, with what to do where somebody uses it.
fn not_opened(error: StoreError, advice: Advice) -> Failure {
    let error = match error {
        StoreError::InUse { .. } => anyhow!("{error}; {advice}"),
        error => anyhow!(error),
    };
    Failure::new(Exit::Store, error)
}

/// Logs what opening a store found out.
fn tell(path: &Path, opened: &Opened) {
    let Opened { records, replayed, cut, rebuilt, contradictions, only_read } = opened;
    let store = path.display();
    if let Some(reason) = only_read {
        tracing::warn!(
            %store,
            reason,
            "the store can only be read: an index is made in memory from the log, and nothing is mended"
        );
    }
    tracing::info!(%store, records, replayed, "store opened");
    if let (Some(cut), true) = (cut, only_read.is_some()) {
        tracing::info!(%store, ?cut, "an unfinished write at the end of the log is left out");
    } else if let Some(cut) = cut {
        tracing::info!(%store, ?cut, "an unfinished write was cut off the end of the log");
    }
    if let Some(rebuilt) = rebuilt {
        tracing::warn!(%store, reason = rebuilt.reason, "the index was made again");
    }
    if *contradictions > 0 {
        tracing::error!(%store, contradictions, "the log has proofs that contradict each other");
    }
}

fn stats(dir: &Path, json: bool, quiet: bool) -> Result<Exit, Failure> {
    let store = open_to_look(dir, quiet)?;
    let stats = store.stats_and_tell(Told::by(&far::shown(quiet))).or_exit(Exit::Store)?;
    if json {
        output::line(&counted_as_json(&stats))?;
        return Ok(Exit::Done);
    }
    let Stats { records, exact, by_empties, origins, log_bytes, index_bytes, quarantine_bytes } =
        stats;
    output::line(&format!("positions        {}", grouped(records)))?;
    output::line(&format!("exact values     {}", grouped(exact)))?;
    output::line(&format!("origins          {}", grouped(origins)))?;
    output::line(&format!("log bytes        {}", grouped(log_bytes)))?;
    output::line(&format!("index bytes      {}", grouped(index_bytes)))?;
    output::line(&format!("quarantine bytes {}", grouped(quarantine_bytes)))?;
    for (empties, count) in by_empties.iter().enumerate().filter(|(_, count)| **count > 0) {
        output::line(&format!("{empties:>3} empties      {}", grouped(*count)))?;
    }
    Ok(Exit::Done)
}

fn counted_as_json(stats: &Stats) -> String {
    let Stats { records, exact, by_empties, origins, log_bytes, index_bytes, quarantine_bytes } =
        stats;
    let counts = by_empties.iter().enumerate().filter(|(_, count)| **count > 0);
    let by_empties: Vec<_> = counts.collect();
    json!({
        "positions": records, "exact": exact, "origins": origins, "log_bytes": log_bytes,
        "index_bytes": index_bytes, "quarantine_bytes": quarantine_bytes, "by_empties": by_empties,
    })
    .to_string()
}

fn verify(dir: &Path, json: bool, quiet: bool) -> Result<Exit, Failure> {
    let shown = far::shown(quiet);
    let mut found = store::verify_and_tell(dir, Told::by(&shown)).map_err(not_seen)?;
    let docket = service::docket_problems(&machine::docket(dir)).or_exit(Exit::Store)?;
    docket.into_iter().for_each(|problem| found.note(problem));
    if json {
        output::line(&found_as_json(&found))?;
    } else {
        tell_what_was_found(&found)?;
    }
    if found.is_sound() {
        return quarantined(dir, found.quarantined);
    }
    let error = anyhow!(
        "{} has {}; outflank store repair keeps everything else",
        dir.display(),
        counted(found.problems, "problem"),
    );
    Err(Failure::new(Exit::Store, error))
}

fn found_as_json(found: &Verification) -> String {
    let described: Vec<_> = found.described.iter().map(ToString::to_string).collect();
    json!({
        "segments": found.segments, "frames": found.frames, "claims": found.claims,
        "positions": found.positions, "quarantined": found.quarantined,
        "problems": found.problems, "described": described, "torn": found.torn,
        "behind": found.behind, "index_checked": found.index_unread.is_none(),
        "sound": found.is_sound(),
    })
    .to_string()
}

fn tell_what_was_found(found: &Verification) -> anyhow::Result<()> {
    for problem in &found.described {
        output::line(&problem.to_string())?;
    }
    output::line(&format!(
        "{}, {}, {}, {}, {} quarantined, {}",
        counted(found.segments, "segment"),
        counted(found.frames, "frame"),
        counted(found.claims, "claim"),
        counted(found.positions, "position"),
        grouped(found.quarantined),
        counted(found.problems, "problem"),
    ))?;
    if found.torn {
        output::line("the log ends in a write that was not completed; opening the store cuts it")?;
    }
    if found.behind {
        output::line("the index is behind the log; opening the store catches up")?;
    }
    if let Some(why) = found.index_unread {
        let why = match why {
            Unread::ReadOnly => "the store can only be read",
            Unread::NoRoom => "the disk is full",
        };
        output::line(&format!("the index was not checked: {why}, and opening an index writes"))?;
    }
    Ok(())
}

/// Returns what a sound store ends with that has quarantined `pairs` of claims.
fn quarantined(dir: &Path, pairs: u64) -> Result<Exit, Failure> {
    if pairs == 0 {
        return Ok(Exit::Done);
    }
    let error = anyhow!(
        "{} is sound, but its quarantine has {} of claims that contradict each other: a worker was \
         wrong, see the coordinator's log; once that is looked into, move the folder quarantine away",
        dir.display(),
        counted(pairs, "pair"),
    );
    Err(Failure::new(Exit::Contradiction, error))
}

fn repair(dir: &Path, quiet: bool) -> Result<Exit, Failure> {
    let path = machine::docket(dir);
    let (mut docket, mut verdicts) = (None, 0);
    let first = |extent| {
        docket = service::mend_docket(&path)?;
        let taken_back = service::taken_back(&path)?;
        if extent == Extent::Log || store::lacks_manifest(dir)? {
            verdicts = service::reopen_verdicts(&path)?;
        }
        Ok(taken_back)
    };
    let shown = far::shown(quiet);
    let done = store::repair_and_tell(dir, first, Told::by(&shown)).map_err(not_repaired)?;
    for problem in &done.described {
        output::line(&problem.to_string())?;
    }
    output::line(&what_was_done(&done, docket.is_some()))?;
    if let Some(cut) = &done.cut {
        let (bytes, path) = (counted(cut.bytes, "byte"), cut.path.display());
        output::line(&format!("{bytes} of a write that was not completed were cut off {path}"))?;
    }
    if let Some(docket) = &docket {
        output::line(&what_became_of(&path, docket))?;
    }
    tell_taken_back(&done)?;
    tell_aside(&done, docket.as_ref())?;
    tell_verdicts(verdicts)?;
    Ok(Exit::Done)
}

/// Says that so many verdicts are carried out once more, if there are any.
fn tell_verdicts(verdicts: usize) -> anyhow::Result<()> {
    if verdicts == 0 {
        return Ok(());
    }
    output::line(&format!(
        "workers were found to be wrong {}: what they claimed is taken back once more when solve, a coordinator or a \
         campaign command next opens the store",
        counted(verdicts as u64, "time")
    ))
}

/// Returns the failure to repair a store, with what to do where it can only be read, or somebody uses it.
fn not_repaired(error: StoreError) -> Failure {
    let advice = "a copy of it can be repaired where it can be written";
    match error {
        error @ StoreError::ReadOnly { .. } => {
            Failure::new(Exit::Store, anyhow!("{:#}; {advice}", anyhow!(error)))
        }
        error => not_opened(error, "end that first"),
    }
}

/// Returns what a repair has done with log and index.
fn what_was_done(done: &Repair, is_docket_damaged: bool) -> String {
    let whole = match done.extent {
        Extent::Nothing if is_docket_damaged => "log and index are whole and stay as they are",
        Extent::Nothing => "nothing is damaged, the log stays as it is",
        Extent::Index => "the log is whole and stays as it is, the index was made again from it",
        Extent::Log => {
            return format!(
                "{}, {} lost, kept {} with {} ({} without origin), {}",
                counted(done.damages, "damaged place"),
                counted(done.lost, "frame"),
                counted(done.frames, "frame"),
                counted(done.claims, "claim"),
                grouped(done.without_origin),
                counted(done.records, "position"),
            );
        }
    };
    format!(
        "{whole}: {} with {}, {}",
        counted(done.frames, "frame"),
        counted(done.claims, "claim"),
        counted(done.records, "position"),
    )
}

/// Returns what mending the docket in the file `path` came to.
fn what_became_of(path: &Path, docket: &MendedDocket) -> String {
    format!(
        "{}: {} cannot be read, {} kept; an audit may be forgotten by that, or a worker that was wrong",
        path.display(),
        counted(docket.lost as u64, "line"),
        counted(docket.kept as u64, "line"),
    )
}

/// Says what was done so that nothing stands again that was taken back.
fn tell_taken_back(done: &Repair) -> anyhow::Result<()> {
    if done.taken_back > 0 {
        output::line(&format!(
            "{} of workers that were found to be wrong, and what may rest on them, were taken back once more",
            counted(done.taken_back, "position"),
        ))?;
    }
    if done.dropped > 0 {
        output::line(&format!(
            "{} not kept: what is lost may have taken them back, or what they rest on",
            counted(done.dropped, "good claim"),
        ))?;
    }
    if done.is_unsure {
        output::line(
            "whose claims were ever taken back is not known, since docket.jsonl does not say it: what is lost may have \
             taken back what stands now",
        )?;
    }
    Ok(())
}

/// Says where data lies that was moved aside, now or earlier.
fn tell_aside(done: &Repair, docket: Option<&MendedDocket>) -> anyhow::Result<()> {
    let docket = docket.map(|docket| &docket.aside);
    for path in done.aside.iter().chain(docket) {
        output::line(&format!("the old data lies in {}", path.display()))?;
    }
    for path in done.left.iter().filter(|&path| Some(path) != docket) {
        output::line(&format!(
            "{} was moved aside earlier and nothing reads it: it may be removed",
            path.display()
        ))?;
    }
    Ok(())
}

fn export(dir: &Path, quiet: bool) -> Result<Exit, Failure> {
    let store = open_to_look(dir, quiet)?;
    doubts::warn(&store, dir, "what is exported")?;
    // On a terminal the lines themselves say that something goes on.
    let shown = far::shown(quiet || io::stdout().is_terminal());
    let exported = store.export_and_tell(output::bulk(), Told::by(&shown));
    match exported {
        Ok(_lines) => Ok(Exit::Done),
        Err(error @ ExportError::Store(_)) => Err(Failure::new(Exit::Store, error)),
        Err(error @ ExportError::Output(_)) => Err(Failure::new(Exit::Failed, error)),
    }
}
