//! Making an index again from the whole log.
//!
//! The log says things of positions in the order in which they were proved. An index that is filled in that order is
//! written all over, again and again; filled in the order of its keys, it is written once from its beginning to its end.

use std::path::Path;

use outflank_engine::Position;

use super::claim::Entry;
use super::error::StoreError;
use super::frame::Frame;
use super::index::Index;
use super::layout::{Layout, note_doubt, remove_folder};
use super::manifest::Manifest;
use super::open::{Agreed, Opened, Rebuilt};
use super::origins::Origins;
use super::pace::{Doing, Telling, Told};
use super::parts::{Parts, Sample, Visitor};
use super::replay::{Clashes, GATHERED, Gathered, learn};
use super::scan::{self, Place};
use super::sled_index::SledIndex;

/// Moves the index aside and makes a new one from the whole log.
pub(super) fn rebuild(
    layout: &Layout,
    reason: String,
    manifest: Option<&Manifest>,
    told: Told<'_>,
) -> Result<Agreed, StoreError> {
    // Should this be interrupted, the next open must not trust what it left.
    let doubt = layout.doubt();
    note_doubt(&doubt, &reason).map_err(StoreError::io("writing", &doubt))?;
    let aside = layout.move_index_aside()?;
    let shown = aside.as_ref().map(|aside| tracing::field::display(aside.display()));
    tracing::warn!(
        store = %layout.store.display(),
        reason,
        aside = shown,
        "the index is made again"
    );
    let most = GATHERED as u64;
    let made = layout.begin_index().and_then(|()| make_index(layout, manifest, most, told));
    let mut agreed = made.inspect_err(|error| clear_up(layout, error))?;
    agreed.opened.rebuilt = Some(Rebuilt { reason, aside });
    Ok(agreed)
}

/// Removes what an index that could not be made has left, and on a full disk the former one as well: what is wrong
/// with it is worth less than the room for a new one.
fn clear_up(layout: &Layout, failure: &StoreError) {
    let mut unwanted = vec![layout.index()];
    if failure.is_full_disk() {
        unwanted.extend(layout.asides("index").unwrap_or_default());
    }
    for path in unwanted {
        match remove_folder(&path) {
            Ok(()) => tracing::info!(path = %path.display(), "an index that is useless is removed"),
            Err(error) => tracing::warn!(%error, "an index that is useless stays"),
        }
    }
}

/// Makes an index where there is none, from ranges of which the log names about `most` positions each.
pub(super) fn make_index(
    layout: &Layout,
    manifest: Option<&Manifest>,
    most: u64,
    told: Told<'_>,
) -> Result<Agreed, StoreError> {
    let index = SledIndex::open(&layout.index())?;
    let whole = fill(&index, &layout.log(), layout, manifest, most, told)?;
    // On a full disk there has to be an error now, while the former index can still make room.
    index.flush()?;
    let Whole { origins, end, clashes, opened } = whole;
    Ok(Agreed { index, origins, end, clashes, opened })
}

/// What a whole log holds besides what its index says.
#[derive(Debug, Default)]
pub(super) struct Whole {
    pub(super) origins: Origins,
    pub(super) end: Place,
    pub(super) clashes: Clashes,
    pub(super) opened: Opened,
}

/// Puts what the log in the folder `log` says into an empty index, from ranges of which it names about `most` positions
/// each. If they are several, the log is parted into files of the store meanwhile.
pub(super) fn fill(
    index: &dyn Index,
    log: &Path,
    layout: &Layout,
    manifest: Option<&Manifest>,
    most: u64,
    told: Told<'_>,
) -> Result<Whole, StoreError> {
    let synced = manifest.map(|manifest| manifest.place);
    let read = |doing, visit: &mut dyn FnMut(Frame) -> Result<(), StoreError>| {
        let mut telling = Telling::of_log(told, doing, log)?;
        let read = scan::read_to_end(log, Place::START, synced, &mut |frame| {
            telling.frame(&frame);
            visit(frame)
        })?;
        telling.end();
        Ok::<_, StoreError>(read)
    };
    let (mut origins, mut sample, mut frames) = (Origins::default(), Sample::default(), 0);
    let (end, cut) = read(Doing::ReadingLog, &mut |mut frame| {
        learn(&mut frame, &mut origins, index, log)?;
        sample.add(&frame);
        frames += 1;
        Ok(())
    })?;
    let ranges = sample.ranges(most);
    let mut filling = Filling::new(index, ranges.count(), told);
    if ranges.count() == 1 {
        let mut gathered = Gathered::default();
        read(Doing::ReadingLog, &mut |frame| {
            gathered.add(&frame);
            Ok(())
        })?;
        filling.put(gathered)?;
    } else {
        let parts =
            |visit: &mut Visitor<'_>| read(Doing::PartingLog, &mut |frame| visit(&frame)).map(drop);
        let parts = Parts::write(layout, &ranges, parts)?;
        for range in 0..ranges.count() {
            let mut gathered = Gathered::default();
            parts.read(range, &mut |frame| {
                gathered.add(frame);
                Ok(())
            })?;
            filling.put(gathered)?;
        }
    }
    let Filling { records, clashes, telling, .. } = filling;
    telling.end();
    let opened = Opened { records, replayed: frames, cut, ..Opened::default() };
    Ok(Whole { origins, end, clashes, opened })
}

/// An index that is being filled, range by range.
struct Filling<'a> {
    index: &'a dyn Index,
    telling: Telling<'a>,
    records: u64,
    clashes: Clashes,
}

impl<'a> Filling<'a> {
    fn new(index: &'a dyn Index, ranges: usize, told: Told<'a>) -> Self {
        let telling = Telling::new(told, Doing::WritingIndex, ranges as u64);
        Self { index, telling, records: 0, clashes: Clashes::new() }
    }

    /// Puts what the log says of the next range into the index.
    fn put(&mut self, mut gathered: Gathered) -> Result<(), StoreError> {
        let entries: Vec<(Position, Entry)> = gathered.take().collect();
        self.records += self.index.put_all(&entries)?;
        self.clashes.append(&mut gathered.clashes);
        self.telling.add(1);
        Ok(())
    }
}
