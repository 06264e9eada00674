//! What the core wants to know, and how far it is with each question.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use outflank_engine::{Position, Window};

use super::bracket::Bracket;
use super::message::{JobId, Millis, SolveId, WorkerId};
use super::mix::{mix, mixed_with};

/// A question: the value of a canonical position in a window. With a null window it is a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// The position, canonical.
    pub(super) position: Position,
    /// The window.
    pub(super) window: Window,
}

impl Key {
    /// Returns the name of the job that asks this: a hash of the content, the same on every machine.
    pub(super) fn job_id(self) -> JobId {
        let (lower, upper) = (self.window.lower(), self.window.upper());
        JobId(mixed_with(0x6f75_7466_6c61_6e6b, self.position, lower, upper))
    }

    /// Returns the name of the job that asks this of somebody who judges a claim, apart: another one, so that what a worker
    /// searches, or has searched, with its tables is not taken for its judgement.
    pub(super) fn audit_job_id(self) -> JobId {
        JobId(mix(self.job_id().0))
    }
}

/// Who needs an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wanted {
    /// A request, about its root.
    Solve(SolveId),
    /// An expanded question.
    Question(Key),
}

impl Wanted {
    /// Returns the question that needs an answer.
    pub(super) fn question(&self) -> Option<Key> {
        match *self {
            Self::Question(key) => Some(key),
            Self::Solve(_) => None,
        }
    }
}

/// The place in the queue, smallest first: by steps what is needed more surely, in each step the oldest
/// request, there what is needed most surely, and of that what was asked last, so that the graph is
/// walked in depth and stays small. So what a later request needs for sure comes before what an
/// earlier one needs perhaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    /// The step: 0 is certain, the last is speculation.
    pub(super) step: u8,
    /// The request's place in the order of arrival, after those that nobody has begun ([`as_begun`]) if this is a part of it.
    pub(super) arrival: u64,
    /// How doubtful it is that it is needed: [`FINENESS`] times the binary logarithm of its chance.
    pub(super) doubt: u32,
    /// The question's place in the order of asking.
    pub(super) asked: Reverse<u64>,
}

impl Rank {
    /// Returns the chance of being needed.
    pub(super) fn need(self) -> f64 {
        (-f64::from(self.doubt) / FINENESS).exp2()
    }

    /// Returns the same place with another chance of being needed.
    pub(super) fn with_need(self, need: f64) -> Self {
        let doubt = (-FINENESS * need.max(1e-9).log2()).round().max(0.0) as u32;
        let step = STEPS.into_iter().filter(|&least| doubt > least).count() as u8;
        Self { step, doubt, ..self }
    }

    /// Returns the class of the request, 0 the most urgent: clients come before campaigns, these by priority.
    pub(super) const fn class(self) -> u64 {
        class_of(self.arrival)
    }

    /// Returns whether it stands after the requests that nobody has begun (see [`as_begun`]).
    pub(super) fn is_begun(self) -> bool {
        as_begun(self.arrival) == self.arrival
    }
}

/// The bits of a place in the order of arrival that number what arrives: the highest of them says that it
/// is begun, and above them is the priority.
pub(super) const ARRIVAL_BITS: u32 = 48;

/// Returns the class of what has the place `arrival` ([`Rank::class`]).
pub(super) const fn class_of(arrival: u64) -> u64 {
    arrival >> ARRIVAL_BITS
}

/// Returns the place of what is asked for the request with the place `arrival`: after the requests of the same
/// priority that nobody has begun, since one worker to a request takes the fewest nodes.
pub(super) const fn as_begun(arrival: u64) -> u64 {
    arrival | 1 << (ARRIVAL_BITS - 1)
}

/// How finely needs are told apart: what is needed nearly as much is walked in depth. With a fifth of it
/// 64 workers on one large position take a tenth longer, with four times as much they are as fast.
const FINENESS: f64 = 10.0;

/// Each step ends with so much doubt: with a chance of being needed of 90, 64 and 45 %. What comes after
/// them is speculation, less likely than not.
const STEPS: [u32; 3] = [1, 6, 11];

/// Something that waits for a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Item {
    /// A question that is to be asked, or expanded if it is too large.
    Question(Key),
    /// The rest of a request's best line.
    Line(SolveId),
}

/// How an expanded question is pursued.
#[derive(Debug)]
pub(super) enum Plan {
    /// A move is sought: the children that were not asked yet, the most promising last.
    Seek(Vec<Position>),
    /// A claim is upheld: all children are asked.
    Uphold,
    /// The value itself is sought by few workers.
    Principal(Principal),
    /// The value itself is sought by goals on the same position; the likely value in discs.
    Value(i32),
}

