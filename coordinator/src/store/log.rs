//! Writing the proof log: one frame, one data sync; only a copy of a log is synced when it is complete.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::{Disk, DiskFile};
use super::error::StoreError;
use super::frame::{self, HEAD_BYTES, Head, SCHEMA};
use super::scan::{Place, segment_path};
use crate::durable::sync_folder;

/// The end of the log, where frames are added.
#[derive(Debug)]
pub(super) struct Log {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    segment_bytes: u64,
    path: PathBuf,
    file: Box<dyn DiskFile>,
    end: Place,
    buffer: Vec<u8>,
    refusal: Option<String>,
    /// The file of the next segment, if it could be made, and not be begun.
    next: Option<Box<dyn DiskFile>>,
}

impl Log {
    /// Opens the log in `folder` to go on at `end`; whatever lies behind it is cut off.
    ///
    /// A segment that lacks its head gets one.
    pub(super) fn open(
        disk: Arc<dyn Disk>,
        folder: &Path,
        end: Place,
        segment_bytes: u64,
    ) -> Result<Self, StoreError> {
        let path = segment_path(folder, end.segment);
        let file = disk.open(&path).map_err(StoreError::io("opening", &path))?;
        let folder = folder.to_owned();
        let buffer = Vec::new();
        let (refusal, next) = (None, None);
        let mut log = Self { disk, folder, segment_bytes, path, file, end, buffer, refusal, next };
        if end.offset < HEAD_BYTES as u64 {
            log.write_head()?;
        } else {
            log.cut().map_err(StoreError::io("cutting", &log.path))?;
        }
        Ok(log)
    }

    /// Returns the place behind the last frame.
    pub(super) fn end(&self) -> Place {
        self.end
    }

    /// Writes a frame of these items and returns when it is on disk.
    ///
    /// # Errors
    /// When the write fails, the log is cut back to its last good frame; when that or the sync
    /// fails, nobody knows what is on disk, and the log refuses everything that follows.
    pub(super) fn append(&mut self, body: &[u8]) -> Result<(), StoreError> {
        self.write(body)?;
        if let Err(error) = self.file.sync() {
            self.refuse(&format!("syncing {} failed: {error}", self.path.display()));
            // What was not synced must not be found by the next open either, if it can be helped.
            if let Err(second) = self.cut() {
                tracing::warn!(path = %self.path.display(), %second, "cutting the log failed too");
            }
            return Err(StoreError::io("syncing", &self.path)(error));
        }
        self.advance();
        Ok(())
    }

    /// Writes a frame of these items; it is on disk after [`Log::sync`].
    pub(super) fn copy(&mut self, body: &[u8]) -> Result<(), StoreError> {
        self.write(body)?;
        self.advance();
        Ok(())
    }

    /// Returns when all frames are on disk.
    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        self.file.sync().map_err(StoreError::io("syncing", &self.path))
    }

    /// Writes a frame of these items behind the end.
    fn write(&mut self, body: &[u8]) -> Result<(), StoreError> {
        if let Some(reason) = &self.refusal {
            let path = self.folder.parent().unwrap_or(&self.folder).to_owned();
            return Err(StoreError::Refusing { path, reason: reason.clone() });
        }
        if self.end.offset >= self.segment_bytes {
            self.next_segment()?;
        }
        self.buffer.clear();
        frame::seal(self.end.frame, body, &mut self.buffer);
        if let Err(error) = self.file.append(&self.buffer) {
            if let Err(second) = self.cut() {
                self.refuse(&format!("writing failed ({error}) and so did cutting ({second})"));
            }
            return Err(StoreError::io("writing", &self.path)(error));
        }
        Ok(())
    }

    /// Moves the end behind the frame that was just written.
    fn advance(&mut self) {
        self.end.offset += self.buffer.len() as u64;
        self.end.frame += 1;
    }

    /// Refuses every later append.
    pub(super) fn refuse(&mut self, reason: &str) {
        self.refusal = Some(reason.to_owned());
    }

    fn cut(&mut self) -> std::io::Result<()> {
        self.file.truncate(self.end.offset)?;
        self.file.sync()
    }

    /// Begins the next segment. If that fails, the next append tries again, with the same file: any other that has the name
    /// is somebody else's, and may have proofs.
    fn next_segment(&mut self) -> Result<(), StoreError> {
        self.sync()?; // The frames of a copy have not been.
        let segment = self.end.segment + 1;
        let path = segment_path(&self.folder, segment);
        let file = match self.next.take() {
            Some(file) => file,
            None => self.disk.create(&path).map_err(StoreError::io("creating", &path))?,
        };
        let offset = HEAD_BYTES as u64;
        let (old_end, old_path) = (self.end, std::mem::replace(&mut self.path, path));
        let old_file = std::mem::replace(&mut self.file, file);
        self.end = Place { segment, offset, ..self.end };
        self.write_head().inspect_err(|_| {
            (self.end, self.path) = (old_end, old_path);
            self.next = Some(std::mem::replace(&mut self.file, old_file));
        })
    }

    fn write_head(&mut self) -> Result<(), StoreError> {
        let Place { segment, frame: first_frame, .. } = self.end;
        let head = Head { schema: SCHEMA, segment, first_frame }.encode();
        let file = &mut self.file;
        let write = file.truncate(0).and_then(|()| file.append(&head)).and_then(|()| file.sync());
        write.map_err(StoreError::io("writing", &self.path))?;
        sync_folder(&self.folder).map_err(StoreError::io("syncing", &self.folder))?;
        self.end.offset = HEAD_BYTES as u64;
        Ok(())
    }
}
