//! What workers say to each other that share the search of a job.
//!
//! Each of them may have others try moves: its *hands* call for somebody, and whoever does nothing is engaged. From
//! then on the coordinator passes on what the two say, without asking the core, which would think about other things
//! meanwhile; it has decided who shares a search by handing out the job. Only what is proved takes the way through the
//! core, so that it is a claim of who has found it before somebody else builds on it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use outflank_engine::{Bound, Errand, FoundBound, Score};
use outflank_proto::message::{FromMember, ToMember, ToWorker};

use super::links::Links;
use crate::core::{Answered, Job, JobId, WorkerId};

/// A hand of a worker.
type Hand = (WorkerId, u32);

/// An errand on its way, or being done.
#[derive(Debug)]
struct Asked {
    /// The number with which it is to be answered.
    serial: u64,
    /// The number of who asks.
    number: u64,
    errand: Errand,
}

/// A worker that shares a search.
#[derive(Debug)]
struct Member {
    era: u64,
    /// Whether it does errands.
    helps: bool,
    /// Whose errands it does now.
    engaged_by: Option<Hand>,
    asked: Option<Asked>,
}

/// Those who share the search of one job.
#[derive(Debug, Default)]
struct Circle {
    members: BTreeMap<WorkerId, Member>,
    /// The hands that want somebody, those first that have called first.
    calls: VecDeque<Hand>,
    /// Who does errands and does nothing.
    idle: BTreeSet<WorkerId>,
    /// The greatest serial number.
    serials: u64,
}

/// A word and whom it is for.
type Say = (WorkerId, ToMember);

impl Circle {
    fn join(&mut self, worker: WorkerId, era: u64, helps: bool, says: &mut Vec<Say>) {
        self.leave(worker, says);
        self.members.insert(worker, Member { era, helps, engaged_by: None, asked: None });
        if helps {
            self.idle.insert(worker);
        }
        self.count(says);
        self.bring_together(says);
    }

    fn leave(&mut self, worker: WorkerId, says: &mut Vec<Say>) {
        let Some(member) = self.members.remove(&worker) else { return };
        self.idle.remove(&worker);
        self.calls.retain(|&(caller, _)| caller != worker);
        if let Some((caller, hand)) = member.engaged_by {
            says.push((caller, ToMember::Engaged { hand, is_there: false }));
        }
        let is_its =
            |member: &Member| member.engaged_by.is_some_and(|(caller, _)| caller == worker);
        let helpers: Vec<WorkerId> =
            self.members.iter().filter(|(_, member)| is_its(member)).map(|(&id, _)| id).collect();
        helpers.into_iter().for_each(|helper| self.set_free(helper, says));
        self.count(says);
        self.bring_together(says);
    }

    /// Tells all how many others do errands.
    fn count(&self, says: &mut Vec<Say>) {
        let helpers = self.members.values().filter(|member| member.helps).count();
        for (&worker, member) in &self.members {
            let others = helpers - usize::from(member.helps);
            says.push((worker, ToMember::Company(u32::try_from(others).unwrap_or(u32::MAX))));
        }
    }

    /// Has a helper do nothing any more.
    fn set_free(&mut self, helper: WorkerId, says: &mut Vec<Say>) {
        let Some(member) = self.members.get_mut(&helper) else { return };
        member.engaged_by = None;
        if let Some(asked) = member.asked.take() {
            says.push((helper, ToMember::Recall(asked.serial)));
        }
        self.idle.insert(helper);
    }

    /// Gives those who do nothing to the hands that want somebody.
    fn bring_together(&mut self, says: &mut Vec<Say>) {
        let mut unmet = VecDeque::new();
        while let Some((caller, hand)) = self.calls.pop_front() {
            let helper = self.idle.iter().copied().find(|&helper| helper != caller);
            match helper.and_then(|helper| Some((helper, self.members.get_mut(&helper)?))) {
                Some((helper, member)) => {
                    member.engaged_by = Some((caller, hand));
                    self.idle.remove(&helper);
                    says.push((caller, ToMember::Engaged { hand, is_there: true }));
                }
                None => unmet.push_back((caller, hand)),
            }
        }
        self.calls = unmet;
    }

    /// Returns who does errands for `caller`.
    fn engaged_by(&self, caller: Hand) -> Option<WorkerId> {
        let is_its = |member: &Member| member.engaged_by == Some(caller);
        self.members.iter().find(|(_, member)| is_its(member)).map(|(&helper, _)| helper)
    }

    /// Takes what `worker` says; returns what was found out for another if it is proved.
    fn hear(
        &mut self,
        job: JobId,
        worker: WorkerId,
        word: FromMember,
        says: &mut Vec<Say>,
    ) -> Option<Answered> {
        match word {
            FromMember::Call(hand) => {
                self.release((worker, hand), says);
                self.calls.push_back((worker, hand));
                self.bring_together(says);
            }
            FromMember::Release(hand) => {
                self.release((worker, hand), says);
                self.bring_together(says);
            }
            FromMember::Errand { hand, number, errand } => {
                self.ask((worker, hand), number, errand, says);
            }
            FromMember::Recall { hand, number } => self.recall((worker, hand), number, says),
            FromMember::Answer { number, value, nodes } => {
                return self.answer(job, worker, number, value, nodes, says);
            }
        }
        None
    }

