//! Requests of campaigns: their turn, and how they are cut.

use outflank_coordinator::core::{Command, Config, Event, Job, SolveId, Terms, WorkerId};
use outflank_engine::{Bound, Position, Score, Square, Symmetry, Window};

use crate::random::{Random, position};
use crate::script::{Script, assigned, only_job, split, truth, whole};

fn enlist(script: &mut Script, solve: u64, position: Position, terms: Terms) {
    let window = Window::at_least(Score::DRAW).unwrap();
    script.at(0, Event::Enlisted { solve: SolveId(solve), position, window, terms });
}

/// Beside one request for each worker, what is larger than a job is tried and then cut: not where it was said how far to cut.
#[test]
fn a_row_that_is_split_to_its_size_is_one_job_there_also_in_a_crowd() {
    for workers in [8, 9] {
        let config = Config { trial_job: 30.0, ..split() };
        let mut script = Script::new(config);
        for solve in 1..=workers {
            let row = position(&mut Random(solve), 10);
            enlist(&mut script, solve, row, Terms { priority: 1, split_to: Some(10) });
        }
        for worker in 1..=workers {
            let (_, job) = only_job(&script.join(0, worker, 1));
            assert!(job.position.empties() == 10 && job.node_limit >= 1 << 10, "{job:?}");
        }
    }
}

#[test]
fn clients_come_before_campaigns_and_campaigns_by_priority() {
    let mut random = Random(5);
    let [low, high, client] = [9, 9, 9].map(|empties| position(&mut random, empties));
    let mut script = Script::new(whole());
    enlist(&mut script, 1, low, Terms { priority: 1, split_to: None });
    enlist(&mut script, 2, high, Terms { priority: 2, split_to: None });
    let join = |script: &mut Script, worker| only_job(&script.join(0, worker, 1)).1.position;
    assert_eq!(join(&mut script, 1), high.canonical());
    script.submit(0, 3, client);
    assert_eq!(join(&mut script, 2), client.canonical());
    assert_eq!(join(&mut script, 3), low.canonical());
}

#[test]
fn a_row_that_a_client_asks_about_too_does_not_wait_for_its_turn() {
    let mut random = Random(7);
    let [low, high] = [9, 9].map(|empties| position(&mut random, empties));
    let window = Window::at_least(Score::DRAW).unwrap();
    for (config, first_worker) in [(whole(), false), (split(), false), (split(), true)] {
        let mut script = Script::new(config);
        enlist(&mut script, 1, low, Terms { priority: 1, split_to: None });
        if first_worker {
            script.join(0, 1, 1); // The row is split, and its first goal given out.
        }
        enlist(&mut script, 2, high, Terms { priority: 2, split_to: None });
        let questions = script.core.status().questions;
        script.submit_window(0, 3, low, window);
        let status = script.core.status();
        assert_eq!((status.solves, status.questions), (3, questions), "they are shared");
        if first_worker {
            script.at(0, Event::Left { worker: WorkerId(1) }); // That goal waits again.
        }
        let (_, job) = only_job(&script.join(0, 2, 1));
        assert!(descends(job.position, low), "{job:?}");
    }
}

/// Returns whether `position` follows from `root` by moves, up to symmetry.
fn descends(position: Position, root: Position) -> bool {
    let root = root.canonical();
    if root.empties() <= position.empties() {
        return root == position.canonical();
    }
    if root.must_pass() {
        return descends(position, root.pass());
    }
    let mut after = Square::all(root.moves()).filter_map(|square| root.play(square));
    after.any(|child| descends(position, child))
}

#[test]
fn a_campaign_is_split_to_the_number_of_empties_that_it_wants() {
    let root = position(&mut Random(6), 10);
    for (split_to, expected) in [(None, 10), (Some(10), 10), (Some(9), 9), (Some(8), 8)] {
        let mut script = Script::new(whole());
        enlist(&mut script, 1, root, Terms { priority: 0, split_to });
        let jobs = assigned(&script.join(0, 1, 64));
        let empties: Vec<u32> = jobs.iter().map(|(_, job)| job.position.empties()).collect();
        assert!(!empties.is_empty() && empties.iter().all(|&count| count == expected), "{jobs:?}");
    }
}

/// Enlists a row twice and gives the first request up, as when the priority of a campaign is changed.
fn enlist_anew(script: &mut Script, row: Position, terms: Terms) {
    enlist(script, 1, row, terms);
    enlist(script, 2, row, terms);
    script.at(0, Event::Abandoned { solve: SolveId(1) });
}

/// Returns whether `position` may come from `root`.
fn may_come(root: Position, position: Position) -> bool {
    Symmetry::all().any(|symmetry| {
        let filled = !symmetry.position(root).empty();
        !position.empty() & filled == filled
    })
}

#[test]
fn a_row_is_split_as_its_campaign_wants_after_its_first_request_has_gone() {
    let mut script = Script::new(whole());
    let terms = Terms { priority: 1, split_to: Some(8) };
    enlist_anew(&mut script, position(&mut Random(6), 10), terms);
    let jobs = assigned(&script.join(0, 1, 64));
    assert!(!jobs.is_empty() && jobs.iter().all(|(_, job)| job.position.empties() <= 8));
}

#[test]
fn parts_of_a_campaign_do_not_come_before_clients_when_its_first_request_has_gone() {
    let mut tried = 0;
    for seed in 0..40 {
        let mut random = Random(seed);
        let [row, client] = [11, 11].map(|empties| position(&mut random, empties));
        if may_come(row, client) {
            continue; // Its jobs would be of use to both.
        }
        let jobs_before_the_client = |is_anew: bool| {
            let mut script = Script::new(split());
            let terms = Terms { priority: 1, split_to: None };
            enlist(&mut script, if is_anew { 1 } else { 2 }, row, terms);
            let mut open = assigned(&script.join(0, 1, 1));
            if is_anew {
                enlist(&mut script, 2, row, terms);
                script.at(0, Event::Abandoned { solve: SolveId(1) });
            }
            let goal = Window::at_least(Score::DRAW).unwrap();
            script.submit_window(0, 3, client, goal);
            let mut count = 0;
            loop {
                let (worker, job) = open.remove(0);
                let commands = script.report(1, worker, truth(&job));
                let is_answer = |command: &Command| {
                    matches!(command, Command::Solved { solve: SolveId(3), .. })
                };
                if commands.iter().any(is_answer) {
                    return count;
                }
                let given = assigned(&commands);
                let of_the_row = |(_, job): &&(u64, Job)| {
                    may_come(row, job.position) && !may_come(client, job.position)
                };
                count += given.iter().filter(of_the_row).count();
                open.extend(given);
            }
        };
        assert_eq!(jobs_before_the_client(true), jobs_before_the_client(false), "seed {seed}");
        tried += 1;
    }
    assert!(tried > 10, "{tried}");
}

#[test]
fn for_a_row_whose_value_is_stored_nobody_searches_a_line() {
    let root = position(&mut Random(6), 9);
    let mut script = Script::new(whole());
    script.store.0.insert(root.canonical(), (Bound::exact(Score::DRAW), None));
    script.join(0, 1, 1);
    let terms = Terms { priority: 0, split_to: None };
    let window = Window::at_least(Score::DRAW).unwrap();
    let (solve, position) = (SolveId(1), root);
    let commands = script.at(0, Event::Enlisted { solve, position, window, terms });
    assert!(matches!(commands[..], [Command::Solved { .. }]), "{commands:?}");
}
