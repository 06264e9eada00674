//! The circles of several jobs, whose members hear what concerns theirs.

use std::sync::Arc;

use outflank_engine::{Symmetry, Window};
use outflank_proto::message::Hello;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::service::links::{WorkerLink, WorkerRecord};

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
        let record = WorkerRecord::new(&hello, Instant::now());
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
    let given = ToWorker::Acknowledge(JobId(99)); // In place of the job.
    circles.join(&links, LEAD, &job(JOB, false), || links.tell(LEAD, given.clone()));
    assert_eq!(read(&mut lead), [given, ToWorker::Member(JOB, ToMember::Company(0))]);
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
    assert_eq!(read(&mut lead), words.map(|word| ToWorker::Member(JOB, word)));
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
    assert_eq!(read(&mut lead), words.map(|word| ToWorker::Member(JOB, word)));
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
    circles.leave(&links, LEAD, JOB);
    circles.leave(&links, ONE, JOB);
    assert_eq!(circles.errands(), 1, "it is counted when its circle is closed, too");
}
