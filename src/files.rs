//! Files and folders that the command line names, checked before anything that takes time.

use std::path::Path;

use anyhow::anyhow;

use crate::exit::{Exit, Failure};

/// Refuses a path, given by `option`, at which no file can be written: hours later would be too late
/// to say so.
pub(crate) fn check_output(option: &str, file: &Path) -> Result<(), Failure> {
    if file.is_dir() {
        return Err(refused(option, file, "is a folder, expected a file"));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_none_or(Path::is_dir) {
        return Ok(());
    }
    Err(refused(option, file, "expected a folder that is there"))
}

/// Refuses a path, given by `option`, at which no folder can be made.
pub(crate) fn check_folder(option: &str, folder: &Path) -> Result<(), Failure> {
    if folder.exists() && !folder.is_dir() {
        return Err(refused(option, folder, "is a file, expected a folder"));
    }
    Ok(())
}

/// Refuses a path, given by `option`, at which there is no folder.
pub(crate) fn check_existing_folder(option: &str, folder: &Path) -> Result<(), Failure> {
    if folder.is_dir() {
        return Ok(());
    }
    Err(refused(option, folder, "expected a folder that is there"))
}

fn refused(option: &str, path: &Path, why: &str) -> Failure {
    Failure::new(Exit::BadInput, anyhow!("{option} {}: {why}", path.display()))
}
