//! Who does errands for whom, and what becomes of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use outflank_engine::{Position, Square, Symmetry, Window};
use outflank_proto::message::Hello;
use proptest::prelude::*;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::super::links::{Record, WorkerLink};
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

    fn hears(&mut self, worker: WorkerId, word: FromMember) -> Option<Answered> {
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

    fn answers(&mut self, helper: WorkerId, number: u64, value: Option<i32>) -> Option<Answered> {
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

#[test]
fn those_who_do_nothing_are_engaged_by_the_hands_that_have_called_first() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 5);
    assert_eq!(heard.said(), [engaged(LEAD, 5)]);
    for hand in [9, 3, 4] {
        heard.calls(LEAD, hand);
    }
    assert_eq!(heard.said(), [], "nobody is left");
    heard.joins(TWO, true);
    assert_eq!(heard.said(), [engaged(LEAD, 9)]);
    heard.hears(LEAD, FromMember::Release(3));
    assert_eq!(heard.said(), [], "it has called, and has nobody");
    heard.hears(LEAD, FromMember::Release(5));
    assert_eq!(heard.said(), [engaged(LEAD, 4)]);
}

#[test]
fn nobody_is_engaged_by_himself() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(ONE, 0);
    assert_eq!(heard.said(), []);
    heard.calls(LEAD, 0);
    assert_eq!(heard.said(), [engaged(LEAD, 0)], "a call that nobody can serve holds up no other");
    heard.joins(TWO, true);
    assert_eq!(heard.said(), [engaged(ONE, 0)]);
}

#[test]
fn an_errand_goes_to_whom_the_hand_has_with_a_number_of_its_own() {
    let mut heard = Heard::with(&[ONE, TWO]);
    heard.calls(LEAD, 0);
    heard.calls(LEAD, 1);
    heard.says.clear();
    heard.asks(LEAD, 1, 70, proof());
    heard.asks(LEAD, 0, 70, proof());
    let errand = proof();
    let expected = [
        (TWO, ToMember::Errand { number: 1, errand }),
        (ONE, ToMember::Errand { number: 2, errand }),
    ];
    assert_eq!(heard.said(), expected);
}

#[test]
fn a_hand_that_lets_go_frees_whom_it_has_and_calls_the_errand_back() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 0);
    heard.asks(LEAD, 0, 1, proof());
    heard.calls(LEAD, 1);
    heard.says.clear();
    heard.hears(LEAD, FromMember::Release(0));
    assert_eq!(heard.said(), [(ONE, ToMember::Recall(1)), engaged(LEAD, 1)]);
    assert_eq!(heard.answers(ONE, 1, Some(0)), None);
    assert_eq!(heard.said(), [], "nobody waits for that any more");
}

#[test]
fn who_calls_again_has_given_back_whom_it_had() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 0);
    heard.asks(LEAD, 0, 1, proof());
    heard.says.clear();
    heard.calls(LEAD, 0);
    assert_eq!(heard.said(), [(ONE, ToMember::Recall(1)), engaged(LEAD, 0)]);
}

#[test]
fn an_errand_for_somebody_who_has_gone_is_answered_without_a_value() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 0);
    heard.leaves(ONE);
    assert_eq!(heard.said(), [engaged(LEAD, 0), lost(LEAD, 0)]);
    heard.asks(LEAD, 0, 8, proof());
    assert_eq!(heard.said(), [unanswered(LEAD, 0, 8)]);
}

#[test]
fn what_was_recalled_is_not_passed_on_when_it_is_answered_late() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 0);
    heard.asks(LEAD, 0, 8, proof());
    heard.says.clear();
    heard.hears(LEAD, FromMember::Recall { hand: 0, number: 7 });
    assert_eq!(heard.said(), [], "that is another one");
    heard.hears(LEAD, FromMember::Recall { hand: 0, number: 8 });
    assert_eq!(heard.said(), [(ONE, ToMember::Recall(1))]);
    heard.asks(LEAD, 0, 9, errand((-1, 1), 0));
    heard.says.clear();
    assert_eq!(heard.answers(ONE, 1, Some(5)), None);
    assert_eq!(heard.said(), []);
    assert_eq!(heard.answers(ONE, 2, Some(-3)), None);
    let answer = ToMember::Answer { hand: 0, number: 9, value: Some(-3) };
    assert_eq!(heard.said(), [(LEAD, answer)]);
    assert_eq!(heard.circle.done, 1, "that one");
}

