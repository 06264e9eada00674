//! The core's rules, one list of events each.

use std::time::Duration;

use outflank_coordinator::core::{
    Command, Config, Event, Interim, Job, JobId, Method, Millis, Report, SolveId, Source, WorkerId,
};
use outflank_engine::{Belief, Bound, Position, Score, SharedHint, Square, Window};

use crate::oracle::{Oracle, replay};
use crate::random::{Random, position};
use crate::script::{Script, assigned, only_job, split, whole};
use crate::worker::{empty, finished};

fn nine_empties() -> Position {
    position(&mut Random(11), 9)
}

fn truth(job: &Job) -> Report {
    finished(&Oracle::default(), &mut Random(1), job, 100)
}

#[test]
fn a_small_root_is_one_job_in_the_asked_window_on_all_threads() {
    let mut script = Script::new(whole());
    assert_eq!(assigned(&script.submit(0, 1, nine_empties())), []);
    let (worker, job) = only_job(&script.join(1, 7, 4));
    assert_eq!((worker, job.threads, job.window), (7, 4, Window::FULL));
    assert_eq!(job.position, nine_empties().canonical());
}

#[test]
fn the_answer_follows_its_proof_and_fits_the_orientation_of_the_client() {
    let mut script = Script::new(whole());
    script.join(0, 7, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let commands = script.report(1, 7, truth(&job));
    let [Command::Persist { proofs }, Command::Solved { solution, .. }, last] = &commands[..]
    else {
        panic!("{commands:?}");
    };
    assert_eq!(proofs[0].method, Method::Search);
    assert_eq!(last, &Command::Acknowledge { worker: WorkerId(7), job: job.id });
    assert_eq!(replay(nine_empties(), &solution.line), solution.bound.value());
    assert_eq!((solution.source, solution.jobs, solution.nodes), (Source::Search, 1, 100));
}

#[test]
fn the_store_answers_at_once_even_without_a_worker() {
    let mut script = Script::new(whole());
    let value = Oracle::default().value(nine_empties());
    script.store.0.insert(nine_empties().canonical(), (Bound::exact(value), None));
    let commands = script.submit(0, 1, nine_empties());
    let [Command::Solved { solve: SolveId(1), solution }] = &commands[..] else {
        panic!("{commands:?}");
    };
    assert_eq!((solution.source, solution.bound), (Source::Store, Bound::exact(value)));
}

#[test]
fn a_worker_completes_the_line_of_a_stored_answer() {
    let mut script = Script::new(whole());
    let value = Oracle::default().value(nine_empties());
    script.store.0.insert(nine_empties().canonical(), (Bound::exact(value), None));
    script.join(0, 7, 2);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    assert_eq!((job.window.lower(), job.window.upper()), (value.down(), value.up()));
    let commands = script.report(1, 7, truth(&job));
    let [Command::Persist { .. }, Command::Solved { solution, .. }, _] = &commands[..] else {
        panic!("{commands:?}");
    };
    assert_eq!(replay(nine_empties(), &solution.line), Some(value));
    assert_eq!(solution.source, Source::Store);
}

#[test]
fn the_line_of_an_exact_answer_is_kept_so_that_the_store_has_it_without_a_worker() {
    let mut script = Script::new(whole());
    script.join(0, 7, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let commands = script.report(1, 7, truth(&job));
    let Command::Persist { proofs } = &commands[0] else { panic!("{commands:?}") };
    for proof in proofs {
        script.store.0.insert(proof.position, (proof.bound, None));
    }
    let mut later = Script { store: script.store, ..Script::new(whole()) };
    let commands = later.submit(0, 2, nine_empties());
    let [Command::Solved { solution, .. }] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!(replay(nine_empties(), &solution.line), solution.bound.value());
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
fn a_job_that_ran_into_its_limit_is_expanded_and_not_asked_again() {
    let mut script = Script::new(Config { leaf_empties: 3, ..whole() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (_, next) = only_job(&script.report(1, 1, empty(&job, job.node_limit)));
    assert_ne!(next.position, job.position, "now by its children: {next:?}");
    let (_, below) = only_job(&script.report(2, 1, empty(&next, next.node_limit)));
    assert_ne!((below.position, below.window), (next.position, next.window));
}

#[test]
fn a_leaf_that_ran_into_its_limit_gets_a_larger_one() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (_, next) = only_job(&script.report(1, 1, empty(&job, job.node_limit)));
    assert_eq!((next.id, next.window), (job.id, job.window));
    assert!(next.node_limit >= job.node_limit);
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

#[test]
fn equal_requests_share_their_work() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    let (worker, job) = only_job(&script.submit(0, 1, nine_empties()));
    assert_eq!(script.submit(0, 2, nine_empties()), []);
    let narrow = Window::at_least(Score::DRAW).unwrap();
    assert_eq!(script.submit_window(0, 3, nine_empties(), narrow), [], "the wide one answers it");
    let commands = script.report(1, worker, truth(&job));
    let solved = commands.iter().filter(|command| matches!(command, Command::Solved { .. }));
    assert_eq!(solved.count(), 3);
}

#[test]
fn an_abandoned_request_takes_its_work_along() {
    let mut script = Script::new(split());
    for worker in 1..5 {
        script.join(0, worker, 1);
    }
    let jobs = assigned(&script.submit(0, 1, nine_empties()));
    assert!(jobs.len() > 1);
    let commands = script.at(1, Event::Abandoned { solve: SolveId(1) });
    assert_eq!(commands.len(), jobs.len());
    assert!(commands.iter().all(|command| matches!(command, Command::Cancel { .. })));
    let status = script.core.status();
    assert_eq!((status.questions, status.positions, status.solves), (0, 0, 0));
    assert_eq!(status.jobs_running, 4, "the workers have not reported yet");
}

#[test]
fn a_contradiction_is_set_aside_and_stops_the_request() {
    let mut script = Script::new(whole());
    let held = Bound::at_least(Score::DRAW);
    script.store.0.insert(nine_empties().canonical(), (held, None));
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let bound = Bound::at_most(Score::DRAW.down());
    let commands = script.report(1, 1, Report { bound, ..truth(&job) });
    let [contradicted, Command::Quarantine { claim, .. }, Command::Acknowledge { .. }] =
        &commands[..]
    else {
        panic!("{commands:?}");
    };
    let (solve, position) = (SolveId(1), job.position);
    assert_eq!(contradicted, &Command::Contradicted { solve, position, held, claimed: bound });
    assert_eq!((claim.position, claim.bound), (job.position, bound));
    assert_eq!(script.store.0[&job.position].0, held, "nothing was merged");
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
fn many_jobs_take_one_thread_each_and_pointless_ones_are_cancelled() {
    let mut script = Script::new(split());
    script.join(0, 1, 2);
    let jobs = assigned(&script.submit(0, 1, nine_empties()));
    assert_eq!(jobs.len(), 2);
    let root = nine_empties().canonical();
    assert!(jobs.iter().all(|(_, job)| job.threads == 1 && job.position != root));
    let value = Oracle::default().value(nine_empties());
    let root = Report {
        position: nine_empties().canonical(),
        bound: Bound::exact(value),
        ..empty(&jobs[0].1, 1)
    };
    let late = Report { job: JobId(5), ..root };
    let commands = script.report(1, 99, late);
    for (worker, job) in jobs {
        assert!(commands.contains(&Command::Cancel { worker: WorkerId(worker), job: job.id }));
    }
}

#[test]
fn brothers_are_only_tried_early_when_threads_would_idle() {
    let count = |speculation| {
        let mut script = Script::new(Config { speculation, longest_job: 100.0, ..split() });
        for worker in 1..400 {
            script.join(0, worker, 1);
        }
        assigned(&script.submit(0, 1, nine_empties())).len()
    };
    assert!(count(true) > count(false), "{} and {}", count(true), count(false));
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
fn progress_comes_once_an_interval_and_counts_running_jobs() {
    let mut script = Script::new(Config::default());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.heartbeat(1, 1, &[&job]);
    let commands = script.at(1, Event::Tick);
    let [Command::Progressed { progress, .. }] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!((progress.nodes, progress.jobs_open, progress.workers), (1_000, 1, 1));
    assert_eq!(script.core.on(Millis(1_499), Event::Tick, &script.store), []);
    assert_eq!(script.core.on(Millis(1_500), Event::Tick, &script.store).len(), 1);
}

#[test]
fn progress_names_the_thresholds_that_are_asked_about() {
    let interval = Config::default().progress_interval;
    let mut script = Script::new(Config { progress_interval: interval, ..split() });
    script.join(0, 1, 1);
    script.submit(0, 1, nine_empties());
    let commands = script.at(1, Event::Tick);
    let [Command::Progressed { progress, .. }] = &commands[..] else { panic!("{commands:?}") };
    let (lower, upper) = (progress.window.lower(), progress.window.upper());
    assert_eq!(upper, lower.up().up(), "two goals, one score apart");
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

#[test]
fn the_eldest_is_asked_for_its_value_and_its_brothers_whether_they_are_better() {
    let mut script = Script::new(Config { longest_job: 700.0, goals_from: usize::MAX, ..split() });
    for worker in 1..40 {
        script.join(0, worker, 1);
    }
    let jobs = assigned(&script.submit(0, 1, nine_empties()));
    let (wide, null): (Vec<_>, Vec<_>) =
        jobs.iter().map(|(_, job)| job).partition(|job| !job.window.is_null());
    let [eldest] = wide[..] else { panic!("{jobs:?}") };
    assert_eq!(eldest.window.lower().up().up(), eldest.window.upper(), "one score is inside");
    assert!(!null.is_empty());
    for brother in null {
        assert_ne!(brother.position, eldest.position);
        assert_eq!(brother.window.upper(), eldest.window.lower().up());
    }
}

#[test]
fn a_long_job_is_split_while_it_goes_on_when_a_worker_is_idle_and_whoever_is_first_ends_it() {
    let config = Config { leaf_empties: 3, split_after: Duration::from_secs(3), ..whole() };
    let mut script = Script::new(config);
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.join(0, 2, 1);
    assert_eq!(assigned(&script.at(2, Event::Tick)), [], "it is not long yet");
    let (worker, part) = only_job(&script.at(3, Event::Tick));
    assert_eq!(worker, 2);
    assert_ne!(part.position, job.position);
    let commands = script.report(4, 1, truth(&job));
    assert!(commands.contains(&Command::Cancel { worker: WorkerId(2), job: part.id }));
    assert!(commands.iter().any(|command| matches!(command, Command::Solved { .. })));
    assert_eq!(script.core.status().questions, 0);
}

#[test]
fn a_job_goes_to_the_worker_that_knows_its_position() {
    let mut script = Script::new(Config { leaf_empties: 3, ..whole() });
    for worker in [1, 2, 3] {
        script.join(0, worker, 1);
    }
    let (first, job) = only_job(&script.submit(0, 1, nine_empties()));
    let commands = script.report(1, first, empty(&job, job.node_limit));
    let jobs = assigned(&commands);
    assert_eq!(jobs[0].0, first, "the first part goes to who searched the whole: {jobs:?}");
}

#[test]
fn a_request_is_split_around_what_its_lead_believes_and_the_lead_gets_the_eldest() {
    let mut script = Script::new(Config { most_led: 8, ..split() });
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    let (lead, whole) = led(&script.submit(0, 1, nine_empties())).0;
    assert_eq!(whole.window, Window::FULL);
    let value = Oracle::default().value(nine_empties());
    let belief = |searches, is_last| Interim {
        job: whole.id,
        belief: Belief { value: value.discs(), best_move: None, searches, is_last },
    };
    assert_eq!(script.interim(1, lead, belief(1, false)), [], "that is no opinion yet");
    let commands = script.interim(2, lead, belief(2, false));
    assert_eq!(assigned(&commands), [], "the other one assists");
    let others = script.report(2, 3 - lead, empty(&whole, 10));
    let (other, goal) = only_job(&others);
    assert_ne!(other, lead);
    assert!(goal.window.is_null(), "the lead is at the eldest itself");
    let commands = script.interim(3, lead, belief(3, true));
    assert_eq!(commands, [Command::Cancel { worker: WorkerId(lead), job: whole.id }]);
    let commands = script.report(4, lead, empty(&whole, 10));
    let (worker, eldest) = assigned(&commands)[0].clone();
    assert_eq!((worker, eldest.position.empties()), (lead, 8));
    let around = Window::new(-value.up(), -value.down()).expect("it is not at the limit");
    assert_eq!(eldest.window, around);
}

/// Returns the lead and its job, and the assistant and its job, of a request in a fleet of two.
fn led(commands: &[Command]) -> ((u64, Job), (u64, Job)) {
    let jobs = assigned(commands);
    assert_eq!(jobs.len(), 2, "{commands:?}");
    let (lead, assistant) = (jobs[0].clone(), jobs[1].clone());
    assert_ne!(lead.0, assistant.0);
    assert_eq!((lead.1.assistant, assistant.1.assistant), (None, Some(0)));
    assert_eq!(Job { assistant: None, ..assistant.1.clone() }, lead.1);
    (lead, assistant)
}

#[test]
fn an_idle_worker_assists_the_lead_each_hears_the_other_and_it_stops_with_the_lead() {
    let mut script = Script::new(Config { most_led: 8, ..split() });
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    let ((lead, whole), (other, same)) = led(&script.submit(0, 1, nine_empties()));
    assert!(whole.hints && same.hints);
    let word = 2048 | 3 << 13 | 27 << 24 | 27 << 30;
    let hints = vec![SharedHint::new(nine_empties(), word).expect("it makes sense")];
    for (from, to) in [(lead, other), (other, lead)] {
        let said = Event::Hinted { worker: WorkerId(from), job: whole.id, hints: hints.clone() };
        let passed_on = Command::Hint { workers: vec![WorkerId(to)], hints: hints.clone() };
        assert_eq!(script.at(1, said), [passed_on]);
    }
    let stranger = Event::Hinted { worker: WorkerId(9), job: whole.id, hints: hints.clone() };
    assert_eq!(script.at(1, stranger), [], "it has no such job");
    let believes = |searches, is_last| Interim {
        job: whole.id,
        belief: Belief { value: 0, best_move: None, searches, is_last },
    };
    assert_eq!(script.interim(2, other, believes(3, true)), [], "its lead is not so far");
    let commands = script.interim(3, lead, believes(3, true));
    for worker in [lead, other] {
        let worker = WorkerId(worker);
        assert!(commands.contains(&Command::Cancel { worker, job: whole.id }), "{commands:?}");
    }
}

#[test]
fn an_assistant_takes_over_from_a_lead_that_is_lost() {
    let mut script = Script::new(Config { most_led: 8, ..split() });
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    let ((lead, whole), (other, _)) = led(&script.submit(0, 1, nine_empties()));
    let commands = script.at(1, Event::Left { worker: WorkerId(lead) });
    assert_eq!(commands, [Command::Cancel { worker: WorkerId(other), job: whole.id }]);
    let commands = script.report(2, other, empty(&whole, 10));
    let (worker, job) = only_job(&commands);
    assert_eq!((worker, job.assistant), (other, None));
}

#[test]
fn a_job_that_is_split_while_it_runs_is_told_what_others_prove_below_it() {
    let config = Config { leaf_empties: 3, split_after: Duration::from_secs(3), ..whole() };
    let mut script = Script::new(config);
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.join(0, 2, 1);
    let (other, part) = only_job(&script.at(3, Event::Tick));
    let report = truth(&part);
    let bound = report.bound;
    let commands = script.report(4, other, report);
    let told = commands.iter().find_map(|command| match command {
        Command::Tell { worker: WorkerId(1), job, known } => Some((*job, known.clone())),
        _ => None,
    });
    let (named, known) = told.expect("the first worker is told");
    assert_eq!(named, job.id);
    let is_part = |(position, told): &(Position, Bound)| {
        position.canonical() == part.position && *told == bound
    };
    assert!(known.iter().any(is_part), "{known:?}");
    let below = job.symmetry.position(job.position);
    let after = |square| below.play(square).expect("the move is legal");
    let children: Vec<Position> = Square::all(below.moves()).map(after).collect();
    assert!(known.iter().all(|(position, _)| children.contains(position)), "{known:?}");
}

#[test]
fn a_fleet_that_comes_all_at_once_is_given_jobs_in_parts() {
    let config = Config { jobs_per_thread: 4.0, ..split() };
    let mut script = Script::new(config);
    script.submit(0, 1, position(&mut Random(11), 14));
    for worker in 1..=40 {
        let joined = Event::Joined { worker: WorkerId(worker), threads: 1 };
        assert_eq!(script.core.hear(Millis(0), joined, &script.store), [], "no work is done yet");
    }
    assert_eq!(script.core.status().workers, 40);
    let (mut rounds, mut jobs) = (0, 0);
    loop {
        let (commands, has_more) = script.core.assign(Millis(0), 1, &script.store);
        jobs += assigned(&commands).len();
        assert!(assigned(&commands).iter().all(|(_, job)| job.threads == 1));
        if !has_more {
            break;
        }
        rounds += 1;
    }
    assert_eq!(jobs, 40, "everybody has a job in the end");
    assert!(rounds > 2, "after {rounds} questions that were split");
}
