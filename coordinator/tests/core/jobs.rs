//! How a request becomes jobs, and who gets which.

use std::time::Duration;

use outflank_coordinator::core::{
    Advisor, Command, Config, Event, JobId, Millis, Report, WorkerId,
};
use outflank_engine::{Bound, Position, Score, Square, Window};

use crate::advisor::Heuristic;
use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{Script, assigned, joined, nine_empties, only_job, split, truth, whole};
use crate::worker::empty;

#[test]
fn a_small_root_is_one_job_in_the_asked_window_on_all_threads() {
    let mut script = Script::new(whole());
    assert_eq!(assigned(&script.submit(0, 1, nine_empties())), []);
    let (worker, job) = only_job(&script.join(1, 7, 4));
    assert_eq!((worker, job.threads, job.window), (7, 4, Window::FULL));
    assert_eq!(job.position, nine_empties().canonical());
}

#[test]
fn a_job_asks_for_what_is_still_open_of_its_window() {
    let value = Oracle::default().value(nine_empties());
    let mut script = Script::new(whole());
    let held = Bound::new(value.down().down(), Score::MAX).expect("ordered");
    script.store.0.insert(nine_empties().canonical(), (held, None));
    script.join(0, 1, 1);
    let window = Window::new(Score::MIN, value.up().up()).expect("ordered");
    let (_, job) = only_job(&script.submit_window(0, 1, nine_empties(), window));
    assert_eq!((job.window.lower(), job.window.upper()), (held.lower(), window.upper()));
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

/// Returns a core with so many workers that has a goal which is expected to hold, and whose moves are one job each, and the
/// positions that it has given them.
fn searched_of_a_goal(workers: u64, speculation: bool) -> (Script, Vec<Position>) {
    let mut script = Script::new(Config { speculation, ..split() });
    for worker in 1..=workers {
        script.join(0, worker, 1);
    }
    let likely = Score::floor(Heuristic.estimate(nine_empties()));
    let window = Window::at_least(likely).unwrap();
    let jobs = assigned(&script.submit_window(0, 1, nine_empties(), window));
    (script, jobs.into_iter().map(|(_, job)| job.position).collect())
}

#[test]
fn a_brother_is_tried_by_each_worker_that_would_idle_the_most_promising_first() {
    let root = nine_empties().canonical();
    let moves = Square::all(root.moves()).filter_map(|square| root.play(square));
    let mut children: Vec<Position> = moves.map(Position::canonical).collect();
    children.sort_by_key(|&child| (Heuristic.estimate(child), child));
    assert!((3..9).contains(&children.len()), "few enough that nothing is steered");
    for workers in 1..=children.len() {
        let (script, searched) = searched_of_a_goal(workers as u64, true);
        assert_eq!(searched, children[..workers], "{workers} workers");
        if workers <= 2 {
            // The third of several is needed as little as the fourth: then all are asked, and wait.
            assert_eq!(script.core.status().questions, 1 + workers as u64, "{workers} workers");
        }
        let (_, searched) = searched_of_a_goal(workers as u64, false);
        assert_eq!(searched, children[..1], "{workers} workers");
    }
}

#[test]
fn no_brother_is_tried_while_something_waits_that_is_needed_more() {
    let (mut script, searched) = searched_of_a_goal(1, true);
    let other = position(&mut Random(12), 7);
    assert_eq!(assigned(&script.submit(0, 2, other)), [], "nobody is idle");
    let (_, job) = only_job(&script.join(0, 2, 1));
    assert_eq!(
        job.position,
        other.canonical(),
        "another request comes before what may not be needed"
    );
    assert_eq!(
        script.core.status().questions,
        3,
        "the goal, its eldest child and the other request"
    );
    let (_, brother) = only_job(&script.join(0, 3, 1));
    assert_ne!(brother.position, searched[0]);
    assert_eq!(brother.position.empties(), 8);
}

#[test]
fn the_smallest_jobs_of_a_large_fleet_are_larger_so_that_the_core_keeps_up() {
    // The advisor predicts two to the power of the empty squares, here for 40 threads.
    let fewest_empties = |large_above| {
        let config = Config { large_above, jobs_per_thread: 64.0, ..split() };
        let mut script = Script::new(config);
        for worker in 1..=40 {
            script.join(0, worker, 1);
        }
        let jobs = assigned(&script.submit(0, 1, nine_empties()));
        assert_eq!(jobs.len(), 40);
        jobs.iter().map(|(_, job)| job.position.empties()).min()
    };
    assert_eq!(fewest_empties(40), Some(4), "16 nodes: the least that a worker gets");
    assert_eq!(fewest_empties(10), Some(6), "four times that");
}

#[test]
fn many_workers_on_one_request_try_first_a_move_that_leaves_few_replies() {
    let config = Config { goals_from_slots: 1, slots_per_deep: 1, ..split() };
    let likely = Window::at_least(Score::new(-60).unwrap()).unwrap();
    let first = |children: &[Position], discs: i32| {
        let replies = |child: Position| child.moves().count_ones() as i32;
        let rank = |&child: &Position| (Heuristic.estimate(child) + discs * replies(child), child);
        children.iter().copied().min_by_key(rank).unwrap()
    };
    let mut different = 0;
    for seed in 0..20 {
        let root = position(&mut Random(seed), 9).canonical();
        let moves = Square::all(root.moves()).filter_map(|square| root.play(square));
        let children: Vec<Position> = moves.map(Position::canonical).collect();
        if children.is_empty() || children.iter().any(|child| child.must_pass()) {
            continue;
        }
        let mut script = Script::new(config.clone());
        script.join(0, 1, 1);
        let (_, job) = only_job(&script.submit_window(0, 1, root, likely));
        assert_eq!(job.position, first(&children, 4), "{root:?}");
        different += u32::from(first(&children, 0) != first(&children, 4));
    }
    assert!(different > 0, "the replies never mattered");
}

#[test]
fn the_eldest_is_asked_for_its_value_and_its_brothers_whether_they_are_better() {
    let mut script =
        Script::new(Config { longest_job: 700.0, goals_from_slots: usize::MAX, ..split() });
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
fn a_long_job_is_split_while_it_goes_on_when_a_worker_is_idle_and_whoever_is_first_ends_it() {
    let config = Config {
        leaf_empties: 3,
        split_after: Duration::from_secs(3),
        split_soon: Duration::from_secs(3),
        ..whole()
    };
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
fn a_long_job_is_stopped_when_its_parts_have_answered_it() {
    let config = Config {
        leaf_empties: 3,
        split_after: Duration::from_secs(3),
        split_soon: Duration::from_secs(3),
        lines: false,
        ..whole()
    };
    let mut script = Script::new(config);
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.join(0, 2, 1);
    let mut commands = script.at(3, Event::Tick);
    while !commands.iter().any(|command| matches!(command, Command::Solved { .. })) {
        let (worker, part) = only_job(&commands);
        assert_eq!(worker, 2);
        commands = script.report(4, worker, truth(&part));
    }
    assert!(
        commands.contains(&Command::Cancel { worker: WorkerId(1), job: job.id }),
        "{commands:?}"
    );
}

#[test]
fn a_job_that_is_split_while_it_runs_is_told_what_others_prove_below_it() {
    let config = Config {
        leaf_empties: 3,
        split_after: Duration::from_secs(3),
        split_soon: Duration::from_secs(3),
        ..whole()
    };
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
    let is_noted = |command: &Command| matches!(command, Command::Told { worker: WorkerId(1), .. });
    assert!(commands.iter().any(is_noted), "it may be misled by that: {commands:?}");
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
fn a_fleet_that_comes_all_at_once_is_given_jobs_in_parts() {
    let config = Config { jobs_per_thread: 4.0, ..split() };
    let mut script = Script::new(config);
    script.submit(0, 1, position(&mut Random(11), 14));
    for worker in 1..=40 {
        assert_eq!(
            script.core.hear(Millis(0), joined(worker, worker, 1), &script.store),
            [],
            "no work is done yet"
        );
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

#[test]
fn a_worker_that_may_not_take_what_comes_first_gets_something_else() {
    let goal = Window::at_least(Score::DRAW).unwrap();
    let crowd = Config { goals_from_slots: 1, slots_per_deep: usize::MAX, ..whole() };
    for config in [whole(), crowd] {
        let mut script = Script::new(config);
        let mut random = Random(3);
        for solve in 1..=5 {
            script.submit_window(0, solve, position(&mut random, 9), goal);
        }
        let first = only_job(&script.join(0, 1, 1));
        let (_, second) = only_job(&script.join(0, 2, 1));
        let failed = Report { failed: true, ..empty(&second, 10) };
        let given = assigned(&script.report(1, 2, failed));
        assert_eq!(given.len(), 1, "three others wait");
        assert_ne!(given[0].1.id, second.id);
        let (mut open, mut solved) = (given, 0);
        open.push(first);
        while let Some((worker, job)) = open.pop() {
            let commands = script.report(2, worker, truth(&job));
            open.extend(assigned(&commands));
            let is_answer = |command: &&Command| matches!(command, Command::Solved { .. });
            solved += commands.iter().filter(is_answer).count();
        }
        assert_eq!(solved, 5, "what was refused is not forgotten");
    }
}