#[test]
fn a_hand_loses_whom_it_has_when_that_one_leaves() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 3);
    heard.asks(LEAD, 3, 8, proof());
    heard.says.clear();
    heard.leaves(ONE);
    assert_eq!(heard.said(), [lost(LEAD, 3)]);
    heard.joins(ONE, true);
    assert_eq!(heard.said(), [], "it has to call again");
    assert_eq!(heard.answers(ONE, 1, Some(5)), None);
    assert_eq!(heard.said(), []);
}

#[test]
fn those_whose_lead_leaves_are_free_and_stop_what_they_do() {
    let mut heard = Heard::with(&[ONE, TWO]);
    heard.calls(LEAD, 0);
    heard.calls(LEAD, 1);
    heard.asks(LEAD, 0, 1, proof());
    heard.calls(LEAD, 2);
    heard.says.clear();
    heard.leaves(LEAD);
    assert_eq!(heard.said(), [(ONE, ToMember::Recall(1))]);
    heard.calls(ONE, 0);
    heard.calls(TWO, 0);
    assert_eq!(heard.said(), [engaged(ONE, 0), engaged(TWO, 0)]);
}

#[test]
fn who_joins_again_begins_with_nobody() {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 0);
    heard.asks(LEAD, 0, 1, proof());
    heard.says.clear();
    heard.joins(LEAD, false);
    assert_eq!(heard.said(), [(ONE, ToMember::Recall(1))]);
    heard.asks(LEAD, 0, 2, proof());
    assert_eq!(heard.said(), [unanswered(LEAD, 0, 2)]);
}

#[test]
fn everybody_hears_how_many_others_there_are() {
    let mut heard = Heard::default();
    heard.joins(LEAD, false);
    assert_eq!(heard.company(), [(LEAD, 0)]);
    heard.joins(ONE, true);
    assert_eq!(heard.company(), [(LEAD, 1), (ONE, 1)]);
    heard.joins(TWO, true);
    assert_eq!(heard.company(), [(LEAD, 2), (ONE, 2), (TWO, 2)]);
    heard.leaves(LEAD);
    assert_eq!(heard.company(), [(ONE, 1), (TWO, 1)]);
    heard.leaves(ONE);
    assert_eq!(heard.company(), [(TWO, 0)]);
    heard.leaves(ONE);
    assert_eq!(heard.company(), [], "it has left already");
}

/// Returns what the circle makes of the answer to an errand in the window from -5 to 3.
fn answered(level: u32, value: Option<i32>) -> (Option<Answered>, Vec<Say>) {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 6);
    heard.asks(LEAD, 6, 8, errand((-5, 3), level));
    heard.says.clear();
    let answered = heard.answers(ONE, 1, value);
    (answered, heard.said())
}

#[test]
fn from_what_is_proved_of_a_move_follows_a_bound_of_the_position_after_it() {
    let position = Position::START.play(proof().square()).unwrap();
    let [least, most] = [Score::MIN, Score::MAX].map(Score::discs);
    for (value, lower, upper) in [
        // No more than that, so that the other player gets at least the opposite.
        (-6, 6, most),
        (-64, 64, most),
        // Inside the window.
        (-4, 4, 4),
        (2, -2, -2),
        // No less than that.
        (4, least, -4),
        (64, least, -64),
    ] {
        let bound = Bound::new(Score::new(lower).unwrap(), Score::new(upper).unwrap()).unwrap();
        let found = Some(FoundBound { position, bound, nodes: 100 });
        let (job, era, worker, asker, hand, number) = (JOB, ERA, ONE, LEAD, 6, 8);
        let expected = Answered { worker, job, era, asker, hand, number, value, found };
        let passed = answered(Errand::PROOF, Some(value));
        assert_eq!(passed, (Some(expected), Vec::new()), "{value}: nothing goes past the core");
    }
}

