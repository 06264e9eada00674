//! Whole simulated solves of small trees.

use std::collections::BTreeSet;
use std::sync::Arc;

use outflank_coordinator::core::Config;
use outflank_engine::{Bound, Window};
use outflank_simulation::model::{Kind, Model, ModelAdvisor, Modelled, Shape, roots};
use outflank_simulation::{Cluster, Measures, Piece, Request, simulate};

const EMPTIES: u32 = 20;
const HORIZON: u32 = 15;

/// Jobs small enough for trees of five plies to be split.
fn cluster(workers: usize) -> Cluster {
    let config = Config {
        shortest_job: 2e4,
        leaf_empties: HORIZON,
        small_up_to: 0,
        lines: false,
        split_after: std::time::Duration::from_millis(2),
        split_soon: std::time::Duration::from_millis(2),
        ..Config::default()
    };
    Cluster { workers, config, ..Cluster::default() }
}

fn model(seed: u64) -> Model {
    Model::new(Shape::fitted(seed, HORIZON)).expect("the build has weights")
}

fn run(seed: u64, workers: usize, requests: &[Request]) -> Measures {
    let cluster = cluster(workers);
    let advisor = ModelAdvisor::new(seed, Arc::clone(&cluster.thought), &[]).expect("weights");
    let mut crew = Modelled::new(model(seed), workers, 1);
    simulate(&cluster, Box::new(advisor), requests, &mut crew, &mut |_| {})
}

/// Returns the value of a root by a search of one worker that nobody splits.
fn value(seed: u64, request: Request) -> Bound {
    model(seed).value_of(request.position, Window::FULL, 0)
}

#[test]
fn the_same_seed_gives_the_same_schedule_and_another_seed_another_one() {
    let requests = |seed| roots(seed, EMPTIES, 2, Kind::Value).expect("weights");
    let schedule = |seed| run(seed, 7, &requests(seed)).schedule;
    assert_eq!(schedule(1), schedule(1));
    assert_ne!(schedule(1), schedule(2));
}

#[test]
fn every_number_of_workers_finds_the_values_of_the_tree() {
    let mut jobs = 0;
    for seed in 0..6 {
        let requests = roots(seed, EMPTIES, 2, Kind::Value).expect("weights");
        for workers in [1, 2, 5, 40] {
            let measures = run(seed, workers, &requests);
            assert_eq!(measures.answers.len(), requests.len());
            for &(solve, bound) in &measures.answers {
                let expected = value(seed, requests[solve.0 as usize]);
                assert_eq!(bound, expected, "seed {seed}, {workers} workers");
            }
            jobs += measures.jobs;
        }
    }
    assert!(jobs > 6 * 4 * 2 * 4, "{jobs} jobs: nothing is split");
}

#[test]
fn a_campaign_of_hypotheses_is_decided_and_its_time_adds_up() {
    let requests = roots(3, EMPTIES, 12, Kind::Hypothesis).expect("weights");
    let measures = run(3, 5, &requests);
    for &(solve, bound) in &measures.answers {
        assert!(bound.answers(requests[solve.0 as usize].window));
    }
    let busy = measures.busy as f64 / 1e6 * Cluster::default().nodes_per_second;
    assert!((busy / measures.nodes as f64 - 1.0).abs() < 0.05, "busy {busy}, {measures:?}");
    assert!((0.0..1.0).contains(&measures.idle()));
}

#[test]
fn a_core_that_thinks_for_longer_than_a_lease_gives_nobody_two_jobs_at_once() {
    let requests = roots(3, EMPTIES, 12, Kind::Hypothesis).expect("weights");
    // To look at the moves of all requests takes a minute, and nothing is split because somebody is idle.
    let never = std::time::Duration::from_secs(1 << 32);
    let one = cluster(12);
    let config = Config { split_after: never, split_soon: never, ..one.config.clone() };
    let cluster = Cluster { nodes_per_second: 2_000.0, config, ..one };
    let advisor = ModelAdvisor::new(3, Arc::clone(&cluster.thought), &[]).expect("weights");
    let mut crew = Modelled::new(model(3), cluster.workers, cluster.threads);
    let measures = simulate(&cluster, Box::new(advisor), &requests, &mut crew, &mut |_| {});
    assert_eq!(measures.answers.len(), requests.len());
}

#[test]
fn what_the_ledger_says_is_all_that_was_searched() {
    let requests = roots(3, EMPTIES, 12, Kind::Hypothesis).expect("weights");
    for workers in [1, 30] {
        let cluster = cluster(workers);
        let advisor = ModelAdvisor::new(3, Arc::clone(&cluster.thought), &[]).expect("weights");
        let mut tree = model(3);
        let alone = |request: &Request| tree.sequential(request.position, request.window);
        let alone: Vec<_> = requests.iter().map(alone).collect();
        let mut crew = Modelled::new(tree, workers, 1);
        alone.iter().for_each(|alone| crew.expect(alone));
        let measures = simulate(&cluster, Box::new(advisor), &requests, &mut crew, &mut |_| {});
        let shares = crew.into_parts().1.shares(measures.nodes);
        let sequential: u64 = alone.iter().map(|alone| alone.nodes).sum();
        assert!(shares.shared > 0.0 && shares.shared <= sequential as f64, "{shares:?}");
        // An answer that is stopped and taken up again costs more than one that is not, never less.
        assert!(shares.broken_off >= -0.01 * measures.nodes as f64, "{workers}: {shares:?}");
        let lost = shares.disordered + shares.misguided + shares.again;
        match workers {
            1 => assert!(lost < 0.5 * sequential as f64, "one worker: {shares:?}"),
            _ => assert!(shares.misguided > 0.0 && shares.again > 0.0, "{shares:?}"),
        }
    }
}

#[test]
fn workers_of_several_threads_find_the_values_with_jobs_of_one_thread_and_of_more() {
    let requests = roots(5, EMPTIES, 2, Kind::Value).expect("weights");
    let run = |slots_of_each| {
        let one = cluster(5);
        let config = Config { slots_of_each, ..one.config.clone() };
        let cluster = Cluster { threads: 8, config, ..one };
        let mut threads = BTreeSet::new();
        let advisor = ModelAdvisor::new(5, Arc::clone(&cluster.thought), &[]).expect("weights");
        let mut crew = Modelled::new(model(5), cluster.workers, cluster.threads);
        let watch = &mut |piece: &Piece| {
            threads.insert(piece.job.threads);
            assert!(piece.worker < 5, "{piece:?}");
        };
        let measures = simulate(&cluster, Box::new(advisor), &requests, &mut crew, watch);
        for &(solve, bound) in &measures.answers {
            assert_eq!(bound, value(5, requests[solve.0 as usize]));
        }
        assert_eq!((measures.answers.len(), measures.workers, measures.threads), (2, 5, 40));
        assert!((0.0..1.0).contains(&measures.idle()), "{}", measures.idle());
        threads
    };
    assert!(run(128).contains(&1));
    let wide = run(5);
    assert!(!wide.is_empty() && !wide.contains(&1), "{wide:?}");
}
