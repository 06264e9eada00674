//! The thread that owns the core: events in, commands carried out.

use std::sync::Arc;

use outflank_engine::{Bound, Position};
use outflank_proto::message::{ToMember, ToWorker};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;

use super::clock::Clock;
use super::docket::{Doubt, Verdict};
use super::events::Input;
use super::pending::{Pending, View};
use super::told_log::{Note, ToldLog};
use super::trial::{self, Blame};
use super::writer::{Batch, Release};
use super::{ServiceError, Shared, convert};
use crate::core::{Command, Core, Event, Judgement, Millis, Proof, WorkerId};
use crate::store::{Origin, Record, StoreError};
use crate::text;

/// The most events that are taken before jobs are handed out again: some milliseconds.
const MOST_EVENTS: usize = 256;
/// The most questions that are split before events are taken again: some milliseconds, too.
const MOST_SPLITS: usize = 32;
/// The most messages that a worker may have to read when it is told what others believe: that may be 100 kB each time,
/// and is worth little when it is old.
const MOST_UNREAD: usize = 64;

/// The least time between two looks at the size of the core's state, in milliseconds.
const SHOWN_EVERY: u64 = 250;

/// Nothing can be kept any more; whoever has found that has said why.
#[derive(Debug)]
struct Stopped;

/// The owner of the core.
#[derive(Debug)]
pub(super) struct Actor {
    core: Core,
    shared: Arc<Shared>,
    view: View,
    batches: mpsc::Sender<Batch>,
    told: ToldLog,
    /// What is to be noted there before anybody is told, and what workers are to be told then.
    notes: Vec<Note>,
    tells: Vec<(WorkerId, ToWorker)>,
    /// The provenance of what the core infers.
    own_origin: Arc<Origin>,
    last_batch: u64,
    /// How often proofs were taken back.
    era: u64,
    /// How many claims no other worker could audit when that was looked at last.
    unaudited: u64,
    /// When the size of the core's state was shown last.
    shown: Millis,
    /// What an earlier coordinator has left open.
    resumed: Option<Event>,
}

impl Actor {
    pub(super) fn new(
        core: Core,
        shared: &Arc<Shared>,
        pending: Arc<Pending>,
        batches: mpsc::Sender<Batch>,
        told: ToldLog,
        resumed: Event,
    ) -> Self {
        let own_origin = Arc::new(Origin {
            build: shared.options.build.clone(),
            worker: "coordinator".to_owned(),
            run: shared.options.run.clone(),
            ..Origin::default()
        });
        let view = View { store: Arc::clone(&shared.store), pending };
        let era = if let Event::Resumed { era, .. } = resumed { era } else { 0 };
        Self {
            core,
            shared: Arc::clone(shared),
            view,
            batches,
            told,
            notes: Vec::new(),
            tells: Vec::new(),
            own_origin,
            last_batch: 0,
            era,
            unaudited: 0,
            shown: Millis(0),
            resumed: Some(resumed),
        }
    }

    /// Feeds the core until the queue is closed or the writer has stopped.
    pub(super) fn run(mut self, inputs: mpsc::Receiver<Input>) {
        if self.serve(inputs).and_then(|()| self.close()).is_err() {
            tracing::debug!("the core stops: nothing can be kept any more");
        }
    }

    /// Says that the coordinator has ended in order. The next one takes that for a promise that all is on disk which
    /// workers were told: some of it may still be on its way, and not arrive.
    fn close(&mut self) -> Result<(), Stopped> {
        self.write_now(self.next_batch())?;
        self.told.close().map_err(|error| self.fail(error))
    }

    /// Takes all events that have come, then hands out some of the jobs that can be handed out,
    /// and so on: who joins or gives a sign of life never waits for all the work of a large fleet.
    fn serve(&mut self, mut inputs: mpsc::Receiver<Input>) -> Result<(), Stopped> {
        let mut clock = Clock::new(self.shared.options.longest_pause());
        if let Some(resumed) = self.resumed.take() {
            self.feed(Millis(0), resumed)?;
        }
        let (mut now, mut has_more_to_assign) = (Millis(0), false);
        loop {
            let first = match inputs.try_recv() {
                Ok(input) => Some(input),
                Err(TryRecvError::Empty) if has_more_to_assign => None,
                Err(_empty_or_closed) => match inputs.blocking_recv() {
                    Some(input) => Some(input),
                    None => return Ok(()),
                },
            };
            let others = std::iter::from_fn(|| inputs.try_recv().ok());
            for input in first.into_iter().chain(others).take(MOST_EVENTS) {
                let Input::Event(time, event) = input else { return self.tell() };
                now = clock.read(time);
                self.take(now, event)?;
            }
            self.tell()?;
            has_more_to_assign = self.assign(now)?;
        }
    }

