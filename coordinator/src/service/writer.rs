//! The thread that writes proofs, and lets go of what was waiting for them.
//!
//! A disk sync takes milliseconds, whatever it covers: everything that has gathered during one sync
//! goes into the next.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use outflank_engine::{Bound, Position};
use outflank_proto::message::{SolveUpdate, ToWorker};
use tokio::sync::mpsc;
use tonic::Status;

use super::docket::{Docket, Doubt, Verdict};
use super::pending::Pending;
use super::{ServiceError, Shared};
use crate::core::{AuditId, JobId, Progress, Solution, SolveId, WorkerId};
use crate::store::{Record, StoreError};
use crate::text;

/// The length of the queue to the writer. When the disk falls this far behind, the core waits.
pub(super) const BATCHES: usize = 1024;
/// The most records that are written together.
const MOST_RECORDS: usize = 65_536;

/// Something that may go out once the proofs before it are on disk.
#[derive(Debug)]
pub(super) enum Release {
    /// A worker's report is safe.
    Acknowledge { worker: WorkerId, job: JobId },
    /// A client's request has come this far.
    Progressed { solve: SolveId, progress: Progress },
    /// A client's request is answered.
    Solved { solve: SolveId, solution: Solution },
    /// A client's request cannot be answered.
    Contradicted { solve: SolveId, position: Position, held: Bound, claimed: Bound },
}

/// What one event gave the writer to do.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Batches are numbered in the order of their events.
    pub(super) number: u64,
    /// Claims that are being solved again; noted before the records are written.
    pub(super) doubted: Vec<(AuditId, Doubt)>,
    pub(super) records: Vec<Record>,
    /// Claims to be put aside, with the bounds they contradict.
    pub(super) quarantined: Vec<(Record, Bound)>,
    /// Workers whose claims are taken back.
    pub(super) verdict: Option<Verdict>,
    /// The position with it of which a false bound is taken back that nobody has claimed.
    pub(super) baseless: Option<Position>,
    /// Audits that are over; noted at the end.
    pub(super) cleared: Vec<AuditId>,
    /// Told when all of this is on disk.
    pub(super) done: Option<SyncSender<()>>,
    /// What goes out afterwards, in this order.
    pub(super) releases: Vec<Release>,
}

impl Batch {
    /// Returns whether there is nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
            && self.quarantined.is_empty()
            && self.releases.is_empty()
            && self.doubted.is_empty()
            && self.cleared.is_empty()
            && self.done.is_none()
    }

    /// Takes over what a later batch brings. A batch with a verdict, or whose end somebody waits for, goes out before
    /// another is taken over, so that none of that is lost.
    fn extend(&mut self, later: Self) {
        debug_assert!(self.verdict.is_none() && self.done.is_none(), "what would be lost");
        self.number = later.number;
        self.doubted.extend(later.doubted);
        self.records.extend(later.records);
        self.quarantined.extend(later.quarantined);
        self.verdict = later.verdict;
        self.baseless = later.baseless;
        self.cleared.extend(later.cleared);
        self.done = later.done;
        self.releases.extend(later.releases);
    }
}

/// The owner of all writes to the store.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
    pending: Arc<Pending>,
    docket: Docket,
}

impl Writer {
    pub(super) fn new(shared: &Arc<Shared>, pending: Arc<Pending>, docket: Docket) -> Self {
        Self { shared: Arc::clone(shared), pending, docket }
    }

    /// Takes back what an earlier coordinator wanted to take back and could not.
    pub(super) fn finish_verdicts(&mut self) -> Result<(), StoreError> {
        let pending = self.docket.pending();
        if !pending.is_empty() {
            // A repair keeps claims whose author it cannot tell: they may be those of the guilty. First, because it is
            // done again only while a verdict is not carried out.
            self.shared.store.withdraw("")?;
        }
        for verdict in &pending {
            tracing::error!(reason = verdict.reason, "a verdict was not carried out and is now");
            self.take_back(verdict)?;
        }
        Ok(())
    }

    /// Writes until the actor has stopped and everything is written, or until a write fails.
    pub(super) fn run(mut self, mut batches: mpsc::Receiver<Batch>) {
        while let Some(mut batch) = batches.blocking_recv() {
            while batch.records.len() < MOST_RECORDS
                && batch.done.is_none()
                && let Ok(next) = batches.try_recv()
            {
                batch.extend(next);
            }
            if let Err(error) = self.write(&mut batch) {
                // Nothing that depends on these proofs may be said: the releases are dropped.
                self.shared.fail(ServiceError::Store(error));
                return;
            }
            self.pending.settle(batch.records.iter().map(|record| record.position), batch.number);
            if let Some(done) = &batch.done
                && done.send(()).is_err()
            {
                return; // The core has stopped.
            }
            for release in batch.releases {
                self.release(release);
            }
        }
    }

