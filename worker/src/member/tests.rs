//! What a hand takes for an answer, and for somebody whom it has, and that it lets him go.

use outflank_engine::{Position, Symmetry, Window};

use super::*;
use crate::jobs;
use crate::speech::{self, Speech};

/// Returns a job that is shared.
fn job() -> Job {
    Job {
        id: JobId(7),
        position: Position::START.canonical(),
        window: Window::FULL,
        node_limit: u64::MAX,
        threads: 1,
        known: Vec::new(),
        symmetry: Symmetry::IDENTITY,
        era: 0,
        hints: false,
        inside: None,
        is_apart: false,
        is_shared: true,
        helps: false,
    }
}

/// Returns the place of a job that is shared, and where its words come out.
fn member() -> (Arc<Member>, Speech) {
    let (words, said) = speech::channel();
    (Member::new(&job(), words), said)
}

/// It would be a wrong value of another move: what was called back may have been answered already.
#[test]
fn an_answer_to_an_errand_before_is_none_to_the_one_that_is_waited_for() {
    let (member, _) = member();
    member.state().hands[3] = Hand::Waits(6);
    let after = |number, value| {
        member.hear(ToMember::Answer { hand: 3, number, value: Some(value) });
        member.state().hands[3]
    };
    assert_eq!(after(5, 2), Hand::Waits(6));
    assert_eq!(after(6, 4), Hand::Answered(Some(4)));
    assert_eq!(after(6, 8), Hand::Answered(Some(4)), "there is an answer");
}

#[test]
fn only_a_hand_that_has_called_gets_somebody_and_only_one_that_has_somebody_loses_him() {
    let (member, _) = member();
    let after = |hand, is_there| {
        member.state().hands[0] = hand;
        member.hear(ToMember::Engaged { hand: 0, is_there });
        member.state().hands[0]
    };
    assert_eq!(after(Hand::Calls, true), Hand::Engaged);
    for hand in [Hand::Free, Hand::Lost, Hand::Waits(1), Hand::Answered(None)] {
        assert_eq!(after(hand, true), hand);
    }
    for hand in [Hand::Engaged, Hand::Waits(1), Hand::Answered(None)] {
        assert_eq!(after(hand, false), Hand::Lost);
    }
    assert_eq!(after(Hand::Calls, false), Hand::Calls);
}

/// He would be there for nobody else as long as the job runs.
#[test]
fn whoever_a_hand_has_is_given_back_and_once() {
    let (member, mut said) = member();
    member.state().hands[0] = Hand::Engaged;
    let others = Member::hands(&member);
    for released in [Some(FromWorker::Member(JobId(7), FromMember::Release(0))), None] {
        others.release(0);
        assert_eq!(said.next_now(), released);
    }
    assert_eq!(member.state().hands[0], Hand::Free);
}

/// Finds out nothing, in three nodes.
struct Brief;

impl Solver for Brief {
    fn solve(&self, _request: &Request, control: &Control) -> Answer {
        control.stop();
        solver::nothing(3)
    }
}

/// Who leads a search does errands while it waits, which its report left out.
#[test]
fn a_report_counts_the_nodes_of_errands_once() {
    for (helps, expected) in [(false, 103), (true, 100)] {
        let (member, _) = member();
        member.nodes.store(100, Ordering::Relaxed);
        member.stop();
        let job = Job { helps, ..job() };
        let report = jobs::solve(&Brief, job, &Control::default(), Some(&member));
        assert_eq!((report.nodes, report.failed), (expected, false), "helps: {helps}");
    }
}
