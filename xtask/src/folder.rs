//! Work folders, which a task removes: only those that it has made.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};

/// The file in a folder that a task has made.
const MARK: &str = "made-by-xtask";

/// Refuses a work folder that is not to be removed: one with something in it that no task has made.
pub(crate) fn check(work: &Path) -> anyhow::Result<()> {
    if !work.exists() || work.join(MARK).exists() {
        return Ok(());
    }
    let shown = work.display();
    let mut content = fs::read_dir(work).with_context(|| format!("--work {shown}"))?;
    ensure!(
        content.next().is_none(),
        "--work {shown}: has files that no task has made, expected a folder that may be removed"
    );
    Ok(())
}

/// Makes the folder `work` anew.
pub(crate) fn make_anew(work: &Path) -> anyhow::Result<()> {
    check(work)?;
    if work.exists() {
        fs::remove_dir_all(work).context("removing an old work folder")?;
    }
    fs::create_dir_all(work).context("making the work folder")?;
    fs::write(work.join(MARK), "").context("marking the work folder")
}