    fn write(&mut self, batch: &mut Batch) -> Result<(), StoreError> {
        self.docket.doubt(std::mem::take(&mut batch.doubted))?;
        if !batch.records.is_empty() {
            let appended = self.shared.store.append(&batch.records)?;
            for contradicted in &appended.contradicted {
                // The core compares each proof with the store before; it cannot know of two that
                // came in together.
                let Record { position, bound, provenance, .. } = &contradicted.claim;
                tracing::error!(
                    position = text::position(*position),
                    held = %contradicted.held.bound,
                    claimed = %bound,
                    worker = provenance.origin.worker,
                    "a proof contradicts the store and was put aside"
                );
            }
        }
        for (claim, held) in &batch.quarantined {
            let (position, worker) =
                (text::position(claim.position), &claim.provenance.origin.worker);
            tracing::error!(position, %held, claimed = %claim.bound, worker, "a claim was put aside");
            self.shared.store.quarantine(claim, *held)?;
        }
        if let Some(verdict) = batch.verdict.take() {
            self.docket.convict(verdict.clone())?;
            if let Some(position) = batch.baseless {
                let positions = self.shared.store.retract(position)?;
                let position = text::position(position);
                tracing::error!(
                    position,
                    positions,
                    "what may rest on a false bound was taken back"
                );
            }
            self.take_back(&verdict)?;
            self.shared.campaigns.taken_back(verdict.era);
        }
        self.docket.clear(&batch.cleared)
    }

    fn take_back(&mut self, verdict: &Verdict) -> Result<(), StoreError> {
        for worker in &verdict.workers {
            let positions = self.shared.store.withdraw(worker)?;
            tracing::error!(worker, positions, "what a worker claimed was taken back");
        }
        self.docket.carried_out(verdict.era)
    }

    fn release(&self, release: Release) {
        let links = &self.shared.links;
        match release {
            Release::Acknowledge { worker, job } => {
                links.tell(worker, ToWorker::Acknowledge(job));
            }
            Release::Progressed { solve, progress } => {
                links.progress(solve, SolveUpdate::Progress(progress));
            }
            Release::Solved { solve, solution } => {
                links.finish(solve, Ok(SolveUpdate::Solution(solution)));
            }
            Release::Contradicted { solve, position, held, claimed } => {
                let position = text::position(position);
                let reason = format!(
                    "two proofs contradict each other: position {position} has the value {held} by one and \
                     {claimed} by the other"
                );
                links.finish(solve, Err(Status::data_loss(reason)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use outflank_engine::Score;

    use super::*;
    use crate::store::{Method, Origin, Provenance};

    fn record(lower: Score) -> Record {
        let provenance = Provenance { method: Method::Search, origin: Arc::new(Origin::default()) };
        let (position, bound) = (Position::START.canonical(), Bound::at_least(lower));
        Record { position, bound, best_move: None, nodes: 1, provenance }
    }

    /// Returns a batch with something of everything, which is told from others by its number.
    fn batch(number: u64) -> Batch {
        let (position, bound) = (Position::START.canonical(), Bound::UNKNOWN);
        let doubt = Doubt { position, bound, author: None };
        let record = record(Score::new(2 * number as i32).expect("even and in range"));
        let verdict =
            Verdict { era: number, workers: Vec::new(), reason: String::new(), is_refused: true };
        Batch {
            number,
            doubted: vec![(AuditId(number), doubt)],
            records: vec![record.clone()],
            quarantined: vec![(record, bound)],
            verdict: Some(verdict),
            baseless: Some(position),
            cleared: vec![AuditId(number)],
            done: Some(sync_channel(1).0),
            releases: vec![Release::Acknowledge { worker: WorkerId(number), job: JobId(number) }],
        }
    }

    #[test]
    fn what_is_written_together_is_everything_in_the_order_of_the_events() {
        let mut both = Batch { verdict: None, baseless: None, done: None, ..batch(1) };
        both.extend(batch(2));
        assert_eq!((both.number, both.verdict.map(|verdict| verdict.era)), (2, Some(2)));
        assert!(both.done.is_some() && both.baseless.is_some(), "somebody waits for it");
        let audits: Vec<AuditId> = both.doubted.into_iter().map(|(audit, _)| audit).collect();
        assert_eq!((&audits, &both.cleared), (&vec![AuditId(1), AuditId(2)], &audits));
        let lower = |record: &Record| record.bound.lower().discs();
        assert_eq!(both.records.iter().map(lower).collect::<Vec<_>>(), [2, 4]);
        let aside = both.quarantined.iter().map(|(record, _)| lower(record));
        assert_eq!(aside.collect::<Vec<_>>(), [2, 4]);
        let acknowledged = both.releases.into_iter().map(|release| match release {
            Release::Acknowledge { worker, .. } => worker.0,
            other => panic!("nothing else is to go out: {other:?}"),
        });
        assert_eq!(acknowledged.collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_batch_is_written_whatever_it_has() {
        let whole = batch(1);
        assert!(Batch { number: 1, ..Batch::default() }.is_empty());
        for part in [
            Batch { doubted: whole.doubted, ..Batch::default() },
            Batch { records: whole.records, ..Batch::default() },
            Batch { quarantined: whole.quarantined, ..Batch::default() },
            Batch { cleared: whole.cleared, ..Batch::default() },
            Batch { done: whole.done, ..Batch::default() },
            Batch { releases: whole.releases, ..Batch::default() },
        ] {
            assert!(!part.is_empty(), "{part:?}");
        }
    }
}
