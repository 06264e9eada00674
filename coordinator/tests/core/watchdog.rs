//! The watchdog: workers whose hearts beat, and whose jobs neither end nor go on.

use std::time::Duration;

use outflank_coordinator::core::{
    Command, Config, Event, Job, JobId, Millis, Report, SolveId, WorkerId,
};
use outflank_engine::{Bound, Score, Window};

use crate::oracle::Oracle;
use crate::script::{Script, assigned, nine_empties, only_job, truth, whole};
use crate::worker::empty;

/// Sizes with which whoever has searched nothing for a minute and a half has lost the job.
fn config() -> Config {
    Config { stalled_after: Duration::from_secs(90), lines: false, ..whole() }
}

/// The same where nobody gets a second copy of what only takes long.
fn without_copies() -> Config {
    Config { backup_after: Duration::from_secs(10_000), ..config() }
}

/// Has `worker` say each 20 seconds from `begin` on until `end` that it has searched so many nodes of `job`; nobody
/// else says anything else than that he is there. Returns what is said to all.
fn beats(
    script: &mut Script,
    (begin, end): (u64, u64),
    (worker, others): (u64, &[u64]),
    job: JobId,
    nodes: impl Fn(u64) -> u64,
) -> Vec<Command> {
    let mut commands = Vec::new();
    for second in (begin..=end).step_by(20) {
        for &other in others {
            commands.extend(script.heartbeat(second, other, &[]));
        }
        let jobs = vec![(job, nodes(second))];
        commands.extend(script.at(second, Event::Heartbeat { worker: WorkerId(worker), jobs }));
        commands.extend(script.at(second, Event::Tick));
    }
    commands
}

fn is_solved(commands: &[Command]) -> bool {
    commands.iter().any(|command| matches!(command, Command::Solved { .. }))
}

#[test]
fn a_job_is_not_missed_before_it_has_had_time_to_begin() {
    let mut script = Script::new(without_copies());
    script.join(1_000, 1, 1);
    let (_, job) = only_job(&script.submit(1_000, 1, nine_empties()));
    assert_eq!(beats(&mut script, (1_020, 1_080), (1, &[]), job.id, |_| 0), []);
}

#[test]
fn a_job_that_does_not_go_on_is_given_to_another_worker() {
    let mut script = Script::new(without_copies());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.join(0, 2, 1);
    let goes_on = beats(&mut script, (20, 200), (1, &[2]), job.id, |second| second);
    assert_eq!(goes_on, []);
    let commands = beats(&mut script, (220, 280), (1, &[2]), job.id, |_| 200);
    assert_eq!(commands, [], "it may be slow");
    let commands = beats(&mut script, (300, 300), (1, &[2]), job.id, |_| 200);
    assert!(commands.contains(&Command::Cancel { worker: WorkerId(1), job: job.id }));
    let (worker, again) = only_job(&commands);
    assert_eq!((worker, &again), (2, &job));
    assert!(is_solved(&script.report(301, 2, truth(&again))));
}

#[test]
fn a_worker_that_does_not_stop_a_job_is_disconnected_and_what_else_it_has_goes_to_others() {
    let mut script = Script::new(config());
    let value = Oracle::default().value(nine_empties());
    for (solve, least) in [(1, value), (2, value.up().up())] {
        let goal = Window::at_least(least).unwrap();
        script.submit_window(0, solve, nine_empties(), goal);
    }
    let jobs = assigned(&script.join(0, 1, 2)).into_iter().map(|(_, job)| job);
    let [first, second]: [Job; 2] = jobs.collect::<Vec<_>>().try_into().unwrap();
    script.at(1, Event::Abandoned { solve: SolveId(1) });
    assert_eq!(script.heartbeat(30, 1, &[&first, &second]), [], "it may need a moment");
    let commands = script.heartbeat(31, 1, &[&first, &second]);
    assert!(matches!(commands[..], [Command::Disconnect { worker: WorkerId(1), .. }]));
    let (worker, again) = only_job(&script.join(32, 2, 2));
    assert_eq!((worker, again.id), (2, second.id));
    assert_eq!(script.core.status().jobs_running, 1);
}

/// A goal's job is told to stop so that it can be split.
#[test]
fn a_goal_whose_job_does_not_stop_is_split_all_the_same() {
    let soon = Config { split_after: Duration::from_secs(1), leaf_empties: 3, ..config() };
    let mut script = Script::new(soon);
    script.join(0, 1, 1);
    let goal = Window::at_least(Score::DRAW).unwrap();
    let (_, job) = only_job(&script.submit_window(0, 1, nine_empties(), goal));
    let commands = script.join(2, 2, 1);
    assert_eq!(commands, [Command::Cancel { worker: WorkerId(1), job: job.id }]);
    script.heartbeat(20, 1, &[&job]);
    script.heartbeat(20, 2, &[]);
    let commands = script.heartbeat(32, 1, &[&job]);
    let jobs = assigned(&commands);
    assert!(!jobs.is_empty(), "{commands:?}");
    assert!(jobs.iter().all(|(worker, job)| *worker == 2 && job.position.empties() == 8));
}

#[test]
fn an_answer_does_not_wait_for_a_line_that_nobody_goes_on_with() {
    let mut script = Script::new(Config { lines: true, ..without_copies() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (_, line) = only_job(&script.report(1, 1, Report { line: Vec::new(), ..truth(&job) }));
    script.join(1, 2, 1);
    script.heartbeat(20, 2, &[]);
    let commands = beats(&mut script, (20, 120), (1, &[2]), line.id, |_| 3);
    let (worker, again) = only_job(&commands);
    assert_eq!((worker, &again.position), (2, &line.position));
    assert!(is_solved(&script.report(121, 2, truth(&again))));
}

#[test]
fn an_answer_does_not_wait_for_a_judge_who_does_not_go_on() {
    let mut script = Script::new(Config { audit_share: 1.0, ..without_copies() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.join(0, 2, 1);
    script.join(0, 3, 1);
    let bound = Bound::exact(Oracle::default().value(nine_empties()));
    let report = Report { bound, finished: true, ..empty(&job, 100) };
    let (judge, audit) = only_job(&script.report(1, 1, report));
    let others: Vec<u64> = (1..=3).filter(|&worker| worker != judge).collect();
    let commands = beats(&mut script, (20, 120), (judge, &others), audit.id, |_| 3);
    let (other, again) = only_job(&commands);
    assert!(other != judge && other != 1, "{other} has made the claim, or judges already");
    let upheld = Report { line: Vec::new(), ..truth(&again) };
    assert!(is_solved(&script.report(121, other, upheld)));
}

/// Time is what the clock says, and nothing else.
#[test]
fn whoever_is_told_to_stop_again_has_no_more_time_for_it() {
    let mut script = Script::new(config());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.at(1, Event::Abandoned { solve: SolveId(1) });
    script.at(20, Event::TakenBack { era: 1 });
    script.heartbeat(20, 1, &[&job]);
    let jobs = vec![(job.id, 5_000)];
    let beat = Event::Heartbeat { worker: WorkerId(1), jobs };
    let commands = script.core.on(Millis(31_000), beat, &script.store);
    assert!(matches!(commands[..], [Command::Disconnect { worker: WorkerId(1), .. }]));
}
