//! What becomes of a job whose worker is slow, silent, gone, or fails.

use std::time::Duration;

use outflank_coordinator::core::{
    Command, Config, Event, Job, Judgement, Report, SolveId, WorkerId,
};
use outflank_engine::{Bound, Score, Square};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{Script, assigned, joined, nine_empties, only_job, truth, whole};
use crate::worker::empty;

fn is_solved(commands: &[Command]) -> bool {
    commands.iter().any(|command| matches!(command, Command::Solved { .. }))
}

#[test]
fn a_job_goes_to_another_worker_when_its_lease_runs_out() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (worker, job) = only_job(&script.submit(0, 1, nine_empties()));
    assert_eq!(worker, 1);
    script.join(0, 2, 1);
    script.heartbeat(20, 1, &[&job]);
    script.heartbeat(40, 1, &[]);
    script.heartbeat(40, 2, &[]);
    assert_eq!(script.at(49, Event::Tick), [], "the heartbeat has renewed the lease");
    assert_eq!(only_job(&script.at(50, Event::Tick)), (2, job));
}

#[test]
fn a_silent_worker_is_disconnected() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    assert_eq!(script.at(29, Event::Tick), []);
    let commands = script.at(30, Event::Tick);
    assert!(matches!(commands[..], [Command::Disconnect { worker: WorkerId(1), .. }]));
    assert_eq!(script.core.status().workers, 0);
}

#[test]
fn a_worker_that_leaves_gives_its_job_back_and_its_late_report_still_counts() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.join(0, 2, 1);
    let commands = script.at(1, Event::Left { worker: WorkerId(1) });
    assert_eq!(only_job(&commands), (2, job.clone()));
    let commands = script.report(2, 1, truth(&job));
    assert!(commands.contains(&Command::Cancel { worker: WorkerId(2), job: job.id }));
    assert!(commands.iter().any(|command| matches!(command, Command::Solved { .. })));
    assert!(commands.contains(&Command::Acknowledge { worker: WorkerId(1), job: job.id }));
}

#[test]
fn a_draining_worker_gets_nothing_new_and_what_it_hands_back_is_asked_again() {
    let mut script = Script::new(whole());
    script.join(0, 1, 2);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    assert_eq!(script.at(1, Event::Draining { worker: WorkerId(1) }), []);
    let commands = script.report(2, 1, empty(&job, 5));
    assert_eq!(commands, [Command::Acknowledge { worker: WorkerId(1), job: job.id }]);
    let (worker, again) = only_job(&script.join(3, 2, 2));
    assert_eq!((worker, again), (2, job));
}

#[test]
fn a_job_that_fails_three_times_is_split() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    let (mut worker, job) = only_job(&script.submit(0, 1, nine_empties()));
    let failed = Report { failed: true, ..empty(&job, 1) };
    for second in 1..3 {
        let (next, again) = only_job(&script.report(second, worker, failed.clone()));
        assert_ne!(next, worker, "another worker comes first");
        assert_eq!(again, job);
        worker = next;
    }
    let commands = script.report(3, worker, failed);
    let gave_up = Command::GaveUp { job: job.id, position: job.position, losses: 3 };
    assert!(commands.contains(&gave_up), "{commands:?}");
    assert_eq!(script.core.status().given_up, 1);
    let jobs = assigned(&commands);
    assert!(!jobs.is_empty() && jobs.iter().all(|(_, next)| next.position != job.position));
}

/// Returns what the core says when worker 1, whose connection has ended so many times while it went on with the job, or
/// began it again, reports the answer.
fn answered_after_cuts(cuts: u64, goes_on: bool) -> (Vec<Command>, u64) {
    let mut script = Script::new(whole());
    script.at(0, joined(1, 7, 1));
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    for cut in 1..=cuts {
        let nodes = if goes_on || cut == 1 { 1_000 * cut } else { 10 };
        let jobs = vec![(job.id, nodes)];
        script.at(2 * cut, Event::Heartbeat { worker: WorkerId(cut), jobs });
        script.at(2 * cut, Event::Left { worker: WorkerId(cut) });
        let (_, again) = only_job(&script.at(2 * cut + 1, joined(cut + 1, 7, 1)));
        assert_eq!(again, job, "it is not split");
    }
    let nodes = if goes_on { 1_000 * cuts + 500 } else { 30 };
    let jobs = vec![(job.id, nodes - 10)];
    script.at(2 * cuts + 2, Event::Heartbeat { worker: WorkerId(cuts + 1), jobs });
    let report = Report { nodes, ..truth(&job) };
    (script.report(2 * cuts + 2, cuts + 1, report), script.core.status().given_up)
}

