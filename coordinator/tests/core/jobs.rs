//! How a request becomes jobs, and who gets which.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use outflank_coordinator::core::{
    Advisor, Command, Config, Core, Event, JobId, Millis, Report, SolveId, WorkerId,
};
use outflank_engine::{Bound, Position, Score, Square, Window};

use crate::advisor::Heuristic;
use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{Script, assigned, joined, nine_empties, only_job, split, truth, whole};
use crate::worker::empty;
use crate::world::Store;

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
    let config = Config { goals_from: 1, threads_per_deep: 1, ..split() };
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

/// Positions that were looked at together, and with how many nodes each.
type Look = (Vec<Position>, u64);

/// Has quick opinions of all positions that are wrong, and looks at some carefully.
struct Thinker {
    /// The nodes that a position of nine empties takes.
    size: f64,
    threads: usize,
    /// What was looked at, one after the other.
    looks: Arc<Mutex<Vec<Look>>>,
}

impl Advisor for Thinker {
    fn estimate(&self, position: Position) -> i32 {
        -Heuristic.estimate(position)
    }

    fn careful_estimate(&self, position: Position, nodes: u64) -> i32 {
        self.careful_estimates(&[position], nodes)[0]
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn careful_estimates(&self, positions: &[Position], nodes: u64) -> Vec<i32> {
        self.looks.lock().unwrap().push((positions.to_vec(), nodes));
        Heuristic.estimates(positions)
    }

    fn predicted_nodes(&self, position: Position, _window: Window, _estimate: i32) -> f64 {
        if position.empties() == 9 { self.size } else { 1.0 }
    }
}

/// Takes positions of more than 30 empties for large, and counts the nodes that it is asked to think.
struct Counter(Arc<Mutex<u64>>);

impl Advisor for Counter {
    fn estimate(&self, position: Position) -> i32 {
        Heuristic.estimate(position)
    }

    fn careful_estimate(&self, position: Position, nodes: u64) -> i32 {
        *self.0.lock().unwrap() += nodes;
        Heuristic.estimate(position)
    }