    fn take(&mut self, now: Millis, event: Event) -> Result<(), Stopped> {
        let (mut left, mut reported) = (None, None);
        match &event {
            Event::Left { worker } => left = Some(*worker),
            Event::Reported { worker, report } => reported = Some((*worker, report.job)),
            _ => {}
        }
        // What was given up is not thought about any more: this is worth its time.
        let is_asked = matches!(event, Event::Submitted { .. });
        if is_asked && !self.shared.stopping.is_cancelled() {
            self.shared.haste.end();
        }
        self.feed(now, event)?;
        if let Some((worker, job)) = reported
            && !self.core.has_part(worker, job)
        {
            self.shared.circles.leave(&self.shared.links, worker, job);
        }
        if let Some(worker) = left {
            // The core may have given it a job between the end of its connection and now: others would wait for it for ever.
            self.shared.circles.leave_all(&self.shared.links, worker);
            self.shared.links.remove_worker(worker);
        }
        Ok(())
    }

    /// Feeds one event, and whatever follows from it before anything else.
    fn feed(&mut self, now: Millis, event: Event) -> Result<(), Stopped> {
        let mut next = Some(event);
        while let Some(event) = next {
            let commands = self.core.hear(now, event, &self.view);
            next = self.carry_out(commands)?;
        }
        Ok(())
    }

    /// Hands out jobs; returns whether there are more.
    fn assign(&mut self, now: Millis) -> Result<bool, Stopped> {
        let (commands, has_more) = self.core.assign(now, MOST_SPLITS, &self.view);
        if let Some(event) = self.carry_out(commands)? {
            self.feed(now, event)?;
            return Ok(true);
        }
        self.count_unaudited();
        self.show(now);
        Ok(has_more)
    }

    /// Shows operators the size of the core's state.
    fn show(&mut self, now: Millis) {
        if now.0 >= self.shown.0 + SHOWN_EVERY {
            self.shown = now;
            self.shared.shown.show(self.core.status());
        }
    }

    /// Says how many claims no other worker could audit yet, where that has changed.
    fn count_unaudited(&mut self) {
        let unaudited = self.core.unaudited();
        let before = std::mem::replace(&mut self.unaudited, unaudited);
        if unaudited == before {
            return;
        }
        self.shared.links.set_unaudited(unaudited);
        if before == 0 {
            tracing::warn!(
                "a claim is to be audited and nobody else can be asked: it is believed until then"
            );
        } else if unaudited == 0 {
            tracing::info!("no claim is left that nobody else could be asked about");
        }
    }

    /// Sends out at once what needs no proof, and hands the rest to the writer as one batch. Returns
    /// what the core must hear next, before anything else, if there is something.
    fn carry_out(&mut self, commands: Vec<Command>) -> Result<Option<Event>, Stopped> {
        self.put_aside(&commands)?;
        let mut batch = self.next_batch();
        let mut judgement = None;
        for command in commands {
            judgement = self.carry_out_one(command, &mut batch).or(judgement);
        }
        if !batch.is_empty() {
            self.hand_over(batch)?;
        }
        judgement.map(|judgement| self.judge(judgement)).transpose()
    }

