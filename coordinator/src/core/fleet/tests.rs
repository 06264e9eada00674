//! Who is remembered after they have left.

use outflank_engine::{Position, Window};

use super::*;
use crate::core::message::SolveId;
use crate::core::question::Key;

const SPAN: (Millis, Duration) = (Millis(0), Duration::from_secs(30));

/// Lets connection `number` of process 7 come.
fn join(fleet: &mut Fleet, number: u64) -> WorkerId {
    let worker = WorkerId(number);
    fleet.join(worker, ProcessId(7), 1, false, Millis(0));
    worker
}

/// Returns whether a process goes on with a job that it is given over a new connection.
fn goes_on(fleet: &mut Fleet, number: u64, job: u64) -> bool {
    let worker = join(fleet, number);
    let key = Key { position: Position::START, window: Window::FULL };
    let lease = Lease::new(Target::Nothing, SolveId(0), key, 1, 1.0);
    fleet.begin(worker, JobId(job), lease, SPAN);
    fleet.lease(worker, JobId(job)).is_some_and(|lease| lease.is_resumed)
}

/// Those that are connected longest leave last.
#[test]
fn of_too_many_that_have_left_those_are_remembered_that_were_the_last() {
    let mut fleet = Fleet::default();
    let most = MOST_GONE as u64;
    for number in (1..=most + 1).rev() {
        assert!(!goes_on(&mut fleet, number, number));
        fleet.leave(WorkerId(number));
    }
    let nobody_knows = |number| fleet.process(WorkerId(number)) == ProcessId(number);
    assert_eq!([most + 1, most, 1].map(nobody_knows), [true, false, false]);
    let first_and_last = [most + 1, 1].map(|job| goes_on(&mut fleet, 2 * most + job, job));
    assert_eq!(first_and_last, [false, true]);
}
