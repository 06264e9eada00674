//! The proof store: what was proved, kept for ever.
//!
//! The truth is the **proof log**, a row of append-only files of checksummed frames. A record is
//! acknowledged when its frame is synced. The **index** finds what is known about a position; it is
//! never the source of anything that the log lacks, and can always be made again from the log. The
//! **manifest** says how far the index covers the log. Records that contradict what is stored are
//! put into **quarantine**, with both sides and where they come from.
//!
//! ```text
//! STORE/LOCK               held by the process that uses the store
//! STORE/MANIFEST           how far the index covers the log
//! STORE/log/000001.log …   the proof log
//! STORE/quarantine/…       contradictions, in the same format
//! STORE/index/             sled
//! STORE/INDEX-IN-DOUBT     says that the index must be made again, and why
//! STORE/salvage…           what a repair keeps, until it takes the place of log or quarantine
//! STORE/*.aside-N          what a rebuild or a repair moved aside; nothing reads it
//! ```
//!
//! The order of an append: the frame, one data sync for all callers that wait, the index, the
//! answer. A kill between any two of these loses nothing that was answered. Files are held open, and some are written by
//! their names: before a write, and between the sync and the answer, it is looked whether the names still lead to this
//! store, which may have been moved, replaced or removed (`Lock::check`).

mod append;
mod bucket;
mod claim;
mod compare;
mod disk;
mod error;
mod export;
mod files;
mod filled;
mod frame;
mod import;
mod index;
mod layout;
mod lock;
mod log;
mod manifest;
mod open;
mod origins;
mod pace;
mod parts;
mod queue;
mod read_only;
mod rebuild;
mod record;
mod repair;
mod replay;
mod salvage;
mod scan;
mod sled_index;
mod stats;
#[cfg(test)]
mod tests;
mod verify;
mod withdraw;

use std::collections::BTreeSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use outflank_engine::{Bound, Position};

use append::Batch;
use claim::Entry;
use disk::{Disk, SystemDisk};
use files::Files;
use index::{Index, MemoryIndex};
use layout::Layout;
use lock::Lock;
use origins::Origins;
use pace::Telling;
use queue::{Queue, Request, guard};
use read_only::Looked;

pub use error::StoreError;
pub use export::ExportError;
pub use import::{ImportError, Imported, Step};
pub use open::{Opened, Options, Rebuilt};
pub use pace::{Doing, Far, Told};
pub use record::{Appended, Contradicted, Method, Origin, Provenance, Record, Stored};
pub use repair::{
    Extent, Repair, TakenBack, lacks_manifest, repair, repair_after, repair_and_tell,
};
pub use scan::Cut;
pub use stats::Stats;
pub use verify::{Problem, Unread, Verification, verify, verify_and_tell};

/// A store of proved bounds.
///
/// Any number of threads may use it at once; records that are appended at the same time share a
/// sync of the disk. Dropping the store closes it.
#[derive(Debug)]
pub struct Store {
    // Fields are dropped in this order: the lock goes when the index is closed.
    index: Box<dyn Index>,
    origins: RwLock<Origins>,
    records: AtomicU64,
    queue: Queue,
    /// `None` for a store in memory, or one that can only be read.
    files: Mutex<Option<Files>>,
    /// What there is of a store that can only be read.
    looked: Option<Looked>,
    /// The file that makes the next open rebuild the index; `None` for a store in memory.
    doubt: Option<PathBuf>,
    doubted: AtomicBool,
    /// `None` for a store in memory, or one that can only be read.
    lock: Option<Arc<Lock>>,
}

impl Store {
    /// Opens the store in the folder `path`, which is created if it is missing.
    ///
    /// The end of the log is checked; a write that was not completed is cut off. The index is
    /// brought up to date, or made again from the log if it is in doubt. What was done is told.
    ///
    /// # Errors
    /// If the store is in use, of another schema version, damaged elsewhere than at its end, no
    /// store at all, or if the system refuses.
    pub fn open(path: &Path) -> Result<(Self, Opened), StoreError> {
        Self::open_and_tell(path, Told::default())
    }