#[test]
fn the_ends_of_the_window_are_outside() {
    let bound_of = |window, value| {
        let found = proved(&errand(window, Errand::PROOF), value, 1).unwrap();
        (found.bound.lower().discs(), found.bound.upper().discs())
    };
    assert_eq!(bound_of((-6, 2), -6), (6, 64));
    assert_eq!(bound_of((-6, 2), 2), (-64, -2));
}

#[test]
fn what_no_game_has_for_a_value_is_no_bound() {
    let (passed, said) = answered(Errand::PROOF, Some(-5));
    assert_eq!(
        (passed.map(|answered| (answered.value, answered.found)), said),
        (Some((-5, None)), vec![])
    );
}

#[test]
fn what_is_not_proved_goes_straight_to_who_has_asked() {
    for (level, value) in [(Errand::PROOF - 1, Some(-4)), (0, None), (Errand::PROOF, None)] {
        let answer = ToMember::Answer { hand: 6, number: 8, value };
        assert_eq!(answered(level, value), (None, vec![(LEAD, answer)]));
    }
}

#[test]
fn an_answer_that_comes_twice_or_from_another_one_is_dropped() {
    let mut heard = Heard::with(&[ONE, TWO]);
    heard.calls(LEAD, 0);
    heard.calls(LEAD, 1);
    heard.asks(LEAD, 0, 1, proof());
    heard.says.clear();
    assert_eq!(heard.answers(TWO, 1, Some(0)), None, "it was not asked");
    assert_eq!(heard.answers(LEAD, 1, Some(0)), None, "it does no errands");
    assert!(heard.answers(ONE, 1, Some(0)).is_some());
    assert_eq!(heard.answers(ONE, 1, Some(0)), None);
    assert_eq!(heard.said(), []);
}

type Messages = mpsc::Receiver<Result<outflank_proto::v1::ToWorker, tonic::Status>>;

/// Connects workers whose messages can be read.
fn connected<const COUNT: usize>(links: &Links, workers: [WorkerId; COUNT]) -> [Messages; COUNT] {
    workers.map(|worker| {
        let (queue, messages) = mpsc::channel(100);
        let hello = Hello {
            oldest_protocol: 1,
            newest_protocol: 1,
            build: "a build".to_owned(),
            isa: "avx2".to_owned(),
            host: "a host".to_owned(),
            threads: 1,
            table_bytes: 0,
            instance: worker.0,
            listens: true,
            shares: true,
        };
        let record = Record::new(&hello, Instant::now());
        let (cut, origin) = (CancellationToken::new(), Arc::default());
        let link = WorkerLink { queue, cut, origin, listens: true, record };
        links.add_worker(worker, None, link).unwrap();
        messages
    })
}

fn read(messages: &mut Messages) -> Vec<ToWorker> {
    let messages = std::iter::from_fn(|| messages.try_recv().ok());
    messages.map(|message| message.unwrap().try_into().unwrap()).collect()
}

fn job(id: JobId, helps: bool) -> Job {
    Job {
        id,
        position: Position::START.canonical(),
        window: Window::FULL,
        node_limit: 1,
        threads: 1,
        known: Vec::new(),
        symmetry: Symmetry::IDENTITY,
        era: ERA,
        hints: true,
        helps,
        inside: None,
        is_apart: false,
        is_shared: true,
    }
}

#[test]
fn nothing_that_concerns_a_job_is_said_before_the_job_is_given() {
    let (links, circles) = (Links::default(), Circles::default());
    let [mut lead] = connected(&links, [LEAD]);
    let given = ToWorker::Acknowledge(99); // In place of the job.
    circles.join(&links, LEAD, &job(JOB, false), || links.tell(LEAD, given.clone()));
    assert_eq!(read(&mut lead), [given, ToWorker::Member(JOB.0, ToMember::Company(0))]);
}

