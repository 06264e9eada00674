//! The files of an open store: log, quarantine, manifest and lock.

use std::collections::HashSet;
use std::sync::Arc;

use super::claim::{Claim, Source};
use super::error::StoreError;
use super::frame::{FRAME_OVERHEAD, Frame};
use super::index::Index;
use super::layout::Layout;
use super::lock::Lock;
use super::log::Log;
use super::manifest::Manifest;
use super::origins::Origins;
use super::record::{Origin, Record};
use super::replay::Clashes;
use super::scan::{self, Place};

/// The files to which an open store writes.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) layout: Layout,
    pub(super) log: Log,
    pub(super) quarantine: Log,
    /// The manifest on disk.
    pub(super) manifest: Option<Manifest>,
    /// The number of log bytes after which a new manifest is written.
    pub(super) checkpoint_bytes: u64,
    /// Log bytes since the last manifest.
    pub(super) uncovered: u64,
    pub(super) lock: Arc<Lock>,
}

impl Files {
    /// Appends a frame of these items to the log; returns when it is on disk.
    pub(super) fn append(&mut self, body: &[u8]) -> Result<(), StoreError> {
        self.lock.check()?;
        let written = self.log.append(body);
        // Whoever has the store now may have read the log before that.
        self.lock.check()?;
        written?;
        self.uncovered += (body.len() + FRAME_OVERHEAD) as u64;
        Ok(())
    }

    /// Makes the index durable and writes a manifest, unless the present one says it all.
    pub(super) fn checkpoint(
        &mut self,
        index: &dyn Index,
        records: u64,
        origins: u32,
    ) -> Result<(), StoreError> {
        self.lock.check()?;
        let manifest = Manifest { place: self.log.end(), records, origins };
        self.uncovered = 0;
        if self.manifest == Some(manifest) {
            return Ok(());
        }
        index.checkpoint(self.manifest.as_ref(), &manifest)?;
        self.lock.check()?; // That may have taken long.
        manifest.write(&self.layout.store)?;
        self.manifest = Some(manifest);
        Ok(())
    }

    /// Puts the claims of the log that contradict each other aside, with all that is known of them, unless they lie
    /// there already: every index that is made from the log meets them again. Returns the number of pairs when they are
    /// on disk.
    pub(super) fn quarantine(
        &mut self,
        clashes: Clashes,
        origins: &Origins,
    ) -> Result<u64, StoreError> {
        let record = |claim: Claim| {
            let Claim { position, bound, best_move, nodes, source } = claim;
            Record { position, bound, best_move, nodes, provenance: origins.provenance(source) }
        };
        let pairs = clashes.into_values().flatten();
        let pairs: Vec<Vec<u8>> =
            pairs.map(|(held, claim)| pair(&record(held), &record(claim)).body()).collect();
        if pairs.is_empty() {
            return Ok(0);
        }
        let mut new: HashSet<&[u8]> = pairs.iter().map(Vec::as_slice).collect();
        scan::read_to_end(&self.layout.quarantine(), Place::START, None, &mut |frame| {
            new.remove(frame.body().as_slice());
            Ok(())
        })?;
        for pair in &pairs {
            if new.remove(pair.as_slice()) {
                self.keep_aside(pair)?;
            }
        }
        Ok(pairs.len() as u64)
    }

    /// Puts two records that contradict each other aside; returns when they are on disk.
    pub(super) fn put_aside(&mut self, held: &Record, claim: &Record) -> Result<(), StoreError> {
        self.keep_aside(&pair(held, claim).body())
    }

    /// Appends a frame of these items to the quarantine; returns when it is on disk.
    fn keep_aside(&mut self, body: &[u8]) -> Result<(), StoreError> {
        self.lock.check()?;
        let written = self.quarantine.append(body);
        self.lock.check()?;
        written
    }
}

/// Returns the frame of the quarantine that keeps these two. It can be read alone: origins 0 and 1 are those of its
/// claims.
fn pair(held: &Record, claim: &Record) -> Frame {
    let mut frame = Frame::default();
    for (id, record) in (0..).zip([held, claim]) {
        let Record { position, bound, best_move, nodes, ref provenance } = *record;
        frame.origins.push((id, Origin::clone(&provenance.origin)));
        let source = Source { method: provenance.method, origin: id };
        frame.claims.push(Claim { position, bound, best_move, nodes, source });
    }
    frame
}
