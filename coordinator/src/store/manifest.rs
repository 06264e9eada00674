//! The manifest: how far the index covers the log.
//!
//! It is never ahead of the index's data, which is flushed and synced before it is replaced.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::frame::SCHEMA;
use super::scan::Place;
use crate::durable;

/// How far the index covers the log, and how much it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    /// The place behind the last frame that the index holds.
    pub(super) place: Place,
    /// Positions in the index.
    pub(super) records: u64,
    /// Origins in the index.
    pub(super) origins: u32,
}

/// What was found in place of a manifest.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A manifest.
    Manifest(Manifest),
    /// A file that is no manifest of ours.
    Nonsense,
}

const TITLE: &str = "outflank store manifest";

/// Returns the path of the manifest of the store at `store`.
pub(super) fn path(store: &Path) -> PathBuf {
    store.join("MANIFEST")
}

impl Manifest {
    /// Reads the manifest of the store at `store`.
    pub(super) fn read(store: &Path) -> Result<Found, StoreError> {
        let path = path(store);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(error) => return Err(StoreError::io("reading", &path)(error)),
        };
        let Some((body, fields)) = std::str::from_utf8(&bytes).ok().and_then(parse) else {
            return Ok(Found::Nonsense);
        };
        let [schema, segment, offset, frame, records, origins] = fields;
        let narrow = |field| u32::try_from(field).ok();
        let (Some(schema), Some(segment), Some(origins)) =
            (narrow(schema), narrow(segment), narrow(origins))
        else {
            return Ok(Found::Nonsense);
        };
        if schema != SCHEMA {
            return Err(StoreError::Schema { path, found: schema, expected: SCHEMA });
        }
        let place = Place { segment, offset, frame };
        let manifest = Self { place, records, origins };
        Ok(if manifest.body() == body { Found::Manifest(manifest) } else { Found::Nonsense })
    }

    /// Replaces the manifest of the store at `store`; returns when that is on disk.
    pub(super) fn write(&self, store: &Path) -> Result<(), StoreError> {
        let path = path(store);
        let written = durable::replace(&path, self.text().as_bytes());
        written.map_err(|refused| StoreError::io("writing", &path)(refused.source))
    }

    /// Returns the manifest's text, by which the index is compared with it.
    pub(super) fn text(&self) -> String {
        let body = self.body();
        format!("{body}checksum {:08x}\n", crc32fast::hash(body.as_bytes()))
    }

    fn body(&self) -> String {
        let Self { place: Place { segment, offset, frame }, records, origins } = self;
        format!(
            "{TITLE}\nschema {SCHEMA}\nsegment {segment}\noffset {offset}\nframes {frame}\n\
             records {records}\norigins {origins}\n"
        )
    }
}

/// Returns the text before the checksum and its six numbers.
fn parse(text: &str) -> Option<(String, [u64; 6])> {
    let (body, checksum) = text.split_once("checksum ")?;
    let checksum = u32::from_str_radix(checksum.trim_end(), 16).ok()?;
    if checksum != crc32fast::hash(body.as_bytes()) {
        return None;
    }
    let mut fields = body.lines().skip(1).map(|line| line.split_once(' ')?.1.parse().ok());
    let mut field = || fields.next()?;
    let fields = [field()?, field()?, field()?, field()?, field()?, field()?];
    Some((body.to_owned(), fields))
}
