//! How many threads a job gets.

use outflank_coordinator::core::{Config, Event, Millis, SolveId};
use outflank_engine::{Bound, Score, Window};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{Script, assigned, joined, nine_empties, only_job, split, whole};

/// Two workers of eight threads, of which a request that is alone is to have four jobs.
fn two_of_eight(config: &Config) -> Script {
    let mut script = Script::new(Config {
        slots_of_each: 4,
        goals_from_slots: 1,
        slots_per_deep: 1,
        ..config.clone()
    });
    script.join(0, 1, 8);
    script.join(0, 2, 8);
    script
}

#[test]
fn a_request_with_more_threads_than_it_needs_jobs_has_several_threads_for_each() {
    let jobs = assigned(&two_of_eight(&split()).submit(0, 1, nine_empties()));
    let of = |worker| jobs.iter().filter(|(whose, _)| *whose == worker).count();
    assert_eq!((of(1), of(2)), (2, 2));
    assert!(jobs.iter().all(|(_, job)| job.threads == 4), "{jobs:?}");
}

#[test]
fn no_job_has_more_threads_than_the_widest_while_there_are_others() {
    let narrow = Config { widest_job: 2, ..split() };
    let jobs = assigned(&two_of_eight(&narrow).submit(0, 1, nine_empties()));
    assert_eq!(jobs.len(), 8);
    assert!(jobs.iter().all(|(_, job)| job.threads == 2), "{jobs:?}");
}

#[test]
fn a_single_job_has_all_threads_of_its_worker() {
    let (_, job) = only_job(&two_of_eight(&whole()).submit(0, 1, nine_empties()));
    assert_eq!(job.threads, 8);
}

#[test]
fn requests_that_are_enough_for_all_threads_have_jobs_of_one_thread() {
    let mut script = two_of_eight(&split());
    for solve in 0..4 {
        let position = position(&mut Random(20 + solve), 9);
        let (solve, window) = (SolveId(solve), Window::FULL);
        let event = Event::Submitted { solve, position, window, budget: None };
        script.core.hear(Millis(0), event, &script.store);
    }
    let jobs = assigned(&script.submit(0, 4, nine_empties()));
    assert_eq!(jobs.len(), 16);
    assert!(jobs.iter().all(|(_, job)| job.threads == 1), "{jobs:?}");
}

#[test]
fn the_smallest_jobs_grow_with_their_threads() {
    // The advisor predicts twice two to the power of the empty squares for a value.
    let fewest_empties = |slots_of_each| {
        let config = Config { slots_of_each, shortest_job: 16.0, ..split() };
        let mut script =
            Script::new(Config { goals_from_slots: usize::MAX, jobs_per_thread: 64.0, ..config });
        for worker in 1..=8 {
            script.join(0, worker, 4);
        }
        let jobs = assigned(&script.submit(0, 1, nine_empties()));
        jobs.iter().map(|(_, job)| job.position.empties()).min()
    };
    assert_eq!(fewest_empties(32), Some(3), "16 nodes on one thread");
    assert_eq!(fewest_empties(8), Some(5), "64 nodes on four");
}

#[test]
fn where_few_workers_are_jobs_have_all_threads_that_there_are_for_a_request() {
    for (requests, threads) in [(1, 8), (2, 8), (3, 4), (5, 2), (8, 2), (9, 1)] {
        let mut script = Script::new(Config { small_up_to: 8, ..whole() });
        for solve in 0..requests - 1 {
            let position = position(&mut Random(20 + solve), 9);
            let (solve, window) = (SolveId(solve), Window::FULL);
            let event = Event::Submitted { solve, position, window, budget: None };
            script.core.hear(Millis(0), event, &script.store);
        }
        let event = Event::Submitted {
            solve: SolveId(requests),
            position: nine_empties(),
            window: Window::FULL,
            budget: None,
        };
        script.core.hear(Millis(0), event, &script.store);
        script.core.hear(Millis(0), joined(1, 1, 8), &script.store);
        let jobs = assigned(&script.join(0, 2, 8));
        let fewest = jobs.iter().map(|(_, job)| job.threads).min();
        assert_eq!(fewest, Some(threads), "{requests} requests");
        assert!(jobs.len() <= requests as usize, "{requests} requests: {jobs:?}");
    }
}

/// Returns so many goals, asked at once, for a fleet that is large from 17 threads on.
fn goals(requests: u64, window: Window) -> Script {
    let config = Config { large_above: 16, slots_per_deep: 1, goals_from_slots: 1, ..split() };
    let mut script = Script::new(config);
    for solve in 0..requests {
        let position = position(&mut Random(20 + solve), 9);
        let event = Event::Submitted { solve: SolveId(solve), position, window, budget: None };
        script.core.hear(Millis(0), event, &script.store);
    }
    script
}

/// Returns the fewest threads of a job when two workers have come.
fn narrowest(script: &mut Script, threads: u32) -> Option<u32> {
    script.core.hear(Millis(0), joined(1, 1, threads - 8), &script.store);
    assigned(&script.join(0, 2, 8)).iter().map(|(_, job)| job.threads).min()
}

#[test]
fn goals_in_a_large_fleet_have_up_to_four_threads_each_and_values_one() {
    let goal = Score::new(2).and_then(Window::at_least).expect("a goal");
    for (window, threads, requests, wide) in
        [(goal, 17, 8, 2), (goal, 17, 3, 4), (goal, 16, 3, 1), (Window::FULL, 17, 3, 1)]
    {
        let found = narrowest(&mut goals(requests, window), threads);
        assert_eq!(found, Some(wide), "{requests} requests for {window}, {threads} threads");
    }
}

#[test]
fn goals_are_served_as_such_when_the_values_that_a_verdict_had_asked_for_again_are_over() {
    let goal = Score::new(2).and_then(Window::at_least).expect("a goal");
    let value = Oracle::default().value(nine_empties().canonical());
    for is_stored in [false, true] {
        let (mut script, solve) = (goals(3, goal), SolveId(9));
        let (position, window) = (nine_empties(), Window::FULL);
        let event = Event::Submitted { solve, position, window, budget: None };
        script.core.hear(Millis(0), event, &script.store);
        if is_stored {
            script.store.0.insert(position.canonical(), (Bound::exact(value), None));
        }
        script.core.hear(Millis(0), Event::TakenBack { era: 1 }, &script.store);
        script.core.hear(Millis(0), Event::Abandoned { solve }, &script.store);
        assert_eq!(narrowest(&mut script, 17), Some(4), "stored: {is_stored}");
    }
}
