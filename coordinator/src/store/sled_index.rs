//! The index in sled 0.34: the only file that names it.
//!
//! sled is fast enough and safe against a killed process, but it has sharp edges, and each has
//! its cure here: its flush is no data sync (`checkpoint` syncs the file itself); its open may panic
//! or take a half-written snapshot for a whole one (`open`); a damaged file may open as an older or
//! empty database (`covers`, and a checksum in every bucket); its batches pin memory and its count
//! scans the tree (neither is used); and a page for every sixteen keys takes memory (entries lie in [buckets](bucket)).

use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::{Bound, ControlFlow};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use outflank_engine::Position;

use super::bucket::{self, MOST, Slot};
use super::claim::{self, Entry, Key};
use super::error::StoreError;
use super::frame;
use super::index::{Index, Visitor};
use super::manifest::Manifest;
use super::record::Origin;

const CACHE_BYTES: u64 = 256 << 20;
/// Only the flusher thread collects garbage.
const FLUSH_EVERY_MS: u64 = 500;
/// How long a database that was dropped may hold its lock.
const LET_GO_WITHIN: Duration = Duration::from_secs(5);
const ASK_AGAIN_AFTER: Duration = Duration::from_millis(2);
/// The most entries that are put into one bucket at once, to be divided: what is read of one then is little.
const AT_ONCE: usize = 16 * MOST;
/// The tree that an index of before there were buckets has.
const EARLIER: &[u8] = b"bounds.v1";
/// The keys of the manifests that the index covers.
const COVERED: [&str; 2] = ["previous", "current"];

/// An index in a folder of its own.
#[derive(Debug)]
pub(super) struct SledIndex {
    path: PathBuf,
    database: sled::Db,
    /// A handle of our own to sled's data file, to sync it.
    data: File,
    buckets: sled::Tree,
    origins: sled::Tree,
    covered: sled::Tree,
    /// Held by the one who changes buckets.
    changing: Mutex<()>,
    /// Held for writing while a bucket is divided: sled may read two pages to find one, and who reads the first before and
    /// the second after the writes of that misses an entry.
    dividing: RwLock<()>,
}

/// A bucket of the index: its key and its bytes.
type Bucket = (Key, sled::IVec);