    /// Puts aside what workers are to be told while their jobs go on, with the notes of all that they are told.
    /// Where a job is handed out everything is noted at once, since it goes out with what it tells.
    fn put_aside(&mut self, commands: &[Command]) -> Result<(), Stopped> {
        for command in commands {
            match command {
                Command::Told { worker, bounds, and_more } => {
                    // Who has gone without a trace is told nothing.
                    let Some(origin) = self.shared.links.origin(*worker) else { continue };
                    let (worker, bounds) = (origin.worker.clone(), bounds.clone());
                    self.notes.push(Note { worker, bounds, and_more: *and_more });
                }
                Command::Tell { worker, job, known } => {
                    self.tells.push((*worker, ToWorker::Known(*job, known.clone())));
                }
                Command::Answer { worker, job, hand, number, value } => {
                    let (hand, number, value) = (*hand, *number, *value);
                    let answer = ToMember::Answer { hand, number, value };
                    self.tells.push((*worker, ToWorker::Member(*job, answer)));
                }
                _ => {}
            }
        }
        let assigns = commands.iter().any(|command| matches!(command, Command::Assign { .. }));
        if assigns { self.tell() } else { Ok(()) }
    }

    /// Notes what was put aside, and tells it: as often as there are notes would be too often in a large fleet.
    fn tell(&mut self) -> Result<(), Stopped> {
        let notes = std::mem::take(&mut self.notes);
        if !notes.is_empty() {
            self.told.note(&notes).map_err(|error| self.fail(error))?;
        }
        for (worker, message) in self.tells.drain(..) {
            match message {
                // Somebody waits for it.
                ToWorker::Member(..) => self.shared.links.tell(worker, message),
                known => self.shared.links.whisper(&[worker], usize::MAX, || known.clone()),
            }
        }
        Ok(())
    }

    /// Says why nothing can be kept any more.
    fn fail(&self, error: StoreError) -> Stopped {
        self.shared.fail(ServiceError::Store(error));
        Stopped
    }

    fn next_batch(&self) -> Batch {
        Batch { number: self.last_batch + 1, ..Batch::default() }
    }

    fn hand_over(&mut self, batch: Batch) -> Result<(), Stopped> {
        self.last_batch = batch.number;
        self.batches.blocking_send(batch).map_err(|_| Stopped)
    }

    /// Takes back what false workers have claimed, or finds out who they are.
    fn judge(&mut self, judgement: Judgement) -> Result<Event, Stopped> {
        // Nobody is told afterwards what may be taken back.
        self.tell()?;
        match judgement {
            Judgement::Convict { workers, position, claimed, is_refused } => {
                let links = &self.shared.links;
                let origins = workers.iter().filter_map(|&worker| links.origin(worker));
                let names = origins.map(|origin| origin.worker.clone()).collect();
                self.take_back(names, position, claimed, is_refused)
            }
            Judgement::Trace { position, held, truth } => {
                // What is on its way to the store must be in it.
                self.write_now(self.next_batch())?;
                Ok(match trial::blame(self.view.store.as_ref(), position, held, truth) {
                    Blame::Bounds(claims) => Event::Suspected { claims },
                    Blame::Worker(record) => {
                        let name = &record.provenance.origin.worker;
                        let process = convert::process(name);
                        let asked = self.view.store.others_have_searched_below(position, name);
                        // Where that cannot be read nobody is found guilty.
                        Event::Traced { process, others_below: asked.unwrap_or(true) }
                    }
                })
            }
            Judgement::Retract { position, held, truth } => {
                let place = text::position(position);
                let reason = format!(
                    "the store says {held} of position {place}, which follows from nothing else in it, and it is \
                     {truth}; what rests on that is taken back and searched again"
                );
                self.begin_era(Vec::new(), reason, false, Some(position))
            }
            Judgement::Condemn { position, held, truth, is_refused } => {
                match trial::blame(self.view.store.as_ref(), position, held, truth) {
                    // Nothing is written between the trace and this.
                    Blame::Bounds(claims) => Ok(Event::Suspected { claims }),
                    Blame::Worker(record) => {
                        let name = record.provenance.origin.worker.clone();
                        let quarantined = vec![(*record, truth)];
                        self.write_now(Batch { quarantined, ..self.next_batch() })?;
                        self.take_back(vec![name], position, held, is_refused)
                    }
                }
            }
        }
    }

