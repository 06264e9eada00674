//! The thread that owns the core: events in, commands carried out.

use std::sync::Arc;

use outflank_proto::message::ToWorker;
use tokio::sync::mpsc;

use super::events::Input;
use super::pending::{Pending, View};
use super::writer::{Batch, Release};
use super::{Shared, convert};
use crate::core::{Command, Core, Event, Millis, Proof};
use crate::store::{Origin, Record};

/// The owner of the core.
#[derive(Debug)]
pub(super) struct Actor {
    core: Core,
    shared: Arc<Shared>,
    view: View,
    batches: mpsc::Sender<Batch>,
    /// The provenance of what the core infers.
    own_origin: Arc<Origin>,
    last_batch: u64,
}

impl Actor {
    pub(super) fn new(
        core: Core,
        shared: &Arc<Shared>,
        pending: Arc<Pending>,
        batches: mpsc::Sender<Batch>,
    ) -> Self {
        let own_origin = Arc::new(Origin {
            build: shared.options.build.clone(),
            worker: "coordinator".to_owned(),
            run: shared.options.run.clone(),
            ..Origin::default()
        });
        let view = View { store: Arc::clone(&shared.store), pending };
        Self { core, shared: Arc::clone(shared), view, batches, own_origin, last_batch: 0 }
    }

    /// Feeds the core until the queue is closed or the writer has stopped.
    pub(super) fn run(mut self, mut inputs: mpsc::Receiver<Input>) {
        let mut latest = Millis(0);
        while let Some(Input::Event(time, event)) = inputs.blocking_recv() {
            // Two tasks may have read the clock in one order and queued in the other.
            latest = latest.max(time);
            let left = match event {
                Event::Left { worker } => Some(worker),
                _ => None,
            };
            let commands = self.core.on(latest, event, &self.view);
            let carried_out = self.carry_out(commands);
            if let Some(worker) = left {
                self.shared.links.remove_worker(worker);
            }
            if carried_out.is_err() {
                return; // The writer has failed and has said why.
            }
        }
    }

    /// Sends out at once what needs no proof, and hands the rest to the writer as one batch.
    fn carry_out(&mut self, commands: Vec<Command>) -> Result<(), mpsc::error::SendError<Batch>> {
        let mut batch = Batch { number: self.last_batch + 1, ..Batch::default() };
        for command in commands {
            self.sort(command, &mut batch);
        }
        if batch.is_empty() {
            return Ok(());
        }
        self.last_batch = batch.number;
        self.batches.blocking_send(batch)
    }

    /// Carries out one command, or puts it into `batch`.
    fn sort(&self, command: Command, batch: &mut Batch) {
        let links = &self.shared.links;
        match command {
            Command::Assign { worker, job } => {
                links.tell(worker, ToWorker::Job(convert::job(job)));
            }
            Command::Cancel { worker, job } => links.tell(worker, ToWorker::Cancel(job.0)),
            Command::Disconnect { worker, reason } => {
                tracing::warn!(worker = worker.0, reason, "disconnecting a worker");
                links.disconnect(worker, reason);
            }
            Command::Persist { proofs } => {
                for proof in &proofs {
                    self.view.pending.insert(proof, batch.number);
                    batch.records.push(self.record(proof));
                }
            }
            Command::Quarantine { claim, held } => {
                batch.quarantined.push((self.record(&claim), held));
            }
            Command::Acknowledge { worker, job } => {
                batch.releases.push(Release::Acknowledge { worker, job });
            }
            Command::Progressed { solve, progress } => {
                batch.releases.push(Release::Progressed { solve, progress });
            }
            Command::Solved { solve, solution } => {
                batch.releases.push(Release::Solved { solve, solution });
            }
            Command::Contradicted { solve, position, held, claimed } => {
                batch.releases.push(Release::Contradicted { solve, position, held, claimed });
            }
        }
    }

    fn record(&self, proof: &Proof) -> Record {
        let origin = proof.worker.and_then(|worker| self.shared.links.origin(worker));
        convert::record(proof, origin.unwrap_or_else(|| Arc::clone(&self.own_origin)))
    }
}
