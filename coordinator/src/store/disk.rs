//! The file operations whose failure must not lose a proof, behind a trait so that tests can make
//! each of them fail.

use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Opens files to append to.
pub(super) trait Disk: Debug + Send + Sync {
    /// Opens the file at `path`, which is created if it is missing, at its end.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
}

/// A file that grows at its end.
pub(super) trait DiskFile: Debug + Send {
    /// Writes all of `bytes` at the end; after an error any part of them may be there.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Returns when everything appended has reached the disk.
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
        Ok(Box::new(file))
    }
}

impl DiskFile for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.seek(SeekFrom::Start(length)).map(drop)
    }
}