#[test]
fn a_word_for_a_job_that_the_worker_has_not_is_ignored() {
    let (links, circles) = (Links::default(), Circles::default());
    let [mut lead, mut helper, mut stranger] = connected(&links, [LEAD, ONE, TWO]);
    let other = JobId(8);
    circles.join(&links, LEAD, &job(JOB, false), || {});
    circles.join(&links, ONE, &job(JOB, true), || {});
    circles.join(&links, TWO, &job(other, false), || {});
    circles.hear(&links, LEAD, JOB, FromMember::Call(0));
    let asked = FromMember::Errand { hand: 0, number: 1, errand: proof() };
    circles.hear(&links, LEAD, JOB, asked);
    for messages in [&mut lead, &mut helper] {
        read(messages);
    }
    read(&mut stranger);
    let answer = FromMember::Answer { number: 1, value: Some(0), nodes: 1 };
    for (worker, job) in [(TWO, JOB), (ONE, other), (ONE, JobId(9))] {
        assert_eq!(circles.hear(&links, worker, job, answer), None);
        assert_eq!(circles.hear(&links, worker, job, FromMember::Call(0)), None);
        assert_eq!(circles.hear(&links, worker, job, asked), None);
    }
    assert_eq!([&mut lead, &mut helper, &mut stranger].map(read), [[], [], []]);
    assert!(circles.hear(&links, ONE, JOB, answer).is_some(), "it is still waited for");
}

/// Returns a lead whose hand 1 has a helper with an errand, which has called for somebody in vain.
fn with_a_busy_helper() -> Heard {
    let mut heard = Heard::with(&[ONE]);
    heard.calls(LEAD, 1);
    heard.asks(LEAD, 1, 1, proof());
    heard.calls(ONE, 4);
    heard.said();
    heard
}

#[test]
fn who_waits_for_a_helper_does_a_part_of_what_that_does() {
    let mut heard = with_a_busy_helper();
    heard.hears(LEAD, FromMember::Offer(0b01));
    assert_eq!(heard.said(), [], "it waits for somebody else");
    heard.hears(LEAD, FromMember::Offer(0b10));
    assert_eq!(heard.said(), [engaged(ONE, 4)]);
    heard.calls(ONE, 5);
    assert_eq!(heard.said(), [], "it is engaged");
    heard.asks(ONE, 4, 9, proof());
    assert_eq!(heard.said(), [(LEAD, ToMember::Errand { number: 2, errand: proof() })]);
    let answered = heard.answers(LEAD, 2, Some(0)).expect("it is proved");
    assert_eq!((answered.asker, answered.hand, answered.number), (ONE, 4, 9));
    heard.hears(ONE, FromMember::Release(4));
    assert_eq!(heard.said(), [engaged(ONE, 5)], "it still waits");
    heard.hears(LEAD, FromMember::Offer(0));
    assert_eq!(heard.said(), [lost(ONE, 5)]);
    let answered = heard.answers(ONE, 1, Some(2)).expect("it is proved");
    assert_eq!((answered.asker, answered.hand, answered.number), (LEAD, 1, 1));
}

#[test]
fn who_waits_for_somebody_does_a_part_of_what_others_do_for_that_one_too() {
    let mut heard = Heard::with(&[ONE, TWO]);
    heard.calls(LEAD, 1);
    heard.calls(ONE, 0);
    heard.calls(TWO, 3);
    heard.said();
    heard.hears(LEAD, FromMember::Offer(0b10));
    assert_eq!(heard.said(), [engaged(TWO, 3)]);
}

#[test]
fn who_waits_and_is_called_back_hears_of_it_and_waits_on() {
    let mut heard = with_a_busy_helper();
    heard.hears(LEAD, FromMember::Offer(0b10));
    heard.asks(ONE, 4, 9, proof());
    heard.said();
    heard.leaves(ONE);
    let said = heard.said();
    assert!(said.contains(&lost(LEAD, 1)) && said.contains(&(LEAD, ToMember::Recall(2))));
    assert_eq!(heard.answers(LEAD, 2, Some(0)), None);
}

