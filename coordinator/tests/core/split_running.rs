//! Requests that go out whole while there are enough of them, and jobs that are split when workers are
//! idle.

use std::rc::Rc;
use std::time::Duration;

use outflank_coordinator::core::{Command, Config, Event, Job, JobId, Millis, SolveId, WorkerId};
use outflank_engine::{Position, Score, Square, Window};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{Script, assigned, joined, only_job, split, truth, whole};
use crate::worker::{empty, finished, inside, stopped};
use crate::world::{Faults, World, tiny};

const LONG: Duration = Duration::from_secs(3);

fn goal() -> Window {
    Window::at_least(Score::DRAW).expect("a draw is not the least score")
}

fn cancelled(commands: &[Command]) -> Vec<(WorkerId, JobId)> {
    let cancels = commands.iter().filter_map(|command| match *command {
        Command::Cancel { worker, job } => Some((worker, job)),
        _ => None,
    });
    cancels.collect()
}

/// Returns a core whose first worker searches a goal, while a second one is idle.
fn one_at_work() -> (Script, Job) {
    let mut script =
        Script::new(Config { leaf_empties: 3, split_after: LONG, split_soon: LONG, ..whole() });
    script.join(0, 1, 1);
    let root = position(&mut Random(11), 9);
    let (_, job) = only_job(&script.submit_window(0, 1, root, goal()));
    script.join(0, 2, 1);
    (script, job)
}

/// What is asked of a large fleet is sought by goals on the same position, which would wait for the job that searches it.
#[test]
fn others_get_brothers_of_a_large_fleets_value_that_runs_long() {
    let mut script = Script::new(Config { shortest_job: 1e4, leaf_empties: 3, ..whole() });
    (1..=16).for_each(|worker| drop(script.join(0, worker, 1)));
    let (worker, job) = only_job(&script.submit(0, 1, position(&mut Random(11), 10)));
    let given: usize = (1..20)
        .map(|second| {
            let jobs = assigned(&script.heartbeat(second, worker, &[&job])).into_iter();
            let more = assigned(&script.at(second, Event::Tick));
            jobs.chain(more).filter(|(other, _)| *other != worker).count()
        })
        .sum();
    assert!(given > 0, "all others have nothing to do");
}

#[test]
fn the_only_worker_gets_requests_whole_also_as_one_of_many_threads() {
    for (requests, threads) in [(2, 16), (3, 16), (15, 16), (3, 2)] {
        let config =
            Config { shortest_job: 16.0, longest_job: 3000.0, trial_job: 300.0, ..split() };
        let mut script = Script::new(config);
        let mut random = Random(31);
        for solve in 0..requests {
            let window = if solve % 2 == 0 { goal() } else { Window::FULL };
            script.submit_window(0, solve, position(&mut random, 10), window);
        }
        let jobs = assigned(&script.join(0, 1, threads));
        assert_eq!(jobs.len(), requests.min(threads.into()) as usize, "{requests}, {threads}");
        for (_, job) in jobs {
            assert_eq!(job.position.empties(), 10, "{requests} requests, {threads} threads");
            assert!(job.node_limit > 2_000, "it is no trial: {}", job.node_limit);
        }
    }
}

#[test]
fn requests_go_out_whole_while_there_is_one_for_each_thread() {
    let config = Config { longest_job: 1e9, jobs_per_thread: 16.0, ..split() };
    for (requests, is_whole) in [(1, false), (2, true), (5, true)] {
        let mut script = Script::new(config.clone());
        let mut random = Random(31);
        for solve in 0..requests {
            script.submit(0, solve, position(&mut random, 12));
        }
        for worker in [1, 2] {
            script.core.hear(Millis(0), joined(worker, worker, 1), &script.store);
        }
        let (commands, _) = script.core.assign(Millis(0), usize::MAX, &script.store);
        let jobs = assigned(&commands);
        assert_eq!(jobs.len(), 2);
        let all = jobs.iter().all(|(_, job)| job.position.empties() == 12);
        assert_eq!(all, is_whole, "{requests} requests: {jobs:?}");
    }
}

#[test]
fn the_job_of_a_goal_that_runs_long_is_stopped_and_its_worker_goes_on_where_it_was() {
    let (mut script, job) = one_at_work();
    assert_eq!(cancelled(&script.at(2, Event::Tick)), [], "it is not long yet");
    let commands = script.at(3, Event::Tick);
    assert_eq!(cancelled(&commands), [(WorkerId(1), job.id)]);
    assert_eq!(assigned(&commands), [], "what is left is not known yet");
    assert_eq!(script.at(4, Event::Tick), [], "it is stopped once");

    let report = stopped(&Oracle::default(), &mut Random(3), &job, 100);
    let order = report.order.clone();
    let parts = assigned(&script.report(4, 1, report));
    assert_eq!(parts.len(), 2, "{parts:?}");
    let place = |worker: u64| {
        let part = parts.iter().find(|(other, _)| *other == worker);
        let reached = part.expect("both have a part").1.position;
        let leads = |&square: &Square| {
            job.position.play(square).is_some_and(|child| child.canonical() == reached)
        };
        order.iter().position(leads).expect("a part is a child")
    };
    assert!(place(1) < place(2), "the first that is open is its own: {parts:?}");
}

