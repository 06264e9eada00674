//! The file operations whose failure must not lose a proof, behind a trait so that tests can make
//! each of them fail.

use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::durable;

/// Opens files to append to.
pub(super) trait Disk: Debug + Send + Sync {
    /// Opens the file at `path`, which is created if it is missing, at its end.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Makes the file at `path`, where there must be none.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
}

/// A file that grows at its end.
pub(super) trait DiskFile: Debug + Send {
    /// Writes all of `bytes` at the end; after an error any part of them may be there.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Returns when everything appended has reached the disk; fails if the file has lost its name, by which alone it can be
    /// found there.
    fn sync(&mut self) -> io::Result<()>;
    /// Cuts the file to `length` bytes and goes on from there.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
}

/// The operating system's files.
#[derive(Debug)]
pub(super) struct SystemDisk;

impl Disk for SystemDisk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Box::new(SystemFile { file, path: path.to_owned() }))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(SystemFile { file: File::create_new(path)?, path: path.to_owned() }))
    }
}

/// A file, and the name by which it was opened.
#[derive(Debug)]
struct SystemFile {
    file: File,
    path: PathBuf,
}

impl DiskFile for SystemFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()?;
        durable::check_in_place(&self.file, &self.path)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::Start(length)).map(drop)
    }
}