#[test]
fn who_goes_leaves_all_circles_and_those_without_anybody_are_forgotten() {
    let (links, circles) = (Links::default(), Circles::default());
    let [mut lead, _helper] = connected(&links, [LEAD, ONE]);
    circles.join(&links, LEAD, &job(JOB, false), || {});
    circles.join(&links, ONE, &job(JOB, true), || {});
    circles.join(&links, ONE, &job(JobId(8), false), || {});
    circles.hear(&links, LEAD, JOB, FromMember::Call(0));
    read(&mut lead);
    circles.leave_all(&links, ONE);
    let words = [lost(LEAD, 0).1, ToMember::Company(0)];
    assert_eq!(read(&mut lead), words.map(|word| ToWorker::Member(JOB.0, word)));
    assert_eq!(circles.open().circles.keys().copied().collect::<Vec<JobId>>(), [JOB]);
    circles.leave(&links, LEAD, JOB);
    assert!(circles.open().circles.is_empty());
}

#[test]
fn who_was_given_a_job_after_it_had_gone_is_waited_for_no_longer_when_it_leaves_again() {
    let (links, circles) = (Links::default(), Circles::default());
    let [mut lead, _helper] = connected(&links, [LEAD, ONE]);
    circles.join(&links, LEAD, &job(JOB, false), || {});
    circles.leave_all(&links, ONE);
    circles.join(&links, ONE, &job(JOB, true), || {});
    circles.hear(&links, LEAD, JOB, FromMember::Call(0));
    circles.hear(&links, LEAD, JOB, FromMember::Errand { hand: 0, number: 1, errand: proof() });
    read(&mut lead);
    circles.leave_all(&links, ONE);
    let words = [lost(LEAD, 0).1, ToMember::Company(0)];
    assert_eq!(read(&mut lead), words.map(|word| ToWorker::Member(JOB.0, word)));
}

#[test]
fn an_answer_that_is_late_for_its_circle_is_none_to_the_first_errand_of_the_next() {
    let (links, circles) = (Links::default(), Circles::default());
    let [_lead, mut helper] = connected(&links, [LEAD, ONE]);
    let mut pass_one = || {
        circles.join(&links, LEAD, &job(JOB, false), || {});
        circles.join(&links, ONE, &job(JOB, true), || {});
        circles.hear(&links, LEAD, JOB, FromMember::Call(0));
        let asked = FromMember::Errand { hand: 0, number: 1, errand: proof() };
        circles.hear(&links, LEAD, JOB, asked);
        let passed = read(&mut helper).into_iter().find_map(|message| match message {
            ToWorker::Member(_, ToMember::Errand { number, .. }) => Some(number),
            _ => None,
        });
        passed.unwrap()
    };
    let first = pass_one();
    circles.leave(&links, LEAD, JOB);
    circles.leave(&links, ONE, JOB);
    let second = pass_one();
    let answer = |number| FromMember::Answer { number, value: Some(0), nodes: 1 };
    assert_eq!(circles.hear(&links, ONE, JOB, answer(first)), None);
    assert!(circles.hear(&links, ONE, JOB, answer(second)).is_some());
}

/// What happens to a circle.
#[derive(Clone, Copy, Debug)]
enum Step {
    Joins(WorkerId, bool),
    Leaves(WorkerId),
    Calls(WorkerId, u32),
    Releases(WorkerId, u32),
    /// Waits for whom these hands have.
    Offers(WorkerId, u64),
    /// Whether the answer is proved.
    Asks(WorkerId, u32, bool),
    /// How many errands ago the one was sent that is called back.
    Recalls(WorkerId, u32, u64),
    /// How many errands ago the one was passed on that is answered, by whoever has it.
    Answers(u64, Option<i32>),
    /// The same by somebody who has it or not.
    Claims(WorkerId, u64, Option<i32>),
}