#[test]
fn what_is_lost_with_a_connection_is_neither_the_job_nor_counted_twice() {
    let nodes = |commands: &[Command]| {
        let found = commands.iter().find_map(|command| match command {
            Command::Solved { solution, .. } => Some(solution.nodes),
            _ => None,
        });
        found.unwrap_or_else(|| panic!("no answer in {commands:?}"))
    };
    let (commands, given_up) = answered_after_cuts(5, true);
    assert_eq!((nodes(&commands), given_up), (5_500, 0));
    // Who began again has searched both.
    let (commands, _) = answered_after_cuts(2, false);
    assert_eq!(nodes(&commands), 1_000 + 10 + 20);
}

#[test]
fn unknown_reports_count_and_illegal_claims_do_not() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let occupied = Square::lowest(job.position.player()).unwrap();
    let children = vec![(occupied, Bound::exact(Score::DRAW))];
    let bound = Bound::at_most(Oracle::default().value(job.position));
    let report = Report { bound, children, ..empty(&job, 1) };
    let commands = script.report(1, 99, report);
    assert!(commands.contains(&Command::Acknowledge { worker: WorkerId(99), job: job.id }));
    assert_eq!(script.store.0[&job.position].0, bound);
    assert_eq!((script.store.0.len(), script.core.status().illegal_claims), (1, 1));
}

#[test]
fn a_job_that_the_core_does_not_know_is_stopped() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let mut later = Script::new(whole());
    later.join(0, 1, 1);
    let expected = [Command::Cancel { worker: WorkerId(1), job: job.id }];
    assert_eq!(later.heartbeat(1, 1, &[&job]), expected);
}

#[test]
fn a_straggler_gets_one_second_copy_when_nothing_else_is_to_do() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.join(0, 2, 1);
    script.join(0, 3, 1);
    for second in [20, 40] {
        assert_eq!(script.heartbeat(second, 1, &[&job]), []);
        assert_eq!(script.heartbeat(second, 2, &[]), []);
        assert_eq!(script.heartbeat(second, 3, &[]), []);
    }
    let (worker, copy) = only_job(&script.heartbeat(60, 1, &[&job]));
    assert_eq!((worker, &copy), (3, &job));
    assert_eq!(script.heartbeat(61, 2, &[]), [], "two copies are enough");
    let commands = script.report(62, 3, truth(&copy));
    assert!(commands.contains(&Command::Cancel { worker: WorkerId(1), job: job.id }));
}

/// Returns a core where the only job is at worker 1, which is slow, and at worker 3; worker 2 is idle.
fn two_copies(config: Config) -> (Script, Job) {
    let mut script = Script::new(config);
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    for worker in [2, 3] {
        script.join(0, worker, 1);
    }
    for second in [20, 40] {
        script.heartbeat(second, 1, &[&job]);
        script.heartbeat(second, 2, &[]);
        script.heartbeat(second, 3, &[]);
    }
    let (worker, copy) = only_job(&script.heartbeat(60, 1, &[&job]));
    assert_eq!((worker, &copy), (3, &job));
    (script, job)
}

#[test]
fn a_copy_is_stopped_when_the_first_one_is_done() {
    let (mut script, job) = two_copies(whole());
    let commands = script.report(61, 1, truth(&job));
    assert!(commands.contains(&Command::Cancel { worker: WorkerId(3), job: job.id }));
}

#[test]
fn a_copy_that_is_lost_is_replaced() {
    let (mut script, job) = two_copies(whole());
    let commands = script.at(61, Event::Left { worker: WorkerId(3) });
    assert_eq!(only_job(&commands), (2, job));
}

#[test]
fn a_copy_goes_on_when_the_first_one_is_lost() {
    let (mut script, job) = two_copies(whole());
    script.at(61, Event::Draining { worker: WorkerId(2) });
    let commands = script.at(61, Event::Left { worker: WorkerId(1) });
    assert_eq!(commands, [], "it is not asked again");
    assert!(is_solved(&script.report(62, 3, truth(&job))));
}