#[test]
fn a_judge_who_is_done_is_no_worker_less_for_the_request_it_judged_for() {
    let mut script = Script::new(Config {
        goals_from_slots: 2,
        leaf_empties: 3,
        split_soon: LONG,
        audit_share: 1.0,
        inside_nodes: 1.0,
        inside_nodes_per_thread: 0.0,
        ..whole()
    });
    let mut random = Random(31);
    let [small, large] = [9, 10].map(|empties| position(&mut random, empties));
    script.join(0, 1, 1);
    let (_, first) = only_job(&script.submit_window(0, 1, small, goal()));
    script.join(0, 2, 1);
    let (_, second) = only_job(&script.submit_window(0, 2, large, goal()));
    script.join(0, 3, 1);
    let inside = (0..100).find_map(|_| {
        let found = inside(&Oracle::default(), &mut random, &first);
        found.into_iter().find(|found| !found.position.must_pass())
    });
    let (bounds, worker) = (vec![inside.expect("most have no forced pass")], WorkerId(1));
    let (job, era) = (first.id, first.era);
    let (judge, claim) = only_job(&script.at(0, Event::Found { worker, job, era, bounds }));
    assert!(judge == 3 && claim.is_apart);
    script.report(0, 3, finished(&Oracle::default(), &mut Random(1), &claim, 1));
    // Of the smaller request more is searched than it was to take, but less than is left of the larger one.
    script.at(1, Event::Heartbeat { worker, jobs: vec![(first.id, 600)] });
    let commands = script.at(3, Event::Tick);
    assert_eq!(cancelled(&commands), [(WorkerId(2), second.id)], "both have one worker");
}

#[test]
fn a_job_that_ends_before_it_can_be_stopped_is_not_split() {
    let (mut script, job) = one_at_work();
    script.at(3, Event::Tick);
    let report = finished(&Oracle::default(), &mut Random(1), &job, 100);
    let commands = script.report(4, 1, report);
    assert!(commands.iter().any(|command| matches!(command, Command::Solved { .. })));
    assert_eq!(script.core.status().questions, 0);
    // Nor does it keep others from being split.
    let (worker, next) =
        only_job(&script.submit_window(5, 2, position(&mut Random(12), 9), goal()));
    assert_eq!(cancelled(&script.at(8, Event::Tick)), [(WorkerId(worker), next.id)]);
}

#[test]
fn a_worker_that_is_lost_while_it_is_stopped_leaves_its_question_whole() {
    let (mut script, job) = one_at_work();
    script.at(3, Event::Tick);
    let (worker, again) = only_job(&script.at(4, Event::Left { worker: WorkerId(1) }));
    assert_eq!((worker, again.id), (2, job.id));
    let late = empty(&job, 100);
    assert_eq!(assigned(&script.report(5, 1, late)), [], "a late report changes nothing");
    script.join(5, 3, 1);
    let commands = script.at(7, Event::Tick);
    assert_eq!(cancelled(&commands), [(WorkerId(2), job.id)], "it may be split as before");
}

#[test]
fn a_job_that_was_stopped_when_proofs_were_taken_back_is_split_again_after_the_same_time() {
    let (mut script, job) = one_at_work();
    script.at(3, Event::Tick);
    let (worker, again) = only_job(&script.at(10, Event::TakenBack { era: 1 }));
    assert_eq!((worker, again.id), (2, job.id));
    script.report(10, 1, empty(&job, 1));
    assert_eq!(cancelled(&script.at(12, Event::Tick)), [], "it is not long yet");
    assert_eq!(cancelled(&script.at(13, Event::Tick)), [(WorkerId(2), job.id)]);
}

#[test]
fn a_worker_that_does_not_stop_is_not_waited_for() {
    let config = Config {
        leaf_empties: 3,
        split_after: LONG,
        split_soon: LONG,
        backup_after: 2 * LONG,
        ..whole()
    };
    let mut script = Script::new(config);
    script.join(0, 1, 1);
    let root = position(&mut Random(11), 9);
    let (_, job) = only_job(&script.submit_window(0, 1, root, goal()));
    script.join(0, 2, 1);
    assert_eq!(cancelled(&script.at(3, Event::Tick)).len(), 1);
    assert_eq!(assigned(&script.at(8, Event::Tick)), []);
    let (worker, copy) = only_job(&script.at(9, Event::Tick));
    assert_eq!((worker, copy.id), (2, job.id));
}