fn step() -> impl Strategy<Value = Step> {
    let worker = || (0..4_u64).prop_map(WorkerId);
    let (hand, ago) = (0..3_u32, 0..4_u64);
    let caller = || (worker(), hand.clone());
    let value = prop::option::of(-64..=64_i32);
    prop_oneof![
        2 => (worker(), any::<bool>()).prop_map(|(worker, helps)| Step::Joins(worker, helps)),
        1 => worker().prop_map(Step::Leaves),
        4 => caller().prop_map(|(worker, hand)| Step::Calls(worker, hand)),
        1 => caller().prop_map(|(worker, hand)| Step::Releases(worker, hand)),
        2 => (worker(), 0..8_u64).prop_map(|(worker, hands)| Step::Offers(worker, hands)),
        6 => (caller(), any::<bool>())
            .prop_map(|((worker, hand), is_proof)| Step::Asks(worker, hand, is_proof)),
        2 => (caller(), ago.clone())
            .prop_map(|((worker, hand), ago)| Step::Recalls(worker, hand, ago)),
        3 => (ago.clone(), value.clone()).prop_map(|(ago, value)| Step::Answers(ago, value)),
        1 => (worker(), ago, value)
            .prop_map(|(worker, ago, value)| Step::Claims(worker, ago, value)),
    ]
}

/// A circle, and what those in it can know of it by what they have said and heard.
#[derive(Debug, Default)]
struct Witness {
    heard: Heard,
    /// The errands that are being done, by their serial numbers: by whom, for whom, and with which number.
    open: BTreeMap<u64, (WorkerId, Hand, u64)>,
    /// The errands that were sent.
    sent: u64,
    /// The greatest serial number.
    passed: u64,
}

impl Witness {
    fn takes(&mut self, step: Step) {
        match step {
            Step::Joins(worker, helps) => self.heard.joins(worker, helps),
            Step::Leaves(worker) => self.heard.leaves(worker),
            Step::Calls(worker, hand) => self.says(worker, FromMember::Call(hand)),
            Step::Releases(worker, hand) => self.says(worker, FromMember::Release(hand)),
            Step::Offers(worker, hands) => self.says(worker, FromMember::Offer(hands)),
            Step::Asks(worker, hand, is_proof) => self.asks((worker, hand), is_proof),
            Step::Recalls(worker, hand, ago) => {
                let number = self.sent.saturating_sub(ago);
                self.says(worker, FromMember::Recall { hand, number });
            }
            Step::Answers(ago, value) => {
                let serial = self.passed.saturating_sub(ago);
                if let Some(&(helper, ..)) = self.open.get(&serial) {
                    self.claims(helper, serial, value);
                }
            }
            Step::Claims(worker, ago, value) => {
                self.claims(worker, self.passed.saturating_sub(ago), value);
            }
        }
        self.listens();
    }

    fn is_member(&self, worker: WorkerId) -> bool {
        self.heard.circle.members.contains_key(&worker)
    }

    fn says(&mut self, worker: WorkerId, word: FromMember) {
        if self.is_member(worker) {
            assert_eq!(self.heard.hears(worker, word), None, "only answers are claims");
        }
    }

    fn asks(&mut self, caller: Hand, is_proof: bool) {
        let (worker, hand) = caller;
        if !self.is_member(worker) {
            return;
        }
        self.sent += 1;
        let (number, errand) = (self.sent, errand((-1, 1), Errand::PROOF * u32::from(is_proof)));
        self.heard.asks(worker, hand, number, errand);
        let mut said = self.heard.said();
        let (to, word) = said.pop().expect("a word for an errand");
        // It takes the place of what the hand has asked before.
        let before = self.open.iter().find(|(_, (_, asker, _))| *asker == caller);
        let recalled = before.map(|(&serial, &(helper, ..))| (helper, ToMember::Recall(serial)));
        assert_eq!(said, recalled.into_iter().collect::<Vec<Say>>());
        match word {
            ToMember::Errand { number: serial, errand: passed } => {
                assert!(serial > self.passed && passed == errand);
                self.passed = serial;
                self.open.retain(|_, &mut (_, asker, _)| asker != caller);
                self.open.insert(serial, (to, caller, number));
            }
            word => assert_eq!((to, word), unanswered(worker, hand, number)),
        }
    }