#[test]
fn a_copy_is_stopped_when_the_first_one_runs_into_its_limit_and_the_job_is_split() {
    let never = Duration::from_secs(10_000);
    let (split_after, split_soon) = (never, never);
    let (mut script, job) =
        two_copies(Config { leaf_empties: 3, split_after, split_soon, ..whole() });
    let commands = script.report(61, 1, empty(&job, job.node_limit));
    assert!(
        commands.contains(&Command::Cancel { worker: WorkerId(3), job: job.id }),
        "{commands:?}"
    );
}

#[test]
fn a_leaf_that_runs_into_its_limit_three_times_is_split() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (_, second) = only_job(&script.report(1, 1, empty(&job, job.node_limit)));
    let (_, third) = only_job(&script.report(2, 1, empty(&job, second.node_limit)));
    assert_eq!((second.id, third.id), (job.id, job.id));
    let (_, part) = only_job(&script.report(3, 1, empty(&job, third.node_limit)));
    assert_ne!(part.position, job.position);
}

#[test]
fn what_a_worker_that_drains_hands_back_is_asked_as_a_whole() {
    let mut script = Script::new(Config { leaf_empties: 3, ..whole() });
    script.join(0, 1, 2);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.at(1, Event::Draining { worker: WorkerId(1) });
    script.report(2, 1, empty(&job, 5));
    assert_eq!(only_job(&script.join(3, 2, 2)), (2, job));
}

/// What it has kept of the same goal from before a reconnection.
#[test]
fn a_report_that_was_kept_does_not_end_the_search_for_a_line() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (_, line) = only_job(&script.report(1, 1, Report { line: Vec::new(), ..truth(&job) }));
    let acknowledged = [Command::Acknowledge { worker: WorkerId(1), job: line.id }];
    assert_eq!(script.report(2, 1, empty(&line, 5)), acknowledged);
    assert!(is_solved(&script.report(3, 1, truth(&line))));
}

#[test]
fn who_waits_for_a_line_that_nobody_can_search_any_more_gets_the_value() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    // The value comes from somebody else, over a connection that is gone; worker 1 is still at it.
    let commands = script.report(1, 9, Report { line: Vec::new(), ..truth(&job) });
    assert!(!is_solved(&commands), "a line is wanted");
    assert!(is_solved(&script.at(2, Event::Draining { worker: WorkerId(1) })));
}

#[test]
fn a_worker_that_drains_finishes_the_line_that_it_is_at() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (_, line) = only_job(&script.report(1, 1, Report { line: Vec::new(), ..truth(&job) }));
    assert_eq!(script.at(20, Event::Draining { worker: WorkerId(1) }), [], "it is awaited");
    assert!(is_solved(&script.report(25, 1, truth(&line))));
}

