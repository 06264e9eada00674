//! What workers say to each other that share the search of a job.
//!
//! Each of them may have others try moves: its *hands* call for somebody, and whoever does nothing is engaged, or somebody
//! who waits for the one that calls. From then on the coordinator passes on what the two say, without asking the core,
//! which would think about other things meanwhile; it has decided who shares a search by handing out the job. Only what is
//! proved takes the way through the core, so that it is a claim of who has found it before somebody else builds on it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use outflank_engine::{Bound, Errand, FoundBound, Score};
use outflank_proto::message::{FromMember, ToMember, ToWorker};

use super::links::Links;
use crate::core::{ErrandDone, Job, JobId, WorkerId};

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

/// The work of one for another.
#[derive(Debug)]
struct Post {
    /// For whom.
    caller: Hand,
    asked: Option<Asked>,
}

/// A worker that shares a search.
#[derive(Debug)]
struct Member {
    era: u64,
    /// Whether it is there for the errands of others.
    helps: bool,
    /// For whom it does errands.
    post: Option<Post>,
    /// The hands for whose helpers it waits, and for whom it would do errands meanwhile: bit 0 is hand 0.
    offers: u64,
    /// For whom it does errands while it waits.
    aside: Option<Post>,
}

impl Member {
    /// Returns the work that it has.
    fn posts(&self) -> impl Iterator<Item = &Post> {
        [&self.post, &self.aside].into_iter().flatten()
    }

    /// Returns its work for `caller`, if it has any.
    fn post_for(&mut self, caller: Hand) -> Option<&mut Post> {
        let posts = [&mut self.post, &mut self.aside].into_iter().flatten();
        posts.into_iter().find(|post| post.caller == caller)
    }
}

/// Those who share the search of one job.
#[derive(Debug, Default)]
struct Circle {
    members: BTreeMap<WorkerId, Member>,
    /// The hands that want somebody, those first that have called first.
    calls: VecDeque<Hand>,
    /// The greatest serial number.
    serials: u64,
    /// The errands that were done.
    done: u64,
}

/// A word and whom it is for.
type Say = (WorkerId, ToMember);

impl Circle {
    fn join(&mut self, worker: WorkerId, era: u64, helps: bool, says: &mut Vec<Say>) {
        self.leave(worker, says);
        let member = Member { era, helps, post: None, offers: 0, aside: None };
        self.members.insert(worker, member);
        self.count(says);
        self.bring_together(says);
    }

    fn leave(&mut self, worker: WorkerId, says: &mut Vec<Say>) {
        let Some(member) = self.members.remove(&worker) else { return };
        self.calls.retain(|&(caller, _)| caller != worker);
        for &Post { caller: (caller, hand), .. } in member.posts() {
            says.push((caller, ToMember::Engaged { hand, is_there: false }));
        }
        let callers = self.members.values().flat_map(Member::posts).map(|post| post.caller);
        let gone: Vec<Hand> = callers.filter(|&(caller, _)| caller == worker).collect();
        gone.into_iter().for_each(|caller| self.release(caller, says));
        self.count(says);
        self.bring_together(says);
    }

    /// Tells all how many others there are.
    fn count(&self, says: &mut Vec<Say>) {
        let others = u32::try_from(self.members.len().saturating_sub(1)).unwrap_or(u32::MAX);
        says.extend(self.members.keys().map(|&worker| (worker, ToMember::Company(others))));
    }

    /// Gives those who do nothing to the hands that want somebody.
    fn bring_together(&mut self, says: &mut Vec<Say>) {
        let is_free = |member: &Member| {
            member.helps && member.post.is_none() || member.offers != 0 && member.aside.is_none()
        };
        if !self.members.values().any(is_free) {
            return; // As nearly always where many share a search: there may be hundreds of calls.
        }
        for call in std::mem::take(&mut self.calls) {
            if self.engage(call) {
                let (caller, hand) = call;
                says.push((caller, ToMember::Engaged { hand, is_there: true }));
            } else {
                self.calls.push_back(call);
            }
        }
    }

    /// Finds somebody who does errands for a hand. Returns whether there is somebody.
    fn engage(&mut self, caller: Hand) -> bool {
        let post = Some(Post { caller, asked: None });
        let mut others = self.members.iter_mut().filter(|(id, _)| **id != caller.0);
        if let Some((_, idle)) = others.find(|(_, other)| other.helps && other.post.is_none()) {
            idle.post = post;
            return true;
        }
        let waits = self.who_waits_for(caller.0);
        let waits = waits.and_then(|id| self.members.get_mut(&id));
        waits.map(|waits| waits.aside = post).is_some()
    }

    /// Returns who waits for `worker`, or for somebody of whose errand that does a part, and does nothing meanwhile.
    fn who_waits_for(&self, worker: WorkerId) -> Option<WorkerId> {
        let mut below = worker;
        // What somebody says could make them a ring: then each was looked at once.
        for _ in 0..self.members.len() {
            let (above, hand) = self.members.get(&below)?.post.as_ref()?.caller;
            let member = self.members.get(&above)?;
            let waits = 1_u64.checked_shl(hand).is_some_and(|bit| member.offers & bit != 0);
            if waits && member.aside.is_none() && above != worker {
                return Some(above);
            }
            below = above;
        }
        None
    }

    /// Returns who does errands for `caller`, and their work.
    fn post_for(&mut self, caller: Hand) -> Option<(WorkerId, &mut Post)> {
        let mut posts = self.members.iter_mut();
        posts.find_map(|(&id, member)| Some((id, member.post_for(caller)?)))
    }