    /// Has `helper` answer the errand with this number; only who does it can.
    fn claims(&mut self, helper: WorkerId, serial: u64, value: Option<i32>) {
        if !self.is_member(helper) {
            return;
        }
        let asked = self.open.get(&serial).copied().filter(|&(does_it, ..)| does_it == helper);
        let claimed = self.heard.answers(helper, serial, value);
        let said = self.heard.said();
        let by_core = claimed.map(|claimed| {
            let Answered { worker, job, era, asker, hand, number, value, .. } = claimed;
            assert_eq!((worker, job, era), (helper, JOB, ERA));
            (asker, ToMember::Answer { hand, number, value: Some(value) })
        });
        let told: Vec<Say> = said.into_iter().chain(by_core).collect();
        let expected = asked.map(|(_, (asker, hand), number)| {
            self.open.remove(&serial);
            (asker, ToMember::Answer { hand, number, value })
        });
        assert_eq!(told, expected.into_iter().collect::<Vec<Say>>());
    }

    /// Takes note of what the circle says.
    fn listens(&mut self) {
        for (worker, word) in self.heard.said() {
            match word {
                ToMember::Recall(serial) => {
                    let done = self.open.remove(&serial).map(|(helper, ..)| helper);
                    assert_eq!(done, Some(worker), "who does it hears that it is pointless");
                }
                ToMember::Engaged { hand, is_there: false } => {
                    self.open.retain(|_, &mut (_, asker, _)| asker != (worker, hand));
                }
                ToMember::Engaged { .. } => {}
                word => panic!("{word:?} without a reason"),
            }
        }
    }

    fn checks(&self) {
        let Circle { members, calls, .. } = &self.heard.circle;
        let posts =
            || members.iter().flat_map(|(&id, member)| member.posts().map(move |post| (id, post)));
        let engaged: Vec<Hand> = posts().map(|(_, post)| post.caller).collect();
        let hands: BTreeSet<Hand> = engaged.iter().copied().collect();
        assert_eq!(hands.len(), engaged.len(), "no hand has two");
        for (helper, post) in posts() {
            let (caller, _) = post.caller;
            assert!(caller != helper && members.contains_key(&caller));
        }
        assert!(members.values().all(|member| member.helps || member.post.is_none()));
        assert!(members.values().all(|member| member.offers != 0 || member.aside.is_none()));
        let waiting: BTreeSet<Hand> = calls.iter().copied().collect();
        assert_eq!(waiting.len(), calls.len(), "nobody calls twice");
        let is_free = |&(_, member): &(&WorkerId, &Member)| member.helps && member.post.is_none();
        let free: Vec<WorkerId> = members.iter().filter(is_free).map(|(&id, _)| id).collect();
        for &(caller, hand) in calls {
            assert!(members.contains_key(&caller) && !hands.contains(&(caller, hand)));
            assert!(free.iter().all(|&helper| helper == caller), "nobody calls in vain");
        }
        let asked = posts().filter_map(|(helper, post)| {
            let &Asked { serial, number, .. } = post.asked.as_ref()?;
            Some((serial, (helper, post.caller, number)))
        });
        assert_eq!(asked.collect::<BTreeMap<_, _>>(), self.open, "no errand is forgotten");
    }
}

proptest! {
    #[test]
    fn every_errand_comes_to_an_end_that_is_told(
        steps in prop::collection::vec(step(), 0..200),
    ) {
        let mut witness = Witness::default();
        for &step in &steps {
            witness.takes(step);
            witness.checks();
        }
        for worker in 0..4 {
            witness.takes(Step::Leaves(WorkerId(worker)));
            witness.checks();
        }
        prop_assert!(witness.open.is_empty());
    }
}