#[test]
fn who_reports_shows_that_it_is_alive_and_what_failed_is_no_job_that_was_done() {
    let mut script = Script::new(Config { lines: false, ..whole() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    only_job(&script.report(20, 1, Report { failed: true, ..empty(&job, 1) }));
    assert_eq!(script.at(49, Event::Tick), []);
    let commands = script.report(49, 1, truth(&job));
    let jobs = commands.iter().find_map(|command| match command {
        Command::Solved { solution, .. } => Some(solution.jobs),
        _ => None,
    });
    assert_eq!(jobs, Some(1));
}

#[test]
fn a_worker_that_drains_shows_that_it_is_alive() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    script.at(20, Event::Draining { worker: WorkerId(1) });
    assert_eq!(script.at(49, Event::Tick), []);
    assert_eq!(script.at(50, Event::Tick).len(), 1, "it is disconnected");
}

/// Its request is gone and asked again before the worker has stopped.
#[test]
fn no_worker_has_the_same_job_twice() {
    let mut random = Random(5);
    let roots = [(); 4].map(|()| position(&mut random, 9));
    let mut script = Script::new(Config { lines: false, ..whole() });
    for (solve, &root) in (1..).zip(&roots) {
        script.submit(0, solve, root);
    }
    let jobs = assigned(&script.join(0, 1, 4));
    assert_eq!(jobs.len(), 4);
    let (same, other) = (&jobs[0].1, &jobs[1].1);
    let solve = (1..).zip(&roots).find(|(_, root)| root.canonical() == same.position).unwrap().0;
    script.at(1, Event::Abandoned { solve: SolveId(solve) });
    script.report(1, 1, truth(other));
    assert_eq!(assigned(&script.submit(2, 9, same.position)), [], "it has it still");
    let (_, again) = only_job(&script.report(3, 1, empty(same, 5)));
    assert_eq!(again.id, same.id);
}

/// Returns a core whose worker 1 is slow with the line of an answer, while two others are idle; and its job.
fn slow_with_a_line() -> (Script, Job) {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (_, line) = only_job(&script.report(1, 1, Report { line: Vec::new(), ..truth(&job) }));
    script.join(1, 2, 1);
    script.join(1, 3, 1);
    for second in [20, 40, 60] {
        assert_eq!(script.heartbeat(second, 1, &[&line]), []);
        assert_eq!(script.heartbeat(second, 2, &[]), []);
        assert_eq!(script.heartbeat(second, 3, &[]), []);
    }
    (script, line)
}

#[test]
fn a_line_that_takes_long_is_asked_of_a_second_worker_when_nothing_else_is_to_do() {
    let (mut script, line) = slow_with_a_line();
    let (worker, copy) = only_job(&script.heartbeat(61, 1, &[&line]));
    assert_eq!((worker, &copy), (3, &line));
    assert_eq!(script.heartbeat(62, 2, &[]), [], "two copies are enough");
    let commands = script.report(63, 3, truth(&copy));
    assert!(commands.contains(&Command::Cancel { worker: WorkerId(1), job: line.id }));
    assert!(is_solved(&commands), "{commands:?}");
    assert_eq!(assigned(&script.report(64, 1, empty(&line, 2_000))), []);
}

#[test]
fn of_two_who_search_the_same_line_one_may_be_lost() {
    let (mut script, line) = slow_with_a_line();
    let (_, copy) = only_job(&script.heartbeat(61, 1, &[&line]));
    let commands = script.at(62, Event::Left { worker: WorkerId(1) });
    assert_eq!(commands, [], "the other goes on");
    assert!(is_solved(&script.report(63, 3, truth(&copy))));
}

#[test]
fn a_judge_who_takes_long_is_not_waited_for() {
    let mut script =
        Script::new(Config { audit_share: 1.0, lines: false, leaf_empties: 3, ..whole() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let claim = |job: &Job| Report { line: Vec::new(), ..truth(job) };
    script.join(0, 2, 1);
    let (slow, judged) = only_job(&script.report(0, 1, claim(&job)));
    assert_eq!(slow, 2, "nobody audits itself");
    for second in [20, 40, 60] {
        assert_eq!(script.heartbeat(second, 1, &[]), [], "nobody audits itself");
        assert_eq!(script.heartbeat(second, 2, &[&judged]), []);
    }
    assert_eq!(assigned(&script.at(60, joined(3, 2, 1))), [], "it is the same process");
    let (worker, copy) = only_job(&script.join(61, 4, 1));
    assert_eq!((worker, &copy), (4, &judged));
    assert_eq!(assigned(&script.join(62, 5, 1)), [], "two are enough");
    let commands = script.report(63, 4, claim(&copy));
    assert!(commands.contains(&Command::Cancel { worker: WorkerId(2), job: judged.id }));
    assert!(is_solved(&commands), "{commands:?}");
}

/// Who is slow may be right.
#[test]
fn of_two_judges_of_a_claim_that_one_denies_the_other_goes_on() {
    let mut script =
        Script::new(Config { audit_share: 1.0, lines: false, leaf_empties: 3, ..whole() });
    let value = Oracle::default().value(nine_empties());
    let wrong = Bound::exact(if value == Score::MAX { value.down() } else { value.up() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.join(0, 2, 1);
    let lie = Report { bound: wrong, line: Vec::new(), ..truth(&job) };
    let (slow, judged) = only_job(&script.report(0, 1, lie));
    script.heartbeat(30, slow, &[&judged]);
    script.heartbeat(59, slow, &[&judged]);
    script.heartbeat(59, 1, &[]);
    script.join(59, 3, 1);
    let (other, copy) = only_job(&script.at(60, Event::Tick));
    assert_eq!((slow, other), (2, 3));
    let commands = script.report(61, other, truth(&copy));
    assert!(!commands.contains(&Command::Cancel { worker: WorkerId(2), job: judged.id }));
    let commands = script.report(62, slow, truth(&judged));
    let is_verdict =
        |command: &Command| matches!(command, Command::Judge(Judgement::Convict { .. }));
    assert!(commands.iter().any(is_verdict), "{commands:?}");
}

/// Returns a core that has given a job to a worker, has lost the connection, and has given it the same job again over
/// connection 2; and the job.
fn reconnected() -> (Script, Job) {
    let mut script = Script::new(Config { leaf_empties: 3, lines: false, ..whole() });
    script.at(0, joined(1, 7, 1));
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.at(1, Event::Left { worker: WorkerId(1) });
    let (_, again) = only_job(&script.at(2, joined(2, 7, 1)));
    assert_eq!(again, job);
    (script, job)
}

/// The worker was told to stop by the connection that is gone, and sends what it has kept before it has seen the job.
#[test]
fn what_a_worker_has_kept_over_a_reconnection_does_not_end_the_job_that_it_gets_again() {
    let (mut script, job) = reconnected();
    let acknowledged = [Command::Acknowledge { worker: WorkerId(2), job: job.id }];
    assert_eq!(script.report(2, 2, empty(&job, 5)), acknowledged, "it has the job");
    assert_eq!(script.heartbeat(20, 2, &[&job]), [], "and goes on");
    assert_eq!(script.at(49, Event::Tick), []);
    let commands = script.report(49, 2, truth(&job));
    assert!(commands.iter().any(|command| matches!(command, Command::Solved { .. })));
}

#[test]
fn what_a_worker_has_kept_counts_although_its_job_goes_on() {
    let (mut script, job) = reconnected();
    let bound = Bound::exact(Oracle::default().value(job.position));
    let commands = script.report(2, 2, Report { bound, ..empty(&job, 5) });
    assert!(commands.contains(&Command::Cancel { worker: WorkerId(2), job: job.id }));
    assert!(commands.iter().any(|command| matches!(command, Command::Solved { .. })));
}

#[test]
fn a_worker_that_has_stopped_early_and_does_not_go_on_loses_the_job() {
    let (mut script, job) = reconnected();
    script.report(2, 2, empty(&job, 5));
    script.heartbeat(20, 2, &[]);
    let (_, again) = only_job(&script.at(32, Event::Tick));
    assert_eq!(again, job);
}

/// What it has kept was searched before proofs were taken back.
#[test]
fn a_report_of_an_earlier_era_does_not_end_a_job_of_this_one() {
    let mut script = Script::new(Config { lines: false, ..whole() });
    script.at(0, joined(1, 7, 1));
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.at(1, Event::Left { worker: WorkerId(1) });
    script.at(1, Event::TakenBack { era: 1 });
    let (_, again) = only_job(&script.at(2, joined(2, 7, 1)));
    let commands = script.report(2, 2, truth(&job));
    assert_eq!(commands, [Command::Acknowledge { worker: WorkerId(2), job: job.id }]);
    let commands = script.report(3, 2, truth(&again));
    assert!(commands.iter().any(|command| matches!(command, Command::Solved { .. })));
}

/// The job that has run longest is on the only worker with a free thread, which cannot have it twice.
#[test]
fn an_idle_thread_copies_what_another_worker_has_if_its_own_has_run_longest() {
    let mut random = Random(5);
    let [own, short, long] = [(); 3].map(|()| position(&mut random, 9));
    let mut script = Script::new(Config { lines: false, ..whole() });
    script.submit(0, 1, own);
    script.submit(0, 2, short);
    let jobs = assigned(&script.join(0, 1, 2));
    assert_eq!(jobs.len(), 2);
    script.submit(1, 3, long);
    let (other, hung) = only_job(&script.join(1, 2, 1));
    assert_eq!((other, hung.position), (2, long.canonical()));
    script.report(2, 1, truth(&jobs[1].1));
    for second in [20, 40, 60] {
        script.heartbeat(second, 1, &[&jobs[0].1]);
        script.heartbeat(second, 2, &[&hung]);
    }
    assert_eq!(only_job(&script.at(61, Event::Tick)), (1, hung));
}

#[test]
fn a_worker_that_joins_under_a_name_that_is_there_takes_its_place() {
    let mut script = Script::new(whole());
    script.join(0, 1, 3);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (worker, again) = only_job(&script.join(1, 1, 2));
    assert_eq!((worker, again.id, again.threads), (1, job.id, 2));
    let status = script.core.status();
    assert_eq!((status.workers, status.threads, status.jobs_running), (1, 2, 1));
}