    /// Takes back what `workers` have claimed because of this bound of it that is false.
    fn take_back(
        &mut self,
        workers: Vec<String>,
        position: Position,
        bound: Bound,
        is_refused: bool,
    ) -> Result<Event, Stopped> {
        let names = workers.join(" and ");
        let position = text::position(position);
        let doubt = if workers.len() > 1 { "one of them" } else { "it" };
        let links = &self.shared.links;
        let reason = if is_refused {
            format!(
                "{names} cannot be trusted: position {position} has not the value {bound} that {doubt} claimed; \
                 what it proved is taken back and searched again"
            )
        } else {
            format!(
                "position {position} has not the value {bound} that {names} claimed, perhaps misled by what it \
                 was told; what it proved is taken back and searched again"
            )
        };
        if is_refused {
            links.distrust(&workers, &reason);
        }
        self.begin_era(workers, reason, is_refused, None)
    }

    /// Takes back what `workers` have claimed, and what is said of a position that is `baseless`, for this reason.
    fn begin_era(
        &mut self,
        workers: Vec<String>,
        reason: String,
        is_refused: bool,
        baseless: Option<Position>,
    ) -> Result<Event, Stopped> {
        tracing::error!("{reason}");
        self.shared.links.notice(&reason);
        self.era += 1;
        let era = self.era;
        let verdict = Some(Verdict { era, workers, reason, is_refused });
        self.write_now(Batch { verdict, baseless, ..self.next_batch() })?;
        let store = &self.view.store;
        let struck_out = self.told.taken_back(|position, bound| store.holds(position, bound));
        struck_out.map_err(|error| self.fail(error))?;
        Ok(Event::TakenBack { era })
    }

    /// Hands `batch` to the writer and returns when it and everything before it is on disk.
    fn write_now(&mut self, batch: Batch) -> Result<(), Stopped> {
        let (done, on_disk) = std::sync::mpsc::sync_channel(1);
        self.hand_over(Batch { done: Some(done), ..batch })?;
        on_disk.recv().map_err(|_| Stopped)
    }

    /// Carries out one command, or puts it into `batch`. Returns what is to be judged when all are carried out.
    fn carry_out_one(&self, command: Command, batch: &mut Batch) -> Option<Judgement> {
        let links = &self.shared.links;
        match command {
            Command::Assign { worker, job } => {
                if job.is_shared {
                    // Nothing that concerns the job is said to a worker before it has it.
                    self.shared.circles.join(links, worker, &job, || {
                        links.tell(worker, ToWorker::Job(job.clone()));
                    });
                } else {
                    links.tell(worker, ToWorker::Job(job));
                }
            }
            Command::Cancel { worker, job } => links.tell(worker, ToWorker::Cancel(job)),
            Command::Hint { workers, hints } => {
                links.whisper(&workers, MOST_UNREAD, || ToWorker::Hints(hints.clone()));
            }
            Command::Resting { worker, rest } => {
                let origin = links.origin(worker);
                let name = origin.as_ref().map(|origin| origin.worker.as_str());
                let seconds = rest.as_secs();
                tracing::warn!(
                    worker = worker.0,
                    name,
                    "its jobs fail one after the other: it rests for {seconds} s"
                );
            }
            Command::Disconnect { worker, reason } => {
                let origin = links.origin(worker);
                let name = origin.as_ref().map(|origin| origin.worker.as_str());
                tracing::warn!(worker = worker.0, name, reason, "disconnecting a worker");
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
            Command::Doubt { audit, claim } => {
                let author = claim.worker.and_then(|worker| links.origin(worker));
                let author = author.map(|origin| origin.worker.clone());
                let Proof { position, bound, .. } = claim;
                batch.doubted.push((audit, Doubt { position, bound, author }));
            }
            // These were put aside.
            Command::Told { .. } | Command::Tell { .. } | Command::Answer { .. } => {}
            Command::Cleared { audit } => batch.cleared.push(audit),
            Command::Forget { worker } => links.tell(worker, ToWorker::Forget),
            Command::GaveUp { job, position, losses } => {
                let (job, position) = (job.0, text::position(position));
                tracing::warn!(job, position, losses, "a job was lost too often: it is split");
            }
            Command::Judge(judgement) => return Some(judgement),
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
        None
    }

    fn record(&self, proof: &Proof) -> Record {
        let origin = proof.worker.and_then(|worker| self.shared.links.origin(worker));
        convert::record(proof, origin.unwrap_or_else(|| Arc::clone(&self.own_origin)))
    }
}