#[test]
fn more_requests_than_workers_are_all_answered_whatever_gets_lost() {
    let oracle = Rc::new(Oracle::default());
    let mut random = Random(77);
    let roots: Vec<Position> = (0..8).map(|place| position(&mut random, 8 + place % 3)).collect();
    let (mut jobs, mut stopped, mut restarts, mut answered) = (0, 0, 0, 0);
    for seed in 5_000..5_080 {
        let mut random = Random(seed);
        let faults = Faults {
            lost: random.below(10),
            repeated: random.below(15),
            late: random.below(10),
            failed: random.below(10),
            churn: random.below(15),
            ..Faults::default()
        };
        let config = Config { longest_job: 1e9, ..tiny() };
        let mut world = World::new(seed, &oracle, config, faults);
        if seed % 4 > 1 {
            world = world.with_sharing();
        }
        world.join(1);
        world.join(1 + random.below(2) as u32);
        world.join(1);
        let requests: Vec<_> = roots
            .iter()
            .map(|&root| {
                let window = if random.chance(60) { goal() } else { Window::FULL };
                (world.submit(root, window), root, window)
            })
            .collect();
        world.run();
        for (solve, root, window) in requests {
            let (bound, value) = (world.outcome.solved[&solve].bound, oracle.value(root));
            assert!(bound.answers(window), "seed {seed}: {bound}");
            assert!(bound.lower() <= value && value <= bound.upper(), "seed {seed}: {bound}");
        }
        assert_eq!((world.core.status().solves, world.core.status().questions), (0, 0));
        jobs += world.outcome.jobs;
        stopped += world.outcome.cancelled;
        restarts += world.outcome.happened.restarts;
        answered += world.outcome.happened.answered;
    }
    assert!(answered > 80, "{answered} answers for others: hardly anything is shared");
    assert!(jobs > 80 * 12 && stopped > 80, "{jobs} jobs, {stopped} stopped: nothing is split");
    assert!(restarts > 5, "{restarts} restarts");
}

/// Returns the requests that are answered.
fn solved(commands: &[Command]) -> impl Iterator<Item = u64> {
    commands.iter().filter_map(|command| match command {
        Command::Solved { solve, .. } => Some(solve.0),
        _ => None,
    })
}

/// Reports all of the jobs truly, and those that are given for that, but for those of the worker `busy`, which goes on
/// with whatever it has. Returns the requests that are answered.
fn work_off(script: &mut Script, second: u64, mut open: Vec<(u64, Job)>, busy: u64) -> Vec<u64> {
    let mut answered = Vec::new();
    while let Some(place) = open.iter().position(|&(worker, _)| worker != busy) {
        let (worker, job) = open.remove(place);
        let mut all = script.report(second, worker, truth(&job));
        for command in all.clone() {
            let Command::Cancel { worker, job } = command else { continue };
            let is_it = |(open, given): &(u64, Job)| *open == worker.0 && given.id == job;
            let Some(place) = open.iter().position(is_it).filter(|_| worker.0 != busy) else {
                continue;
            };
            let (worker, job) = open.remove(place);
            all.extend(script.report(second, worker, empty(&job, 1)));
        }
        answered.extend(solved(&all));
        open.extend(assigned(&all));
    }
    answered
}

#[test]
fn the_last_value_of_a_crowd_is_split() {
    let mut script = Script::new(Config { lines: false, leaf_empties: 3, ..crowded() });
    for worker in 1..=20 {
        script.core.hear(Millis(0), joined(worker, worker, 1), &script.store);
    }
    let mut random = Random(11);
    for solve in 1..=3 {
        let (solve, position) = (SolveId(solve), position(&mut random, 9));
        let event = Event::Submitted { solve, position, window: Window::FULL, budget: None };
        script.core.hear(Millis(0), event, &script.store);
    }
    let jobs = assigned(&script.at(0, Event::Tick));
    let is_whole = |(_, job): &&(u64, Job)| job.position.empties() == 9;
    assert_eq!(jobs.iter().filter(is_whole).count(), 3);
    // Two are answered, and the third takes long.
    let (slow, root) = jobs.iter().find(is_whole).cloned().unwrap();
    let mut open: Vec<_> = jobs.into_iter().filter(|&(worker, _)| worker != slow).collect();
    let mut answered = Vec::new();
    for second in 1..100 {
        for worker in 1..=20 {
            let beat: &[&Job] = if worker == slow { &[&root] } else { &[] };
            open.extend(assigned(&script.heartbeat(second, worker, beat)));
        }
        open.extend(assigned(&script.at(second, Event::Tick)));
        answered.extend(work_off(&mut script, second, std::mem::take(&mut open), slow));
    }
    answered.sort_unstable();
    assert_eq!(answered, [1, 2, 3], "19 workers are idle: {:?}", script.core.status());
}

/// Sizes at which values of nine empty squares go out whole, and are split soon.
fn crowded() -> Config {
    let (split_soon, progress_interval) = (Duration::from_secs(1), Duration::from_secs(10_000));
    Config {
        shortest_job: 16.0,
        longest_job: 1e9,
        split_soon,
        progress_interval,
        ..Config::default()
    }
}
