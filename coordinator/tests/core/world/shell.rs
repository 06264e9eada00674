//! What stands around the core: it does what the commands say, as the service does.

use outflank_coordinator::core::{
    Command, ErrandDone, Event, Judgement, Method, Millis, ProcessId, Proof, Report, WorkerId,
};
use outflank_engine::{Bound, FoundBound, Position};

use super::{Asked, Happening, World};
use crate::disk::Batch;

impl World {
    pub(super) fn apply(&mut self, event: Event) {
        let reported = match &event {
            Event::Reported { report, .. } => Some(report.clone()),
            _ => None,
        };
        if let Event::Reported { worker, report } = &event {
            self.in_flight.remove(&(*worker, report.job));
        }
        let now = Millis(self.now);
        let commands = match self.splits {
            None => self.core.on(now, event, &self.store),
            Some(_) => self.core.hear(now, event, &self.store),
        };
        self.carry_out(commands, reported.as_ref());
        if self.splits.is_some() && !self.is_to_assign {
            self.is_to_assign = true;
            // As often as not other events are heard before.
            let delay = self.random.below(2) * self.random.below(100);
            self.schedule(delay, Happening::Assigns);
        }
    }

    /// Returns whether no worker searches, and the core has handed out all that it can.
    pub(crate) fn is_idle(&self) -> bool {
        let status = self.core.status();
        status.jobs_running + status.audits_open == 0 && !self.is_to_assign
    }

    /// Has the core hand out some of what can be handed out.
    pub(super) fn assigns(&mut self) {
        self.is_to_assign = false;
        let Some(splits) = self.splits else { return };
        let (commands, has_more) = self.core.assign(Millis(self.now), splits, &self.store);
        self.carry_out(commands, None);
        if has_more && !self.is_to_assign {
            self.is_to_assign = true;
            let delay = self.random.below(3);
            self.schedule(delay, Happening::Assigns);
        }
    }

    fn carry_out(&mut self, commands: Vec<Command>, reported: Option<&Report>) {
        let (mut batch, mut trial, mut told) = (Batch::default(), None, Vec::new());
        for command in commands {
            match command {
                Command::Persist { proofs } => batch.proofs = self.attributed(proofs),
                Command::Told { worker, bounds, and_more } => {
                    self.store.tell(self.processes[&worker], bounds, and_more);
                }
                Command::Doubt { audit, claim } => {
                    batch.doubted.push((audit, self.attributed(vec![claim])[0]));
                }
                Command::Cleared { audit } => batch.cleared.push(audit),
                Command::Judge(judgement) => {
                    assert!(trial.is_none(), "one verdict at a time");
                    trial = Some(judgement);
                }
                Command::Acknowledge { .. } => batch.releases.push((command, reported.cloned())),
                Command::Progressed { .. }
                | Command::Solved { .. }
                | Command::Contradicted { .. }
                | Command::Quarantine { .. } => batch.releases.push((command, None)),
                command => {
                    if let Command::Answer { worker, number, value: Some(_), .. } = command {
                        told.push((worker, number));
                    }
                    self.obey(command);
                }
            }
        }
        self.put(batch);
        for (worker, number) in told {
            let FoundBound { position, bound, .. } = self.answers[&number];
            self.store.check_told(self.processes[&worker], position.canonical(), bound);
        }
        if let Some(trial) = trial {
            self.judge(trial);
        }
    }

    /// Returns the proofs with the processes in place of their connections.
    fn attributed(&self, proofs: Vec<Proof>) -> Vec<Proof> {
        let process = |worker: WorkerId| self.processes[&worker];
        let attributed = |proof: Proof| Proof { worker: proof.worker.map(process), ..proof };
        proofs.into_iter().map(attributed).collect()
    }

    fn put(&mut self, batch: Batch) {
        for proof in &batch.proofs {
            self.check_proof(proof);
        }
        let delay = match self.faults.slow_disk {
            0 => 0,
            longest => self.random.below(longest),
        };
        // One after the other, as the writer works.
        self.busy_until = self.busy_until.max(self.now) + delay;
        self.store.take(Batch { due: self.busy_until, ..batch });
        if self.busy_until == self.now {
            self.written();
        } else {
            self.schedule(self.busy_until - self.now, Happening::Written);
        }
    }

    pub(super) fn written(&mut self) {
        for (command, report) in self.store.write(self.now) {
            self.release(command, report);
        }
    }