/// How the value of a position is sought: both sides of the likely value at once.
#[derive(Clone, Debug)]
pub(super) struct Principal {
    /// The values that are asked about.
    pub(super) bracket: Bracket,
    /// The children, the most promising first.
    pub(super) order: Vec<Position>,
    /// How many of the children that could reach the lower threshold are asked at the same time.
    pub(super) width: usize,
    /// How many more could be asked.
    pub(super) waiting: usize,
    /// The goals that are asked about.
    pub(super) goals: Vec<Window>,
}

/// How far a question is.
#[derive(Debug)]
pub(super) enum State {
    /// In the queue.
    Waiting,
    /// Workers search it.
    Running {
        /// The jobs: more than one only when a backup copy was handed out.
        jobs: BTreeSet<(WorkerId, JobId)>,
        /// Since when.
        since: Millis,
    },
    /// A running job on the same position has a window that includes this one.
    Parked,
    /// It is answered through other questions.
    Expanded {
        /// How.
        plan: Plan,
        /// The questions that are being asked for it.
        open: BTreeSet<Key>,
        /// Its own jobs that were running when it was expanded: whoever is first answers it.
        rivals: BTreeSet<(WorkerId, JobId)>,
    },
}

/// An open question.
#[derive(Debug)]
pub(super) struct Question {
    /// Who needs it, with the chance that its answer is needed there.
    pub(super) wanted_by: BTreeMap<Wanted, f64>,
    /// The request that asked it first; its work is counted there.
    pub(super) home: SolveId,
    /// Its place in the queue.
    pub(super) rank: Rank,
    /// What a worker that searches it believes: the chance that the goal holds.
    pub(super) belief: Option<f64>,
    /// The chance that the goal holds, by that or by what is known below.
    pub(super) chance: f64,
    /// The chance that the goal holds as it was expected above, where a worker knew more than an estimate.
    pub(super) expected: Option<f64>,
    /// When the goal is split: the chances that the children's goals hold, as far as that is known.
    pub(super) below: BTreeMap<Position, f64>,
    /// When the goal is split: how much the logarithm of its odds was above what followed from the
    /// chances of its children then.
    pub(super) offset: Option<f64>,
    /// The chance that its answer is needed: the largest of those of who needs it.
    pub(super) need: f64,
    /// Its place among the questions where one more brother can be tried.
    pub(super) brother: Option<(Rank, Key)>,
    /// How far it is.
    pub(super) state: State,
    /// Predicted nodes, corrected by what was learned above it.
    pub(super) predicted: f64,
    /// How far predictions were off above it, at least 1.
    pub(super) scale: f64,
    /// How often its job was lost or failed.
    pub(super) losses: u32,
    /// How often its job ran into the node limit.
    pub(super) overruns: u32,
    /// The worker that lost it last.
    pub(super) avoid: Option<WorkerId>,
    /// Whether it must be expanded, because asking it as a job did not work.
    pub(super) must_split: bool,
}

impl Question {
    /// Returns a question that waits, which may as well hold as not and costs nothing.
    pub(super) fn new(wanted: Wanted, home: SolveId, rank: Rank, need: f64) -> Self {
        Self {
            wanted_by: BTreeMap::from([(wanted, need)]),
            home,
            rank,
            belief: None,
            chance: 0.5,
            expected: None,
            below: BTreeMap::new(),
            offset: None,
            need,
            brother: None,
            state: State::Waiting,
            predicted: 0.0,
            scale: 1.0,
            losses: 0,
            overruns: 0,
            avoid: None,
            must_split: false,
        }
    }

    /// Returns whether it is what some request asks for, rather than a part of that.
    pub(super) fn is_root(&self) -> bool {
        self.wanted_by.keys().any(|wanted| matches!(wanted, Wanted::Solve(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_later_request_needs_for_sure_comes_before_what_an_earlier_one_needs_perhaps() {
        let rank = |arrival, need| {
            let first = Rank { step: 0, arrival, doubt: 0, asked: Reverse(0) };
            first.with_need(need)
        };
        let needs = [1.0, 0.8, 0.5, 0.2];
        for pair in needs.windows(2) {
            assert!(rank(2, pair[0]) < rank(1, pair[1]), "{pair:?}");
        }
        assert!(rank(1, 0.95) < rank(2, 1.0), "as good as sure: in the order of arrival");
        assert!(rank(1, 1.0) < rank(1, 0.8), "in one request the surer first");
    }
}
