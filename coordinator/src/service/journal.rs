//! Files of JSON lines that only grow, until they are written anew.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use serde::Serialize;

use crate::durable;
use crate::store::StoreError;

/// Returns what the file `path` says; nothing if there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("reading", path)(error)),
    }
}

/// Lets a file with these lines take the place of `path` as a whole, and returns it: what is written goes to its end.
pub(super) fn replace(path: &Path, lines: &[String]) -> Result<File, StoreError> {
    let replaced = durable::replace(path, lines.concat().as_bytes());
    replaced.map_err(|refused| failed(refused.action, &refused.path)(refused.source))?;
    OpenOptions::new().append(true).open(path).map_err(failed("opening", path))
}

/// Returns a line with its end.
pub(super) fn line(content: &impl Serialize) -> String {
    serde_json::to_string(content).expect("numbers and texts can be written as JSON") + "\n"
}

/// Returns the error of `action` on `path`, for `map_err`.
pub(super) fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    StoreError::io(action, path)
}