impl SledIndex {
    /// Opens the index in the folder `path`, which is created if it is missing.
    ///
    /// # Errors
    /// Whatever is wrong with it; the folder may then be moved aside and a new one made.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        remove_false_snapshots(path).map_err(StoreError::io("preparing", path))?;
        let config = sled::Config::new()
            .path(path)
            .cache_capacity(CACHE_BYTES)
            .flush_every_ms(Some(FLUSH_EVERY_MS));
        let open = || {
            panic::catch_unwind(AssertUnwindSafe(|| {
                let database = config.open()?;
                let tree = |name| database.open_tree(name);
                let is_earlier = database.tree_names().iter().any(|name| name == EARLIER);
                let trees = (tree("buckets.v1")?, tree("origins.v1")?, tree("covered.v1")?);
                Ok::<_, sled::Error>((database, trees, is_earlier))
            }))
        };
        // The store's own lock is ours, so whoever holds sled's is about to let it go: a database
        // that is dropped keeps it until its last background thread has ended.
        let deadline = Instant::now() + LET_GO_WITHIN;
        let mut opened = open();
        while matches!(&opened, Ok(Err(sled::Error::Io(error))) if is_locked(error))
            && Instant::now() < deadline
        {
            thread::park_timeout(ASK_AGAIN_AFTER);
            opened = open();
        }
        let failed = |reason| StoreError::Index { path: path.to_owned(), reason };
        if !matches!(opened, Ok(Ok(_))) {
            // Half a snapshot takes room where there is none. What stays is removed by the next one who opens it.
            drop(remove_false_snapshots(path));
        }
        let (database, (buckets, origins, covered), is_earlier) = opened
            .map_err(|_| failed("it cannot be opened: sled panicked".to_owned()))?
            .map_err(|error| match error {
                sled::Error::Io(error) if is_refusal(&error) => {
                    StoreError::io("opening", path)(error)
                }
                error => failed(error.to_string()),
            })?;
        if is_earlier {
            return Err(failed("it was made by an earlier version".to_owned()));
        }
        let file = path.join("db");
        let data = OpenOptions::new().write(true).open(&file);
        let data = data.map_err(StoreError::io("opening", &file))?;
        let (path, changing, dividing) = (path.to_owned(), Mutex::default(), RwLock::default());
        Ok(Self { path, database, data, buckets, origins, covered, changing, dividing })
    }

    /// Makes durable what was put into it; where there is no room for that, this may be the first to say so.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.database.flush().map_err(|error| self.failed(&error))?;
        self.data.sync_data().map_err(StoreError::io("syncing", &self.path))
    }

    /// Returns whether the index holds everything that `manifest` says it holds.
    pub(super) fn covers(&self, manifest: &Manifest) -> Result<bool, StoreError> {
        let text = manifest.text();
        for key in COVERED {
            let covered = self.covered.get(key).map_err(|error| self.failed(&error))?;
            if covered.is_some_and(|covered| covered == text.as_bytes()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns all origins, in the order of their numbers.
    pub(super) fn origins(&self) -> Result<Vec<Origin>, StoreError> {
        let mut origins = Vec::new();
        for item in &self.origins {
            let (id, bytes) = item.map_err(|error| self.failed(&error))?;
            if *id != (origins.len() as u32).to_be_bytes() {
                return Err(self.damaged(format!("origin number {} is missing", origins.len())));
            }
            let origin = decode_origin(&id, &bytes).ok_or_else(|| {
                self.damaged(format!("origin number {} is damaged", origins.len()))
            })?;
            origins.push(origin);
        }
        Ok(origins)
    }

    /// Returns the bucket in which `key` has its place.
    fn bucket_of(&self, key: &Key) -> Result<Option<Bucket>, StoreError> {
        let found = self.buckets.range(..=key.as_slice()).next_back();
        found.map(|found| self.bucket(found)).transpose()
    }

    /// Returns the key of the bucket behind that of `first`.
    fn next_bucket(&self, first: &Key) -> Result<Option<Key>, StoreError> {
        let behind = (Bound::Excluded(first.as_slice()), Bound::Unbounded);
        let found = self.buckets.range::<&[u8], _>(behind).next();
        found.map(|found| self.bucket(found).map(|(key, _)| key)).transpose()
    }

    fn bucket(&self, found: sled::Result<(sled::IVec, sled::IVec)>) -> Result<Bucket, StoreError> {
        let (key, bytes) = found.map_err(|error| self.failed(&error))?;
        let wrong = || self.damaged(format!("the key of a bucket has {} bytes", key.len()));
        Ok((Key::try_from(&*key).map_err(|_| wrong())?, bytes))
    }

    /// Returns the slots of `bucket` that are before `next`, the key of the next one.
    fn slots<'a>(
        &self,
        (key, bytes): &'a Bucket,
        next: Option<&Key>,
    ) -> Result<&'a [Slot], StoreError> {
        let slots = bucket::open(key, bytes).map_err(|reason| self.damaged(reason))?;
        let own = |next| slots.partition_point(|slot| bucket::key_of(slot) < next);
        Ok(&slots[..next.map_or(slots.len(), own)])
    }

    /// Lets `change` make other slots of those of the bucket in which `key` has its place, and writes them. It is told
    /// where the next bucket begins.
    fn change<T>(
        &self,
        key: &Key,
        change: impl FnOnce(&[Slot], Option<&Key>) -> (Option<Vec<Slot>>, T),
    ) -> Result<T, StoreError> {
        // What a panic of another has left is what a kill would have left.
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = self.bucket_of(key)?;
        let first = bucket.as_ref().map_or(bucket::FIRST, |(first, _)| *first);
        let next = self.next_bucket(&first)?;
        let held =
            bucket.as_ref().map_or(Ok(&[][..]), |bucket| self.slots(bucket, next.as_ref()))?;
        let (changed, result) = change(held, next.as_ref());
        if let Some(slots) = changed {
            self.write(first, &slots)?;
        }
        Ok(result)
    }

    /// Writes `slots` in place of the bucket under `first`, which is divided if they are too many.
    fn write(&self, first: Key, slots: &[Slot]) -> Result<(), StoreError> {
        let parts = bucket::parted(slots);
        let _divided = (parts.len() > 1)
            .then(|| self.dividing.write().unwrap_or_else(PoisonError::into_inner));
        for (number, part) in parts.into_iter().enumerate().rev() {
            let key = if number == 0 { first } else { *bucket::key_of(&part[0]) };
            let bytes = bucket::seal(&key, part);
            self.buckets.insert(key, bytes).map_err(|error| self.failed(&error))?;
        }
        Ok(())
    }

    fn failed(&self, error: &sled::Error) -> StoreError {
        match error {
            sled::Error::Io(error) if error.kind() == io::ErrorKind::StorageFull => {
                StoreError::io("writing", &self.path)(error.kind().into())
            }
            error => self.damaged(error.to_string()),
        }
    }

    fn damaged(&self, reason: String) -> StoreError {
        StoreError::Index { path: self.path.clone(), reason }
    }
}

impl Index for SledIndex {
    fn get(&self, position: Position) -> Result<Option<Entry>, StoreError> {
        let key = claim::key(position);
        let _whole = self.dividing.read().unwrap_or_else(PoisonError::into_inner);
        let Some(bucket) = self.bucket_of(&key)? else { return Ok(None) };
        let slots = self.slots(&bucket, None)?;
        let Ok(place) = bucket::find(slots, &key) else { return Ok(None) };
        let entry = bucket::read_entry(&slots[place]);
        entry.map(Some).map_err(|reason| self.damaged(reason.to_owned()))
    }

