//! The affinity of workers to requests: who works for which of many that are larger than a job may be.

use outflank_coordinator::core::{Command, Config, Job, Report};
use outflank_engine::{Position, Score, Square, Window};

use crate::random::{Random, position};
use crate::script::{Script, assigned, only_job, split, truth};
use crate::worker::empty;

/// A goal that surely fails, so that all moves are needed.
fn hopeless() -> Window {
    Window::at_least(Score::new(60).expect("even and in range")).expect("not the least score")
}

/// Returns the report of a worker that has come to no end, but has an order of the moves.
fn unfinished(job: &Job) -> Report {
    let mut order: Vec<Square> = Square::all(job.position.moves()).collect();
    order.reverse();
    Report { order, ..empty(job, job.node_limit) }
}

fn follows(child: Position, parent: Position) -> bool {
    Square::all(parent.moves())
        .any(|square| parent.play(square).is_some_and(|position| position.canonical() == child))
}

/// Returns a core that counts two workers as many and has that many, with so many requests, and who searches the
/// first two.
fn two_workers(requests: u64) -> (Script, [(u64, Job); 2]) {
    let mut script = Script::new(Config { goals_from_slots: 2, ..split() });
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    let mut random = Random(5);
    let mut jobs = Vec::new();
    for solve in 0..requests {
        let root = position(&mut random, 9);
        let commands = script.submit_window(0, solve, root, hopeless());
        jobs.extend(assigned(&commands));
    }
    (script, jobs.try_into().expect("two workers have two jobs"))
}

#[test]
fn a_goal_too_large_for_a_job_goes_out_on_trial_and_is_split_in_its_workers_order() {
    let mut script = Script::new(Config { goals_from_slots: 1, trial_job: 70.0, ..split() });
    script.join(0, 1, 1);
    let root = position(&mut Random(11), 9);
    let (_, job) = only_job(&script.submit_window(0, 1, root, hopeless()));
    assert_eq!((job.position.empties(), job.node_limit), (9, 70));
    let report = unfinished(&job);
    let first = report.order[0];
    let (_, part) = only_job(&script.report(1, 1, report));
    assert_eq!(Some(part.position), job.position.play(first).map(Position::canonical));
}

#[test]
fn no_trial_is_longer_than_a_job_may_be() {
    let config = Config { goals_from_slots: 1, trial_job: f64::MAX, ..split() };
    let mut script = Script::new(config.clone());
    script.join(0, 1, 1);
    let root = position(&mut Random(11), 9);
    let (_, job) = only_job(&script.submit_window(0, 1, root, hopeless()));
    assert_eq!(job.node_limit, config.longest_job as u64);
}

#[test]
fn where_workers_share_requests_the_largest_job_is_smaller() {
    for (threads, share) in [(1, 1.0), (2, 4.0), (4, 16.0), (100, 60.0)] {
        let shortest_job = 1.0;
        let longest_job = 300.0;
        let many = Config { goals_from_slots: 1, slots_per_deep: usize::MAX, ..split() };
        let mut script = Script::new(Config { shortest_job, longest_job, ..many });
        script.join(0, 1, threads);
        let root = position(&mut Random(11), 10);
        let (_, job) = only_job(&script.submit_window(0, 1, root, hopeless()));
        let smallest = longest_job / share;
        assert_eq!(job.node_limit, smallest as u64, "{threads} threads: a trial of a job's size");
    }
}

#[test]
fn a_goal_that_was_to_fit_a_job_may_take_four_and_is_split_then() {
    let config = Config { goals_from_slots: 1, ..split() };
    let mut script = Script::new(config.clone());
    script.join(0, 1, 1);
    let root = position(&mut Random(11), 8);
    let (_, job) = only_job(&script.submit_window(0, 1, root, hopeless()));
    assert_eq!(job.node_limit, 4 * config.longest_job as u64);
    let report = unfinished(&job);
    let first = report.order[0];
    let (_, part) = only_job(&script.report(1, 1, report));
    assert_eq!(Some(part.position), job.position.play(first).map(Position::canonical));
}

#[test]
fn a_worker_goes_on_with_its_request_though_an_earlier_one_needs_workers() {
    let (mut script, [(one, first), (other, second)]) = two_workers(2);
    let (_, part) = only_job(&script.report(1, one, unfinished(&first)));
    assert!(follows(part.position, first.position), "{part:?}");
    let (worker, part) = only_job(&script.report(2, other, unfinished(&second)));
    assert_eq!(worker, other);
    assert!(follows(part.position, second.position), "{part:?}");
    let (_, next) = only_job(&script.report(3, other, truth(&part)));
    assert!(follows(next.position, second.position), "{next:?}");
}

#[test]
fn a_worker_begins_a_request_before_it_helps_with_another() {
    let (mut script, [(one, first), (other, second)]) = two_workers(4);
    script.report(1, one, unfinished(&first));
    let commands = script.report(2, other, truth(&second));
    assert!(commands.iter().any(|command| matches!(command, Command::Solved { .. })));
    let (_, third) = only_job(&commands);
    assert_eq!(third.position.empties(), 9, "one that nobody has begun");
    let (_, last) = only_job(&script.report(3, other, truth(&third)));
    assert_eq!(last.position.empties(), 9, "one that nobody has begun");
    let (_, part) = only_job(&script.report(4, other, truth(&last)));
    assert!(follows(part.position, first.position), "now it helps: {part:?}");
}