    /// Takes what `worker` says; returns what was found out for another if it is proved.
    fn hear(
        &mut self,
        job: JobId,
        worker: WorkerId,
        word: FromMember,
        says: &mut Vec<Say>,
    ) -> Option<ErrandDone> {
        match word {
            FromMember::Call(hand) => {
                self.release((worker, hand), says);
                self.calls.push_back((worker, hand));
            }
            FromMember::Release(hand) => self.release((worker, hand), says),
            FromMember::Offer(hands) => self.offer(worker, hands, says),
            FromMember::Errand { hand, number, errand } => {
                self.ask((worker, hand), number, errand, says);
                return None;
            }
            FromMember::Recall { hand, number } => {
                self.recall((worker, hand), number, says);
                return None;
            }
            FromMember::Answer { number, value, nodes } => {
                return self.answer(job, worker, number, value, nodes, says);
            }
        }
        self.bring_together(says);
        None
    }

    /// Has nobody do errands for a hand any more.
    fn release(&mut self, caller: Hand, says: &mut Vec<Say>) {
        self.calls.retain(|&call| call != caller);
        let Some((helper, post)) = self.post_for(caller) else { return };
        if let Some(asked) = post.asked.take() {
            says.push((helper, ToMember::Recall(asked.serial)));
        }
        let Some(member) = self.members.get_mut(&helper) else { return };
        let is_its = |post: &mut Post| post.caller == caller;
        member.post.take_if(is_its);
        member.aside.take_if(is_its);
    }

    /// Notes for whom a worker would do errands while it waits.
    fn offer(&mut self, worker: WorkerId, hands: u64, says: &mut Vec<Say>) {
        let Some(member) = self.members.get_mut(&worker) else { return };
        member.offers = hands;
        if hands == 0
            && let Some(Post { caller: (caller, hand), asked }) = member.aside.take()
        {
            says.extend(asked.map(|asked| (worker, ToMember::Recall(asked.serial))));
            says.push((caller, ToMember::Engaged { hand, is_there: false }));
        }
    }

    fn ask(&mut self, caller: Hand, number: u64, errand: Errand, says: &mut Vec<Say>) {
        let serial = self.serials + 1;
        let Some((helper, post)) = self.post_for(caller) else {
            // Whoever it thinks it has is gone.
            let (asker, hand) = caller;
            says.push((asker, ToMember::Answer { hand, number, value: None }));
            return;
        };
        if let Some(before) = post.asked.replace(Asked { serial, number, errand }) {
            says.push((helper, ToMember::Recall(before.serial)));
        }
        self.serials = serial;
        says.push((helper, ToMember::Errand { number: serial, errand }));
    }

    fn recall(&mut self, caller: Hand, number: u64, says: &mut Vec<Say>) {
        let Some((helper, post)) = self.post_for(caller) else { return };
        if let Some(asked) = post.asked.take_if(|asked| asked.number == number) {
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
    ) -> Option<ErrandDone> {
        let Member { era, post, aside, .. } = self.members.get_mut(&helper)?;
        let mut asked = [post, aside].into_iter().flatten().filter_map(|post| {
            let asked = post.asked.take_if(|asked| asked.serial == serial)?;
            Some((post.caller, asked))
        });
        let ((asker, hand), Asked { number, errand, .. }) = asked.next()?;
        self.done += u64::from(value.is_some());
        match value {
            Some(value) if errand.step() == Errand::PROOF => {
                let (era, found) = (*era, proved(&errand, value, nodes));
                Some(ErrandDone { worker: helper, job, era, asker, hand, number, value, found })
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
    /// The errands that were done in those that were closed.
    done: u64,
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

    /// Returns how many errands were done so far.
    pub(super) fn errands(&self) -> u64 {
        let open = self.open();
        open.done + open.circles.values().map(|circle| circle.done).sum::<u64>()
    }

    /// Notes that a worker is given a job that is shared, which `give` does.
    pub(super) fn join(&self, links: &Links, worker: WorkerId, job: &Job, give: impl FnOnce()) {
        let (mut open, mut says) = (self.open(), Vec::new());
        give();
        let Open { circles, serials, .. } = &mut *open;
        let new = || Circle { serials: *serials, ..Circle::default() };
        let circle = circles.entry(job.id).or_insert_with(new);
        circle.join(worker, job.era, job.helps, &mut says);
        say(links, job.id, says);
    }

    /// Notes that a worker has ended a job.
    pub(super) fn leave(&self, links: &Links, worker: WorkerId, job: JobId) {
        let (mut open, mut says) = (self.open(), Vec::new());
        let Open { circles, serials, done } = &mut *open;
        let Some(circle) = circles.get_mut(&job) else { return };
        circle.leave(worker, &mut says);
        if circle.members.is_empty() {
            *serials = circle.serials.max(*serials);
            *done += circle.done;
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
    ) -> Option<ErrandDone> {
        let (mut open, mut says) = (self.open(), Vec::new());
        let circle =
            open.circles.get_mut(&job).filter(|circle| circle.members.contains_key(&worker))?;
        let done = circle.hear(job, worker, word, &mut says);
        say(links, job, says);
        done
    }
}

/// Says what is to be said, while nobody else can say anything else.
fn say(links: &Links, job: JobId, says: Vec<Say>) {
    for (worker, word) in says {
        links.tell(worker, ToWorker::Member(job, word));
    }
}

#[cfg(test)]
mod tests;