    fn put_all(&self, entries: &[(Position, Entry)]) -> Result<u64, StoreError> {
        let slots: Vec<Slot> =
            entries.iter().map(|(position, entry)| bucket::slot(*position, entry)).collect();
        debug_assert!(slots.is_sorted(), "entries are not in the order of keys");
        let (mut rest, mut added) = (&slots[..], 0);
        while let Some(slot) = rest.first() {
            let (taken, new) = self.change(bucket::key_of(slot), |held, next| {
                let now = &rest[..rest.len().min(AT_ONCE)];
                let own = |next| now.partition_point(|slot| bucket::key_of(slot) < next);
                let now = &now[..next.map_or(now.len(), own)];
                let (merged, new) = bucket::merged(held, now);
                (Some(merged), (now.len(), new))
            })?;
            rest = &rest[taken..];
            added += new;
        }
        Ok(added)
    }

    fn remove_all(&self, positions: &[Position]) -> Result<u64, StoreError> {
        let mut keys: Vec<Key> = positions.iter().map(|&position| claim::key(position)).collect();
        keys.sort_unstable();
        let (mut rest, mut removed) = (&keys[..], 0);
        while let Some(key) = rest.first() {
            let (taken, gone) = self.change(key, |held, next| {
                let own = |next| rest.partition_point(|key| key < next);
                let now = &rest[..next.map_or(rest.len(), own)];
                let stays = |slot: &&Slot| now.binary_search(bucket::key_of(slot)).is_err();
                let left: Vec<Slot> = held.iter().filter(stays).copied().collect();
                let gone = held.len() - left.len();
                ((gone > 0).then_some(left), (now.len(), gone as u64))
            })?;
            rest = &rest[taken..];
            removed += gone;
        }
        Ok(removed)
    }

    fn visit(&self, visit: &mut Visitor<'_>) -> Result<(), StoreError> {
        let mut found = self.buckets.iter().map(|found| self.bucket(found));
        let mut waiting = found.next().transpose()?;
        // A bucket's end is known when the next one is.
        while let Some(bucket) = waiting {
            waiting = found.next().transpose()?;
            let next = waiting.as_ref().map(|(key, _)| key);
            for slot in self.slots(&bucket, next)? {
                let read = bucket::read(slot).map_err(|reason| self.damaged(reason));
                let (position, entry) = read?;
                if let ControlFlow::Break(()) = visit(position, entry) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn put_origin(&self, id: u32, origin: &Origin) -> Result<(), StoreError> {
        let key = id.to_be_bytes();
        let bytes = encode_origin(&key, origin);
        self.origins.insert(key, bytes).map(drop).map_err(|error| self.failed(&error))
    }

    fn checkpoint(&self, old: Option<&Manifest>, new: &Manifest) -> Result<(), StoreError> {
        // A kill between the sync here and the new manifest leaves the old one, which must still
        // be known: it goes first.
        for (key, manifest) in COVERED.into_iter().zip([old.unwrap_or(new), new]) {
            let noted = self.covered.insert(key, manifest.text().as_bytes());
            noted.map_err(|error| self.failed(&error))?;
        }
        self.flush()
    }
}

/// Returns whether the system refuses, so that another index would fare no better.
fn is_refusal(error: &io::Error) -> bool {
    let refusals = [
        io::ErrorKind::PermissionDenied,
        io::ErrorKind::ReadOnlyFilesystem,
        io::ErrorKind::StorageFull,
    ];
    refusals.contains(&error.kind()) || is_locked(error)
}

/// Returns whether somebody else holds the lock of the database; sled only says so in words.
fn is_locked(error: &io::Error) -> bool {
    error.to_string().contains("could not acquire lock")
}

/// Removes the snapshots that a kill during an earlier open leaves behind; sled takes them for
/// the newest and fails. Nothing is lost: without a snapshot it reads its own log.
fn remove_false_snapshots(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    for file in fs::read_dir(path)? {
        let file = file?;
        let name = file.file_name().into_string().unwrap_or_default();
        let empty = file.metadata()?.len() == 0;
        if name.starts_with("snap.") && (name.ends_with(".generating") || empty) {
            fs::remove_file(file.path())?;
        }
    }
    Ok(())
}

fn encode_origin(key: &[u8], origin: &Origin) -> Vec<u8> {
    let mut bytes = frame::encode_origin(origin);
    let checksum = origin_checksum(key, &bytes);
    bytes.extend_from_slice(&checksum);
    bytes
}

fn decode_origin(key: &[u8], bytes: &[u8]) -> Option<Origin> {
    let (mut texts, checksum) = bytes.split_last_chunk::<4>()?;
    if *checksum != origin_checksum(key, texts) {
        return None;
    }
    let origin = frame::take_origin(&mut texts)?;
    texts.is_empty().then_some(origin)
}

fn origin_checksum(key: &[u8], texts: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(texts);
    hasher.finalize().to_le_bytes()
}
