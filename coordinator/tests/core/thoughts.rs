//! What the core thinks itself, and for how long.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use outflank_coordinator::core::{Advisor, Config, Core, Event, Haste, Millis, SolveId, Terms};
use outflank_engine::{Position, Score, Window};

use crate::advisor::Heuristic;
use crate::random::{Random, position};
use crate::script::{Script, assigned, nine_empties, only_job, split};
use crate::worker::empty;
use crate::world::Store;

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

/// Counts the nodes that it is asked to think; the other is what a position of so many empties takes.
struct Counter(Arc<Mutex<u64>>, fn(u32) -> f64);

/// Takes positions of more than 30 empties for large.
fn large_above_30(empties: u32) -> f64 {
    if empties > 30 { 1e12 } else { 1e6 }
}

impl Advisor for Counter {
    fn estimate(&self, position: Position) -> i32 {
        Heuristic.estimate(position)
    }

    fn careful_estimate(&self, position: Position, nodes: u64) -> i32 {
        *self.0.lock().unwrap() += nodes;
        Heuristic.estimate(position)
    }

    fn predicted_nodes(&self, position: Position, _window: Window, _estimate: i32) -> f64 {
        self.1(position.empties())
    }
}

#[test]
fn the_way_down_to_the_first_job_is_not_thought_over_without_end() {
    let thought_with = |most_thought: f64, root: Position| {
        let nodes = Arc::new(Mutex::new(0));
        let config = Config { most_thought, ..Config::default() };
        let core = Core::new(config, Box::new(Counter(Arc::clone(&nodes), large_above_30)));
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
    let core = Core::new(Config::default(), Box::new(Counter(Arc::clone(&nodes), large_above_30)));
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

/// Notes at what it is asked to look carefully; haste comes with the first of it.
struct Hurried {
    haste: Haste,
    looks: Arc<Mutex<Vec<Position>>>,
}

impl Advisor for Hurried {
    fn estimate(&self, position: Position) -> i32 {
        Heuristic.estimate(position)
    }

    fn careful_estimate(&self, position: Position, _nodes: u64) -> i32 {
        let mut looks = self.looks.lock().unwrap();
        if looks.is_empty() {
            self.haste.begin();
        }
        looks.push(position);
        Heuristic.estimate(position)
    }

    fn haste(&self) -> Haste {
        self.haste.clone()
    }

    fn predicted_nodes(&self, position: Position, _window: Window, _estimate: i32) -> f64 {
        large_above_30(position.empties())
    }
}

#[test]
fn what_was_cut_short_by_haste_is_thought_about_again() {
    let score = |discs| Score::new(discs).unwrap();
    let value = [Window::FULL, Window::new(score(-20), score(20)).unwrap()];
    let goals = [0, 2].map(|discs| Window::at_least(score(discs)).unwrap());
    for (workers, [first, second]) in [(1, value), (64, goals)] {
        let (haste, looks) = (Haste::default(), Arc::new(Mutex::new(Vec::new())));
        let advisor = Hurried { haste: haste.clone(), looks: Arc::clone(&looks) };
        let core = Core::new(Config::default(), Box::new(advisor));
        let mut script = Script { core, store: Store::default() };
        for worker in 1..=workers {
            script.join(0, worker, 1);
        }
        let (solve, position) = (SolveId(1), Position::START);
        let row = Event::Enlisted { solve, position, window: first, terms: Terms::default() };
        assert_eq!(assigned(&script.at(0, row)).len() as u64, workers);
        let root = position.canonical();
        assert_eq!(*looks.lock().unwrap(), [root], "in haste nothing else is looked at");
        haste.end();
        script.submit_window(1, 2, position, second);
        script.join(1, workers + 1, 1);
        assert!(looks.lock().unwrap()[1..].contains(&root), "that was no thought");
    }
}

/// Returns a core with 64 workers of one thread that wait, and the nodes that it has thought.
fn fleet_of_64() -> (Script, Arc<Mutex<u64>>) {
    let nodes = Arc::new(Mutex::new(0));
    let core = Core::new(Config::default(), Box::new(Counter(Arc::clone(&nodes), large_above_30)));
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
    let config = Config { goals_from_slots: 1, slots_per_deep: 1, ..split() };
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

/// By how much a position of so many empty squares is dearer than one of 20.
fn growth(empties: u32) -> f64 {
    (0.63 * (f64::from(empties) - 20.0)).exp()
}

/// Returns a core that has split a row of so many empty squares to jobs of 20, where a position takes so many nodes, with
/// the row's position and what the core has thought so far.
fn split_row(
    empties: u32,
    window: Window,
    size: fn(u32) -> f64,
) -> (Script, Position, Arc<Mutex<u64>>) {
    let nodes = Arc::new(Mutex::new(0));
    let core = Core::new(Config::default(), Box::new(Counter(Arc::clone(&nodes), size)));
    let mut script = Script { core, store: Store::default() };
    script.join(0, 1, 1);
    let (solve, terms) = (SolveId(1), Terms { priority: 0, split_to: Some(20) });
    let position = position(&mut Random(1), empties);
    let (_, job) = only_job(&script.at(0, Event::Enlisted { solve, position, window, terms }));
    assert_eq!(job.position.empties(), 20);
    (script, position, nodes)
}

#[test]
fn a_row_that_is_split_into_small_jobs_is_not_thought_about_for_longer_than_they_take() {
    for window in [Window::FULL, Window::at_least(Score::DRAW).unwrap()] {
        let (_, _, nodes) = split_row(24, window, |empties| 6e6 * growth(empties));
        // Half of a job for the value and half for the moves of each of four plies, but for roundings.
        let thought = *nodes.lock().unwrap();
        assert!((3_000_000..=24_000_000).contains(&thought), "{thought}");
    }
}

#[test]
fn a_quick_look_at_small_jobs_passes_for_no_careful_opinion() {
    let goal = Window::at_least(Score::DRAW).unwrap();
    let (mut script, position, nodes) = split_row(40, goal, |empties| 3e5 * growth(empties));
    assert_eq!(*nodes.lock().unwrap(), 0, "nothing of it is worth a search");
    script.submit_window(0, 2, position, Window::FULL);
    script.join(0, 2, 1);
    assert!(*nodes.lock().unwrap() >= 4_000_000, "its value is asked for, and worth a search");
}