    fn release(&mut self, caller: Hand, says: &mut Vec<Say>) {
        self.calls.retain(|&call| call != caller);
        if let Some(helper) = self.engaged_by(caller) {
            self.set_free(helper, says);
        }
    }

    fn ask(&mut self, caller: Hand, number: u64, errand: Errand, says: &mut Vec<Say>) {
        let (asker, hand) = caller;
        let helper = self.engaged_by(caller);
        let Some((helper, member)) = helper.and_then(|id| Some((id, self.members.get_mut(&id)?)))
        else {
            // Whoever it thinks it has is gone.
            says.push((asker, ToMember::Answer { hand, number, value: None }));
            return;
        };
        self.serials += 1;
        let serial = self.serials;
        member.asked = Some(Asked { serial, number, errand });
        says.push((helper, ToMember::Errand { number: serial, errand }));
    }

    fn recall(&mut self, caller: Hand, number: u64, says: &mut Vec<Say>) {
        let helper = self.engaged_by(caller);
        let Some((helper, member)) = helper.and_then(|id| Some((id, self.members.get_mut(&id)?)))
        else {
            return;
        };
        if let Some(asked) = member.asked.take_if(|asked| asked.number == number) {
            says.push((helper, ToMember::Recall(asked.serial)));
        }
    }

    fn answer(
        &mut self,
        job: JobId,
        helper: WorkerId,
        serial: u64,
        value: Option<i32>,
        nodes: u64,
        says: &mut Vec<Say>,
    ) -> Option<Answered> {
        let member = self.members.get_mut(&helper)?;
        let (asker, hand) = member.engaged_by?;
        let asked = member.asked.take_if(|asked| asked.serial == serial)?;
        let (number, era) = (asked.number, member.era);
        match value {
            Some(value) if asked.errand.level() == Errand::PROOF => {
                let found = proved(&asked.errand, value, nodes);
                Some(Answered { worker: helper, job, era, asker, hand, number, value, found })
            }
            value => {
                says.push((asker, ToMember::Answer { hand, number, value }));
                None
            }
        }
    }
}

/// Returns what an errand has proved of the position after its move: `None` if that is not what a bound can say.
fn proved(errand: &Errand, value: i32, nodes: u64) -> Option<FoundBound> {
    let (alpha, beta) = errand.window();
    let position = errand.position().play(errand.square())?;
    let score = Score::new(-value)?;
    let lower = if value < beta { score } else { Score::MIN };
    let upper = if value > alpha { score } else { Score::MAX };
    Some(FoundBound { position, bound: Bound::new(lower, upper)?, nodes })
}

#[derive(Debug, Default)]
struct Open {
    circles: BTreeMap<JobId, Circle>,
    /// Where new circles begin to count: behind all that were closed, so that an answer that is late for an errand is none
    /// to another one of the same job.
    serials: u64,
}

/// All who share searches.
#[derive(Debug, Default)]
pub(super) struct Circles {
    open: Mutex<Open>,
}

impl Circles {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a worker is given a job that is shared, which `give` does.
    pub(super) fn join(&self, links: &Links, worker: WorkerId, job: &Job, give: impl FnOnce()) {
        let (mut open, mut says) = (self.open(), Vec::new());
        give();
        let Open { circles, serials } = &mut *open;
        let new = || Circle { serials: *serials, ..Circle::default() };
        let circle = circles.entry(job.id).or_insert_with(new);
        circle.join(worker, job.era, job.assistant.is_some(), &mut says);
        say(links, job.id, says);
    }

    /// Notes that a worker has ended a job.
    pub(super) fn leave(&self, links: &Links, worker: WorkerId, job: JobId) {
        let (mut open, mut says) = (self.open(), Vec::new());
        let Open { circles, serials } = &mut *open;
        let Some(circle) = circles.get_mut(&job) else { return };
        circle.leave(worker, &mut says);
        if circle.members.is_empty() {
            *serials = circle.serials.max(*serials);
            circles.remove(&job);
        }
        say(links, job, says);
    }

    /// Notes that a worker has gone.
    pub(super) fn leave_all(&self, links: &Links, worker: WorkerId) {
        let jobs: Vec<JobId> = self.open().circles.keys().copied().collect();
        jobs.into_iter().for_each(|job| self.leave(links, worker, job));
    }

    /// Passes on what a worker says to the others; returns what was found out for another if it is proved.
    pub(super) fn hear(
        &self,
        links: &Links,
        worker: WorkerId,
        job: JobId,
        word: FromMember,
    ) -> Option<Answered> {
        let (mut open, mut says) = (self.open(), Vec::new());
        let circle =
            open.circles.get_mut(&job).filter(|circle| circle.members.contains_key(&worker))?;
        let answered = circle.hear(job, worker, word, &mut says);
        say(links, job, says);
        answered
    }
}

/// Says what is to be said, while nobody else can say anything else.
fn say(links: &Links, job: JobId, says: Vec<Say>) {
    for (worker, word) in says {
        links.tell(worker, ToWorker::Member(job.0, word));
    }
}

#[cfg(test)]
mod tests;
