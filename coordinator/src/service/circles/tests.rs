//! Who does errands for whom, and what becomes of them.

mod engagement;
mod errands;
mod invariants;
mod jobs;
mod members;

use outflank_engine::{Position, Square};

use super::*;

const JOB: JobId = JobId(7);
const ERA: u64 = 3;
const LEAD: WorkerId = WorkerId(0);
const ONE: WorkerId = WorkerId(1);
const TWO: WorkerId = WorkerId(2);

/// Returns an errand with this window at this level.
fn errand(window: (i32, i32), level: u32) -> Errand {
    let square = Square::lowest(Position::START.moves()).unwrap();
    Errand::new(Position::START, square, window, level, 0).unwrap()
}

/// Returns an errand whose answer is proved.
fn proof() -> Errand {
    errand((-1, 1), Errand::PROOF)
}

/// A circle in which the words are kept that it has to say.
#[derive(Debug, Default)]
struct Heard {
    circle: Circle,
    says: Vec<Say>,
}

impl Heard {
    /// Returns a lead with these helpers.
    fn with(helpers: &[WorkerId]) -> Self {
        let mut heard = Self::default();
        heard.joins(LEAD, false);
        helpers.iter().for_each(|&helper| heard.joins(helper, true));
        heard.says.clear();
        heard
    }

    fn joins(&mut self, worker: WorkerId, helps: bool) {
        self.circle.join(worker, ERA, helps, &mut self.says);
    }

    fn leaves(&mut self, worker: WorkerId) {
        self.circle.leave(worker, &mut self.says);
    }

    fn hears(&mut self, worker: WorkerId, word: FromMember) -> Option<ErrandDone> {
        self.circle.hear(JOB, worker, word, &mut self.says)
    }

    /// Has hand number `hand` of `worker` call for somebody.
    fn calls(&mut self, worker: WorkerId, hand: u32) {
        assert_eq!(self.hears(worker, FromMember::Call(hand)), None);
    }

    /// Has the hand send the errand, with this number of its own.
    fn asks(&mut self, worker: WorkerId, hand: u32, number: u64, errand: Errand) {
        assert_eq!(self.hears(worker, FromMember::Errand { hand, number, errand }), None);
    }

    fn answers(&mut self, helper: WorkerId, number: u64, value: Option<i32>) -> Option<ErrandDone> {
        self.hears(helper, FromMember::Answer { number, value, nodes: 100 })
    }

    /// Returns what was said since the last time, but for how many others there are.
    fn said(&mut self) -> Vec<Say> {
        let is_other = |(_, word): &Say| !matches!(word, ToMember::Company(_));
        std::mem::take(&mut self.says).into_iter().filter(is_other).collect()
    }

    /// Returns how many others there were said to be.
    fn company(&mut self) -> Vec<(WorkerId, u32)> {
        let said = std::mem::take(&mut self.says).into_iter();
        let company = said.filter_map(|(worker, word)| match word {
            ToMember::Company(helpers) => Some((worker, helpers)),
            _ => None,
        });
        company.collect()
    }
}

fn engaged(worker: WorkerId, hand: u32) -> Say {
    (worker, ToMember::Engaged { hand, is_there: true })
}

fn lost(worker: WorkerId, hand: u32) -> Say {
    (worker, ToMember::Engaged { hand, is_there: false })
}

fn unanswered(worker: WorkerId, hand: u32, number: u64) -> Say {
    (worker, ToMember::Answer { hand, number, value: None })
}
