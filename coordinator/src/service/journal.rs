//! Files of JSON lines that only grow, until they are written anew.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::durable;
use crate::store::StoreError;

/// A file of lines that goes on at its end.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Lets a file with these lines take the place of `path`, which need not exist, as a whole.
    pub(super) fn begin(path: &Path, lines: &[String]) -> Result<Self, StoreError> {
        let replaced = durable::replace(path, lines.concat().as_bytes());
        replaced
            .map_err(|refused| StoreError::io(refused.action, &refused.path)(refused.source))?;
        let file = OpenOptions::new().append(true).open(path);
        let file = file.map_err(StoreError::io("opening", path))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Lets a file with these lines take the place of this one as a whole.
    ///
    /// # Errors
    /// If the system refuses, or this one is not where it was opened: in its place may be that of another store.
    pub(super) fn replace(&mut self, lines: &[String]) -> Result<(), StoreError> {
        self.check_in_place()?;
        *self = Self::begin(&self.path, lines)?;
        Ok(())
    }

    /// Writes lines to the end.
    pub(super) fn append(&mut self, lines: &str) -> Result<(), StoreError> {
        self.file.write_all(lines.as_bytes()).map_err(StoreError::io("writing", &self.path))
    }

    /// Returns when everything that was written is on disk.
    ///
    /// # Errors
    /// If the system refuses, or nobody will find it there.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(StoreError::io("writing", &self.path))?;
        self.check_in_place()
    }

    fn check_in_place(&self) -> Result<(), StoreError> {
        durable::check_in_place(&self.file, &self.path)
            .map_err(StoreError::io("writing", &self.path))
    }

    /// Returns where the file lies.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Returns what the file `path` says; nothing if there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io("reading", path)(error)),
    }
}

/// Returns a line with its end.
pub(super) fn line(content: &impl Serialize) -> String {
    serde_json::to_string(content).expect("numbers and texts can be written as JSON") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_moved_does_not_take_the_place_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let [store, moved] = ["store", "moved"].map(|name| folder.path().join(name));
        let path = store.join("lines");
        fs::create_dir(&store).unwrap();
        let mut journal = Journal::begin(&path, &["first\n".to_owned()]).unwrap();
        journal.sync().unwrap();
        fs::rename(&store, &moved).unwrap();
        fs::create_dir(&store).unwrap();
        fs::write(&path, "of another store\n").unwrap();
        let refused = [journal.sync().unwrap_err(), journal.replace(&[]).unwrap_err()];
        let expected = format!("writing {}", path.display());
        assert!(refused.iter().all(|error| error.to_string() == expected), "{refused:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "of another store\n");
        assert_eq!(fs::read_to_string(moved.join("lines")).unwrap(), "first\n");
    }
}