    /// As [`Store::open`], and tells how far that is.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_and_tell(path: &Path, told: Told<'_>) -> Result<(Self, Opened), StoreError> {
        let disk: Arc<dyn Disk> = Arc::new(SystemDisk);
        open::open(path, &Options::default(), &disk, told)
    }

    /// Opens a store with other sizes than the usual ones.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_with(path: &Path, options: &Options) -> Result<(Self, Opened), StoreError> {
        let disk: Arc<dyn Disk> = Arc::new(SystemDisk);
        open::open(path, options, &disk, Told::default())
    }

    /// Opens a store that must exist.
    ///
    /// # Errors
    /// As [`Store::open`], and [`StoreError::NoStore`].
    pub fn open_existing(path: &Path) -> Result<(Self, Opened), StoreError> {
        Self::open_existing_and_tell(path, Told::default())
    }

    fn open_existing_and_tell(path: &Path, told: Told<'_>) -> Result<(Self, Opened), StoreError> {
        if path.is_file() || open::is_store(path)? {
            return Self::open_and_tell(path, told);
        }
        Err(StoreError::NoStore { path: path.to_owned() })
    }

    /// Opens a store that must exist to look at it: as [`Store::open_existing`], or where it can only be read, or the disk
    /// is full, without writing anything, with an index in memory that is made from the whole log. Such a store refuses what would
    /// change it; others who only read it may have it open, too. Tells how far that is.
    ///
    /// # Errors
    /// As [`Store::open_existing`].
    pub fn open_to_look(path: &Path, told: Told<'_>) -> Result<(Self, Opened), StoreError> {
        if path.is_dir() && open::is_store(path)? {
            let layout = Layout::new(path);
            if let Err(refusal) = read_only::check_writable(&layout) {
                return read_only::open(layout, refusal, told);
            }
            return match Self::open_and_tell(path, told) {
                Err(error) if error.is_full_disk() => read_only::open(layout, error, told),
                opened => opened,
            };
        }
        Self::open_existing_and_tell(path, told)
    }

    /// Returns a store that keeps nothing when it is dropped.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::new(Box::new(MemoryIndex::default()), Origins::default(), 0, None)
    }

    fn with_look(index: MemoryIndex, origins: Origins, records: u64, looked: Looked) -> Self {
        let mut store = Self::new(Box::new(index), origins, records, None);
        store.looked = Some(looked);
        store
    }

    fn with_files(
        index: impl Index + 'static,
        origins: Origins,
        records: u64,
        files: Files,
    ) -> Self {
        Self::new(Box::new(index), origins, records, Some(files))
    }

    fn new(index: Box<dyn Index>, origins: Origins, records: u64, files: Option<Files>) -> Self {
        Self {
            index,
            origins: RwLock::new(origins),
            records: AtomicU64::new(records),
            queue: Queue::default(),
            doubt: files.as_ref().map(|files| files.layout.doubt()),
            lock: files.as_ref().map(|files| Arc::clone(&files.lock)),
            files: Mutex::new(files),
            looked: None,
            doubted: AtomicBool::new(false),
        }
    }

    /// Returns what is known about `position`, which is canonical.
    ///
    /// It never waits for the disk to sync. If the index turns out to be damaged, nothing is known,
    /// and the index is made again when the store is next opened.
    #[must_use]
    pub fn get(&self, position: Position) -> Option<Stored> {
        let entry = self.look_up(position).ok()??;
        Some(Self::stored(&self.origins(), &entry))
    }

    /// Keeps `records`; returns when they are on disk.
    ///
    /// A record is merged with what is stored: the greater lower bound, the smaller upper bound,
    /// the best move of the better lower bound. A record that adds nothing is not written. A record
    /// that contradicts what is stored goes to quarantine and is named in the answer.
    ///
    /// # Errors
    /// If a position is not canonical or an origin too long, nothing is kept. If the disk fails,
    /// none of the records may be counted on, but those of earlier calls are safe; after a failed
    /// sync the store refuses further records until it is opened again.
    pub fn append(&self, records: &[Record]) -> Result<Appended, StoreError> {
        self.check_writable()?;
        for record in records {
            if record.position != record.position.canonical() {
                return Err(StoreError::NotCanonical { position: record.position });
            }
            origins::check(&record.provenance.origin)?;
        }
        self.queue.serve(Request::new(records.to_vec()), |group| {
            let mut files = guard(&self.files);
            let mut batch = Batch::new(self, files.as_mut());
            let added = group.iter().map(|request| batch.add_all(&request.records)).collect();
            let added: Result<Vec<Appended>, StoreError> = added;
            let done = added.and_then(|added| batch.commit().map(|()| added));
            match done {
                Ok(added) => {
                    let answers = group.iter().zip(added);
                    answers.for_each(|(request, appended)| request.answer(Ok(appended)));
                }
                Err(error) => {
                    group.iter().for_each(|request| request.answer(Err(error.clone())));
                }
            }
        })
    }

    /// Puts `claim` aside because it contradicts `held`, a bound of the same position that somebody
    /// holds but the store need not; returns when both are on disk. Nothing is merged.
    ///
    /// [`Store::append`] does this by itself for what contradicts the store.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub fn quarantine(&self, claim: &Record, held: Bound) -> Result<(), StoreError> {
        self.check_writable()?;
        origins::check(&claim.provenance.origin)?;
        let mut files = guard(&self.files);
        let Some(files) = files.as_mut() else { return Ok(()) };
        let inferred = Provenance { method: Method::Inference, origin: Arc::default() };
        let against =
            Record { bound: held, best_move: None, nodes: 0, provenance: inferred, ..*claim };
        files.put_aside(&against, claim)
    }

    /// Takes back everything that the worker called `worker` claimed, and every bound that may rest
    /// on it; returns the number of positions of which nothing is known any more, when that is on
    /// disk. The claims stay in the log, where [`Store::get`] does not see them.
    ///
    /// # Errors
    /// If the disk fails. A part may have been taken back then; doing it again takes back the rest.
    pub fn withdraw(&self, worker: &str) -> Result<u64, StoreError> {
        self.check_writable()?;
        withdraw::withdraw(self, worker, withdraw::A_FRAME)
    }

    /// Returns whether another than `worker` has searched a position that may come from `position` by moves: only
    /// then can what `worker` claims of it have been inferred from what it was told. Reads the index.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn others_have_searched_below(
        &self,
        position: Position,
        worker: &str,
    ) -> Result<bool, StoreError> {
        withdraw::others_have_searched_below(self, position, worker)
            .inspect_err(|error| self.doubt_index(error))
    }

    /// Returns the names of the workers that ever proved something of what is in the log.
    #[must_use]
    pub fn workers(&self) -> BTreeSet<String> {
        self.origins().workers()
    }

    /// Returns the number of positions.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records.load(Ordering::Relaxed)
    }

    /// Hands every position to `visit`, by number of empty squares, until that fails.
    ///
    /// # Errors
    /// The first error of `visit`, or that of reading the index.
    pub fn for_each<E: From<StoreError>>(
        &self,
        mut visit: impl FnMut(Position, Stored) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut failed = None;
        self.index.visit(&mut |position, entry| {
            let stored = Self::stored(&self.origins(), &entry);
            match visit(position, stored) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// Writes every position as a line of JSON: `position` (64 characters from A1 to H8, the player
    /// to move `X`, the opponent `O`, a wall around a small board `+`, then ` X`), `lower`, `upper`, `best_move` (or null), `nodes`,
    /// `method` (`search`, `inference`, or `both`). Returns the number of lines.
    ///
    /// # Errors
    /// If the store cannot be read or `out` does not take it.
    pub fn export(&self, out: impl Write) -> Result<u64, ExportError> {
        self.export_and_tell(out, Told::default())
    }

    /// As [`Store::export`], and tells how far it is.
    ///
    /// # Errors
    /// As [`Store::export`].
    pub fn export_and_tell(&self, mut out: impl Write, told: Told<'_>) -> Result<u64, ExportError> {
        let mut telling = Telling::new(told, Doing::ReadingIndex, self.records());
        let mut lines = 0;
        self.for_each(|position, stored| {
            lines += 1;
            telling.add(1);
            export::write_line(&mut out, position, &stored).map_err(ExportError::Output)
        })?;
        out.flush()?;
        telling.end();
        Ok(lines)
    }

    /// Makes the index durable now, so that the next open has nothing to read again.
    ///
    /// # Errors
    /// If the disk fails. Nothing is lost: the log has everything.
    pub fn checkpoint(&self) -> Result<(), StoreError> {
        let mut files = guard(&self.files);
        let Some(files) = files.as_mut() else { return Ok(()) };
        files.checkpoint(&*self.index, self.records(), self.origins().count())
    }

    /// Returns when the store is known to be where it was opened; waits for no write.
    ///
    /// # Errors
    /// [`StoreError::Displaced`] if it was moved, replaced or removed since: whatever is written beside it by a name lands in
    /// another store, and what was appended is where the store is now, if anywhere.
    pub fn check_in_place(&self) -> Result<(), StoreError> {
        self.lock.as_ref().map_or(Ok(()), |lock| lock.check())
    }

    /// Returns an error if the store can only be read.
    fn check_writable(&self) -> Result<(), StoreError> {
        self.looked.as_ref().map_or(Ok(()), |looked| Err(looked.refusal.clone()))
    }

    fn look_up(&self, position: Position) -> Result<Option<Entry>, StoreError> {
        self.index.get(position).inspect_err(|error| self.doubt_index(error))
    }

    fn origins(&self) -> RwLockReadGuard<'_, Origins> {
        self.origins.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn count_new(&self, positions: u64) {
        self.records.fetch_add(positions, Ordering::Relaxed);
    }

    fn stored(origins: &Origins, entry: &Entry) -> Stored {
        Stored {
            bound: entry.bound,
            best_move: entry.best_move,
            nodes: entry.nodes,
            lower_from: origins.provenance(entry.lower_from),
            upper_from: origins.provenance(entry.upper_from),
        }
    }

    /// Lets nothing more into the log, which the index does not follow any more.
    fn index_has_failed(&self, files: Option<&mut Files>, error: &StoreError) {
        self.doubt_index(error);
        if let Some(files) = files {
            files.log.refuse(&format!("the index does not hold what the log holds: {error}"));
        }
    }

    /// Sees to it that the index is made again when the store is next opened.
    fn doubt_index(&self, error: &StoreError) {
        if self.doubted.swap(true, Ordering::Relaxed) {
            return;
        }
        tracing::error!(%error, "the index is made again when the store is next opened");
        let Some(doubt) = self.doubt.as_ref().filter(|_| self.check_in_place().is_ok()) else {
            return;
        };
        if let Err(second) = layout::note_doubt(doubt, &error.to_string()) {
            let path = doubt.display();
            tracing::error!(%path, error = %second, "remove the folder `index` beside this file");
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.doubted.load(Ordering::Relaxed) {
            return;
        }
        if let Err(error) = self.checkpoint() {
            // The log has everything: only the next open takes longer.
            tracing::warn!(%error, "the index was not made durable at the end");
        }
    }
}