    fn predicted_nodes(&self, position: Position, _window: Window, _estimate: i32) -> f64 {
        if position.empties() > 30 { 1e12 } else { 1e6 }
    }
}

#[test]
fn the_way_down_to_the_first_job_is_not_thought_over_without_end() {
    let thought_with = |most_thought: f64, root: Position| {
        let nodes = Arc::new(Mutex::new(0));
        let config = Config { most_thought, ..Config::default() };
        let core = Core::new(config, Box::new(Counter(Arc::clone(&nodes))));
        let mut script = Script { core, store: Store::default() };
        script.join(0, 1, 1);
        let (_, job) = only_job(&script.submit(0, 1, root));
        assert_eq!(job.position.empties(), 30, "{root:?}");
        *nodes.lock().unwrap()
    };
    let thought = |root: Position| thought_with(Config::default().most_thought, root);
    // Four million nodes for the value of the root and for the moves on each of three plies, but for roundings.
    let near = thought(position(&mut Random(1), 33));
    assert!((15_999_000..=16_000_000).contains(&near), "{near}");
    let far = thought(Position::START);
    assert!((23_999_000..=24_000_000).contains(&far), "{far}");
    // Who wants an answer for less gets the first job at once.
    assert_eq!(thought_with(1e3, Position::START), 0);
    let little = thought_with(5e6, Position::START);
    assert!((3_999_000..=5_000_000).contains(&little), "{little}");
}

#[test]
fn a_request_is_thought_about_no_longer_than_its_client_waits() {
    let nodes = Arc::new(Mutex::new(0));
    let core = Core::new(Config::default(), Box::new(Counter(Arc::clone(&nodes))));
    let mut script = Script { core, store: Store::default() };
    script.join(0, 1, 1);
    let (position, window) = (Position::START, Window::FULL);
    let budgeted = |solve, nodes| Event::Submitted { solve, position, window, budget: Some(nodes) };
    let (_, job) = only_job(&script.at(0, budgeted(SolveId(1), 1_000)));
    assert_eq!(job.position.empties(), 30);
    assert_eq!(*nodes.lock().unwrap(), 0, "it may cost less than the first thought");
    script.at(1, Event::Abandoned { solve: SolveId(1) });
    script.report(1, 1, empty(&job, 100));
    let (_, job) = only_job(&script.at(2, budgeted(SolveId(2), 5_000_000)));
    let thought = *nodes.lock().unwrap();
    assert!((3_999_000..=5_000_000).contains(&thought), "{thought}");
    script.at(3, Event::Abandoned { solve: SolveId(2) });
    script.report(3, 1, empty(&job, 100));
    script.submit(4, 3, position);
    assert!(*nodes.lock().unwrap() > 2 * thought, "who waits for the answer is thought for");
}

/// Returns a core with 64 workers of one thread that wait, and the nodes that it has thought.
fn fleet_of_64() -> (Script, Arc<Mutex<u64>>) {
    let nodes = Arc::new(Mutex::new(0));
    let core = Core::new(Config::default(), Box::new(Counter(Arc::clone(&nodes))));
    let mut script = Script { core, store: Store::default() };
    for worker in 0..64 {
        script.join(0, worker, 1);
    }
    (script, nodes)
}

#[test]
fn a_fleet_that_waits_for_parts_of_a_large_goal_is_not_thought_for_without_end() {
    let (mut script, nodes) = fleet_of_64();
    let assigned = assigned(&script.submit(0, 1, Position::START));
    assert_eq!(assigned.len(), 64);
    // Four million nodes six times for each of four threads.
    let thought = *nodes.lock().unwrap();
    assert!((90_000_000..=96_000_000).contains(&thought), "{thought}");
}

#[test]
fn the_core_hears_events_between_its_thoughts() {
    let (mut script, nodes) = fleet_of_64();
    let (solve, position, window) = (SolveId(1), Position::START, Window::FULL);
    let submitted = Event::Submitted { solve, position, window, budget: None };
    let commands = script.core.hear(Millis(1_000), submitted, &script.store);
    let (mut most, mut turns, mut given) = (0, 0, assigned(&commands).len());
    loop {
        let before = *nodes.lock().unwrap();
        let (commands, has_more) = script.core.assign(Millis(1_000), 32, &script.store);
        most = most.max(*nodes.lock().unwrap() - before);
        turns += 1;
        given += assigned(&commands).len();
        if !has_more {
            break;
        }
    }
    assert_eq!(given, 64);
    // What counts as 32 splits, and one split more: a goal and its moves, a million nodes each.
    assert!(most <= 32_000_000 + 20_000_000 && turns > 2, "{most}, {turns}");
}

/// Returns at which positions a core with so many threads looks together, one after the other, before it splits
/// `root`, which takes so many nodes, and with how many each time.
fn looks_before_a_split(root: Position, size: f64, threads: usize) -> Vec<Look> {
    let config = Config { goals_from: 1, threads_per_deep: 1, ..split() };
    let looks = Arc::new(Mutex::new(Vec::new()));
    let advisor = Thinker { size, threads, looks: Arc::clone(&looks) };
    let core = Core::new(config, Box::new(advisor));
    let mut script = Script { core, store: Store::default() };
    script.join(0, 1, 1);
    let goal = Window::at_least(Score::DRAW).unwrap();
    script.submit_window(0, 1, root, goal);
    let looks = looks.lock().unwrap();
    looks.clone()
}

#[test]
fn the_core_looks_at_a_goal_of_many_workers_and_at_its_moves_as_long_as_its_size_allows() {
    let root = nine_empties().canonical();
    let moves = root.moves().count_ones() as usize;
    // Two parts of a hundred of the goal are none of the smallest searches, one, three, and more than enough.
    for (size, expected) in [(9.9e6, 0), (1.1e7, 1), (3.1e7, 3), (1e9, 1 + moves)] {
        let looks = looks_before_a_split(root, size, 1);
        assert!(looks.iter().all(|(positions, _)| positions.len() == 1), "{looks:?}");
        let positions: BTreeSet<Position> = looks.iter().map(|(looked, _)| looked[0]).collect();
        assert_eq!((looks.len(), positions.len()), (expected, expected), "{size}");
        let nodes: f64 = looks.iter().map(|&(_, nodes)| nodes as f64).sum();
        assert!(nodes <= 0.02 * size, "{nodes} of {size}");
    }
}

#[test]
fn with_threads_of_its_own_the_core_looks_at_as_many_moves_at_once() {
    let root = nine_empties().canonical();
    let moves = root.moves().count_ones() as usize;
    let (most, threads) = (1e9, 3);
    let looks = looks_before_a_split(root, most, threads);
    let together: Vec<usize> = looks.iter().map(|(positions, _)| positions.len()).collect();
    assert_eq!(looks[0].0[0], root, "the goal is among the first");
    let (last, before) = together.split_last().unwrap();
    assert!(before.iter().all(|&count| count == threads) && *last <= threads, "{together:?}");
    assert_eq!(together.iter().sum::<usize>(), 1 + moves, "{together:?}");
    // It takes no longer than one thread may.
    for (size, rounds) in [(9.9e6, 0), (1.1e7, 1), (2.1e7, 2)] {
        let looks = looks_before_a_split(root, size, threads);
        assert_eq!(looks.len(), rounds, "{size}");
        assert!(looks.iter().all(|(positions, _)| positions.len() == threads), "{looks:?}");
    }
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
    let crowd = Config { goals_from: 1, threads_per_deep: usize::MAX, ..whole() };
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
