//! What holds whatever happens to a circle.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

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
            let ErrandDone { worker, job, era, asker, hand, number, value, .. } = claimed;
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
