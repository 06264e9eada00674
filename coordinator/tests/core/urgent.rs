//! Requests that are more urgent than what runs: clients before campaigns, and these by priority.

use outflank_coordinator::core::{Command, Config, Event, Job, SolveId, Terms, WorkerId};
use outflank_engine::{Position, Score, Window};

use crate::random::{Random, position};
use crate::script::{Script, assigned, nine_empties, only_job, split, truth, whole};
use crate::worker::empty;

/// A row of a campaign of this priority.
fn row(solve: u64, position: Position, priority: u8) -> Event {
    let window = Window::at_least(Score::DRAW).unwrap();
    let terms = Terms { priority, split_to: None };
    Event::Enlisted { solve: SolveId(solve), position, window, terms }
}

fn another(seed: u64) -> Position {
    position(&mut Random(seed), 9)
}

fn cancel(worker: u64, job: &Job) -> Command {
    Command::Cancel { worker: WorkerId(worker), job: job.id }
}

/// A worker, of many that share nothing, which has a row of a campaign.
fn busy() -> (Script, Job) {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, running) = only_job(&script.at(0, row(1, nine_empties(), 7)));
    (script, running)
}

#[test]
fn a_job_of_a_campaign_is_stopped_for_a_client_that_has_waited_a_while() {
    let (mut script, running) = busy();
    let other = another(21);
    assert_eq!(script.submit(1, 2, other), []);
    assert_eq!(script.at(2, Event::Tick), [], "most jobs end soon");
    assert_eq!(script.at(4, Event::Tick), []);
    assert_eq!(script.at(5, Event::Tick), [cancel(1, &running)]);
    assert_eq!(script.at(9, Event::Tick), [], "it is stopped once");
    let (_, urgent) = only_job(&script.report(9, 1, empty(&running, 100)));
    assert_eq!(urgent.position, other.canonical());
    // Then the row has its turn again.
    let (_, again) = only_job(&script.report(10, 1, truth(&urgent)));
    assert_eq!((again.id, again.position), (running.id, running.position));
    let commands = script.report(11, 1, truth(&again));
    assert!(commands.iter().any(|one| matches!(one, Command::Solved { solve: SolveId(1), .. })));
}

#[test]
fn a_job_is_stopped_for_a_campaign_of_greater_priority_and_for_no_other() {
    for (priority, is_stopped) in [(6, false), (7, false), (8, true)] {
        let (mut script, running) = busy();
        assert_eq!(script.at(1, row(2, another(21), priority)), []);
        script.at(2, Event::Tick);
        let expected = if is_stopped { vec![cancel(1, &running)] } else { Vec::new() };
        assert_eq!(script.at(20, Event::Tick), expected, "priority {priority}");
    }
}

#[test]
fn nothing_is_stopped_where_somebody_is_free_again_in_time() {
    let (mut script, running) = busy();
    script.submit(1, 2, another(21));
    script.at(2, Event::Tick);
    let (_, urgent) = only_job(&script.report(3, 1, truth(&running)));
    assert_eq!(urgent.position, another(21).canonical());
    for second in 4..20 {
        assert_eq!(script.at(second, Event::Tick), []);
    }
}

#[test]
fn the_least_urgent_is_stopped_and_of_these_what_has_begun_last() {
    let mut script = Script::new(whole());
    for worker in 1..=3 {
        script.join(0, worker, 1);
    }
    let begin = |script: &mut Script, second, solve, priority| {
        only_job(&script.at(second, row(solve, another(30 + solve), priority)))
    };
    begin(&mut script, 0, 1, 9);
    begin(&mut script, 1, 2, 5);
    let (last, job) = begin(&mut script, 2, 3, 5);
    script.submit(3, 4, another(21));
    script.at(4, Event::Tick);
    assert_eq!(script.at(8, Event::Tick), [cancel(last, &job)]);
}

/// A worker that shares searches, and one more that helps with the request of a client; rows of a campaign wait.
#[test]
fn a_helper_is_not_called_back_for_what_is_less_urgent() {
    let sizes = Config { longest_job: 1e9, jobs_per_thread: 100.0, ..split() };
    let mut script = Script::new(sizes);
    script.join_sharing(0, 1);
    script.join_sharing(0, 2);
    let jobs = assigned(&script.submit(0, 1, nine_empties()));
    assert_eq!(jobs.iter().map(|(_, job)| job.helps).collect::<Vec<_>>(), [false, true]);
    assert_eq!(script.at(1, row(2, another(21), 255)), []);
    assert_eq!(script.at(9, Event::Tick), []);
    // Nor does one that comes begin it.
    let (worker, help) = only_job(&script.join_sharing(10, 3));
    assert_eq!((worker, help.helps, help.id), (3, true, jobs[0].1.id));
    // But a client is as urgent.
    let commands = script.submit(11, 3, another(22));
    assert!(matches!(commands[..], [Command::Cancel { .. }]), "{commands:?}");
}

/// In a crowd workers stay with their requests, but not when something more urgent waits.
#[test]
fn in_a_crowd_a_worker_leaves_its_request_for_what_is_more_urgent() {
    let mut script = Script::new(split());
    for solve in 1..=9 {
        script.at(0, row(solve, another(30 + solve), 7));
    }
    let jobs: Vec<_> = (1..=9).flat_map(|worker| assigned(&script.join(1, worker, 1))).collect();
    assert_eq!(jobs.len(), 9, "each has a request");
    let other = another(21);
    script.at(
        2,
        Event::Enlisted {
            solve: SolveId(20),
            position: other,
            window: Window::at_least(Score::DRAW).unwrap(),
            terms: Terms { priority: 8, split_to: None },
        },
    );
    let (worker, job) = &jobs[0];
    let commands = script.report(2, *worker, empty(job, 10_000_000));
    let (_, next) = only_job(&commands);
    assert_eq!(next.position, other.canonical(), "{commands:?}");
}