    /// Does what the service does when somebody was wrong.
    fn judge(&mut self, trial: Judgement) {
        for (command, report) in self.store.write(u64::MAX) {
            self.release(command, report);
        }
        let (guilty, is_refused): (Vec<WorkerId>, bool) = match trial {
            Judgement::Convict { workers, is_refused, .. } => {
                (workers.iter().map(|worker| self.processes[worker]).collect(), is_refused)
            }
            Judgement::Trace { position, held, truth } => {
                self.apply(match self.store.source(position, held, truth) {
                    Ok(worker) => {
                        let others_below = self.store.others_have_searched_below(position, worker);
                        Event::Traced { process: ProcessId(worker.0), others_below }
                    }
                    Err(bounds) => {
                        Event::Suspected { claims: bounds.into_iter().map(suspicion).collect() }
                    }
                });
                return;
            }
            Judgement::Retract { position, .. } => {
                self.outcome.retracted += 1;
                self.store.retract(position);
                self.promised.clear();
                (Vec::new(), false)
            }
            Judgement::Condemn { position, held, truth, is_refused } => {
                let source = self.store.source(position, held, truth);
                (vec![source.expect("it was traced to a worker")], is_refused)
            }
        };
        let is_honest = |process: &&WorkerId| !self.liars.contains(process);
        let honest = guilty.iter().filter(is_honest).count();
        // Of two who contradict each other where nobody else can be asked neither is believed.
        let is_wrong = is_refused && guilty.len() == honest;
        self.outcome.wronged += if is_wrong { honest as u64 } else { 0 };
        for process in guilty {
            if is_refused {
                self.outcome.convicted.push(process);
                self.refuse(process);
            } else {
                self.outcome.pardoned += 1;
                let is_first = self.store.excused.insert(process);
                assert!(is_first, "{process:?} is excused once, whatever becomes of coordinators");
            }
            self.store.withdraw(process);
            self.promised.clear();
        }
        while self.least.is_none() && self.workers.len() < 3 {
            self.join(1);
        }
        self.fill_up();
        self.store.era += 1;
        self.apply(Event::TakenBack { era: self.store.era });
    }

    /// Closes the connections of a process. What it has sent is not read any more.
    fn refuse(&mut self, process: WorkerId) {
        let is_its = |worker: &&WorkerId| self.processes[*worker] == process;
        let its: Vec<WorkerId> = self.workers.keys().filter(is_its).copied().collect();
        for worker in its {
            self.workers.remove(&worker);
            self.apply(Event::Left { worker });
        }
        self.agenda.retain(|_, happening| match happening {
            Happening::Arrives(
                Event::Reported { worker, .. }
                | Event::Found { worker, .. }
                | Event::ErrandDone(ErrandDone { worker, .. }),
            ) => self.processes[worker] != process,
            _ => true,
        });
    }

    fn release(&mut self, command: Command, reported: Option<Report>) {
        match command {
            Command::Acknowledge { worker, job } => {
                let report = reported.expect("only reports are acknowledged");
                assert_eq!(job, report.job);
                if let Some(state) = self.workers.get_mut(&worker) {
                    state.outbox.retain(|kept| *kept != report);
                }
                self.check_acknowledged(&report);
            }
            Command::Progressed { solve, progress } => {
                if let Some(&Asked { position, .. }) = self.requests.get(&solve) {
                    self.check_bound(position, progress.bound);
                }
            }
            Command::Solved { solve, solution } => self.solved(solve, solution),
            Command::Contradicted { solve, held, claimed, .. } => {
                assert!(held.merge(claimed).is_err() && self.anyone_lies());
                if self.take_request(solve).is_some() {
                    self.outcome.contradicted.insert(solve);
                }
            }
            Command::Quarantine { claim, held } => {
                assert!(self.anyone_lies());
                self.outcome.quarantined.push((claim, held));
            }
            command => unreachable!("{command:?} waits for nothing"),
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Assign { worker, job } => self.assign(worker, job),
            Command::Cancel { worker, job } => {
                self.outcome.cancelled += 1;
                self.in_flight.remove(&(worker, job));
                if !self.is_lost() {
                    self.stop_job(worker, job);
                }
            }
            Command::Disconnect { worker, .. } => {
                if let Some(state) = self.workers.remove(&worker) {
                    self.outcome.happened.disconnected += 1;
                    self.schedule(100, Happening::Returns(state));
                }
            }
            Command::Tell { worker, known, .. } => {
                for &(position, bound) in known.iter().filter(|_| !self.anyone_lies()) {
                    self.check_bound(position, bound);
                }
                if let Some(state) = self.workers.get_mut(&worker) {
                    state.tables.hear(&self.oracle, &known);
                }
            }
            Command::Answer { worker, number, value, .. } => {
                self.hear_answer(worker, number, value);
            }
            Command::Forget { worker } => {
                if let Some(state) = self.workers.get_mut(&worker) {
                    state.tables.clear();
                }
            }
            Command::Hint { .. } | Command::GaveUp { .. } | Command::Resting { .. } => {}
            command => unreachable!("{command:?} waits for the disk, or for a verdict"),
        }
    }
}

/// Returns a claim whose author nobody knows.
fn suspicion((position, bound): (Position, Bound)) -> Proof {
    Proof::of(position, bound, Method::Inference)
}
